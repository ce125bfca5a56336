"""A game in numbers."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from mergemaker_engine import events
from mergemaker_engine.board import CHAINS
from mergemaker_engine.game import Game
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.wording import square_name
from rich.console import RenderableType
from rich.table import Table

from mergemaker_tools.replaying.document import Plain
from mergemaker_tools.replaying.score import ending_text, name_of
from mergemaker_tools.replaying.story import Story
from mergemaker_tools.tables import table

WORTH_ROWS_MAX: Final = 12
"""Rows of the small table of what each seat is worth."""
_USED: Final = "used_ms"
"""The member of a decision's `run` with the time of the answer."""


@dataclass(slots=True)
class Founding:
    """A chain came onto the board."""

    turn: int
    seat: int
    chain: str
    size: int


@dataclass(slots=True)
class Merger:
    """Chains went into another."""

    turn: int
    seat: int
    square: str
    survivor: str
    acquired: tuple[str, ...]
    sizes: tuple[int, ...]
    """Of the acquired chains, before."""
    bonuses: list[int]
    """By seat."""


@dataclass(slots=True)
class Statistics:
    """All of it, by seat where a list has as many items as there are seats."""

    turns: int
    decisions: int
    foundings: list[Founding]
    mergers: list[Merger]
    merger_bonuses: list[int]
    end_bonuses: list[int]
    worth: list[tuple[int, tuple[int, ...]]]
    """What cash and shares are worth after each turn, by turn and then by seat; turn 0 is the start."""
    answers: list[Counter[str]]
    """Counts by person or cause."""
    used_ms: list[list[int]]
    """How long answers took, where that is recorded."""
    declared_by: int | None


def worth_of(game: Game, seat: int) -> int:
    """Cash, and shares at the price of the moment."""
    shares = game.shares[seat : game.seats * CHAINS : game.seats]
    return game.cash[seat] + sum(count * price for count, price in zip(shares, game.prices, strict=True))


def statistics_of(story: Story) -> Statistics:
    """Counts a story."""
    return _Counting(story).statistics


class _Counting:
    """Goes through a story once."""

    def __init__(self, story: Story) -> None:
        seats = story.header.seats
        self._story = story
        self._names = story.rules.chain_names
        self._square = 0
        self._joined: tuple[int, ...] = ()
        self._over = False
        made = self.statistics = Statistics(
            turns=0,
            decisions=story.last,
            foundings=[],
            mergers=[],
            merger_bonuses=[0] * seats,
            end_bonuses=[0] * seats,
            worth=[(0, self._worths(story.start))],
            answers=[Counter() for _ in range(seats)],
            used_ms=[[] for _ in range(seats)],
            declared_by=None,
        )
        for number, moment in enumerate(story.moments, 1):
            made.answers[moment.line.seat][str(moment.line.by)] += 1
            used = moment.line.run.get(_USED)
            if type(used) is int and used >= 0 and moment.line.by is not AnsweredBy.AUTOMATIC:
                made.used_ms[moment.line.seat].append(used)
            for event in moment.events:
                self._count(event, number)
            made.turns = moment.turn
            if number == story.last or story.moments[number].turn != moment.turn:
                made.worth.append((moment.turn, self._worths(moment.game)))

    def _worths(self, game: Game) -> tuple[int, ...]:
        if game.result:  # the shares have been sold, and their chains still have prices
            return game.result.cash
        return tuple(worth_of(game, seat) for seat in range(game.seats))

    def _count(self, event: events.Event, number: int) -> None:
        made = self.statistics
        turn = self._story.turn_at(number)
        match event:
            case events.TilePlaced():
                self._square = event.square
            case events.ChainFounded():
                made.foundings.append(Founding(turn, event.seat, self._names[event.chain], event.size))
            case events.MergerBegan():
                self._joined = event.chains
            case events.ChainSurvives():
                made.mergers.append(self._merger(event.chain, number))
            case events.BonusPaid() if self._over:
                made.end_bonuses[event.seat] += event.amount
            case events.BonusPaid():
                made.merger_bonuses[event.seat] += event.amount
                made.mergers[-1].bonuses[event.seat] += event.amount
            case events.EndDeclared():
                made.declared_by = event.seat
            case events.GameEnded():
                self._over = True
            case _:
                pass  # counted nowhere

    def _merger(self, survivor: int, number: int) -> Merger:
        before = self._story.game_at(number - 1)
        gone = [chain for chain in self._joined if chain != survivor]
        return Merger(
            turn=self._story.turn_at(number),
            seat=before.seat,
            square=square_name(self._square),
            survivor=self._names[survivor],
            acquired=tuple(self._names[chain] for chain in gone),
            sizes=tuple(before.sizes[chain] for chain in gone),
            bonuses=[0] * before.seats,
        )


def statistics_document(story: Story, found: Statistics) -> Plain:
    """Everything that was counted, as plain data."""
    end = story.end
    return {
        "match": story.header.match,
        "bots": list(story.header.bots),
        "turns": found.turns,
        "decisions": found.decisions,
        "ended": None if end is None else str(end.why),
        "declared_by": found.declared_by,
        "money": None if end is None or end.cash is None else list(end.cash),
        "places": None if end is None or end.places is None else list(end.places),
        "foundings": [{"turn": one.turn, "seat": one.seat, "chain": one.chain, "size": one.size} for one in found.foundings],
        "mergers": [
            {
                "turn": one.turn,
                "seat": one.seat,
                "square": one.square,
                "survivor": one.survivor,
                "acquired": [{"chain": chain, "size": size} for chain, size in zip(one.acquired, one.sizes, strict=True)],
                "bonuses": one.bonuses,
            }
            for one in found.mergers
        ],
        "merger_bonuses": found.merger_bonuses,
        "end_bonuses": found.end_bonuses,
        "worth": [{"turn": turn, "seats": list(worths)} for turn, worths in found.worth],
        "answers": [dict(counted) for counted in found.answers],
        "time": [
            {"answers": len(used), "total_ms": sum(used), "longest_ms": max(used)} if used else None for used in found.used_ms
        ],
    }


def statistics_tables(story: Story, found: Statistics) -> list[RenderableType]:
    """The same for people."""
    by = "" if found.declared_by is None else f" by seat {found.declared_by}"
    match = f"match {story.header.match}: {found.turns} turns, {found.decisions} decisions; ended: {ending_text(story.end)}{by}"
    parts = [match, _money_table(story, found), _foundings_table(found), _mergers_table(found), _answers_table(found)]
    return [*parts, _worth_table(found)]


def _table(title: str | None, *heads: str) -> Table:
    """A table in which all columns are numbers but those whose heads begin with a star."""
    made = table(title)
    for head in heads:
        made.add_column(head.removeprefix("*"), justify="left" if head.startswith("*") else "right")
    return made


def _money_table(story: Story, found: Statistics) -> RenderableType:
    made = _table(None, "place", "seat", "*bot", "money", "bonuses of mergers", "of the end")
    end = story.end
    for seat in range(story.header.seats):
        made.add_row(
            "-" if end is None or end.places is None else str(end.places[seat]),
            str(seat),
            name_of(story.header, seat),
            "-" if end is None or end.cash is None else f"${end.cash[seat]:,}",
            f"${found.merger_bonuses[seat]:,}",
            f"${found.end_bonuses[seat]:,}",
        )
    return made


def _foundings_table(found: Statistics) -> RenderableType:
    made = _table(f"{len(found.foundings)} foundings", "turn", "seat", "*chain", "size")
    for one in found.foundings:
        made.add_row(str(one.turn), str(one.seat), one.chain, str(one.size))
    return made


def _mergers_table(found: Statistics) -> RenderableType:
    made = _table(f"{len(found.mergers)} mergers", "turn", "seat", "*tile", "*what", "*bonuses")
    for one in found.mergers:
        gone = ", ".join(f"{chain} ({size})" for chain, size in zip(one.acquired, one.sizes, strict=True))
        paid = ", ".join(f"seat {seat} ${amount:,}" for seat, amount in enumerate(one.bonuses) if amount)
        made.add_row(str(one.turn), str(one.seat), one.square, f"{gone} into {one.survivor}", paid)
    return made


def _answers_table(found: Statistics) -> RenderableType:
    made = _table("answers", "*by", *(f"seat {seat}" for seat in range(len(found.answers))))
    for cause in AnsweredBy:
        if any(counted[str(cause)] for counted in found.answers):
            made.add_row(str(cause), *(f"{counted[str(cause)]:,}" for counted in found.answers))
    if any(found.used_ms):
        made.add_row("time, all", *(_seconds(sum(used)) for used in found.used_ms))
        made.add_row("time, longest", *(_seconds(max(used, default=0)) for used in found.used_ms))
    return made


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:,.2f} s"


def _worth_table(found: Statistics) -> RenderableType:
    """Evenly spaced rows, and the last one."""
    made = _table("worth in cash and shares after a turn", "turn", *(f"seat {seat}" for seat in range(len(found.answers))))
    last = len(found.worth) - 1
    distance = -(-last // (WORTH_ROWS_MAX - 1)) or 1
    for number, (turn, worths) in enumerate(found.worth):
        if number % distance == 0 or number == last:
            made.add_row(str(turn), *(f"${worth:,}" for worth in worths))
    return made
