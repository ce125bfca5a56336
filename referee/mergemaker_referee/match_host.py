"""What a hosted match needs of its referee, and what comes to it beside the inputs of its table."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from mergemaker_table.evidence import NOT_HELD_UP, HeldUp
from mergemaker_table.inputs import Input

from mergemaker_referee.alarm_clock import AlarmClock
from mergemaker_referee.disks import SYSTEM_DISK
from mergemaker_referee.measures import NO_MEASURES, Measures

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergemaker_referee.connections import Connection
    from mergemaker_referee.disks import Disk
    from mergemaker_referee.hosting import HostedMatch
    from mergemaker_referee.journal import Commits
    from mergemaker_referee.journal_writer import LineWriter
    from mergemaker_referee.limits import Limits
    from mergemaker_referee.own_delays import Waits
    from mergemaker_referee.sessions import SeatLink


@dataclass(frozen=True, slots=True)
class Claim:
    """A session takes a seat, for the first time or again."""

    link: SeatLink
    seen: int
    """The number of the last event that the bot has."""
    connection: Connection | None
    """The stream that it is shown on. Who has another one meanwhile has claimed the seat anew."""
    at_ns: int
    """When the transport got what claims it; where it came late since we were, when it would have come."""


@dataclass(frozen=True, slots=True)
class Release:
    """A session lost its stream."""

    link: SeatLink
    why: str


@dataclass(frozen=True, slots=True)
class LookOn:
    """Somebody wants to look on: what he is shown must be written before, so he begins between two batches."""

    begin: Callable[[], None]


Inbound: TypeAlias = Input | Claim | Release | LookOn


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What a match needs of its referee."""

    writer: LineWriter
    limits: Limits
    now_ns: Callable[[], int]
    on_change: Callable[[HostedMatch], None]
    """Told when a match begins, ends, stands still or goes on."""
    held_up: Callable[[], HeldUp] = lambda: NOT_HELD_UP
    """For how long the loops around a match were held up so far."""
    barrier: Callable[[Callable[[], None]], None] = lambda passed: passed()
    """Calls back behind everything that has come, where there is a transport."""
    disk: Disk = SYSTEM_DISK
    committer: Commits | None = None
    """What makes durable against the loss of power, where that is asked for."""
    measures: Measures = NO_MEASURES
    work_ns: Callable[[], int] = time.thread_time_ns
    """For how long this thread has worked so far."""
    alarms: AlarmClock = field(default_factory=AlarmClock)
    waits: Waits | None = None
    """How the transport waits for a processor, where that is known: see `own_delays`."""

    def awake_ns(self) -> int:
        """A clock that stands while the referee does: for how long clients were silent is told by it."""
        return self.now_ns() - self.held_up().stood_ns

    def are_breaks_ours(self) -> bool:
        """Whether connections that break now, or are found broken, may have broken because the referee stood still."""
        return self.now_ns() < self.held_up().breaks_until_ns


def is_still_there(claim: Claim) -> bool:
    """Whether the stream on which a seat was claimed is still its session's."""
    return claim.connection is not None and claim.link.session.connection is claim.connection
