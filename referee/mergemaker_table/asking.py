"""The open decision: the request that its seat gets, and the time that runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import Decision
from mergemaker_engine.defaults import default_index
from mergemaker_engine.game import Game

from mergemaker_table.clock import Charge, in_ns, whole_ms
from mergemaker_table.countdown import Countdown
from mergemaker_table.evidence import Evidence, HeldUp, MomentKind, Verdict
from mergemaker_table.outputs import Request
from mergemaker_table.seats import Overdue, Seat
from mergemaker_table.sight import Sight
from mergemaker_table.terms import Terms
from mergemaker_table.timeline import Timeline

OWN_DELAY_NS: Final = 10_000_000
"""Shorter delays between a bot's return and the repeated question are normal: nobody may gain by them."""
OWN_DELAYS_MAX: Final = 16
"""At most this many are taken off one decision's time: a bot that comes back more often does it on purpose."""


class OpenDecision:
    """A decision that waits for its bot.

    Its clock starts when the request is handed to the transport. For a seat without a connection, it starts when the
    question is asked, or when the connection is lost.
    """

    __slots__ = (
        "_credit_ms",
        "_free_ns",
        "_limit_ns",
        "_own_delays",
        "_round_trip_ns",
        "_time",
        "barrier_sent",
        "barriers",
        "deadline_ns",
        "decision_id",
        "is_put_again",
        "put_again_at_ns",
        "refusals",
        "request",
        "seat",
        "timeline",
        "was_there",
    )

    def __init__(self, seat: Seat, request: Request, timeline: Timeline) -> None:
        self.seat: Final = seat
        self.request: Final = request
        self.decision_id: Final = request.decision_id
        """Which of its seat's decisions this is."""
        self.timeline: Final = timeline
        self.refusals = 0
        self.barrier_sent = False
        """Whether a barrier is under way that will show that the time was up."""
        self.barriers = 0
        """How many were sent. There is more than one if the clock was stopped for some time after the first."""
        self.was_there = False
        """Whether the bot had a connection when the last of them was sent."""
        self.is_put_again = False
        """Whether it is on its way to a bot that has come back and does not have it yet."""
        self.put_again_at_ns = 0
        """When it was last sent in this way."""
        self._own_delays = 0
        """How often its clock stopped because we were slow to hear its bot, or to send the request again."""
        self.deadline_ns: int | None = None
        """The last nanosecond at which an answer counts; None while the clock is stopped, or without a limit."""
        self._time: Countdown | None = None
        """Runs since the question was handed over; None while the clock is stopped."""
        self._limit_ns: int | None = None
        """How much of it there is; None without a limit."""
        self._free_ns = 0
        """How much of that is not the bot's own: the rest of the time of grace."""
        self._round_trip_ns = 0
        self._credit_ms = 0

    @property
    def is_running(self) -> bool:
        """Whether it is known when its time began."""
        return self._time is not None

    def handed(self, at_ns: int) -> bool:
        """The request went to the transport; says whether its time begins now."""
        self.timeline.note(MomentKind.HANDED, at_ns)
        self.is_put_again = False
        return self._time is None

    def start(self, at_ns: int, free_ns: int = 0) -> None:
        """Starts the clock at this moment; `free_ns` of its time is not the bot's own."""
        self._time, self._free_ns = Countdown(at_ns), free_ns
        self._credit()

    def _credit(self) -> None:
        """Credits the round trip as it is known now."""
        clock = self.seat.clock
        self._round_trip_ns = self.seat.round_trip_ns
        self._credit_ms = clock.credit_ms(self._round_trip_ns)
        left_ms = clock.time_left_ms
        self._limit_ns = None if left_ms is None else self._free_ns + in_ns(left_ms + self._credit_ms)
        self._find_deadline()

    def _find_deadline(self) -> None:
        limit_ns = self._limit_ns
        deadline = None if self._time is None or limit_ns is None else self._time.reaches_ns(limit_ns)
        if deadline != self.deadline_ns:
            self.deadline_ns = deadline
            self.barrier_sent = False

    def learn_round_trip(self, now_ns: int) -> None:
        """Credits a round trip that was first measured while the clock runs, if there is still time."""
        if self._time is not None and not self._round_trip_ns and not self.is_late(now_ns):
            self._credit()

    def wait_again(self, at_ns: int) -> None:
        """The bot came back before its clock started: the clock starts when the request is next handed over."""
        if self._time is not None and self._time.elapsed_ns(at_ns) < self._free_ns:
            self._stop()

    def wait_anew(self) -> None:
        """The bot is back after we broke its connection: it gets its whole time again when the request is next handed over."""
        if self._own_delays < OWN_DELAYS_MAX:
            self._own_delays += 1
            self._stop()

    def _stop(self) -> None:
        self._time = None
        self._find_deadline()

    def used_ms(self, at_ns: int) -> int | None:
        """How long the clock had run at a time; None if it was stopped."""
        return None if self._time is None else whole_ms(self._time.elapsed_ns(at_ns) - self._free_ns)

    def evidence(self, verdict: Verdict, held_up: HeldUp, *moments: tuple[MomentKind, int]) -> Evidence:
        """What has been measured so far, and what else happened in the end."""
        return self.timeline.evidence(verdict, held_up, *moments, round_trip_ns=self._round_trip_ns)

    def overdue(self, deadline_ns: int) -> Overdue:
        """What the table keeps of it when its time is over."""
        uncredited = max(self._round_trip_ns - in_ns(self._credit_ms), 0)
        return Overdue(deadline_ns, uncredited, self._round_trip_ns, self.timeline)

    def leave_out(self, begun_ns: int, until_ns: int) -> None:
        """Its clock was stopped meanwhile, unless its time was already up."""
        if self._time is not None and not self.is_late(begun_ns):
            self.timeline.stood_still(self._time.leave_out(begun_ns, until_ns))
            self._find_deadline()

    def was_delayed(self, since_ns: int, now_ns: int) -> None:
        """We were slow since then, so its clock was stopped; for part of that it may already have been stopped."""
        counted = 0 if self._time is None else self._time.left_out_ns(since_ns, now_ns)
        delay = now_ns - since_ns - counted
        if delay > OWN_DELAY_NS and self._own_delays < OWN_DELAYS_MAX:
            self._own_delays += 1
            self.leave_out(since_ns, now_ns)

    def send_barrier(self) -> None:
        """Time seems to be up: looks for what came before that, an answer or the bot's return."""
        self.barrier_sent = True
        self.barriers += 1
        self.was_there = self.seat.connected

    def is_late(self, at_ns: int) -> bool:
        """Whether something came after the deadline, even by a nanosecond."""
        return self.deadline_ns is not None and at_ns > self.deadline_ns

    def request_now(self, now_ns: int) -> Request:
        """The request with the time that is left now."""
        if self.deadline_ns is None:
            return self.request
        left = whole_ms(self.deadline_ns - in_ns(self._credit_ms) - now_ns)
        # Before its clock begins to run, nobody has more time than there is.
        return replace(self.request, time_left_ms=min(left, self.seat.clock.time_left_ms or 0))

    def charge(self, at_ns: int, *, by_bot: bool) -> Charge:
        """Charges the time up to this moment, which is not after the deadline; none if the clock was stopped."""
        used = 0 if self._time is None else self._time.elapsed_ns(at_ns) - self._free_ns
        return self.seat.clock.charge(at_ns - used, at_ns, self._round_trip_ns, by_bot=by_bot)


def request_for(
    seat: Seat, game: Game, decision: Decision, answers: Sequence[Action], past: Sequence[Action], terms: Terms
) -> Request:
    """The request for a seat's next decision; `past` are the answers so far."""
    return Request(
        decision_id=seat.last_id + 1,
        decision=decision,
        answers=answers,
        sight=Sight(game, seat.number, answers, past),
        default_index=default_index(decision, answers),
        events_seen=len(seat.events),
        time_left_ms=seat.clock.time_left_ms,
        allowance_ms=terms.clock.allowance_ms,
        bank_ms=seat.clock.bank_ms,
    )
