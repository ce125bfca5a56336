"""A match that is played: its table, its record, and the bots at its seats, driven by one task.

The task takes what came, has the table judge it, has the lines written, and only then tells anybody. While the disk is slow or
refuses, nothing is told and no clock runs: a question is not handed over before its line is written.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import structlog
import trio
from mergemaker_engine.record.lines import Ending
from mergemaker_table.inputs import BarrierPassed, Handed, Input, Joined, Left, TakenOver, Tick, Void
from mergemaker_table.outputs import (
    Accepted,
    Ask,
    Autopilot,
    Barrier,
    Ended,
    Output,
    Publish,
    Started,
    Tell,
    WriteLine,
)
from mergemaker_table.table import Phase

from mergemaker_referee import telling
from mergemaker_referee.encoding import EventEncoder, decision_part, started_part
from mergemaker_referee.journal import JournalError
from mergemaker_referee.secrets_file import forget_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mergemaker_table.table import Table

    from mergemaker_referee.journal import Journal
    from mergemaker_referee.journal_writer import LineWriter
    from mergemaker_referee.limits import Limits
    from mergemaker_referee.sessions import SeatLink

FOREVER_S: Final = float("inf")
SOON_S: Final = 0.01
"""How long it may take until a match sees when a question was handed over: a bot that answers at once is quicker."""
_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """A session takes a seat, for the first time or again."""

    link: SeatLink
    seen: int
    """The number of the last event that the bot has."""


@dataclass(frozen=True, slots=True)
class Release:
    """A session lost its stream."""

    link: SeatLink
    why: str


Inbound: TypeAlias = Input | Claim | Release
ForSeat: TypeAlias = Tell | Ask | Started | telling.Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What a match needs of its referee."""

    writer: LineWriter
    limits: Limits
    now_ns: Callable[[], int]
    on_change: Callable[[HostedMatch], None]
    """Told when a match begins, ends, stands still or goes on."""


class HostedMatch:
    """One match on this referee."""

    def __init__(self, table: Table, journal: Journal, host: Host, created: str) -> None:
        self.table: Final = table
        self.created: Final = created
        self.id: Final = table.setup.match
        self.links: Final[list[SeatLink | None]] = [None] * table.setup.seats
        """By seat: who holds it."""
        self.suspended_because: str | None = None
        self.fault: str | None = None
        """What broke in the referee, where the match was voided for that."""
        self.listeners: Final[list[Callable[[HostedMatch, Sequence[Output]], None]]] = []
        """Told of each batch behind its lines: those who look on."""
        self.pace: Callable[[HostedMatch, Sequence[Output]], trio.Event | None] | None = None
        """Where somebody looks on at a pace: what to wait for before the next question is put. Nobody's clock runs then."""
        self.begun: Final = trio.Event()
        """Set when its first line is written, so that it outlives this process."""
        self.over: Final = trio.Event()
        """Set when it has ended and everybody was told."""
        self._journal: Final = journal
        self._host: Final = host
        self._inbox: Final[deque[Inbound]] = deque()
        self._lot: Final = trio.lowlevel.ParkingLot()
        self._alarm = trio.CancelScope()
        """Goes off when time is up."""
        self._encoder = EventEncoder()
        self._connected: Final = [False] * table.setup.seats

    @property
    def is_without_clock(self) -> bool:
        """Whether nobody minds how long a bot takes."""
        return self.table.setup.terms.clock.allowance_ms is None

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.table.phase is Phase.OVER or self.fault is not None

    def post(self, given: Inbound) -> None:
        """Has the match take something, behind all before it."""
        self._inbox.append(given)
        self._lot.unpark()

    def _post_soon(self, given: Inbound) -> None:
        """The same for what changes no more than when time is up: it can wait for what comes next, for a moment."""
        self._inbox.append(given)
        if self._lot:
            self._alarm.deadline = min(self._alarm.deadline, trio.current_time() + SOON_S)

    async def run(self) -> None:
        """Plays the match to its end. A fault ends this match, and no other."""
        try:
            await self._play()
        except Exception as fault:  # noqa: BLE001 - whatever broke here, the other matches go on; it is logged with its traceback
            _LOG.exception("a match broke", match=self.id)
            await self._void_for(fault)
        finally:
            self.begun.set()
            self.over.set()
            self._journal.close()

    async def _play(self) -> None:
        table, host = self.table, self._host
        await self._carry_out(table.open(host.now_ns()))
        self.begun.set()
        host.on_change(self)
        while not table.ended:
            # One alarm for all waits until it goes off: to make one for each would take longer than all else that is done here.
            with trio.CancelScope() as self._alarm:
                while not table.ended and await self._wait(self._alarm):
                    await self._take_inbox()
            if not table.ended:
                await self._take_inbox()
        await self._finish()

    async def _take_inbox(self) -> None:
        """Has the table judge what came, and what time has brought; tells what follows from it."""
        table, host = self.table, self._host
        outputs: list[Output] = []
        while self._inbox and not table.ended:
            given = self._inbox.popleft()
            if isinstance(given, Claim | Release):
                # What the seat is shown now must be written before.
                await self._carry_out(outputs)
                outputs = []
                self._change_link(given, outputs)
            else:
                outputs += table.feed(given, host.now_ns())
        wake = table.wake_at_ns
        if wake is not None and wake <= host.now_ns():
            outputs += table.feed(Tick(), host.now_ns())
        await self._carry_out(outputs)

    async def _wait(self, alarm: trio.CancelScope) -> bool:
        """Until something has come: True; or until the alarm has gone off, which must not be waited with any more."""
        if self._inbox:
            await trio.lowlevel.checkpoint()
            return True
        wake = self.table.wake_at_ns
        if wake is not None:
            alarm.deadline = trio.current_time() + max(0.0, (wake - self._host.now_ns()) / 1e9)
        await self._lot.park()
        alarm.deadline = FOREVER_S
        return not alarm.cancel_called

    async def _carry_out(self, outputs: Sequence[Output]) -> None:
        """Has lines written, then tells: in this order alone."""
        if not outputs:
            return
        lines = [output.line for output in outputs if type(output) is WriteLine]
        if lines:
            await self._write(b"".join(lines))
        for listener in self.listeners:
            listener(self, outputs)
        if self.pace is not None and (until := self.pace(self, outputs)) is not None:
            await until.wait()
        self._encoder = EventEncoder()
        host_limits = self._host.limits
        for output in outputs:
            self._deliver(output)
        for link in self.links:
            if link is not None:
                link.end_batch(host_limits)

    async def _write(self, lines: bytes) -> None:
        """Writes, however often it takes; gives up after a named time, which is a fault of the referee and voids the match."""
        host = self._host
        since = host.now_ns()
        while True:
            try:
                await host.writer.append(self._journal, lines)
            except JournalError as problem:
                if self.suspended_because is None:
                    _LOG.warning("a record cannot be written: its match stands still", match=self.id, problem=str(problem))
                self._suspend(str(problem))
                if host.now_ns() - since > host.limits.disk_give_up_ms * 1_000_000:
                    raise
                await trio.sleep(host.limits.disk_retry_ms / 1_000)
            else:
                self._suspend(None)
                return

    def _suspend(self, why: str | None) -> None:
        if (why is None) != (self.suspended_because is None):
            self.suspended_because = why
            self._host.on_change(self)

    # --- telling -----------------------------------------------------------------------------------------------------

    def _deliver(self, output: Output) -> None:
        match output:
            case WriteLine() | Publish() | Autopilot():
                pass  # written; told to those who look on; told by the default that led to it
            case Ended():
                self._tell_ended(output)
            case Barrier(seat, decision_id):
                self._send_barrier(seat, decision_id)
            case _:
                link = self.links[output.seat]
                if link is not None and link.session.connection is not None:
                    self._tell(link, output)

    def _tell(self, link: SeatLink, output: ForSeat) -> None:
        match output:
            case Tell(_, first_number, events):
                link.add_events(self._encoder.parts(first_number, events))
            case Ask(seat, request):
                link.add(decision_part(request), partial(self._handed, seat, request.decision_id))
            case Started(_, nonce, view, events_seen):
                link.add(started_part(self.table.setup.bots, nonce, view, events_seen))
            case Accepted():
                link.add(telling.said(output), is_due=False)
            case _:
                link.add(telling.said(output))

    def _handed(self, seat: int, decision_id: int, at_ns: int) -> None:
        self._post_soon(Handed(seat, decision_id, at_ns))

    def _send_barrier(self, seat: int, decision_id: int) -> None:
        link = self.links[seat]
        passed = partial(self.post, BarrierPassed(seat, decision_id))
        if link is None or link.session.connection is None:
            passed()
        else:
            link.session.connection.barrier(passed)

    def _tell_ended(self, ended: Ended) -> None:
        for link in self.links:
            if link is not None and link.session.connection is not None:
                link.add(telling.ended(ended))
                link.session.told_ends.add(self.id)

    # --- coming and going --------------------------------------------------------------------------------------------

    def _change_link(self, change: Claim | Release, outputs: list[Output]) -> None:
        link = change.link
        seat, now = link.seat, self._host.now_ns()
        if isinstance(change, Release):
            # Another session, or a new stream of the same, may have come in the meantime.
            if self.links[seat] is link and link.session.connection is None and self._connected[seat]:
                self._connected[seat] = False
                outputs += self.table.feed(Left(seat, change.why), now)
            return
        self.links[seat] = link
        if link.session.connection is None:
            return  # it has gone again; its release is on its way
        self._show(link, change.seen, now)
        was_connected, self._connected[seat] = self._connected[seat], True
        outputs += self.table.feed(TakenOver(seat) if was_connected else Joined(seat), now)

    def _show(self, link: SeatLink, seen: int, now_ns: int) -> None:
        """Tells a seat what is played, how the game stands, and what it missed."""
        link.forget()
        link.add(telling.offered(self.table.setup, link.seat))
        snapshot = self.table.snapshot(link.seat, now_ns)
        if snapshot is not None:
            link.add(started_part(self.table.setup.bots, snapshot.nonce, snapshot.view, snapshot.events_seen))
            missed = self.table.events_since(link.seat, seen)
            link.add_events(self._encoder.parts(snapshot.events_seen - len(missed) + 1, missed))
        link.send()

    def show_result(self, link: SeatLink, seen: int) -> None:
        """Tells a bot that comes back when all is over how it ended."""
        self._show(link, seen, self._host.now_ns())
        if self.fault is not None:
            link.add(telling.voided(self.fault))
        elif self.table.ended is not None:
            link.add(telling.ended(self.table.ended))
        link.session.told_ends.add(self.id)
        link.send()

    # --- the end -----------------------------------------------------------------------------------------------------

    async def _finish(self) -> None:
        """The end line is durable: the secrets that it has told need no file any more."""
        await self._forget_secrets()
        self._host.on_change(self)

    async def _void_for(self, fault: Exception) -> None:
        """A fault of the referee: nobody's loss, and told as such, also where even that cannot be written."""
        self.fault = f"a fault of the referee: {type(fault).__name__}"
        try:
            if not isinstance(fault, JournalError) and self.table.ended is None:
                lines = [out.line for out in self.table.feed(Void(self.fault), self._host.now_ns()) if type(out) is WriteLine]
                await self._host.writer.append(self._journal, b"".join(lines))
        except Exception:  # noqa: BLE001 - the record stays unfinished, which `verify` says
            _LOG.exception("the record of a broken match could not be ended", match=self.id)
        # What was told as voided must not be taken up again after a restart.
        await self._forget_secrets()
        for link in self.links:
            if link is not None:
                link.add(telling.voided(self.fault))
                link.session.told_ends.add(self.id)
                link.send()
        self._host.on_change(self)

    async def _forget_secrets(self) -> None:
        try:
            await self._host.writer.run(partial(forget_secrets, self.record))
        except OSError as problem:
            _LOG.warning("the secrets of a match that is over could not be deleted", match=self.id, problem=str(problem))

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it goes on."""
        if self.fault is not None:
            return Ending.VOIDED
        return None if self.table.ended is None else self.table.ended.why

    @property
    def record(self) -> Path:
        """Where its record lies."""
        return self._journal.path
