"""A match between bots of this process, without a network. The referee's own table judges the answers.

So faults, defaults and the record are those of a real match. Nothing waits: only the bots' thinking moves time.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from mergemaker_engine.actions import Action
from mergemaker_engine.events import Event
from mergemaker_engine.record.lines import Ending
from mergemaker_table import Setup, Table
from mergemaker_table.clock import in_ns
from mergemaker_table.driving import Driver
from mergemaker_table.inputs import Answer, Answered, AnswerIndex, Input, Joined
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
from mergemaker_client.bot import AnyBot, Bot
from mergemaker_client.playing import BotFailed, OnError
from mergemaker_client.reporting import failure_note, failure_text, question_line
from mergemaker_client.turn import Clock, MatchInfo, MatchResult, Standing, Turn

FAILED: Final = "failed"
REFUSED: Final = "refused"

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
    wants_events: bool
    """Whether its bot does anything when it is told events."""
    info: MatchInfo | None = None
    events_told: int = 0


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
        self.table: Final = Table(setup, in_process=True)
        self._driver: Final = Driver(self.table)
        self.lines: Final[list[bytes]] = self._driver.lines
        """The record so far, line by line."""
        self._setup: Final = setup
        self._seats: Final = [_Seat(bot, _wants_events(bot)) for bot in bots]
        self._caller: Final = caller
        self._timing: Final = timing
        self._on_error: Final = on_error
        self._ended: Ended | None = None
        self.faults: Final[list[Fault]] = []

    def play(self) -> Ended:
        """Plays the match to its end."""
        self._hear(self._driver.open())
        for seat in range(len(self._seats)):
            self._feed(Joined(seat))
        while self._ended is None:
            self._put()
        return self._ended

    def _feed(self, given: Input) -> None:
        self._hear(self._driver.feed(given))

    def _hear(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if type(output) is not WriteLine and type(output) is not Ask:  # these two are by far the most, and the driver's
                self._hear_one(output)

    def _hear_one(self, output: Output) -> None:
        match output:
            case Barrier():
                self._hear(self._driver.pass_barrier())
            case Started():
                self._start(output)
            case Refused():
                self._refused(output)
            case DefaultTaken(seat, decision_id, cause, text):
                if decision_id is not None:
                    self.faults.append(Fault(seat, decision_id, str(cause), text))
            case Ended():
                self._end(output)
            case SeatsCommitted() | PartRefused() | FollowUp() | Autopilot():
                pass
            case WriteLine() | Ask() | Tell() | Publish() | Accepted():
                raise AssertionError(f"a table in the process of its bots says no {type(output).__name__}")
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
        asked = self._driver.asked
        assert asked is not None, "a table that has not ended has asked something"
        turn = self._turn(asked)
        thought_ns = self._timing(turn)
        answer, note = self._answer(asked, turn)
        took_ns = thought_ns()
        until = self._driver.now_ns + took_ns
        left_ms = asked.request.time_left_ms
        if left_ms is not None and took_ns > in_ns(left_ms) and self._is_settled_by(until, asked):
            return  # the bot's later answer is ignored
        self._driver.now_ns = max(self._driver.now_ns, until)
        self._give(asked, answer, note)
        if self._driver.asked is asked and self._ended is None:
            # It was refused, and another answer is possible.
            self._give(asked, AnswerIndex(asked.request.default_index), None)

    def _is_settled_by(self, until: int, asked: Ask) -> bool:
        """Lets time pass; says whether the question was settled meanwhile, without the bot."""
        while (wake := self.table.wake_at_ns) is not None and wake <= until:
            self._hear(self._driver.wake())
            if self._driver.asked is not asked or self._ended is not None:
                return True
        return False

    def _give(self, asked: Ask, answer: Answer, note: str | None) -> None:
        self._feed(Answered(asked.seat, asked.request.decision_id, answer, note, self._driver.now_ns))

    def _turn(self, asked: Ask) -> Turn:
        seat, request = self._seats[asked.seat], asked.request
        info, told = seat.info, seat.events_told
        assert info is not None, "an asked seat knows its match"
        if seat.wants_events:
            self._hand_over(asked.seat)
        else:
            seat.events_told = request.events_seen
        return Turn.seeing(
            request.sight,
            self.table,
            told,
            match=info,
            number=request.decision_id,
            decision=request.decision,
            answers=request.answers,
            default=request.answers[request.default_index],
            events_seen=request.events_seen,
            time_left_ms=request.time_left_ms,
            bank_ms=request.bank_ms,
        )

    def _hand_over(self, number: int) -> None:
        seat = self._seats[number]
        events = self.table.events_since(number, seat.events_told)
        seat.events_told += len(events)
        if events and seat.wants_events:
            self._tell(number, "on_events", events)

    def _answer(self, asked: Ask, turn: Turn) -> tuple[Action | AnswerIndex, str | None]:
        try:
            answer, note = self._caller.answer(self._seats[asked.seat].bot, turn)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is a fault of its own
            self._failed(asked.seat, f"the bot failed: {question_line(turn)}", error, turn)
            return AnswerIndex(asked.request.default_index), failure_note(error)
        return answer, note or None

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


def _wants_events(bot: AnyBot) -> bool:
    return getattr(bot.on_events, "__func__", None) is not Bot.on_events


def result_of(ended: Ended) -> MatchResult:
    """A match's result as bots are told it; without its seed."""
    is_void = ended.why is Ending.VOIDED
    why = ended.voided_because or "voided" if is_void else str(ended.why)
    standings = tuple(
        Standing(each.seat, each.bot, each.cash or 0, each.place or 0, str(each.status)) for each in ended.standings
    )
    return MatchResult(why, () if is_void else standings)
