"""A match between bots of this process, without a network. The referee's own table judges the answers.

So faults, defaults and the record are those of a real match. Nothing waits: only the bots' thinking moves time.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from mergemaker_engine.actions import Action
from mergemaker_engine.events import Event
from mergemaker_engine.record.lines import Ending
from mergemaker_table import Setup, Table
from mergemaker_table.driving import Driver
from mergemaker_table.inputs import AnswerIndex, Joined
from mergemaker_table.outputs import (
    Accepted,
    Ask,
    Autopilot,
    Barrier,
    DefaultTaken,
    Ended,
    FollowUp,
    Output,
    PartRefused,
    Publish,
    Refused,
    SeatsCommitted,
    Started,
    Tell,
    WriteLine,
)

from mergemaker_client.asking import Caller
from mergemaker_client.bot import AnyBot
from mergemaker_client.playing import BotFailed, OnError
from mergemaker_client.reporting import failure_note, failure_text, question_line
from mergemaker_client.turn import Clock, MatchInfo, MatchResult, Standing, Turn

FAILED: Final = "failed"
REFUSED: Final = "refused"

_KEPT_BY_DRIVER: Final = frozenset({WriteLine, Ask, Barrier, Publish, Accepted})
"""What the driver keeps, or nobody here needs."""

Timing: TypeAlias = Callable[[Turn], Callable[[], int]]
"""Begins to time a bot's thinking about a question; what it returns says how many nanoseconds that took."""


def measured(_: Turn) -> Callable[[], int]:
    """Times bots by the system's clock, as a referee does."""
    begun_ns = time.monotonic_ns()
    return lambda: time.monotonic_ns() - begun_ns


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that went wrong with a bot."""

    seat: int
    decision: int | None
    """The number of the question to this seat; None if it was none."""
    kind: str
    """`failed` (it raised an error), `refused` (its answer does not count), or the cause of a default, as `default: timeout`."""
    text: str


@dataclass(slots=True)
class _Seat:
    bot: AnyBot
    info: MatchInfo | None = None
    untold: list[Event] = field(default_factory=list)


class LocalMatch:
    """A table and its bots."""

    def __init__(
        self,
        setup: Setup,
        bots: Sequence[AnyBot],
        caller: Caller,
        timing: Timing = measured,
        on_error: OnError = OnError.DEFAULT,
    ) -> None:
        self._driver: Final = Driver(Table(setup))
        self._setup: Final = setup
        self._seats: Final = [_Seat(bot) for bot in bots]
        self._caller: Final = caller
        self._timing: Final = timing
        self._on_error: Final = on_error
        self._ended: Ended | None = None
        self.faults: Final[list[Fault]] = []

    @property
    def table(self) -> Table:
        """The table, also after the end."""
        return self._driver.table

    @property
    def lines(self) -> list[bytes]:
        """The record so far, line by line."""
        return self._driver.lines

    def play(self) -> Ended:
        """Plays the match to its end."""
        self._hear(self._driver.open())
        for seat in range(len(self._seats)):
            self._hear(self._driver.feed(Joined(seat)))
        while self._ended is None:
            self._put()
        return self._ended

    def _hear(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if type(output) is Tell:  # by far the most
                self._seats[output.seat].untold += output.events
            elif type(output) not in _KEPT_BY_DRIVER:
                self._hear_one(output)
        if self._driver.barrier is not None:
            self._hear(self._driver.pass_barrier())

    def _hear_one(self, output: Output) -> None:
        match output:
            case Started():
                self._start(output)
            case Refused():
                self._refused(output)
            case DefaultTaken(seat, decision_id, cause, text):
                if decision_id is not None:
                    self.faults.append(Fault(seat, decision_id, str(cause), text))
            case Ended():
                self._end(output)
            case WriteLine() | Ask() | Barrier() | Tell() | Publish() | Accepted():
                pass
            case SeatsCommitted() | PartRefused() | FollowUp() | Autopilot():
                pass
            case _:
                assert_never(output)

    def _start(self, started: Started) -> None:
        setup = self._setup
        terms = setup.terms.clock
        limited = terms.allowance_ms is not None
        clock = Clock(terms.name, terms.allowance_ms, terms.bank_ms if limited else None, terms.increment_ms)
        seat = self._seats[started.seat]
        seat.info = MatchInfo(setup.match, setup.rules, setup.seats, started.seat, setup.bots, started.nonce, clock)
        self._tell(started.seat, "on_start", seat.info)

    def _put(self) -> None:
        """Asks the bot the question, and lets it think."""
        driver = self._driver
        asked = driver.hand()
        turn = self._turn(asked)
        thought_ns = self._timing(turn)
        answer, note = self._answer(asked, turn)
        until = driver.now_ns + thought_ns()
        while (wake := driver.table.wake_at_ns) is not None and wake <= until:
            self._hear(driver.wake())
            if driver.asked is not asked or self._ended is not None:
                # The question was settled without the bot; its later answer is ignored.
                return
        self._hear(driver.answer(answer, note, max(until - driver.now_ns, 0)))
        if driver.asked is asked and self._ended is None:
            # It was refused, and another answer is possible.
            self._hear(driver.answer())

    def _turn(self, asked: Ask) -> Turn:
        info, request = self._seats[asked.seat].info, asked.request
        assert info is not None, "an asked seat knows its match"
        return Turn(
            info,
            request.decision_id,
            request.view,
            request.decision,
            request.answers,
            request.answers[request.default_index],
            request.effects,
            self._hand_over(asked.seat),
            request.events_seen,
            request.time_left_ms,
            request.bank_ms,
        )

    def _hand_over(self, number: int) -> tuple[Event, ...]:
        seat = self._seats[number]
        events = tuple(seat.untold)
        if events:
            seat.untold = []
            self._tell(number, "on_events", events)
        return events

    def _answer(self, asked: Ask, turn: Turn) -> tuple[Action | AnswerIndex, str | None]:
        try:
            noted = self._caller.answer(self._seats[asked.seat].bot, turn)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is a fault of its own
            self._failed(asked.seat, f"the bot failed: {question_line(turn)}", error, turn)
            return AnswerIndex(asked.request.default_index), failure_note(error)
        assert not isinstance(noted.answer, int), "what is settled is an action"
        return noted.answer, noted.note or None

    def _tell(self, number: int, method: str, value: MatchInfo | tuple[Event, ...] | MatchResult) -> None:
        try:
            getattr(self._seats[number].bot, method)(value)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is a fault of its own
            self._failed(number, f"the bot failed in {method}", error, None)

    def _failed(self, seat: int, what: str, error: Exception, turn: Turn | None) -> None:
        text = failure_text(what, error, turn)
        self.faults.append(Fault(seat, turn.number if turn else None, FAILED, text))
        if self._on_error is OnError.RAISE:
            raise BotFailed("bot-failed", text) from error

    def _refused(self, refused: Refused) -> None:
        refusal = refused.refusal
        rule = f" [{refusal.rule}]" if refusal.rule else ""
        text = f"the answer of seat {refused.seat} to decision {refused.decision_id} was refused: {refusal.text}{rule}"
        self.faults.append(Fault(refused.seat, refused.decision_id, REFUSED, text))
        if self._on_error is OnError.RAISE:
            raise BotFailed(refusal.reason, text)

    def _end(self, ended: Ended) -> None:
        self._ended = ended
        for number in range(len(self._seats)):
            self._hand_over(number)
        for number in range(len(self._seats)):
            self._tell(number, "on_end", result_of(ended))


def result_of(ended: Ended) -> MatchResult:
    """A match's result as bots are told it; without its seed."""
    is_void = ended.why is Ending.VOIDED
    why = ended.voided_because or "voided" if is_void else str(ended.why)
    standings = tuple(
        Standing(each.seat, each.bot, each.cash or 0, each.place or 0, str(each.status)) for each in ended.standings
    )
    return MatchResult(why, () if is_void else standings)
