"""Before the deal: what the table waits for, who comes, and in joint mode what each seat commits to and reveals."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, assert_never

from mergemaker_engine.errors import Refusal
from mergemaker_engine.record.commitments import CONTRIBUTION_BYTES, WITHHELD, DealMode, joint_seed, seat_commitment
from mergemaker_engine.record.lines import PlayIncident, Status

from mergemaker_table.clock import in_ns
from mergemaker_table.countdown import Countdown
from mergemaker_table.desk import Desk
from mergemaker_table.evidence import AtFault, MomentKind, Verdict, trace_of
from mergemaker_table.inputs import (
    Answered,
    BarrierPassed,
    Declined,
    FollowedUp,
    Handed,
    Input,
    Joined,
    JoiningBegins,
    Left,
    Resign,
    RoundTrip,
    SeatCommitted,
    SeatRevealed,
    TakenOver,
    Tick,
    Void,
)
from mergemaker_table.join_terms import MissingSeats
from mergemaker_table.outputs import RefusalReason, Refused, SeatsCommitted
from mergemaker_table.timeline import Timeline
from mergemaker_table.verdicts import NOBODY_CAME, missed, missing_seats, resigned, voided

NOBODY_JOINED: Final = "nobody joined"
JOINING_BEGAN: Final = "joining began"
"""The incident that starts the time to join, in a match that waited for it."""
COMMITTED: Final = "committed"
"""The incident with all seats' commitments, before anything is revealed."""


class Step(StrEnum):
    """What a table waits for before the deal."""

    WAIT = "wait"
    """The time to join has not begun."""
    JOIN = "join"
    COMMIT = "commit"
    REVEAL = "reveal"
    DONE = "done"


class Joining:
    """Waits for all seats, and in joint mode for their parts; each step has the whole start-up time.

    If the terms say so, all of that begins with an input; until then there is no limit here.
    """

    def __init__(
        self, desk: Desk, now_ns: int, committed: Sequence[bytes | None] | None = None, *, has_begun: bool = False
    ) -> None:
        """`committed` and `has_begun` come from the record of an interrupted match."""
        self._desk: Final = desk
        self._committed: list[bytes | None] = [None] * len(desk.seats)
        self._revealed: list[bytes | None] = [None] * len(desk.seats)
        self._time = Countdown(now_ns)
        self._limit_ns: int | None = None
        """How long the current step may take."""
        self._timelines: tuple[Timeline, ...] = ()
        """By seat: for the current step."""
        self.step = Step.WAIT if desk.setup.joining.waits and not has_begun else Step.JOIN
        self._begin(self.step, now_ns)
        if desk.setup.mode is DealMode.JOINT:
            self._set_seed()
        if committed is not None:
            # A restart came between the promises and the parts: the promises hold.
            self._committed = list(committed)
            self._begin(Step.REVEAL, now_ns)

    @property
    def wake_at_ns(self) -> int | None:
        """When the current step is over, even if a seat is missing."""
        return None if self._limit_ns is None else self._time.reaches_ns(self._limit_ns)

    def leave_out(self, begun_ns: int, until_ns: int) -> None:
        """Nobody could be heard meanwhile: everybody gets that much more time."""
        self._time.leave_out(begun_ns, until_ns)

    def begin_grace(self, now_ns: int) -> None:
        """The referee may have broken connections: from now on there is at least the time of grace."""
        if self._limit_ns is not None:
            least_ns = in_ns(self._desk.setup.terms.faults.recovery_grace_ms)
            self._limit_ns = max(self._limit_ns, self._time.elapsed_ns(now_ns) + least_ns)

    @property
    def committed(self) -> tuple[bytes | None, ...]:
        """Each seat's commitment; empty except in joint mode."""
        return tuple(self._committed) if self._desk.setup.mode is DealMode.JOINT else ()

    def _begin(self, step: Step, now_ns: int) -> None:
        self.step = step
        startup = None if step is Step.WAIT else self._desk.setup.terms.clock.startup_ms
        self._time, self._limit_ns = Countdown(now_ns), None if startup is None else in_ns(startup)
        self._timelines = tuple(self._desk.timeline(now_ns, seat) for seat in self._desk.seats)

    def _set_seed(self) -> None:
        """In joint mode the deal's seed comes from all parts; an unrevealed part counts as zeros."""
        server_seed = self._desk.secrets.server_seed
        assert server_seed is not None, "the set-up was checked"
        parts = [WITHHELD if part is None else part for part in self._revealed]
        self._desk.secrets = replace(self._desk.secrets, seed=joint_seed(server_seed, parts))

    def take(self, given: Input, now_ns: int) -> None:
        """Takes an input."""
        match given:
            case Resign():
                self._resign(given, now_ns)
            case Joined(number) | TakenOver(number):
                self._timelines[number].note(MomentKind.BACK, now_ns)
                if self.step is Step.REVEAL:
                    self._desk.say(SeatsCommitted(number, self.committed))
            case Left(number):
                self._timelines[number].note(MomentKind.LEFT, now_ns)
            case Declined(number):
                self._timelines[number].note(MomentKind.LEFT, now_ns)
                if self.step is not Step.REVEAL:
                    self._committed[number] = None  # only its bot knows its commitment
            case JoiningBegins():
                self._begin_to_join(now_ns)
            case SeatCommitted():
                self._take_commitment(given)
            case SeatRevealed():
                self._take_part(given)
            case Answered():
                trace = trace_of(self._desk.setup.match, given.seat)
                refusal = Refusal(RefusalReason.NOT_ASKED, "nothing is asked before the deal is made", trace=trace)
                self._desk.say(Refused(given.seat, given.decision_id, refusal))
            case Handed() | BarrierPassed() | FollowedUp() | RoundTrip() | Void() | Tick():
                pass
            case _:
                assert_never(given)

    def _resign(self, given: Resign, now_ns: int) -> None:
        seat = self._desk.seats[given.seat]
        if seat.is_playing:
            at_ns = now_ns if given.at_ns is None else given.at_ns
            said = self._timelines[given.seat].evidence(
                resigned(), self._desk.held_up, (MomentKind.RESIGNED, at_ns), (MomentKind.JUDGED, now_ns)
            )
            self._desk.retire(seat, PlayIncident.RESIGNED, now_ns, None, said)

    def _begin_to_join(self, now_ns: int) -> None:
        if self.step is Step.WAIT:
            self._desk.incident(JOINING_BEGAN, now_ns)
            self._begin(Step.JOIN, now_ns)

    def _take_commitment(self, given: SeatCommitted) -> None:
        before = self._committed[given.seat]
        if self._desk.setup.mode is not DealMode.JOINT:
            self._refuse(given.seat, RefusalReason.NOT_JOINT, "the deal of this match is the server's alone")
        elif len(given.commitment) != CONTRIBUTION_BYTES:
            text = f"a commitment has {CONTRIBUTION_BYTES} bytes, not {len(given.commitment)}"
            self._refuse(given.seat, RefusalReason.BAD_LENGTH, text)
        elif before is not None and before != given.commitment:
            self._refuse(given.seat, RefusalReason.COMMITTED_ALREADY, "this seat has committed itself to another part")
        elif self.step is Step.REVEAL and before is None:
            self._refuse(given.seat, RefusalReason.NOT_NOW, "all others have committed themselves; it is too late for this seat")
        else:
            self._committed[given.seat] = given.commitment

    def _take_part(self, given: SeatRevealed) -> None:
        promise = self._desk.setup.promise
        committed = self._committed[given.seat]
        if self._desk.setup.mode is not DealMode.JOINT or promise is None:
            self._refuse(given.seat, RefusalReason.NOT_JOINT, "the deal of this match is the server's alone")
        elif self.step is not Step.REVEAL:
            self._refuse(given.seat, RefusalReason.NOT_NOW, "parts are revealed when all seats have committed themselves")
        elif committed is None:
            self._refuse(given.seat, RefusalReason.NOT_COMMITTED, "this seat did not commit itself, so its part counts as zeros")
        elif len(given.part) != CONTRIBUTION_BYTES:
            self._refuse(given.seat, RefusalReason.BAD_LENGTH, f"a part has {CONTRIBUTION_BYTES} bytes, not {len(given.part)}")
        elif seat_commitment(promise.commitment, given.seat, given.part) != committed:
            self._refuse(given.seat, RefusalReason.WRONG_PART, "this is not the part that the seat committed itself to")
        else:
            self._revealed[given.seat] = given.part

    def _refuse(self, seat: int, reason: RefusalReason, text: str) -> None:
        self._desk.refuse_part(seat, reason, text)

    def settle(self, now_ns: int) -> None:
        """Goes on as far as everything is there, or its time is over."""
        if self._is_void():
            return  # a restart came between what says so and the end
        if self.step is Step.JOIN and self._is_over(now_ns, [seat.connected for seat in self._desk.seats]):
            self._miss([seat.joined for seat in self._desk.seats], "it did not take its seat in time", now_ns)
            if self._is_void():
                return
            self._begin(Step.COMMIT if self._desk.setup.mode is DealMode.JOINT else Step.DONE, now_ns)
        if self.step is Step.COMMIT and self._is_over(now_ns, [part is not None for part in self._committed]):
            self._miss([part is not None for part in self._committed], "it did not commit itself in time", now_ns)
            if self._anybody_left:
                self._share_commitments(now_ns)
        if self.step is Step.REVEAL and self._is_over(now_ns, [part is not None for part in self._revealed]):
            self._miss([part is not None for part in self._revealed], "it did not reveal its part in time", now_ns)
            self._set_seed()
            self._desk.contributions = tuple(self._revealed)
            self._begin(Step.DONE, now_ns)

    @property
    def _anybody_left(self) -> bool:
        return any(seat.status is not Status.NEVER_JOINED for seat in self._desk.seats)

    @property
    def void_because(self) -> Verdict | None:
        """Why the match cannot be played: nobody came, or not all that its terms require."""
        if not self._anybody_left:
            return voided(AtFault.NOBODY, NOBODY_CAME, NOBODY_JOINED)
        if self._desk.setup.joining.missing is MissingSeats.PLAY:
            return None
        # A bot that came but kept back its promise or its part is not missing: nobody can void a match that way.
        missing = {seat.number: seat.bot for seat in self._desk.seats if seat.status is Status.NEVER_JOINED and not seat.joined}
        return missing_seats(missing) if missing else None

    def _is_void(self) -> bool:
        return self.void_because is not None

    def _is_over(self, now_ns: int, there: Sequence[bool]) -> bool:
        deadline = self.wake_at_ns
        late = deadline is not None and now_ns >= deadline
        return late or all(is_there or not seat.is_playing for seat, is_there in zip(self._desk.seats, there, strict=True))

    def _miss(self, there: Sequence[bool], why: str, now_ns: int) -> None:
        for seat, is_there in zip(self._desk.seats, there, strict=True):
            if seat.is_playing and not is_there:
                deadline = self.wake_at_ns
                deadline = now_ns if deadline is None else deadline
                said = self._timelines[seat.number].evidence(
                    missed(why), self._desk.held_up, (MomentKind.DEADLINE, deadline), (MomentKind.JUDGED, now_ns)
                )
                self._desk.retire(seat, PlayIncident.NEVER_JOINED, now_ns, why, said)

    def _share_commitments(self, now_ns: int) -> None:
        """Writes the promises and sends them to all before any part is revealed."""
        texts = [None if part is None else part.hex() for part in self._committed]
        self._desk.incident(COMMITTED, now_ns, None, None, commitments=texts)
        for seat in self._desk.seats:
            self._desk.say(SeatsCommitted(seat.number, self.committed))
        self._begin(Step.REVEAL, now_ns)


def committed_in(run: object, seats: int) -> tuple[bytes | None, ...] | None:
    """The promises in an incident of a record; None if it does not have what it should."""
    if not isinstance(run, list) or len(run) != seats:
        return None
    try:
        return tuple(None if part is None else bytes.fromhex(part) for part in run)
    except (TypeError, ValueError):
        return None
