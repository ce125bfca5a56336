"""What a match's record says, and what follows for each seat: what it may get, when, and what its clock must show."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

from mergemaker.v1 import events_pb2, view_pb2
from mergemaker_engine.events import Event, audience
from mergemaker_engine.game import Game
from mergemaker_engine.record.commitments import WITHHELD, DealMode, joint_seed
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Incident
from mergemaker_engine.record.reading import Record, Step, read_record
from mergemaker_table.terms import Terms
from mergemaker_wire.events import event_to_message
from mergemaker_wire.views import view_to_message

PUT: Final = frozenset({AnsweredBy.BOT, AnsweredBy.TIMEOUT, AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL, AnsweredBy.DISCONNECTED})
"""The possible sources of an answer that a seat was asked for."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One event, in the form for a seat that may know it."""

    message: events_pb2.Event
    line: int
    """The number of the line that records it."""


class Book:
    """One match."""

    def __init__(self, data: bytes, secrets: dict[str, Any]) -> None:
        self.secrets: Final = secrets
        self.ends: Final = [0, *accumulate(len(line) for line in data.splitlines(keepends=True))]
        """The number of bytes up to each line's end; lines are counted from 1."""
        self.record: Final[Record] = read_record([data])
        self.seats: Final = self.record.header.seats
        self.bots: Final = self.record.header.bots
        self.terms: Final = Terms.from_plain(self.record.header.clock)
        self.entries: Final = self.record.entries
        self.steps: Final[list[Step]] = list(self.record.steps(self.seed)) if self.record.deal else []
        self.put: Final[list[list[Step]]] = [
            [step for step in self.steps if step.seat == seat and step.line.by in PUT] for seat in range(self.seats)
        ]
        """By seat: its decisions, the first with the id 1."""
        self.events: Final[list[list[Happened]]] = [[] for _ in range(self.seats)]
        self.public: Final[list[Happened]] = []
        if self.record.deal is not None:
            self._announce(self.record.start(self.seed).start_events, self.deal_line)
            for step in self.steps:
                self._announce(step.events, step.line_number)

    @property
    def seed(self) -> bytes:
        """The seed of the deal: from the end line, or from the secrets if there is none."""
        if self.record.end is not None:
            return self.record.end.seed
        if self.record.header.mode is not DealMode.JOINT or self.record.deal is None:
            return bytes.fromhex(self.secrets["seed"])
        parts = [WITHHELD if part is None else part for part in self.record.deal.contributions]
        return joint_seed(bytes.fromhex(self.secrets["server_seed"]), parts)

    @cached_property
    def deal_line(self) -> int:
        """The number of the line that makes the deal."""
        taken = {number for number, _ in self.entries}
        return next(number for number in range(2, self.record.lines + 1) if number not in taken)

    def incidents(self, what: str, seat: int | None = None) -> list[tuple[int, Incident]]:
        """All incidents of a kind, with their line numbers."""
        return [
            (number, line)
            for number, line in self.entries
            if isinstance(line, Incident) and line.what == what and seat in (None, line.seat)
        ]

    def _announce(self, events: tuple[Event, ...], line: int) -> None:
        for event in events:
            only = audience(event)
            for seat in range(self.seats) if only is None else (only,):
                told = self.events[seat]
                told.append(Happened(event_to_message(event, len(told) + 1), line))
            if only is None:
                self.public.append(Happened(event_to_message(event, len(self.public) + 1), line))

    @cached_property
    def final(self) -> Game:
        """The game's last state."""
        if not self.steps:
            return self.record.start(self.seed)
        game = self.steps[-1].before.copy()
        game.apply(self.steps[-1].answer)
        return game

    @cached_property
    def _states(self) -> list[tuple[Game, int]]:
        """Every state of the game, with the line that leads to it."""
        lines = [self.deal_line, *(step.line_number for step in self.steps)]
        return list(zip([*(step.before for step in self.steps), self.final], lines, strict=True))

    @cached_property
    def _by_count(self) -> dict[int | None, dict[int, list[int]]]:
        """By seat, or None for all: the states at each number of events."""
        found: dict[int | None, dict[int, list[int]]] = {}
        for seat in (None, *range(self.seats)):
            happened = self.public if seat is None else self.events[seat]
            until = Counter(each.line for each in happened)
            count = 0
            counts = found[seat] = {}
            for number, (_, line) in enumerate(self._states):
                count += until[line]
                counts.setdefault(count, []).append(number)
        return found

    def knows_view(self, seat: int | None, view: view_pb2.View) -> bool:
        """Whether a view shows what this seat, or everybody, may know after the event that it names."""
        for number in self._by_count[seat].get(view.last_event, ()):
            game = self._states[number][0]
            own = game.public_view() if seat is None else game.view(seat)
            if view_to_message(own, view.last_event) == view:
                return True
        return False

    def line_of_event(self, seat: int | None, number: int) -> int:
        """The line that records an event; the deal's for number 0."""
        happened = self.public if seat is None else self.events[seat]
        return happened[number - 1].line if number else self.deal_line

    def asked(self, seat: int, decision: int) -> tuple[Game, DecisionLine | None, int] | None:
        """A seat's decision: the game when it was asked, its line, and the number of the line before which it was not asked."""
        put = self.put[seat]
        if 1 <= decision <= len(put):
            step = put[decision - 1]
            return step.before, step.line, self._line_before(step.number)
        if decision != len(put) + 1 or self.record.deal is None:
            return None
        # Nobody answered it, or its seat resigned over it.
        for step in self.steps:
            if step.seat == seat and step.line.by is AnsweredBy.RESIGNED:
                return step.before, step.line, self._line_before(step.number)
        if self.final.decision is not None and self.final.decision.seat == seat:
            return self.final, None, self._line_before(len(self.steps) + 1)
        return None

    def _line_before(self, number: int) -> int:
        return self.steps[number - 2].line_number if number > 1 else self.deal_line

    def line_number(self, line: DecisionLine) -> int:
        """The number of a decision's line."""
        return self.steps[line.number - 1].line_number
