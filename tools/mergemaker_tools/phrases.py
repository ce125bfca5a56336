"""What happened in a game, in a few words, for its score and for those who watch; and what a person is asked."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, assert_never

from mergemaker_engine import events
from mergemaker_engine.decisions import (
    ChooseAcquired,
    ChooseExchange,
    ChooseFounded,
    ChooseOffer,
    ChoosePairTrade,
    ChoosePower,
    ChoosePurchase,
    ChooseReply,
    ChooseSurvivor,
    ChooseTile,
    Decision,
)
from mergemaker_engine.events import Event
from mergemaker_engine.rules import Rules
from mergemaker_engine.wording import square_name

OVER: Final = "the game is over"
"""How the phrase before the last payments begins."""

VERBS: Final[Mapping[type[Decision], str]] = {
    ChooseFounded: "found",
    ChooseSurvivor: "survivor",
    ChooseAcquired: "acquire",
    ChoosePurchase: "buy",
    ChoosePower: "power",
    ChooseOffer: "offer",
    ChoosePairTrade: "swap",
}
"""By kind of decision: the word that a person may leave out of an answer."""

ASKED: Final[Mapping[type[Decision], str]] = {
    ChooseTile: "Place a tile:",
    ChooseFounded: "Name the chain that you found:",
    ChooseSurvivor: "Which chain survives?",
    ChooseAcquired: "Which chain is settled next?",
    ChooseExchange: "Exchange your dead tiles?",
    ChoosePower: "Use a power?",
    ChoosePairTrade: "Swap two shares for one?",
    ChooseOffer: "Offer a trade?",
    ChooseReply: "Do you accept the trade?",
}
"""By kind of decision: what a person is asked."""


class Voice:
    """How the seats are called, and what their verbs are: `seat 1 keeps`. Those who tell a person's game override both."""

    tells_proceeds = False
    """Whether a disposal says what the sold shares brought."""

    def who(self, seat: int) -> str:
        """A seat's name in a sentence."""
        return f"seat {seat}"

    def does(self, _seat: int, verb: str) -> str:
        """A verb after that name, given as in `keeps`."""
        return verb


class Phrases:
    """Takes events, gives phrases; what belongs together is one phrase, such as all bonuses for a chain."""

    def __init__(self, rules: Rules, voice: Voice | None = None) -> None:
        self._names = rules.chain_names
        self._voice = voice or Voice()
        self._made: list[str] = []
        self._joined: tuple[int, ...] = ()
        """The chains of a merger whose survivor is not known yet."""
        self._listed: tuple[type[Event], int] | None = None
        """The payments that the last phrase lists: which, and for which chain."""
        self._joins = False
        """Whether the first phrase continues the one before."""

    def take(self) -> list[str]:
        """The phrases since the last call."""
        made, self._made, self._listed, self._joins = self._made, [], None, False
        return made

    def take_onto(self, said: list[str]) -> None:
        """Adds the phrases since the last call to those of the same turn."""
        joins = self._joins and bool(said)
        made = self.take()
        if joins and made:
            said[-1] += f" {made.pop(0)}"
        said += made

    def hear(self, heard: Iterable[Event]) -> None:
        """Takes what happened."""
        for event in heard:
            listed, self._listed = self._listed, None
            if isinstance(event, events.BonusPaid | events.SharesSold):
                self._payment(event, listed)
            elif isinstance(event, events.MergerBegan):
                self._joined = event.chains
            elif not (self._tile(event) or self._merger(event)):
                self._rest(event)

    def _doing(self, seat: int, verb: str) -> str:
        return f"{self._voice.who(seat)} {self._voice.does(seat, verb)}"

    def _add(self, phrase: str) -> bool:
        self._made.append(phrase)
        return True

    def _append(self, words: str) -> bool:
        """Adds words to the phrase of the tile that caused them, if it belongs to the same decision."""
        if self._made:
            self._made[-1] += f" {words}"
            return True
        self._joins = True
        return self._add(words)

    def _tile(self, event: Event) -> bool:
        names, does = self._names, self._voice.does
        match event:
            case events.StartTilePlaced():
                return self._add(f"{self._doing(event.seat, 'starts')} with {square_name(event.square)}")
            case events.TilePlaced():
                return self._add(square_name(event.square))
            case events.ChainGrew():
                return self._append(f"grows {names[event.chain]} to {event.size}")
            case events.ChainFounded():
                return self._append(f"founds {names[event.chain]}" + (f" with {event.size}" if event.size > 2 else ""))
            case events.FounderRewarded():
                if event.cash:
                    return self._append(f"({does(event.seat, 'gets')} ${event.cash:,})")
                return bool(event.shares) or self._append("(no share left)")
            case events.TilesReceived():
                return self._add(f"{self._doing(event.seat, 'draws')} {squares_text(event.squares)}")
            case _:
                return False

    def _merger(self, event: Event) -> bool:
        names = self._names
        match event:
            case events.ChainSurvives():
                others = ", ".join(names[chain] for chain in self._joined if chain != event.chain)
                return self._append(f"merges {others} into {names[event.chain]}")
            case events.MarketDrew():
                drawn = "" if event.square is None else f" by {square_name(event.square)}"
                return self._add(f"the market holds {event.shares} {names[event.chain]}{drawn}")
            case events.StockDisposed():
                parts = (("keeps", event.kept), ("sells", event.sold), ("trades", event.traded))
                what = ", ".join(f"{self._voice.does(event.seat, word)} {count}" for word, count in parts if count)
                brought = f" (${event.cash:,})" if event.cash and self._voice.tells_proceeds else ""
                return self._add(f"{self._voice.who(event.seat)} {what} {names[event.chain]}{brought}")
            case events.MergerEnded():
                return self._add(f"{names[event.chain]} has {event.size}")
            case _:
                return False

    def _payment(self, event: events.BonusPaid | events.SharesSold, listed: tuple[type[Event], int] | None) -> None:
        name = self._names[event.chain]
        match event:
            case events.BonusPaid():
                begin, payment = f"{name} pays", f"{self._voice.who(event.seat)} ${event.amount:,}"
            case events.SharesSold():
                begin, payment = f"{name} sold:", f"{self._voice.who(event.seat)} {event.shares} (${event.cash:,})"
        if listed == (type(event), event.chain):
            self._made[-1] += f", {payment}"
        else:
            self._add(f"{begin} {payment}")
        self._listed = (type(event), event.chain)

    def _rest(self, event: Event) -> None:
        names, who, does = self._names, self._voice.who, self._voice.does
        match event:
            case events.SharesBought() if any(event.shares):
                cost = f"${event.cost:,}" if event.cost else "free"
                self._add(f"{does(event.seat, 'buys')} {bought_text(event.shares, names)} ({cost})")
            case events.PlacingSkipped():
                self._add(f"{does(event.seat, 'places')} nothing")
            case events.HandShown():
                self._add(f"{does(event.seat, 'shows')} {squares_text(event.squares)}")
            case events.TilesSetAside() if event.squares:
                self._add(f"{does(event.seat, 'sets')} {squares_text(event.squares)} aside")
            case events.EndDeclared():
                self._add(f"{does(event.seat, 'declares')} the end")
            case events.GameEnded():
                self._add(f"{OVER}: {event.reason}")
            case events.PowerUsed():
                self._add(f"{does(event.seat, 'uses')} {event.power}")
            case events.PairTraded():
                self._add(f"{does(event.seat, 'swaps')} 2 {names[event.give]} for 1 {names[event.take]}")
            case events.TradeOffered():
                self._add(f"{does(event.seat, 'offers')} {who(event.partner)} {self._offer(event)}")
            case events.TradeAnswered():
                self._add(self._doing(event.seat, "accepts" if event.accepted else "declines"))
            case (
                # Nothing was bought, nothing left the game:
                events.SharesBought()
                | events.TilesSetAside()
                # Obvious, or shown with the result:
                | events.TilesDrawn()
                | events.TurnBegan()
                | events.HoldingsShown()
                | events.AssetsShown()
                | events.ResultReached()
                # Told before, by `hear`:
                | events.StartTilePlaced()
                | events.TilePlaced()
                | events.ChainGrew()
                | events.ChainFounded()
                | events.FounderRewarded()
                | events.TilesReceived()
                | events.MergerBegan()
                | events.ChainSurvives()
                | events.MarketDrew()
                | events.StockDisposed()
                | events.MergerEnded()
                | events.BonusPaid()
                | events.SharesSold()
            ):
                pass
            case _:
                assert_never(event)

    def _offer(self, event: events.TradeOffered) -> str:
        sides = ((event.give_shares, event.give_cash), (event.take_shares, event.take_cash))
        given, asked = (
            ", ".join(part for part in (bought_text(shares, self._names), f"${cash:,}" if cash else "") if part)
            for shares, cash in sides
        )
        return f"{given} for {asked}"


def bought_text(shares: Sequence[int], names: Sequence[str]) -> str:
    """Shares by chain, as in `2 Tower, 1 Luxor`."""
    return ", ".join(f"{count} {name}" for count, name in zip(shares, names, strict=True) if count)


def squares_text(squares: Iterable[int]) -> str:
    """The names of some squares."""
    return " ".join(map(square_name, squares)) or "nothing"
