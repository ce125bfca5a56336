"""What a hosted match needs from its referee."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mergemaker_table.evidence import NOT_HELD_UP, HeldUp

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.matches.alarm_clock import AlarmClock
from mergemaker_referee.matches.own_delays import Waits
from mergemaker_referee.matches.turns import Turns
from mergemaker_referee.measures import NO_MEASURES, Measures
from mergemaker_referee.records.disks import SYSTEM_DISK, Disk
from mergemaker_referee.records.journal import Commits
from mergemaker_referee.records.journal_writer import LineWriter
from mergemaker_referee.records.public_log import MatchLog


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeServices:
    """What a match needs from its referee."""

    writer: LineWriter
    limits: Limits
    now_ns: Callable[[], int]
    held_up: Callable[[], HeldUp] = lambda: NOT_HELD_UP
    """How long the loops around a match have been held up so far."""
    barrier: Callable[[Callable[[], None]], None] = lambda passed: passed()
    """Calls back after everything that has come, if there is a transport."""
    disk: Disk = SYSTEM_DISK
    committer: Commits | None = None
    """Makes lines durable against a power cut, on request."""
    log: MatchLog | None = None
    """What the server publishes of its matches; None: nothing."""
    measures: Measures = NO_MEASURES
    work_ns: Callable[[], int] = time.thread_time_ns
    """How long this thread has worked so far."""
    alarms: AlarmClock = field(default_factory=AlarmClock)
    turns: Turns = field(init=False)
    waits: Waits | None = None
    """How the transport waits for a processor, if that is known: see `own_delays`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", Turns(self.writer.flush))

    def awake_ns(self) -> int:
        """A clock that stands still while the referee does: it measures how long clients were silent."""
        return self.now_ns() - self.held_up().stood_ns

    def are_breaks_ours(self) -> bool:
        """Whether connections that break now, or are found broken, may have broken because the referee stood still."""
        return self.now_ns() < self.held_up().breaks_until_ns
