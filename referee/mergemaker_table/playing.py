"""From the deal to the end: asks decisions, takes or refuses answers, and takes defaults in time."""

from typing import Final, assert_never

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import ChooseReply, Decision
from mergemaker_engine.defaults import default_index
from mergemaker_engine.errors import EngineError, IllegalAction, Refusal, refusal_of
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.record.lines import DEFAULT_OF, AnsweredBy, PlayIncident
from mergemaker_engine.shown import shown
from mergemaker_engine.unchecked import Unchecked

from mergemaker_table import verdicts
from mergemaker_table.asking import OpenDecision, request_for
from mergemaker_table.clock import Charge, in_ns
from mergemaker_table.countdown import Countdown
from mergemaker_table.desk import Desk, line_text
from mergemaker_table.disguise import HeldBack
from mergemaker_table.evidence import MomentKind, Verdict
from mergemaker_table.inputs import (
    Answer,
    Answered,
    AnswerIndex,
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
from mergemaker_table.outputs import Accepted, Ask, Barrier, FollowUp, RefusalReason
from mergemaker_table.refusals import Rejection, refusal_of_note, refuse_late, refuse_unasked, reject, retire_if_failing
from mergemaker_table.run_notes import Moments, Put, moments_of, run_of
from mergemaker_table.seats import Seat


class Playing:
    """The game of one match, decision by decision. One is open at a time."""

    def __init__(self, desk: Desk, game: Game) -> None:
        self._desk: Final = desk
        self._game: Final = game
        self._open: OpenDecision | None = None
        self._grace: Countdown | None = None
        """Runs since bots could come back to a restarted referee."""
        self._grace_ns = 0
        """How long they have for that."""
        self._stood = 0, 0
        """When the referee last stood still: from, until."""
        self._put_at_ns = 0
        """When the open decision was asked."""
        self._held_back: Final = HeldBack(desk.disguise)

    @property
    def open(self) -> OpenDecision | None:
        """The decision that waits for a bot."""
        return self._open

    @property
    def wake_at_ns(self) -> int | None:
        """When the open decision's time will be up; None while a barrier is under way, or without a limit.

        If nobody is asked: when the answer that is held back is due.
        """
        waiting = self._open
        if waiting is None:
            return self._held_back.until_ns
        if waiting.deadline_ns is None or waiting.barrier_sent:
            return None
        return waiting.deadline_ns + 1

    def begin(self, now_ns: int) -> None:
        """Asks the first decision, or ends the match if its game is over."""
        self._go_on(now_ns)

    def resume(self, now_ns: int, grace_ns: int, refusals: int, last: Rejection | None) -> None:
        """Goes on after a restart, with the open decision's refusals so far, and the last of them."""
        self._begin_grace(now_ns, grace_ns)
        if self._game.decision is not None:
            for seat in self._desk.seats:
                retire_if_failing(self._desk, seat, now_ns)
        before = self._desk.scribe.decisions
        self._go_on(now_ns)
        # A bot that resigned over the decision whose answers were refused is not asked again.
        if self._open is not None and last is not None and self._desk.scribe.decisions == before:
            self._open.refusals = refusals
            self._default_if_refused_enough(self._open, last, now_ns, now_ns, ())

    def stood_still(self, for_ns: int, until_ns: int) -> None:
        """Nobody could be heard for this long: a clock that runs for a seat without a connection was stopped meanwhile.

        The same holds for a bot that came back and could not get its question again.
        """
        begun_ns = until_ns - for_ns
        if self._grace is not None:
            self._grace.leave_out(begun_ns, until_ns)
        waiting = self._open
        if waiting is not None and (waiting.is_put_again or not waiting.seat.connected):
            waiting.leave_out(begun_ns, until_ns)

    def leave_out(self, begun_ns: int, until_ns: int) -> None:
        """The referee itself stood still meanwhile: that is nobody's time."""
        self._stood = begun_ns, until_ns
        if self._grace is not None:
            self._grace.leave_out(begun_ns, until_ns)
        if self._open is not None:
            self._open.leave_out(begun_ns, until_ns)

    def take(self, given: Input, now_ns: int) -> None:
        """Takes an input."""
        match given:
            case Answered():
                self._take_answer(given, now_ns)
            case Handed():
                self._note_handed(given)
            case Joined() | TakenOver():
                if isinstance(given, TakenOver) and self._desk.is_break_ours(now_ns):
                    self._replace(given.seat)
                self._put_again(given.seat, now_ns if given.at_ns is None else given.at_ns, now_ns)
            case Left(number):
                self._lose(number, now_ns)
            case BarrierPassed() | FollowedUp():
                self._come_through(given, now_ns)
            case RoundTrip(number):
                if self._open is not None and self._open.seat.number == number:
                    self._open.learn_round_trip(now_ns)
            case Resign(number):
                self._resign(self._desk.seats[number], now_ns if given.at_ns is None else given.at_ns, now_ns, given.declined)
            case SeatCommitted(number) | SeatRevealed(number):
                self._desk.refuse_part(number, RefusalReason.NOT_NOW, "the deal has been made")
            case Declined() | JoiningBegins() | Void() | Tick():
                pass
            case _:
                assert_never(given)

    def settle(self, now_ns: int) -> None:
        """Does what is due by now: barriers, and answers that were held back."""
        if self._held_back.until_ns is not None and self._held_back.is_due(now_ns):
            self._go_on(now_ns)
        waiting = self._open
        if waiting is not None and waiting.is_late(now_ns) and not waiting.barrier_sent:
            waiting.send_barrier()
            self._desk.say(Barrier(waiting.seat.number, waiting.decision_id, waiting.barriers))

    # --- what is asked ---

    def _go_on(self, now_ns: int) -> None:
        """Answers what needs no bot, and asks the next decision that does."""
        game = self._game
        while (decision := game.decision) is not None:
            seat = self._desk.seats[decision.seat]
            answers = game.legal()
            is_automatic = len(answers) == 1 and not isinstance(decision, ChooseReply)
            if (is_automatic or not seat.is_playing) and self._held_back.holds(seat.number, now_ns):
                return
            if is_automatic:
                self._apply(decision, answers[0], AnsweredBy.AUTOMATIC, now_ns)
            elif not seat.is_playing:
                by = DEFAULT_OF[seat.status]
                self._apply(decision, answers[default_index(decision, answers)], by, now_ns)
                self._desk.say_default(seat, None, by, verdicts.why_default(by), None)
            else:
                request = request_for(seat, game, decision, answers, self._desk.answers, self._desk.setup.terms)
                seat.last_id = request.decision_id
                timeline = self._desk.timeline(now_ns, seat, request.decision_id)
                self._put(OpenDecision(seat, request, timeline), now_ns)
                return
        result = game.result
        assert result is not None, "a game without a decision is over"
        self._desk.end(result, now_ns)

    def _put(self, waiting: OpenDecision, now_ns: int) -> None:
        self._open = waiting
        self._put_at_ns = now_ns
        if waiting.seat.connected:
            self._desk.ask(Ask(waiting.seat.number, waiting.request))
            if self._desk.in_process:
                self._hand_over(waiting, now_ns)
            return
        if waiting.seat.left_at_ns is not None:
            waiting.timeline.note(MomentKind.LEFT, waiting.seat.left_at_ns)
        self._start_unattended(waiting, now_ns)

    def _start(self, waiting: OpenDecision, at_ns: int, free_ns: int = 0) -> None:
        """Starts the clock, without the time for which the referee has stood still since then."""
        waiting.start(at_ns, free_ns)
        if self._stood[1]:
            waiting.leave_out(*self._stood)

    def _start_unattended(self, waiting: OpenDecision, now_ns: int) -> None:
        """Starts the clock of a seat without a connection; after the time of grace, if the referee itself was gone."""
        grace = None if self._grace is None else self._grace.reaches_ns(self._grace_ns)
        self._start(waiting, now_ns, 0 if waiting.seat.back or grace is None else max(0, grace - now_ns))

    def _begin_grace(self, now_ns: int, grace_ns: int) -> None:
        self._grace, self._grace_ns = Countdown(now_ns), grace_ns

    def _replace(self, number: int) -> None:
        """The referee broke a bot's connection, and the bot is back before that was noticed."""
        waiting = self._open
        if waiting is not None and waiting.seat.number == number:
            waiting.wait_anew()

    def _put_again(self, number: int, came_at_ns: int, now_ns: int) -> None:
        """A bot has come back: sends the same request. Its clock is as it was then, even if the bot was heard much later."""
        waiting = self._open
        if waiting is None or waiting.seat.number != number:
            return
        waiting.timeline.note(MomentKind.BACK, came_at_ns)
        waiting.wait_again(came_at_ns)
        if not waiting.is_late(came_at_ns):
            waiting.was_delayed(came_at_ns, now_ns)
            waiting.is_put_again = True
            waiting.put_again_at_ns = now_ns
            self._desk.say(Ask(number, waiting.request_now(now_ns)))
            self._desk.say(FollowUp(number, waiting.decision_id))

    def _come_through(self, given: BarrierPassed | FollowedUp, now_ns: int) -> None:
        """A barrier has come back from where answers come from."""
        waiting = self._open_for(given.seat, given.decision_id)
        if waiting is None:
            return
        if isinstance(given, FollowedUp):
            waiting.was_delayed(waiting.put_again_at_ns, now_ns)
        elif waiting.barrier_sent and waiting.barriers == given.nth:
            self._default_overdue(waiting, now_ns)

    def _note_handed(self, given: Handed) -> None:
        """The request is on its way: starts its clock if it does not run yet."""
        waiting = self._open_for(given.seat, given.decision_id)
        if waiting is not None:
            self._hand_over(waiting, given.at_ns)

    def _hand_over(self, waiting: OpenDecision, at_ns: int) -> None:
        if waiting.handed(at_ns):
            self._start(waiting, at_ns)

    def _lose(self, number: int, now_ns: int) -> None:
        """A bot is gone: its time runs on, or starts now if the request has not been handed over.

        If the referee ended the connection, the bot has the time of grace to come back, and then its whole own time again.
        """
        seat = self._desk.seats[number]
        is_referees_fault = verdicts.is_referees_fault(seat.left_because)
        if is_referees_fault:
            seat.back = False
            self._begin_grace(now_ns, in_ns(self._desk.setup.terms.faults.recovery_grace_ms))
        waiting = self._open
        if waiting is not None and waiting.seat is seat and (is_referees_fault or not waiting.is_running):
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
        if seat.has_answered(given.decision_id):
            self._desk.say(Accepted(given.seat, given.decision_id))
        elif waiting is None:
            refuse_unasked(self._desk, given, now_ns)
        elif waiting.is_late(given.at_ns):
            assert waiting.deadline_ns is not None, "what has no deadline is never late"
            refuse_late(self._desk, given, waiting.overdue(waiting.deadline_ns), now_ns, is_open=True)
        else:
            self._try_answer(waiting, given, now_ns)

    def _try_answer(self, waiting: OpenDecision, given: Answered, now_ns: int) -> None:
        answer: Unchecked[Answer] = given.answer
        refusal = refusal_of_note(given.note)
        if refusal is not None:
            rejection: Rejection | None = Rejection(AnsweredBy.PROTOCOL, refusal)
        elif isinstance(answer, Refusal):
            rejection = Rejection(AnsweredBy.PROTOCOL, answer)
        elif isinstance(answer, AnswerIndex):
            rejection = self._try_index(waiting, given, answer.index, now_ns)
        else:
            rejection = self._try_action(waiting, given, answer, now_ns)
        if rejection is not None:
            # Its clock goes on; after too many refusals the default is taken.
            reject(self._desk, waiting, given, rejection, now_ns)
            self._default_if_refused_enough(waiting, rejection, given.at_ns, now_ns, moments_of(given, now_ns))

    def _try_index(self, waiting: OpenDecision, given: Answered, index: Unchecked[int], now_ns: int) -> Rejection | None:
        answers = waiting.request.answers
        if type(index) is not int or not 0 <= index < len(answers):
            text = f"the legal answers have the indices 0 to {len(answers) - 1}; there is none at {shown(index)}"
            return Rejection(AnsweredBy.ILLEGAL, Refusal(RefusalReason.BAD_INDEX, text))
        return self._try_action(waiting, given, answers[index], now_ns)

    def _try_action(self, waiting: OpenDecision, given: Answered, action: Unchecked[Action], now_ns: int) -> Rejection | None:
        try:
            events = waiting.request.sight.apply(action)
        except EngineError as error:
            cause = AnsweredBy.ILLEGAL if isinstance(error, IllegalAction) else AnsweredBy.PROTOCOL
            return Rejection(cause, refusal_of(error))
        self._open = None
        if self._desk.disguise is not None:
            self._desk.disguise.note(given.seat, now_ns - self._put_at_ns)
        self._desk.accept(given)
        charge = waiting.charge(given.at_ns, by_bot=True)
        self._record(waiting.request.decision, action, AnsweredBy.BOT, events, now_ns, Put(waiting, charge, given.note))
        self._go_on(now_ns)
        return None

    # --- what is taken without the bot ---

    def _default_if_refused_enough(
        self, waiting: OpenDecision, last: Rejection, at_ns: int, now_ns: int, moments: Moments
    ) -> None:
        if waiting.refusals >= self._desk.setup.terms.faults.refusals_max:
            charge = waiting.charge(at_ns, by_bot=False)
            verdict = verdicts.refused_enough(waiting.refusals, line_text(last.refusal.text))
            self._default(waiting, last.cause, verdict.text, charge, now_ns, verdict, moments)

    def _default_overdue(self, waiting: OpenDecision, now_ns: int) -> None:
        seat, deadline = waiting.seat, waiting.deadline_ns
        assert deadline is not None, "what has no deadline is never overdue"
        was_there = seat.connected and waiting.was_there
        by = AnsweredBy.TIMEOUT if was_there else AnsweredBy.DISCONNECTED
        seat.overdue[waiting.decision_id] = waiting.overdue(deadline)
        waiting.timeline.note(MomentKind.DEADLINE, deadline)
        charge = waiting.charge(deadline, by_bot=False)
        if was_there:
            verdict = verdicts.no_answer(charge.used_ms)
        elif seat.back:
            verdict = verdicts.away(seat.left_because, charge.used_ms)
        else:
            verdict = verdicts.not_back(self._desk.setup.terms.faults.recovery_grace_ms, charge.used_ms)
        text = f"{verdicts.why_default(by)}: {charge.used_ms} ms were used, all there were"
        self._default(waiting, by, text, charge, now_ns, verdict, ())

    def _resign(self, seat: Seat, at_ns: int, now_ns: int, declined: str | None = None) -> None:
        if not seat.is_playing:
            return
        desk, verdict = self._desk, verdicts.resigned()
        waiting = self._open if self._open is not None and self._open.seat is seat else None
        moments = ((MomentKind.RESIGNED, at_ns), (MomentKind.JUDGED, now_ns))
        timeline = desk.timeline(now_ns, seat) if waiting is None else waiting.timeline
        evidence = timeline.evidence(verdict, desk.held_up, *moments)
        desk.retire(seat, PlayIncident.RESIGNED, now_ns, None, evidence, declined)
        if waiting is not None:
            self._default(waiting, AnsweredBy.RESIGNED, verdicts.why_default(AnsweredBy.RESIGNED), None, now_ns, verdict, moments)

    def _default(
        self,
        waiting: OpenDecision,
        by: AnsweredBy,
        text: str,
        charge: Charge | None,
        now_ns: int,
        verdict: Verdict,
        moments: Moments,
    ) -> None:
        """Takes the default of the open decision, and goes on."""
        self._open = None
        request = waiting.request
        answer = request.answers[request.default_index]
        events = request.sight.apply(answer)
        evidence = waiting.evidence(verdict, self._desk.held_up, *moments, (MomentKind.DEFAULT, now_ns))
        waiting.timeline.note(MomentKind.DEFAULT, now_ns)
        self._record(request.decision, answer, by, events, now_ns, Put(waiting, charge, None, evidence, line_text(text)))
        self._desk.say_default(waiting.seat, waiting.decision_id, by, line_text(text), evidence)
        if self._game.decision is not None:
            retire_if_failing(self._desk, waiting.seat, now_ns, waiting)
        self._go_on(now_ns)

    # --- what is recorded ---

    def _apply(self, decision: Decision, answer: Action, by: AnsweredBy, now_ns: int) -> None:
        """Applies an answer that no bot was asked for."""
        self._record(decision, answer, by, self._game.apply(answer), now_ns, None)

    def _record(
        self, decision: Decision, answer: Action, by: AnsweredBy, events: tuple[Event, ...], now_ns: int, put: Put | None
    ) -> None:
        run = run_of(put, self._desk.at_ms(now_ns), self._desk.held_up)
        seat = self._desk.seats[decision.seat]
        if put is not None and put.charge is not None:
            seat.thought(put.charge.used_ms)
        self._desk.write(self._desk.scribe.decision(decision, answer, by, self._game, None if put is None else put.note, run))
        seat.answered(by, None if put is None else put.waiting.decision_id)
        self._desk.answers.append(answer)
        self._desk.announce(events)
