"""One match: inputs with their time go in, outputs come out. Nothing here waits, reads, sends or draws at random.

    table = Table(setup)
    deliver(table.open(now_ns))
    deliver(table.feed(Joined(seat=0), now_ns))         # and so on, in the order of events
    ...                                                 # Tick at `table.wake_at_ns`, until `table.ended` is not None

What the driver promises:

- `now_ns` is a monotonic clock's. Inputs are fed in the order in which they came: a seat's `Left` after all that came
  through its connection, and `BarrierPassed` after all that was stamped before the barrier.
- Every `WriteLine` of a batch is durable before any other output of that batch, or of a later one, is delivered. Batches are
  delivered in order.
- `Handed` is fed for each `Ask`, stamped when the request went to the transport. A request that waits for the disk is not
  handed over, so its clock is stopped: one decision is open at a time, and a slow disk is nobody's thinking time.
- A request that cannot be handed over ends in `Left`.
- An exception from `feed` is a fault of the program: the driver voids the match.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, assert_never

from mergemaker_engine.deal import Deal
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.record.lines import FORKED, PlayIncident, Status
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.unchecked import Unchecked

from mergemaker_table.afterwards import take_afterwards
from mergemaker_table.clock import in_ns
from mergemaker_table.desk import DECLINED, DISCONNECTED, JOINED, TAKEN_OVER, Desk, line_text
from mergemaker_table.disguise import Disguise
from mergemaker_table.errors import TableError
from mergemaker_table.evidence import NOT_HELD_UP, HeldUp, MomentKind
from mergemaker_table.inputs import (
    Answered,
    Declined,
    Handed,
    Input,
    Joined,
    JoiningBegins,
    Left,
    Resign,
    RoundTrip,
    TakenOver,
    Tick,
    Void,
)
from mergemaker_table.joining import Joining, Step
from mergemaker_table.outputs import (
    Ended,
    Output,
    PublicSnapshot,
    Snapshot,
    Started,
)
from mergemaker_table.playing import Playing
from mergemaker_table.recovering import Recovery, recover, seed_of
from mergemaker_table.seats import Seat
from mergemaker_table.setup import Setup
from mergemaker_table.terms import TERM_MS_MAX
from mergemaker_table.verdicts import HELD_UP, left, may_be_of_silence, voided

RECOVERED: Final = "recovered"
_USUAL: Final = (Answered, Handed)
"""By far the most inputs."""
_OF_NO_SEAT: Final = (Tick, Void, JoiningBegins)
_OF_CONNECTIONS: Final = (Joined, TakenOver, Left, RoundTrip)


class Phase(StrEnum):
    """How far a table is."""

    WAITING = "waiting"
    """The time to join has not begun."""
    JOINING = "joining"
    PLAYING = "playing"
    OVER = "over"


class Table:
    """A match from its first line to its last."""

    def __init__(
        self, setup: Setup, record: Record | None = None, disguise: Disguise | None = None, *, in_process: bool = False
    ) -> None:
        """`record` is that of an interrupted match; `recovered` makes the set-up from it, too.

        With a `disguise`, answers that need no bot take as long as a bot's. With `in_process`, the driver itself calls the
        bots: a question is handed over when it is asked, `Handed` is not fed, and there is no `Tell`, `Publish` or
        `Accepted`. The driver reads `events_since`.
        """
        scribe = Scribe() if record is None else Scribe.resumed(record)
        self._desk: Final = Desk(setup, scribe, disguise, in_process=in_process)
        self._recovery: Final = None if record is None else recover(self._desk, record)
        self._joining: Joining | None = None
        self._playing: Playing | None = None
        self._now_ns: int | None = None

    @classmethod
    def recovered(cls, record: Record, secrets: Secrets, disguise: Disguise | None = None) -> "Table":
        """The table of a match with an interrupted record. Nobody has a connection, and `open` goes on.

        It is for forks, too: then the record has what the fork repeats from its parent.
        """
        return cls(Setup.of_record(record.header, replace(secrets, seed=seed_of(record, secrets))), record, disguise)

    # --- what is driven ---

    def open(self, now_ns: int, held_up: HeldUp = NOT_HELD_UP) -> tuple[Output, ...]:
        """Begins the match with its header, or goes on after the last line of its record; `held_up` as in `feed`."""
        if self._now_ns is not None:
            raise TableError("open-already", "a table is opened once")
        self._now_ns = now_ns
        self._desk.held_up = held_up
        if self._recovery is None:
            self._desk.start_watch(now_ns)
            self._desk.write(self._desk.scribe.header(self._desk.setup.header()))
            self._joining = Joining(self._desk, now_ns)
        else:
            self._go_on(self._recovery, now_ns)
        self._settle(now_ns)
        return self._desk.batch()

    def feed(self, given: Input, now_ns: int, held_up: HeldUp = NOT_HELD_UP) -> tuple[Output, ...]:
        """Takes an input; returns what to do, in order.

        `held_up` says how long the loops around the table have been held up so far. Evidence has it, and that time is nobody's.
        """
        if self._now_ns is None:
            raise TableError("not-open", "a table is opened before anything is fed to it")
        if not isinstance(given, _OF_NO_SEAT):
            self._check_seat(given.seat)
        now = self._now_ns = max(self._now_ns, now_ns)
        if self._desk.ended is not None:
            take_afterwards(self._desk, given)
            return self._desk.batch()
        if held_up is not self._desk.held_up:
            self._leave_out(held_up, now)
        if isinstance(given, _USUAL):
            pass
        elif isinstance(given, Void):
            waiting = self._playing.open if self._playing is not None else None
            verdict = voided(given.at_fault, given.reason, line_text(given.why))
            self._desk.void(verdict, now, None if waiting is None else waiting.timeline)
            return self._desk.batch()
        elif isinstance(given, _OF_CONNECTIONS):
            self._note_connection(given, now)
        elif isinstance(given, Declined):
            given = self._note_declined(given, now)
        phase = self._playing or self._joining
        assert phase is not None, "an open table is in a phase"
        phase.take(given, now)
        self._settle(now)
        return self._desk.batch()

    def stood_still(self, for_ns: int, until_ns: int) -> None:
        """The driver waited this long for the disk, and took nothing meanwhile: that is nobody's time.

        A bot that has its question can go on thinking, and its answer is stamped. But a bot that wants to take its seat, or to
        come back to it, could not be heard.
        """
        if self._desk.ended is not None:
            return
        if self._playing is not None:
            self._playing.stood_still(for_ns, until_ns)
        elif self._joining is not None:
            self._joining.leave_out(until_ns - for_ns, until_ns)

    @property
    def wake_at_ns(self) -> int | None:
        """When a `Tick` is due, if nothing else comes first."""
        phase = self._playing or self._joining
        return None if phase is None or self._desk.ended is not None else phase.wake_at_ns

    # --- what can be asked ---

    @property
    def setup(self) -> Setup:
        """What the match was set up with."""
        return self._desk.setup

    @property
    def ended(self) -> Ended | None:
        """How the match ended; None while it goes on."""
        return self._desk.ended

    @property
    def phase(self) -> Phase:
        """How far the table is."""
        if self._desk.ended is not None:
            return Phase.OVER
        if self._desk.game is not None:
            return Phase.PLAYING
        if self._joining is not None:
            return Phase.WAITING if self._joining.step is Step.WAIT else Phase.JOINING
        has_begun = self._recovery is not None and self._recovery.joining_began
        return Phase.WAITING if self._desk.setup.joining.waits and not has_begun else Phase.JOINING

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; 0 before the deal."""
        return self._desk.turn

    @property
    def asked_seat(self) -> int | None:
        """The seat whose decision is open."""
        waiting = self._playing.open if self._playing is not None and self._desk.ended is None else None
        return None if waiting is None else waiting.seat.number

    @property
    def connected(self) -> tuple[bool, ...]:
        """Which seats have a connection."""
        return tuple(seat.connected for seat in self._desk.seats)

    @property
    def versions(self) -> tuple[str, ...]:
        """What each seat's bot says about its version; empty if none has come."""
        return tuple(seat.version for seat in self._desk.seats)

    @property
    def statuses(self) -> tuple[Status, ...]:
        """Each seat's status at the end, as things are now."""
        return tuple(seat.status for seat in self._desk.seats)

    def snapshot(self, seat: Unchecked[int], now_ns: int) -> Snapshot | None:
        """All that a seat needs to go on; None before the deal."""
        self._check_seat(seat)
        self._desk.unfold()
        game = self._desk.game
        if game is None:
            return None
        found = self._desk.seats[seat]
        waiting = self._playing.open if self._playing and self._desk.ended is None else None
        is_asked = waiting is not None and waiting.seat is found
        return Snapshot(
            nonce=self._desk.setup.seat_nonce(seat),
            view=game.view(seat),
            events_seen=len(found.events),
            request=waiting.request_now(now_ns) if waiting is not None and is_asked else None,
            status=found.status,
        )

    def public_snapshot(self) -> PublicSnapshot | None:
        """All that a spectator needs to begin; None before the deal."""
        self._desk.unfold()
        game = self._desk.game
        return None if game is None else PublicSnapshot(game.public_view(), len(self._desk.public_events))

    def events_since(self, seat: Unchecked[int], number: Unchecked[int]) -> tuple[Event, ...]:
        """What a seat may know of what happened after event `number`; from 0 on everything."""
        self._check_seat(seat)
        self._desk.unfold()
        return _behind(self._desk.seats[seat].events, number)

    def public_events_since(self, number: Unchecked[int]) -> tuple[Event, ...]:
        """What everybody may know of what happened after public event `number`."""
        self._desk.unfold()
        return _behind(self._desk.public_events, number)

    def fold(self) -> None:
        """Keeps of a match that has ended only what its game and events follow from, which is a tenth.

        Snapshots and events can be asked for as before: then the game is played again, and kept until the next `fold`.
        While the match goes on, this does nothing.
        """
        if self._desk.ended is not None:
            self._playing = self._joining = None
            self._desk.fold()

    # --- how it goes on ---

    def _go_on(self, recovery: Recovery, now_ns: int) -> None:
        desk = self._desk
        desk.start_watch(now_ns, recovery.at_ms)
        if recovery.begins_fork and desk.game is not None:
            self._begin_fork(desk.game, now_ns)
            return
        desk.incident(RECOVERED, now_ns)
        if recovery.voided is not None:
            desk.end_voided(recovery.voided, recovery.voided_evidence, now_ns)
        elif desk.game is None:
            self._joining = Joining(desk, now_ns, recovery.committed, has_begun=recovery.joining_began)
        else:
            self._playing = Playing(desk, desk.game)
            grace_ns = in_ns(desk.setup.terms.faults.recovery_grace_ms)
            self._playing.resume(now_ns, grace_ns, recovery.refusals, recovery.last_refusal)

    def _begin_fork(self, game: Game, now_ns: int) -> None:
        """Every seat is asked from here on, even if it was retired in the parent."""
        desk = self._desk
        for seat in desk.seats:
            if not seat.is_playing:
                desk.incident(PlayIncident.PLAYS_AGAIN, now_ns, seat)
            seat.begin_fork()
        # The last of them: if it is missing after a crash, all this is done again.
        desk.incident(FORKED, now_ns)
        self._playing = Playing(desk, game)
        # Nobody's time runs before its bot is connected. The maker of a fork starts the bots, and knows when one does not come.
        self._playing.resume(now_ns, in_ns(TERM_MS_MAX), 0, None)

    def _leave_out(self, held_up: HeldUp, now_ns: int) -> None:
        """Stops every running time for as long as the loops around the table were held up since the last input."""
        before, self._desk.held_up = self._desk.held_up, held_up
        stood_ns = held_up.stood_ns - before.stood_ns
        phase = self._playing or self._joining
        assert phase is not None, "an open table is in a phase"
        if stood_ns > 0:
            # If there was more than one delay since then, this is as late as they can have been: nobody gains by that.
            phase.leave_out(held_up.stood_until_ns - stood_ns, held_up.stood_until_ns)
        if self._playing is None and self._joining is not None and held_up.breaks_until_ns > before.breaks_until_ns:
            self._joining.begin_grace(now_ns)

    def _settle(self, now_ns: int) -> None:
        """Does what is due: the deal, a barrier, defaults."""
        joining = self._joining
        if joining is not None and self._playing is None:
            joining.settle(now_ns)
            if joining.void_because is not None:
                self._desk.void(joining.void_because, now_ns)
            elif joining.step is Step.DONE:
                self._deal(joining, now_ns)
        if self._playing is not None:
            self._playing.settle(now_ns)

    def _deal(self, joining: Joining, now_ns: int) -> None:
        desk = self._desk
        game = Game(desk.setup.rules, desk.setup.seats, Deal.from_seed(desk.secrets.seed))
        desk.game = game
        desk.write(desk.scribe.deal(game, joining.committed, desk.contributions))
        desk.announce(game.start_events)
        for seat in desk.seats:
            number = seat.number
            desk.say(Started(number, desk.setup.seat_nonce(number), game.view(number), len(seat.events)))
        self._playing = Playing(desk, game)
        self._playing.begin(now_ns)

    def _note_declined(self, given: Declined, now_ns: int) -> Declined | Resign:
        """Notes that a bot gives back its seat; returns the input that this is in the phase."""
        seat, why = self._desk.seats[given.seat], line_text(given.why)
        if self._playing is None:
            self._desk.connection_incident(DECLINED, now_ns, seat, why)
            seat.give_back(now_ns)
            return given
        seat.go(DECLINED, now_ns)
        return Resign(given.seat, given.at_ns, why)

    def _note_connection(self, given: Joined | TakenOver | Left | RoundTrip, now_ns: int) -> None:
        match given:
            case Joined(number, trace, version=version):
                seat = self._desk.seats[number]
                if not seat.connected:
                    self._desk.connection_incident(JOINED, now_ns, seat, trace=trace, version=version)
                seat.come(version)
            case TakenOver(number, trace, version=version):
                seat = self._desk.seats[number]
                self._desk.connection_incident(TAKEN_OVER, now_ns, seat, trace=trace, version=version)
                seat.come(version)
            case Left(number, why):
                seat = self._desk.seats[number]
                if seat.connected:
                    is_ours = self._desk.is_break_ours(now_ns) and may_be_of_silence(why)
                    self._note_left(seat, HELD_UP if is_ours else line_text(why), now_ns)
            case RoundTrip(number, nanoseconds):
                self._desk.seats[number].round_trip_ns = max(nanoseconds, 0)
            case _:
                assert_never(given)

    def _note_left(self, seat: Seat, why: str, now_ns: int) -> None:
        """Notes a lost connection, with the times of the decision that was open for it, if one was."""
        seat.go(why, now_ns)
        waiting = self._playing.open if self._playing is not None else None
        verdict = left(why)
        if waiting is not None and waiting.seat is seat:
            waiting.timeline.note(MomentKind.LEFT, now_ns)
            evidence = waiting.evidence(verdict, self._desk.held_up)
        else:
            evidence = self._desk.bare_evidence(verdict, seat)
        self._desk.connection_incident(DISCONNECTED, now_ns, seat, why or None, evidence)

    def _check_seat(self, seat: Unchecked[int | None]) -> None:
        if seat is not None and not 0 <= seat < len(self._desk.seats):
            raise TableError("no-such-seat", f"the seats are 0 to {len(self._desk.seats) - 1}, not {seat}")


def _behind(events: Sequence[Event], number: Unchecked[int]) -> tuple[Event, ...]:
    if not 0 <= number <= len(events):
        raise TableError(
            "no-such-event", f"events are numbered from 1 to {len(events)} so far; there is none with number {number}"
        )
    return tuple(events[number:])
