"""Keeping books: what others own, computed from what was announced (VIS-2, VIS-3).

With hidden assets, a view does not show the cash and shares of others. But every purchase, bonus, disposal and trade is
announced, so a bot can keep books: it passes each event to a `Ledger`.
"""

from typing import Final, TypeAlias, assert_never

from mergemaker_engine.board import CHAINS
from mergemaker_engine.chains import START_CASH
from mergemaker_engine.errors import SetupError
from mergemaker_engine.events import (
    AssetsShown,
    BonusPaid,
    ChainFounded,
    ChainGrew,
    ChainSurvives,
    EndDeclared,
    Event,
    FounderRewarded,
    GameEnded,
    HandShown,
    HoldingsShown,
    MarketDrew,
    MergerBegan,
    MergerEnded,
    PairTraded,
    PlacingSkipped,
    PowerUsed,
    ResultReached,
    SharesBought,
    SharesSold,
    StartTilePlaced,
    StockDisposed,
    TilePlaced,
    TilesDrawn,
    TilesReceived,
    TilesSetAside,
    TradeAnswered,
    TradeOffered,
    TurnBegan,
    check_event,
)
from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN
from mergemaker_engine.shown import shown

OF_NO_ACCOUNT: Final = frozenset({ChainGrew, TilesDrawn, TilesReceived, TurnBegan})
"""The most frequent events that change nothing in the books."""

_Rarer: TypeAlias = (
    TradeOffered | TradeAnswered | AssetsShown | SharesSold | ResultReached | HandShown | TilePlaced | TilesSetAside
)


class Ledger:
    """The books of a game, kept from its first event on."""

    __slots__ = ("_known_tiles", "_offer", "_survivor", "cash", "shares")

    def __init__(self, seats: int) -> None:
        if type(seats) is not int or not SEATS_MIN <= seats <= SEATS_MAX:
            raise SetupError("bad-seats", f"books are kept for {SEATS_MIN} to {SEATS_MAX} seats, not {shown(seats)}")
        self.cash = [START_CASH] * seats
        """By seat."""
        self.shares = [[0] * CHAINS for _ in range(seats)]
        """By seat, then chain."""
        self._known_tiles: list[set[int]] = [set() for _ in range(seats)]
        self._survivor = 0
        self._offer: TradeOffered | None = None

    def known_tiles(self, seat: int) -> frozenset[int]:
        """The squares of tiles that a seat has shown (PLC-9) and still has."""
        return frozenset(self._known_tiles[seat])

    def copy(self) -> "Ledger":
        """Equal books that share nothing with these."""
        twin = Ledger(len(self.cash))
        twin.cash = self.cash[:]
        twin.shares = [held[:] for held in self.shares]
        twin._known_tiles = [set(tiles) for tiles in self._known_tiles]
        twin._survivor = self._survivor
        twin._offer = self._offer
        return twin

    def observe(self, event: Event) -> None:
        """Enters an event. Events without cash, shares or shown tiles change nothing."""
        match event:
            case SharesBought():
                if event.cost or any(event.shares):
                    self._add_shares(event.seat, event.shares, 1)
                    self.cash[event.seat] -= event.cost
            case FounderRewarded():
                self.shares[event.seat][event.chain] += event.shares
                self.cash[event.seat] += event.cash
            case BonusPaid():
                self.cash[event.seat] += event.amount
            case PairTraded():
                self.shares[event.seat][event.give] -= 2
                self.shares[event.seat][event.take] += 1
            case ChainSurvives():
                self._survivor = event.chain
            case HoldingsShown():
                for seat, count in enumerate(event.holdings):
                    self.shares[seat][event.chain] = count
            case StockDisposed():
                self.shares[event.seat][event.chain] = event.kept
                self.shares[event.seat][self._survivor] += event.received
                self.cash[event.seat] += event.cash
            case (
                TradeOffered()
                | TradeAnswered()
                | AssetsShown()
                | SharesSold()
                | ResultReached()
                | HandShown()
                | TilePlaced()
                | TilesSetAside()
            ):
                self._observe_rarer(event)
            case (
                StartTilePlaced()
                | TilesDrawn()
                | TilesReceived()
                | TurnBegan()
                | PowerUsed()
                | PlacingSkipped()
                | EndDeclared()
                | ChainGrew()
                | ChainFounded()
                | MergerBegan()
                | MarketDrew()
                | MergerEnded()
                | GameEnded()
            ):
                pass
            case _:
                check_event(event)
                assert_never(event)

    def _observe_rarer(self, event: _Rarer) -> None:
        match event:
            case TradeOffered():
                self._offer = event
            case TradeAnswered():
                self._settle_offer(accepted=event.accepted)
            case AssetsShown():
                self.cash[event.seat] = event.cash
                self.shares[event.seat] = list(event.shares)
            case SharesSold():
                self.shares[event.seat][event.chain] -= event.shares
                self.cash[event.seat] += event.cash
            case ResultReached():
                self.cash = list(event.cash)
            case HandShown():
                self._known_tiles[event.seat] = set(event.squares)
            case TilePlaced():
                self._known_tiles[event.seat].discard(event.square)
            case TilesSetAside():
                self._known_tiles[event.seat].difference_update(event.squares)
            case _:
                assert_never(event)

    def _add_shares(self, seat: int, shares: tuple[int, ...], times: int) -> None:
        held = self.shares[seat]
        for chain, count in enumerate(shares):
            if count:
                held[chain] += times * count

    def _settle_offer(self, *, accepted: bool) -> None:
        offer, self._offer = self._offer, None
        if offer is None or not accepted:
            return
        for seat, sign in ((offer.seat, -1), (offer.partner, 1)):
            self._add_shares(seat, offer.give_shares, sign)
            self._add_shares(seat, offer.take_shares, -sign)
            self.cash[seat] += sign * (offer.give_cash - offer.take_cash)
