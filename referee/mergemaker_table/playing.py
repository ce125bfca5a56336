"""From the deal to the end: decisions are put, answers taken or refused, and defaults taken in time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import ChooseReply, Decision
from mergemaker_engine.errors import EngineError, IllegalAction
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.record.lines import DEFAULT_OF, By, PlayIncident
from mergemaker_engine.shown import shown

from mergemaker_table.asking import OpenDecision, request_for
from mergemaker_table.clock import Charge, overrun_ms
from mergemaker_table.defaults import default_index
from mergemaker_table.desk import Desk, line_text
from mergemaker_table.inputs import (
    Answered,
    AnswerIndex,
    BarrierPassed,
    Handed,
    Input,
    Joined,
    Left,
    Resign,
    SeatCommitted,
    SeatRevealed,
    TakenOver,
    Unreadable,
)
from mergemaker_table.outputs import Accepted, Ask, Barrier, DefaultTaken, PartRefused, RefusalReason, Refused
from mergemaker_table.refusals import Refusal, note_refusal
from mergemaker_table.seats import Seat

REJECTED: Final = "rejected"
"""The incident of an answer that was refused."""
LATE: Final = "late"
"""The incident of an answer that came when its time was up."""

_WHY: Final[Mapping[By, str]] = {
    By.TIMEOUT: "no answer came in time",
    By.DISCONNECTED: "the seat had no connection when its time was up",
    By.AUTOPILOT: "the seat is on autopilot",
    By.NEVER_JOINED: "the seat was not taken",
    By.RESIGNED: "the seat has resigned",
}


class Playing:
    """The game of one match, decision by decision. One is open at a time."""

    def __init__(self, desk: Desk, game: Game) -> None:
        self._desk: Final = desk
        self._game: Final = game
        self._open: OpenDecision | None = None
        self._grace_until_ns: int | None = None

    @property
    def open(self) -> OpenDecision | None:
        """The decision that waits for a bot."""
        return self._open

    @property
    def wake_at_ns(self) -> int | None:
        """When the open decision's time will be up; None while a barrier is under way, or without a limit."""
        waiting = self._open
        if waiting is None or waiting.deadline_ns is None or (waiting.barrier_sent and waiting.seat.connected):
            return None
        return waiting.deadline_ns + 1

    def begin(self, now_ns: int) -> None:
        """Puts the first decision, or ends the match if its game is over."""
        self._go_on(now_ns)

    def resume(self, now_ns: int, grace_until_ns: int, refusals: int, last: Refusal | None) -> None:
        """Goes on after a restart: with the open decision's refusals so far, and the last of them."""
        self._grace_until_ns = grace_until_ns
        if self._game.decision is not None:
            for seat in self._desk.seats:
                self._retire_if_failing(seat, now_ns)
        before = self._desk.scribe.decisions
        self._go_on(now_ns)
        # Who resigned over the decision whose answers were refused is not asked again.
        if self._open is not None and last is not None and self._desk.scribe.decisions == before:
            self._open.refusals = refusals
            self._default_if_refused_enough(self._open, last, now_ns, now_ns)

    def take(self, given: Input, now_ns: int) -> None:
        """Takes an input."""
        match given:
            case Joined(number) | TakenOver(number):
                self._put_again(number, now_ns)
            case Left(number):
                self._lose(number, now_ns)
            case Handed(number, decision_id, at_ns):
                waiting = self._open_for(number, decision_id)
                if waiting is not None and not waiting.is_running:
                    waiting.start(at_ns)
            case Answered():
                self._take_answer(given, now_ns)
            case BarrierPassed(number, decision_id):
                waiting = self._open_for(number, decision_id)
                if waiting is not None and waiting.barrier_sent:
                    self._default_overdue(waiting, now_ns)
            case Resign(number):
                self._resign(self._desk.seats[number], now_ns)
            case SeatCommitted(number) | SeatRevealed(number):
                self._desk.say(PartRefused(number, RefusalReason.NOT_NOW, "the deal has been made"))
            case _:
                pass

    def settle(self, now_ns: int) -> None:
        """Takes what time has brought: barriers, and defaults where nobody can answer any more."""
        while (waiting := self._open) is not None and waiting.is_late(now_ns):
            if waiting.seat.connected:
                if not waiting.barrier_sent:
                    waiting.barrier_sent = True
                    self._desk.say(Barrier(waiting.seat.number, waiting.decision_id))
                return
            self._default_overdue(waiting, now_ns)

    # --- what is asked ---

    def _go_on(self, now_ns: int) -> None:
        """Answers what needs no bot, and puts the next decision that does."""
        game = self._game
        while (decision := game.decision) is not None:
            seat = self._desk.seats[decision.seat]
            answers = game.legal()
            if len(answers) == 1 and not isinstance(decision, ChooseReply):
                self._apply(decision, answers[0], By.AUTOMATIC, now_ns)
            elif not seat.is_playing:
                by = DEFAULT_OF[seat.status]
                self._apply(decision, answers[default_index(decision, answers)], by, now_ns)
                self._tell_default(seat, None, by, _WHY[by])
            else:
                request = request_for(seat, game, decision, answers, self._desk.setup.terms)
                seat.last_id = request.decision_id
                self._put(OpenDecision(seat, request), now_ns)
                return
        result = game.result
        assert result is not None, "a game without a decision is over"
        self._desk.end(result, now_ns)

    def _put(self, waiting: OpenDecision, now_ns: int) -> None:
        self._open = waiting
        if waiting.seat.connected:
            self._desk.say(Ask(waiting.seat.number, waiting.request))
        else:
            self._start_unattended(waiting, now_ns)

    def _start_unattended(self, waiting: OpenDecision, now_ns: int) -> None:
        """Lets time run for a seat without a connection; behind the time of grace, where the referee itself was gone."""
        grace = self._grace_until_ns
        waiting.start(now_ns if waiting.seat.back or grace is None else max(now_ns, grace))

    def _put_again(self, number: int, now_ns: int) -> None:
        """A bot has come back: the same request, its clock as it is."""
        waiting = self._open
        if waiting is None or waiting.seat.number != number:
            return
        waiting.wait_again(now_ns)
        if not waiting.is_late(now_ns):
            self._desk.say(Ask(number, waiting.request_now(now_ns)))

    def _lose(self, number: int, now_ns: int) -> None:
        """A bot is gone: time runs on, or from now on if the request has not been handed over."""
        waiting = self._open
        if waiting is not None and waiting.seat.number == number and not waiting.is_running:
            self._start_unattended(waiting, now_ns)

    def _open_for(self, number: int, decision_id: int) -> OpenDecision | None:
        waiting = self._open
        if waiting is None or waiting.seat.number != number or waiting.decision_id != decision_id:
            return None
        return waiting

    # --- what is answered ---

    def _take_answer(self, given: Answered, now_ns: int) -> None:
        seat = self._desk.seats[given.seat]
        waiting = self._open_for(given.seat, given.decision_id)
        if given.decision_id in seat.accepted:
            self._desk.say(Accepted(given.seat, given.decision_id))
        elif waiting is None:
            self._refuse_unasked(seat, given, now_ns)
        elif waiting.is_late(given.at_ns):
            assert waiting.deadline_ns is not None, "what has no deadline is never late"
            self._refuse_late(seat, given, waiting.deadline_ns, now_ns)
        else:
            self._try_answer(waiting, given, now_ns)

    def _try_answer(self, waiting: OpenDecision, given: Answered, now_ns: int) -> None:
        refusal = note_refusal(given.note)
        if refusal is None:
            answer = given.answer
            if isinstance(answer, Unreadable):
                refusal = Refusal(By.PROTOCOL, answer.reason, answer.text)
            elif isinstance(answer, AnswerIndex):
                refusal = self._try_index(waiting, given, answer.index, now_ns)
            else:
                refusal = self._try_action(waiting, given, answer, now_ns)
        if refusal is not None:
            self._reject(waiting, given, refusal, now_ns)

    def _try_index(self, waiting: OpenDecision, given: Answered, index: int, now_ns: int) -> Refusal | None:
        answers = waiting.request.answers
        if type(index) is not int or not 0 <= index < len(answers):
            text = f"the legal answers have the indices 0 to {len(answers) - 1}; there is none at {shown(index)}"
            return Refusal(By.ILLEGAL, RefusalReason.BAD_INDEX, text)
        return self._try_action(waiting, given, answers[index], now_ns)

    def _try_action(self, waiting: OpenDecision, given: Answered, action: Action, now_ns: int) -> Refusal | None:
        try:
            events = self._game.apply(action)
        except EngineError as error:
            cause = By.ILLEGAL if isinstance(error, IllegalAction) else By.PROTOCOL
            return Refusal(cause, error.reason, error.message, error.rule)
        self._open = None
        self._desk.say(Accepted(given.seat, given.decision_id))
        charge = waiting.charge(given.at_ns, by_bot=True)
        self._record(waiting.request.decision, action, By.BOT, events, now_ns, _Put(waiting, charge, given.note))
        self._go_on(now_ns)
        return None

    def _reject(self, waiting: OpenDecision, given: Answered, refusal: Refusal, now_ns: int) -> None:
        """The answer is refused, its clock goes on; after so many of them the default is taken."""
        waiting.refusals += 1
        run = {
            "n": self._desk.scribe.decisions + 1,
            "id": waiting.decision_id,
            "reason": line_text(refusal.reason),
            "cause": str(refusal.cause),
            "answer": line_text(shown(given.answer)),
        }
        self._desk.incident(REJECTED, now_ns, waiting.seat, refusal.text, **run)
        left = self._desk.setup.terms.faults.refusals_max - waiting.refusals
        self._desk.say(Refused(given.seat, given.decision_id, refusal.reason, refusal.text, refusal.rule, left))
        self._default_if_refused_enough(waiting, refusal, given.at_ns, now_ns)

    def _refuse_unasked(self, seat: Seat, given: Answered, now_ns: int) -> None:
        """There is no such open decision: too late, answered without the bot, or never put."""
        if given.decision_id in seat.overdue:
            self._refuse_late(seat, given, seat.overdue[given.decision_id], now_ns)
            return
        if 1 <= given.decision_id <= seat.last_id:
            reason, text = RefusalReason.STALE, "this decision was answered without the bot"
        else:
            reason, text = RefusalReason.NOT_ASKED, "no decision of this id has been put to the seat"
        self._desk.say(Refused(seat.number, given.decision_id, reason, text))

    def _refuse_late(self, seat: Seat, given: Answered, deadline_ns: int | None, now_ns: int) -> None:
        """Written once for each decision, so that whoever repeats himself does not fill the record."""
        overrun = None if deadline_ns is None else max(overrun_ms(given.at_ns - deadline_ns), 0)
        text = "the time was up" if overrun is None else f"the time was up {overrun} ms before this answer came"
        if overrun is not None and given.decision_id not in seat.late:
            seat.late.add(given.decision_id)
            self._desk.incident(LATE, now_ns, seat, text, id=given.decision_id, overrun_ms=overrun)
        reason = RefusalReason.TOO_LATE
        self._desk.say(Refused(seat.number, given.decision_id, reason, text, overrun_ms=overrun))

    # --- what is taken without the bot ---

    def _default_if_refused_enough(self, waiting: OpenDecision, last: Refusal, at_ns: int, now_ns: int) -> None:
        if waiting.refusals >= self._desk.setup.terms.faults.refusals_max:
            charge = waiting.charge(at_ns, by_bot=False)
            text = f"{waiting.refusals} answers were refused, the last one because: {last.text}"
            self._default(waiting, last.cause, text, charge, now_ns)

    def _default_overdue(self, waiting: OpenDecision, now_ns: int) -> None:
        seat, deadline = waiting.seat, waiting.deadline_ns
        assert deadline is not None, "what has no deadline is never overdue"
        by = By.TIMEOUT if seat.connected else By.DISCONNECTED
        seat.overdue[waiting.decision_id] = deadline
        charge = waiting.charge(deadline, by_bot=False)
        self._default(waiting, by, f"{_WHY[by]}: {charge.used_ms} ms were used, all there were", charge, now_ns)

    def _resign(self, seat: Seat, now_ns: int) -> None:
        if not seat.is_playing:
            return
        self._desk.retire(seat, PlayIncident.RESIGNED, now_ns)
        if self._open is not None and self._open.seat is seat:
            self._default(self._open, By.RESIGNED, _WHY[By.RESIGNED], None, now_ns)

    def _default(self, waiting: OpenDecision, by: By, text: str, charge: Charge | None, now_ns: int) -> None:
        """Takes the default of the open decision, and goes on."""
        self._open = None
        request = waiting.request
        answer = request.answers[request.default_index]
        events = self._game.apply(answer)
        self._record(request.decision, answer, by, events, now_ns, _Put(waiting, charge))
        self._tell_default(waiting.seat, waiting.decision_id, by, text)
        if self._game.decision is not None:
            self._retire_if_failing(waiting.seat, now_ns)
        self._go_on(now_ns)

    def _tell_default(self, seat: Seat, decision_id: int | None, by: By, text: str) -> None:
        left = self._desk.setup.terms.faults.defaults_max - seat.failures if seat.is_playing else 0
        self._desk.say(DefaultTaken(seat.number, decision_id, by, text, max(left, 0)))

    def _retire_if_failing(self, seat: Seat, now_ns: int) -> None:
        most = self._desk.setup.terms.faults.defaults_max
        if seat.is_playing and seat.failures >= most:
            self._desk.retire(seat, PlayIncident.AUTOPILOT, now_ns, f"{seat.failures} defaults were taken")

    # --- what is recorded ---

    def _apply(self, decision: Decision, answer: Action, by: By, now_ns: int) -> None:
        """Gives an answer that no bot was asked for."""
        self._record(decision, answer, by, self._game.apply(answer), now_ns, None)

    def _record(
        self, decision: Decision, answer: Action, by: By, events: tuple[Event, ...], now_ns: int, put: "_Put | None"
    ) -> None:
        run: dict[str, object] = {"at_ms": self._desk.at_ms(now_ns)}
        seat = self._desk.seats[decision.seat]
        if put is not None and put.charge is not None:
            run |= _times(put.charge)
            seat.thought(put.charge.used_ms)
        note = None if put is None else put.note
        self._desk.write(self._desk.scribe.decision(decision, answer, by, self._game, note, run))
        seat.answered(by, None if put is None else put.waiting.decision_id)
        self._desk.announce(events)


@dataclass(frozen=True, slots=True)
class _Put:
    """What is told of a decision that was put to its bot."""

    waiting: OpenDecision
    charge: Charge | None
    """None for a seat that resigned over it."""
    note: str | None = None


def _times(charge: Charge) -> dict[str, object]:
    run: dict[str, object] = {"used_ms": charge.used_ms}
    if charge.bank_ms is not None:
        run["bank_ms"] = charge.bank_ms
    if charge.credit_ms:
        run["credit_ms"] = charge.credit_ms
    return run
