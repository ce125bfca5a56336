"""A game as everybody knows it, from public events alone: what spectators are shown can hold nothing else.

The referee tells spectators events, and a view only when they come and at the end (VIS-4). Between these, the position follows
from the events. `static/public_game.js` does the same in a browser. Tests compare both with the engine's own public view.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from mergemaker_engine import events
from mergemaker_engine.actions import POWERS, Power
from mergemaker_engine.board import CHAINS, NUMBERS, SQUARES
from mergemaker_engine.chains import GIANT_SIZE, SAFE_SIZE, SHARES_PER_CHAIN, START_CASH
from mergemaker_engine.events import EndReason, Event
from mergemaker_engine.rules import Assets, Rules
from mergemaker_engine.tables import tables_for
from mergemaker_engine.views import EMPTY_SQUARE, FIRST_CHAIN_SQUARE, INDEPENDENT_SQUARE, View

_PAIR: Final = 2
"""How many shares go for one (PWR-4)."""


@dataclass(slots=True)
class _Seat:
    """What everybody knows of a seat."""

    cash: int
    shares: list[int]
    hand_size: int = 0
    powers: tuple[Power, ...] = ()
    is_shown: bool = False
    """Whether the end has shown what it has."""


class PublicGame:
    """A public view that follows events."""

    def __init__(self, rules: Rules, seats: int) -> None:
        """A game before its first event."""
        self._tables: Final = tables_for(rules, seats)
        self._is_open = rules.assets is Assets.OPEN
        self._board = bytearray(SQUARES)
        self._sizes = [0] * CHAINS
        self._market = [SHARES_PER_CHAIN] * CHAINS
        self._seats = [_Seat(START_CASH, [0] * CHAINS) for _ in range(seats)]
        self._pile = SQUARES
        self._aside: list[int] = []
        self._turn = 0
        self._turn_seat = 0
        self._declared = self._power_used = False
        self._over: EndReason | None = None
        self.last_tile: int | None = None
        """The square of the last tile that was placed in a turn."""
        self.survivor: int | None = None
        """The chain that survived the last merger."""
        self._offer: events.TradeOffered | None = None

    @classmethod
    def of_view(cls, view: View) -> "PublicGame":
        """A game that goes on from a public view."""
        game = cls(view.rules, view.seats)
        game._is_open = all(cash is not None for cash in view.cash)
        game._board, game._sizes, game._market = bytearray(view.board), list(view.sizes), list(view.market)
        powers = view.powers_used or ((),) * view.seats
        game._seats = [
            _Seat(view.cash[seat] or 0, list(view.shares[seat] or [0] * CHAINS), view.hand_sizes[seat], powers[seat])
            for seat in range(view.seats)
        ]
        game._pile, game._aside = view.pile, list(view.set_aside)
        game._turn, game._turn_seat = view.turn, view.turn_seat
        game._declared, game._power_used, game._over = view.declared, view.power_used, view.over
        if view.merger is not None:
            game.last_tile, game.survivor = view.merger.square, view.merger.survivor
        return game

    @property
    def turn(self) -> int:
        """The number of the turn; 0 before the first one."""
        return self._turn

    def take(self, event: Event) -> None:
        """Something happened."""
        change = self._CHANGES.get(type(event))
        if change is not None:
            change(self, event)

    def view(self) -> View:
        """The position, with what everybody knows. What only the rules need between two decisions is left out."""
        active = [size for size in self._sizes if size]
        seats, rules = self._seats, self._tables.rules
        return View(
            rules=rules,
            seats=len(seats),
            seat=None,
            turn=self._turn,
            turn_seat=self._turn_seat,
            board=bytes(self._board),
            sizes=tuple(self._sizes),
            prices=tuple(prices[size] for prices, size in zip(self._tables.prices, self._sizes, strict=True)),
            market=tuple(self._market),
            pile=self._pile,
            set_aside=tuple(sorted(self._aside)),
            hand=(),
            hand_sizes=tuple(seat.hand_size for seat in seats),
            cash=tuple(seat.cash if self._is_open or seat.is_shown else None for seat in seats),
            shares=tuple(tuple(seat.shares) if self._is_open or seat.is_shown else None for seat in seats),
            powers_used=tuple(seat.powers for seat in seats) if rules.special_powers else (),
            declared=self._declared,
            end_allowed=any(size >= GIANT_SIZE for size in active) or bool(active and min(active) >= SAFE_SIZE),
            power_used=self._power_used,
            moved=False,
            idle=0,
            merger=None,
            decision=None,
            agenda=(),
            over=self._over,
        )

    # --- what events change ---

    def _start_tile_placed(self, event: events.StartTilePlaced) -> None:
        self._board[event.square] = INDEPENDENT_SQUARE
        self._pile -= 1

    def _tiles_drawn(self, event: events.TilesDrawn) -> None:
        self._seats[event.seat].hand_size += event.count
        self._pile -= event.count

    def _turn_began(self, event: events.TurnBegan) -> None:
        self._turn, self._turn_seat = event.turn, event.seat
        self._declared = self._power_used = False

    def _tiles_set_aside(self, event: events.TilesSetAside) -> None:
        self._aside += event.squares
        self._seats[event.seat].hand_size -= len(event.squares)

    def _trade_offered(self, event: events.TradeOffered) -> None:
        self._offer = event

    def _trade_answered(self, event: events.TradeAnswered) -> None:
        offer, self._offer = self._offer, None
        if not event.accepted:
            return
        if offer is None:  # it was made before this began: from now on nobody here knows who has what
            self._is_open = False
            return
        proposer, partner = self._seats[offer.seat], self._seats[offer.partner]
        for chain in range(CHAINS):
            moved = offer.give_shares[chain] - offer.take_shares[chain]
            proposer.shares[chain] -= moved
            partner.shares[chain] += moved
        proposer.cash += offer.take_cash - offer.give_cash
        partner.cash += offer.give_cash - offer.take_cash

    def _power_was_used(self, event: events.PowerUsed) -> None:
        seat = self._seats[event.seat]
        seat.powers = tuple(power for power in POWERS if power is event.power or power in seat.powers)
        self._power_used = True

    def _end_declared(self, _event: events.EndDeclared) -> None:
        self._declared = True

    def _tile_placed(self, event: events.TilePlaced) -> None:
        self._board[event.square] = INDEPENDENT_SQUARE
        self._seats[event.seat].hand_size -= 1
        self.last_tile = event.square

    def _chain_grew(self, event: events.ChainGrew | events.ChainFounded | events.MergerEnded) -> None:
        """All tiles that are connected with the last one are the chain's now."""
        joined = self._founding(event.size) if self.last_tile is None else _group(self._board, self.last_tile)
        for square in joined:
            if self._board[square] >= FIRST_CHAIN_SQUARE:
                self._sizes[self._board[square] - FIRST_CHAIN_SQUARE] = 0
        for square in joined:
            self._board[square] = FIRST_CHAIN_SQUARE + event.chain
        self._sizes[event.chain] = len(joined)

    def _founding(self, size: int) -> set[int]:
        """Tiles that are founding a chain while somebody comes, who did not see which was the last one."""
        lone = [square for square in range(SQUARES) if self._board[square] == INDEPENDENT_SQUARE]
        groups = (_group(self._board, square) for square in lone)
        return next((group for group in groups if len(group) == size and group <= {*lone}), set())

    def _founder_rewarded(self, event: events.FounderRewarded) -> None:
        self._move_shares(event.seat, event.chain, event.shares)
        self._seats[event.seat].cash += event.cash

    def _chain_survives(self, event: events.ChainSurvives) -> None:
        self.survivor = event.chain

    def _bonus_paid(self, event: events.BonusPaid) -> None:
        self._seats[event.seat].cash += event.amount

    def _stock_disposed(self, event: events.StockDisposed) -> None:
        assert self.survivor is not None, "stock is disposed of after the survivor is named"
        self._move_shares(event.seat, event.chain, -event.sold - event.traded)
        self._move_shares(event.seat, self.survivor, event.received)
        self._seats[event.seat].cash += event.cash

    def _pair_traded(self, event: events.PairTraded) -> None:
        self._move_shares(event.seat, event.give, -_PAIR)
        self._move_shares(event.seat, event.take, 1)

    def _shares_bought(self, event: events.SharesBought) -> None:
        for chain, count in enumerate(event.shares):
            self._move_shares(event.seat, chain, count)
        self._seats[event.seat].cash -= event.cost

    def _game_ended(self, event: events.GameEnded) -> None:
        self._over = event.reason

    def _assets_shown(self, event: events.AssetsShown) -> None:
        seat = self._seats[event.seat]
        seat.cash, seat.shares, seat.is_shown = event.cash, list(event.shares), True

    def _shares_sold(self, event: events.SharesSold) -> None:
        self._move_shares(event.seat, event.chain, -event.shares)
        self._seats[event.seat].cash += event.cash

    def _move_shares(self, seat: int, chain: int, count: int) -> None:
        """Moves shares from the market to a seat; fewer than none the other way."""
        self._market[chain] -= count
        self._seats[seat].shares[chain] += count

    _CHANGES: ClassVar[dict[type, Callable[["PublicGame", Any], None]]] = {
        events.StartTilePlaced: _start_tile_placed,
        events.TilesDrawn: _tiles_drawn,
        events.TurnBegan: _turn_began,
        events.TilesSetAside: _tiles_set_aside,
        events.TradeOffered: _trade_offered,
        events.TradeAnswered: _trade_answered,
        events.PowerUsed: _power_was_used,
        events.EndDeclared: _end_declared,
        events.TilePlaced: _tile_placed,
        events.ChainGrew: _chain_grew,
        events.ChainFounded: _chain_grew,
        events.FounderRewarded: _founder_rewarded,
        events.ChainSurvives: _chain_survives,
        events.BonusPaid: _bonus_paid,
        events.StockDisposed: _stock_disposed,
        events.MergerEnded: _chain_grew,
        events.PairTraded: _pair_traded,
        events.SharesBought: _shares_bought,
        events.GameEnded: _game_ended,
        events.AssetsShown: _assets_shown,
        events.SharesSold: _shares_sold,
    }
    """By kind of event: what it changes. Others change nothing that is shown."""


def _group(board: bytearray, square: int) -> set[int]:
    """All squares with tiles that are connected with a square."""
    found, frontier = {square}, [square]
    while frontier:
        for beside in _beside(frontier.pop()):
            if board[beside] != EMPTY_SQUARE and beside not in found:
                found.add(beside)
                frontier.append(beside)
    return found


def _beside(square: int) -> list[int]:
    column = square % NUMBERS
    near = [square - NUMBERS, square + NUMBERS]
    near += [square - 1] if column else []
    near += [square + 1] if column < NUMBERS - 1 else []
    return [each for each in near if 0 <= each < SQUARES]
