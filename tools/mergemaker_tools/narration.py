"""A game told in a line for each turn, from what is announced to all, and from nothing else."""

from collections.abc import Sequence

from mergemaker_engine import events
from mergemaker_engine.events import Event
from mergemaker_engine.rules import Rules
from mergemaker_engine.wording import shares_text, square_name


class Narrator:
    """Collects events; gives each turn's line when the next turn begins or the game is over."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._head = "set-up"
        self._phrases: list[str] = []

    def hear(self, heard: Sequence[Event]) -> list[str]:
        """Takes what happened; returns the lines that are complete."""
        lines: list[str] = []
        for event in heard:
            if isinstance(event, events.TurnBegan):
                lines.append(self._line())
                self._head = f"turn {event.turn}, seat {event.seat}"
            phrase = phrase_of(event, self._rules)
            if phrase:
                self._phrases.append(phrase)
            if isinstance(event, events.ResultReached):
                lines.append(self._line())
        return lines

    def _line(self) -> str:
        line = f"{self._head}: {', '.join(self._phrases) or 'nothing'}"
        self._phrases = []
        return line


def phrase_of(event: Event, rules: Rules) -> str:
    """An event in a few words; nothing for what goes without saying or is for one seat alone."""
    return _phrase_of_turn(event, rules) or _phrase_of_merger(event, rules) or _phrase_of_extras(event, rules)


def _phrase_of_turn(event: Event, rules: Rules) -> str:
    names = rules.chain_names
    match event:
        case events.StartTilePlaced():
            phrase = f"seat {event.seat} starts with {square_name(event.square)}"
        case events.TilePlaced():
            phrase = square_name(event.square)
        case events.ChainGrew():
            phrase = f"{names[event.chain]} grows to {event.size}"
        case events.ChainFounded():
            phrase = f"founds {names[event.chain]} with {event.size}"
        case events.SharesBought() if any(event.shares):
            phrase = f"buys {shares_text(event.shares, rules)} for ${event.cost:,}"
        case events.PlacingSkipped():
            phrase = "no tile can be placed"
        case events.EndDeclared():
            phrase = "declares the end"
        case events.GameEnded():
            phrase = f"the game is over ({event.reason})"
        case _:
            phrase = ""
    return phrase


def _phrase_of_merger(event: Event, rules: Rules) -> str:
    names = rules.chain_names
    match event:
        case events.MergerBegan():
            phrase = f"merges {' and '.join(names[chain] for chain in event.chains)}"
        case events.ChainSurvives():
            phrase = f"{names[event.chain]} survives"
        case events.MarketDrew():
            phrase = f"the market has {event.shares} {names[event.chain]}"
        case events.BonusPaid():
            phrase = f"seat {event.seat} has ${event.amount:,} for {names[event.chain]}"
        case events.StockDisposed():
            parts = (("keeps", event.kept), ("sells", event.sold), ("trades", event.traded))
            what = " and ".join(f"{word} {count}" for word, count in parts if count)
            phrase = f"seat {event.seat} {what} {names[event.chain]}"
        case events.MergerEnded():
            phrase = f"{names[event.chain]} has {event.size}"
        case _:
            phrase = ""
    return phrase


def _phrase_of_extras(event: Event, rules: Rules) -> str:
    names = rules.chain_names
    match event:
        case events.PowerUsed():
            phrase = f"uses {event.power}"
        case events.PairTraded():
            phrase = f"swaps 2 {names[event.give]} for 1 {names[event.take]}"
        case events.TradeOffered():
            phrase = f"offers seat {event.partner} a trade"
        case events.TradeAnswered():
            phrase = f"seat {event.seat} {'accepts' if event.accepted else 'declines'}"
        case events.TilesSetAside() if event.squares:
            phrase = f"sets {' '.join(map(square_name, event.squares))} aside"
        case _:
            phrase = ""
    return phrase
