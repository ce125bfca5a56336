"""What a table knows of one seat: its clock, what was put to it, how it answered, and what it was told."""

from collections import Counter
from typing import Final

from mergemaker_engine.events import Event
from mergemaker_engine.record.lines import By, Status

from mergemaker_table.clock import SeatClock
from mergemaker_table.outputs import Standing, Thinking
from mergemaker_table.terms import ClockTerms

PUT: Final = frozenset({By.BOT, By.TIMEOUT, By.ILLEGAL, By.PROTOCOL, By.DISCONNECTED})
"""Who gives the answers to decisions that were put to a seat: the bot, or the referee where it fails."""

FAILURES: Final = PUT - {By.BOT}
"""The causes that count towards autopilot."""

OVERDUE: Final = frozenset({By.TIMEOUT, By.DISCONNECTED})


class Seat:
    """One seat of a match. Its parts are the table's own; nobody else changes them."""

    __slots__ = (
        "accepted",
        "back",
        "bot",
        "clock",
        "connected",
        "connection_lines",
        "events",
        "failures",
        "faults",
        "joined",
        "last_id",
        "late",
        "number",
        "overdue",
        "round_trip_ns",
        "since",
        "status",
        "thinking",
        "told",
    )

    def __init__(self, number: int, bot: str, clock: ClockTerms) -> None:
        self.number: Final = number
        self.bot: Final = bot
        self.clock: Final = SeatClock(clock)
        self.connected = False
        self.joined = False
        """Whether it ever had a connection."""
        self.back = True
        """False from a restart of the referee until the bot has a connection again."""
        self.status = Status.FINISHED
        """What it will be at the end, as things stand."""
        self.since: int | None = None
        """From which decision of the match on this is its status."""
        self.last_id = 0
        """Of the decision that was last put to it."""
        self.accepted: set[int] = set()
        """The decisions that the bot answered itself."""
        self.overdue: dict[int, int | None] = {}
        """The decisions whose time ran out, with the deadline; None if that was before a restart."""
        self.late: set[int] = set()
        """The decisions to which a late answer came: each is written once, however many come."""
        self.failures = 0
        """How many defaults count towards autopilot."""
        self.faults: Counter[By] = Counter()
        self.thinking = Thinking()
        self.round_trip_ns = 0
        self.events: list[Event] = []
        """All that it may know, from event number 1 on."""
        self.told = 0
        """How many of them have gone out."""
        self.connection_lines = 0
        """How many lines of the record tell of its coming and going."""

    @property
    def is_playing(self) -> bool:
        """Whether decisions are put to this seat."""
        return self.status is Status.FINISHED

    def retire(self, status: Status, decision: int) -> None:
        """From this decision of the match on, nothing is put to the seat."""
        self.status = status
        self.since = decision

    def begin_fork(self) -> None:
        """Another bot plays on for the seat: neither the time nor the failures of the one before are its own."""
        self.status = Status.FINISHED
        self.since = None
        self.failures = 0
        self.thinking = Thinking()

    def answered(self, by: By, decision_id: int | None) -> None:
        """Counts an answer that was given for this seat, to a decision that was put to it or to another one."""
        if by is By.BOT and decision_id is not None:
            self.accepted.add(decision_id)
        elif by is not By.AUTOMATIC:
            self.faults[by] += 1
            self.failures += by in FAILURES

    def thought(self, used_ms: int) -> None:
        """Counts the time that a decision took."""
        before = self.thinking
        self.thinking = Thinking(before.decisions + 1, before.total_ms + used_ms, max(before.longest_ms, used_ms))

    def standing(self, place: int | None, cash: int | None) -> Standing:
        """How the seat came out, with this place and money."""
        return Standing(
            seat=self.number,
            bot=self.bot,
            place=place,
            cash=cash,
            status=self.status,
            since=self.since,
            faults={by: self.faults[by] for by in By if by in self.faults},
            thinking=self.thinking,
        )
