"""What a table knows about one seat: its clock, what it was asked, how it answered, and what it was sent."""

from collections import Counter
from typing import Final

from mergemaker_engine.events import Event
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Status
from mergemaker_engine.record.standings import Standing, Thinking
from mergemaker_engine.values import dataclass

from mergemaker_table.clock import SeatClock
from mergemaker_table.evidence import EVIDENCE, Evidence
from mergemaker_table.outputs import DefaultTaken
from mergemaker_table.terms import ClockTerms
from mergemaker_table.timeline import Timeline

PUT: Final = frozenset({AnsweredBy.BOT, AnsweredBy.TIMEOUT, AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL, AnsweredBy.DISCONNECTED})
"""The answerers of decisions that a seat was asked: the bot, or the referee if the bot fails."""

FAILURES: Final = PUT - {AnsweredBy.BOT}
"""The causes that count towards autopilot."""

OVERDUE: Final = frozenset({AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED})


def was_put(line: DecisionLine) -> bool:
    """Whether the seat was asked a recorded decision; the one over which its bot resigned was asked, and nothing after it."""
    return line.by in PUT or (line.by is AnsweredBy.RESIGNED and EVIDENCE in line.run)


@dataclass(frozen=True, slots=True)
class Overdue:
    """A decision whose time ran out, for answers that still come."""

    deadline_ns: int
    uncredited_ns: int
    """How much longer the round trip was than its credit."""
    round_trip_ns: int
    timeline: Timeline


class Seat:
    """One seat of a match. Its parts belong to the table; nobody else changes them."""

    __slots__ = (
        "_accepted",
        "back",
        "bot",
        "bot_id",
        "clock",
        "connected",
        "connection_lines",
        "defaults",
        "events",
        "failures",
        "faults",
        "joined",
        "last_id",
        "late",
        "left_at_ns",
        "left_because",
        "number",
        "overdue",
        "round_trip_ns",
        "since",
        "status",
        "thought_longest_ms",
        "thought_ms",
        "thought_times",
        "told",
        "untold",
        "version",
    )

    def __init__(self, number: int, bot: str, clock: ClockTerms, bot_id: str = "") -> None:
        self.number: Final = number
        self.bot: Final = bot
        self.bot_id: Final = bot_id
        """The bot's name in the referee's configuration; empty for a seat that is taken with a token."""
        self.version = ""
        """What the bot that came last says about its version."""
        self.clock: Final = SeatClock(clock)
        self.connected = False
        self.joined = False
        """Whether it ever had a connection."""
        self.back = True
        """False from a restart of the referee until the bot has a connection again."""
        self.status = Status.FINISHED
        """Its status at the end, as things are now."""
        self.since: int | None = None
        """The first decision of the match for which this is its status."""
        self.last_id = 0
        """The id of the decision that it was asked last."""
        self._accepted = 0
        """The decisions that the bot answered itself, as bits: a set would take fifty times as much memory."""
        self.overdue: dict[int, Overdue | None] = {}
        """The decisions whose time ran out; None if that was before a restart."""
        self.late: set[int] = set()
        """The decisions that got a late answer: each is written once, however many come."""
        self.failures = 0
        """How many defaults count towards autopilot."""
        self.faults: Counter[AnsweredBy] = Counter()
        self.thought_times = 0
        """How many decisions its bot thought about; what follows is about these."""
        self.thought_ms = 0
        self.thought_longest_ms = 0
        self.round_trip_ns = 0
        self.events: list[Event] = []
        """All events that it may know, from number 1 on."""
        self.told = 0
        """How many of them have been sent."""
        self.connection_lines = 0
        """How many lines of the record are about its coming and going."""
        self.left_at_ns: int | None = None
        """When it last lost its connection; None if it has one, or lost it before a restart."""
        self.left_because = ""
        """Why it lost its connection."""
        self.defaults: list[DefaultTaken] = []
        """The defaults of decisions that it was asked."""
        self.untold: Evidence | None = None
        """Why it is no longer asked, until it has been sent that."""

    @property
    def is_playing(self) -> bool:
        """Whether this seat is asked its decisions."""
        return self.status is Status.FINISHED

    def come(self, version: str) -> None:
        """Its bot is connected, in this version."""
        self.version = version
        self.connected = self.joined = self.back = True
        self.left_at_ns, self.left_because = None, ""

    def go(self, because: str, now_ns: int) -> None:
        """Its bot is gone."""
        self.connected = False
        self.left_at_ns, self.left_because = now_ns, because

    def give_back(self, now_ns: int) -> None:
        """Its bot does not want it. Before the deal it is then free."""
        self.go("", now_ns)
        self.joined = False
        self.version = ""

    def retire(self, status: Status, decision: int) -> None:
        """From this decision of the match on, the seat is asked nothing."""
        self.status = status
        self.since = decision

    def begin_fork(self) -> None:
        """Another bot plays on for the seat: the time and the failures of the one before are not its own."""
        self.status = Status.FINISHED
        self.since = None
        self.failures = 0
        self.thought_times = self.thought_ms = self.thought_longest_ms = 0
        self.defaults = []

    def default_taken(
        self, decision_id: int | None, by: AnsweredBy, text: str, evidence: Evidence | None, defaults_max: int
    ) -> DefaultTaken:
        """What the seat gets for a default that was counted; kept if the seat was asked."""
        left = max(defaults_max - self.failures, 0) if self.is_playing else 0
        if decision_id is None:
            evidence, self.untold = self.untold, None
        taken = DefaultTaken(self.number, decision_id, by, text, left, evidence)
        if decision_id is not None:
            self.defaults.append(taken)
        return taken

    def answered(self, by: AnsweredBy, decision_id: int | None) -> None:
        """Counts an answer that was given for this seat, to a decision that it was asked or to another one."""
        if by is AnsweredBy.BOT and decision_id is not None:
            self._accepted |= 1 << decision_id
        elif by is not AnsweredBy.AUTOMATIC:
            self.faults[by] += 1
            self.failures += by in FAILURES

    def has_answered(self, decision_id: int) -> bool:
        """Whether the bot itself answered this decision."""
        return 0 < decision_id <= self.last_id and bool(self._accepted >> decision_id & 1)

    def thought(self, used_ms: int) -> None:
        """Counts the time that a decision took."""
        self.thought_times += 1
        self.thought_ms += used_ms
        self.thought_longest_ms = max(self.thought_longest_ms, used_ms)

    def standing(self, place: int | None, cash: int | None) -> Standing:
        """The seat's result, with this place and money."""
        return Standing(
            seat=self.number,
            bot=self.bot,
            bot_id=self.bot_id,
            version=self.version,
            place=place,
            cash=cash,
            status=self.status,
            since=self.since,
            faults={by: self.faults[by] for by in AnsweredBy if by in self.faults},
            thinking=Thinking(self.thought_times, self.thought_ms, self.thought_longest_ms),
        )
