"""A match in play: its table, its record, and the bots at its seats.

In its turn, it takes what came, lets the table judge it, and has the lines written. Only when they are, it sends anything. While
the disk is slow or refuses, nothing is sent and no clock runs: a question is not handed over before its line is written.

Matches take turns in one task (`turns`). The match's own task does what has to wait for something: it makes the match begin and
end, and insists on lines that the disk refused. Meanwhile the match has no turns.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog
import trio
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.receipts import Receipt
from mergemaker_table.inputs import (
    Answered,
    Declined,
    Handed,
    Input,
    Joined,
    Left,
    RoundTrip,
    TakenOver,
    Tick,
    Void,
)
from mergemaker_table.outputs import Output, WriteLine
from mergemaker_table.table import Phase, Table
from mergemaker_wire.matches import SeatBot

from mergemaker_referee.matches import telling
from mergemaker_referee.matches.alarm_clock import NEVER_S
from mergemaker_referee.matches.encoding import EventEncoder, started_part
from mergemaker_referee.matches.inbox import Inbox
from mergemaker_referee.matches.own_delays import OwnDelays
from mergemaker_referee.matches.record_keeping import RecordKeeper
from mergemaker_referee.matches.seat_link import Claim, GiveBack, Inbound, LookOn, Release, SeatLink, is_still_there
from mergemaker_referee.matches.services import RefereeServices
from mergemaker_referee.matches.speaking import Speaker
from mergemaker_referee.matches.turns import OwnTask
from mergemaker_referee.records.journal import Journal, JournalError

_AFTER_OTHERS: Final = (Claim, Release, GiveBack, LookOn, Answered)
"""What is not taken before everything that was said is written and sent."""
_LOG = structlog.get_logger(__name__)


class HostedMatch:
    """One match on this referee."""

    def __init__(
        self,
        table: Table,
        journal: Journal,
        services: RefereeServices,
        on_change: Callable[["HostedMatch"], None],
    ) -> None:
        """`on_change` is called when the match begins, ends, stands still or goes on."""
        self.table: Final = table
        self.created: Final = table.setup.started
        self.joining: Final = table.setup.joining
        self.recovery_grace_ms: Final = table.setup.terms.faults.recovery_grace_ms
        self.forward: Final = None  # it is in this process, where its bots' requests are read
        self.id: Final = table.setup.match
        self.links: Final[list[SeatLink | None]] = [None] * table.setup.seats
        """By seat: who holds it."""
        self.is_shown_again = False
        self.fault: str | None = None
        """What broke in the referee, if the match was voided for that."""
        self.listeners: Final[list[Callable[[HostedMatch, Sequence[Output]], None]]] = []
        """Gets each batch after its lines: for spectators."""
        self.pace: Callable[[HostedMatch, Sequence[Output]], trio.Event | None] | None = None
        """If somebody watches at a pace: what to wait for before the next question. Nobody's clock runs then."""
        self.awaited: Callable[[], Mapping[str, str]] = dict
        """While its time to join has not begun: the known bots that it waits for, each with what it lacks."""
        self.begun: Final = trio.Event()
        """Set when its first line is written; from then on it outlives this process."""
        self.end_told: Final = trio.Event()
        """Set when it has ended and everybody got its end."""
        self._journal: Final = journal
        self._services: Final = services
        self._on_change: Final = on_change
        self.keeper: Final = RecordKeeper(table, journal, services, partial(on_change, self))
        self._inbox: Final = Inbox(services.alarms, services.turns, self._take_turn)
        self._own_task: Final = OwnTask()
        self._is_over = False
        self._connected: Final = [False] * table.setup.seats
        self._asked: Handed | None = None
        """The question that was handed over last, until it is answered."""
        self._delays: Final = OwnDelays(services.now_ns, services.waits, table.setup.terms.clock.allowance_ms)
        self._speaker: Final = Speaker(table, self.links, services, self.keeper, self._inbox, self._delays, lambda: self.bots)

    @property
    def bots(self) -> tuple[SeatBot, ...]:
        """By seat: who plays."""
        setup = self.table.setup
        ids = setup.bot_ids or ("",) * setup.seats
        return tuple(map(SeatBot, setup.bots, ids, self.table.versions))

    @property
    def is_without_clock(self) -> bool:
        """Whether it does not matter how long a bot takes."""
        return self.table.setup.terms.clock.allowance_ms is None

    @property
    def waits_to_join(self) -> bool:
        """Whether its time to join has not begun."""
        return self.table.phase is Phase.WAITING

    @property
    def is_over(self) -> bool:
        """Whether it has ended, and its end is written: before that nobody learns about it."""
        return self._is_over

    def end_again(self, receipt: Receipt | None) -> None:
        """Marks it as ended under an earlier server, and kept for bots that did not get its end."""
        self.is_shown_again = self._is_over = True
        self.keeper.end_again(receipt)
        self.begun.set()
        self.end_told.set()

    def look_on(self, begin: Callable[[], None]) -> None:
        """Lets a spectator begin once everything that the table says is written."""
        begin() if self._is_over else self.post(LookOn(begin))
        self.table.fold()

    def post(self, given: Inbound) -> None:
        """Gives the match something to take, after everything that came before."""
        self._inbox.post(given)

    async def run(self) -> None:
        """Plays the match to its end. A fault ends this match, and no other."""
        try:
            await self._play()
        except Exception as fault:  # noqa: BLE001 - the other matches go on after any fault here; it is logged with its traceback
            _LOG.exception("a match broke", match=self.id)
            await self._void_for(fault)
        finally:
            self.begun.set()
            self.end_told.set()
            self._journal.close()

    async def _play(self) -> None:
        table, services = self.table, self._services
        await self.keeper.publish_begin()  # if it is taken up: opening its table may make the deal
        await self._carry_out(table.open(services.now_ns(), services.held_up()))
        await self.keeper.publish_begin()
        self.begun.set()
        self._on_change(self)
        while not table.ended:
            self._inbox.wait(self._wake_s())
            if (slowly := await self._own_task.sleep()) is not None:
                await slowly()
        await self._finish()

    # --- turns -------------------------------------------------------------------------------------------------------

    def _take_turn(self) -> None:
        """Lets the table judge what came and what is due; has written and sent what follows from it."""
        if not self._own_task.is_asleep:
            return  # the referee stops
        outputs: list[Output] = []
        try:
            self._judge(outputs)
        except Exception as fault:  # noqa: BLE001 - the match's own task raises it
            # The table counts these lines as written: so does the line that will say that it broke.
            self._own_task.wake(partial(self._break, outputs, fault))
            return
        lines = _lines_of(outputs)
        if lines:
            self.keeper.begin(lines, partial(self._go_on, outputs, lines))
        else:
            self._go_on(outputs, lines, None)

    def _judge(self, outputs: list[Output]) -> None:
        if (passed := self._delays.barrier_due()) is not None:
            self._inbox.post(passed)
        came = self._inbox.came
        while came and not self.table.ended:
            if outputs and isinstance(came[0], _AFTER_OTHERS):
                # What is shown now must be written first; if that breaks the match, the bot that has come learns it. And
                # an answer that came before its question went out must not be written before the question goes out.
                return
            self._take(came.popleft(), outputs)
        wake = self.table.wake_at_ns
        if wake is not None and wake <= self._services.now_ns():
            self._feed(Tick(), outputs)

    def _go_on(self, outputs: Sequence[Output], lines: bytes, problem: Exception | None) -> None:
        """The lines of a turn are written, or there were none: sends the rest, and waits for the next turn."""
        if not self._own_task.is_asleep:
            return  # the referee stops
        if problem is not None:
            self._own_task.wake(partial(self._insist, outputs, lines, problem))
            return
        try:
            if lines:
                self.keeper.note_written(lines)
            if outputs and (until := self._show_others(outputs)) is not None:
                self._own_task.wake(partial(self._tell_after, outputs, until))
                return
            self._speaker.tell(outputs)
            if self.table.ended:
                self._own_task.wake()
            else:
                self._inbox.wait(self._wake_s())
        except Exception as fault:  # noqa: BLE001 - the match's own task raises it
            self._own_task.wake(partial(self._break, (), fault))

    async def _break(self, outputs: Sequence[Output], fault: Exception) -> None:
        await self._carry_out(outputs)
        raise fault

    async def _insist(self, outputs: Sequence[Output], lines: bytes, problem: Exception) -> None:
        await self.keeper.insist(lines, problem)
        await self._send(outputs)

    async def _tell_after(self, outputs: Sequence[Output], until: trio.Event) -> None:
        await until.wait()
        self._speaker.tell(outputs)

    def _take(self, given: Inbound, outputs: list[Output]) -> None:
        if isinstance(given, LookOn):
            given.begin()
        elif isinstance(given, Claim | Release | GiveBack):
            self._change_link(given, outputs)
        else:
            fair = self._delays.without(given, self._asked)
            self._measure(given, self._services.now_ns())
            self._feed(fair, outputs)

    def _feed(self, given: Input, outputs: list[Output]) -> None:
        outputs += self.table.feed(given, self._services.now_ns(), self._services.held_up())

    def _measure(self, given: Input, now_ns: int) -> None:
        """Measures how long a bot thought, and how long its answer waited for us."""
        if isinstance(given, Handed):
            self._asked = given
        elif isinstance(given, Answered) and (asked := self._asked) is not None and given.is_to(asked):
            self._asked = None
            self._services.measures.answered(given.at_ns - asked.at_ns, now_ns - given.at_ns)

    def _wake_s(self) -> float:
        """When to look again even if nothing comes, in trio's time."""
        wake = self._delays.wake_at_ns(self.table.wake_at_ns)
        return NEVER_S if wake is None else trio.current_time() + max(0.0, (wake - self._services.now_ns()) / 1e9)

    async def _carry_out(self, outputs: Sequence[Output]) -> None:
        """Has lines written, then sends the rest: always in this order. A turn does the same without waiting."""
        if not outputs:
            return
        if lines := _lines_of(outputs):
            await self.keeper.write(lines)
        await self._send(outputs)

    async def _send(self, outputs: Sequence[Output]) -> None:
        until = self._show_others(outputs)
        if until is not None:
            await until.wait()
        self._speaker.tell(outputs)

    def _show_others(self, outputs: Sequence[Output]) -> trio.Event | None:
        """Shows a batch to those who watch; returns what they want everybody to wait for."""
        self._is_over = self.table.ended is not None
        for listener in self.listeners:
            listener(self, outputs)
        return None if self.pace is None else self.pace(self, outputs)

    # --- coming and going --------------------------------------------------------------------------------------------

    def _change_link(self, change: Claim | Release | GiveBack, outputs: list[Output]) -> None:
        link = change.link
        seat, now = link.seat, self._services.now_ns()
        if isinstance(change, GiveBack):
            # It may have come again in the meantime, on another stream or for another session.
            if self.links[seat] is link:
                link.is_asked = link.is_shown = False
                self.links[seat], self._connected[seat] = None, False
                outputs += self.table.feed(Declined(seat, change.why, change.at_ns), now, self._services.held_up())
            return
        if isinstance(change, Release):
            # Another session, or a new stream of the same, may have come in the meantime.
            if self.links[seat] is link and link.session.connection is None and self._connected[seat]:
                self._connected[seat] = False
                outputs += self.table.feed(Left(seat, change.why), now, self._services.held_up())
            return
        before, self.links[seat] = self.links[seat], link
        if before is not None:
            before.is_asked = False
        if not is_still_there(change):
            return  # it is gone again, and its release is on its way; or it has another stream, and that claim is on its way
        self._show(link, change.seen, now)
        held_up, trace, version = self._services.held_up(), link.session.trace, link.session.bot_version
        outputs += self.table.feed(RoundTrip(seat, link.session.round_trip_ns), now, held_up)
        was_connected, self._connected[seat] = self._connected[seat], True
        came = (TakenOver if was_connected else Joined)(seat, trace, change.at_ns, version)
        outputs += self.table.feed(came, now, held_up)

    def _show(self, link: SeatLink, seen: int, now_ns: int) -> None:
        """Sends a seat what is played, how the game stands, and what it missed. Its bot pays for that work."""
        began_ns = self._services.work_ns()
        self._show_all(link, seen, now_ns)
        if link.session.connection is not None:
            link.session.connection.charge(self._services.work_ns() - began_ns)

    def _show_all(self, link: SeatLink, seen: int, now_ns: int) -> None:
        link.forget()
        link.is_shown = True
        link.add(telling.offered(self.table.setup, link.seat))
        # The table of a match that broke may be ahead of what could be written.
        snapshot = self.table.snapshot(link.seat, now_ns) if self.fault is None else None
        if snapshot is not None:
            link.add(started_part(self.bots, snapshot.nonce, snapshot.view, snapshot.events_seen))
            missed = self.table.events_since(link.seat, seen)
            link.add_missed(EventEncoder().parts(snapshot.events_seen - len(missed) + 1, missed))
        link.send()

    def show_result(self, link: SeatLink, seen: int) -> None:
        """Sends the result to a bot that comes back after the end."""
        self._show(link, seen, self._services.now_ns())
        self._say_end(link)
        self.table.fold()

    def _say_end(self, link: SeatLink) -> None:
        link.is_asked = False
        if self.fault is not None:
            link.add(telling.voided(self.id, self.fault, self.keeper.receipt))
        elif self.table.ended is not None:
            link.add(telling.ended(self.table.ended, link.seat, self.keeper.receipt, keeps_seed=self.table.setup.keeps_seed))
        link.session.told_ends.add(self.id)
        link.send()

    # --- the end -----------------------------------------------------------------------------------------------------

    async def _finish(self) -> None:
        """The end line is durable: the secrets that it reveals no longer need a file."""
        await self.keeper.forget_secrets()
        self._serve_latecomers()
        self._on_change(self)
        self.table.fold()

    def _serve_latecomers(self) -> None:
        """Shows the end to bots that came while it was written."""
        while self._inbox.came:
            given = self._inbox.came.popleft()
            if isinstance(given, LookOn):
                given.begin()
            elif isinstance(given, Claim) and is_still_there(given) and not given.link.is_shown:
                self.show_result(given.link, given.seen)

    async def _void_for(self, fault: Exception) -> None:
        """A fault of the referee: nobody loses, and bots learn it once it is recorded. A written end stays as it is."""
        if not self.keeper.end_is_written:
            self.fault = f"a fault of the referee: {type(fault).__name__}"
            await self.keeper.keep_void(None if isinstance(fault, JournalError) else Void(self.fault))
        self._is_over = True
        for listener in tuple(self.listeners) if self.fault is not None else ():
            try:
                listener(self, ())
            except Exception:  # noqa: BLE001 - it may be what broke the match; the others still get the end
                _LOG.exception("spectators could not be told that a match is void", match=self.id)
        for link in self._speaker.told_links():
            if self.id not in link.session.told_ends:
                self._say_end(link)
        self._serve_latecomers()
        self._on_change(self)

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it goes on, or its end is not written."""
        if not self._is_over:
            return None
        if self.fault is not None:
            return Ending.VOIDED
        return None if self.table.ended is None else self.table.ended.why

    @property
    def record(self) -> Path:
        """The path of its record."""
        return self._journal.path


def _lines_of(outputs: Sequence[Output]) -> bytes:
    return b"".join([output.line for output in outputs if type(output) is WriteLine])
