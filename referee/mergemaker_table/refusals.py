"""What was wrong with an answer, whose fault its refusals are in the end, and what its bot and the record get."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.errors import Refusal
from mergemaker_engine.record.lines import NOTE_BYTES_MAX, AnsweredBy, PlayIncident
from mergemaker_engine.rules import Rules
from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass
from mergemaker_engine.wording import action_text

from mergemaker_table import verdicts
from mergemaker_table.asking import OpenDecision
from mergemaker_table.clock import overrun_ms
from mergemaker_table.desk import Desk, line_text
from mergemaker_table.evidence import EVIDENCE, MomentKind
from mergemaker_table.inputs import Answer, Answered, AnswerIndex
from mergemaker_table.outputs import RefusalReason, Refused
from mergemaker_table.run_notes import moments_of
from mergemaker_table.seats import Overdue, Seat

REJECTED: Final = "rejected"
"""The incident for a refused answer."""
UNREADABLE: Final = "unreadable"
"""How a record shows an answer that could not be made into an action; its `reason` says why."""
LATE: Final = "late"
"""The incident for an answer that came after its time was up."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that does not count, and the cause of the default if it was the last one."""

    cause: AnsweredBy
    """`ILLEGAL` for what the position does not allow, `PROTOCOL` for what cannot be read."""
    refusal: Refusal


def refusal_of_note(note: str | None) -> Refusal | None:
    """What is wrong with a note, if anything is."""
    if note is None:
        return None
    try:
        size = len(note.encode("utf-8"))
    except UnicodeEncodeError:
        return Refusal(RefusalReason.BAD_NOTE, "a note is text that has a UTF-8 form; leave out half surrogate pairs")
    if size > NOTE_BYTES_MAX:
        text = f"a note has at most {NOTE_BYTES_MAX} bytes in UTF-8, not {size}; the answer is not taken without it"
        return Refusal(RefusalReason.NOTE_TOO_LONG, text)
    return None


def shown_answer(answer: Answer, answers: Sequence[Action], rules: Rules) -> str:
    """An answer as the record of its refusal shows it; `answers` are the legal ones, which an index counts."""
    match answer:
        case Refusal():
            return UNREADABLE
        case AnswerIndex(index) if type(index) is int and 0 <= index < len(answers):
            return action_text(answers[index], rules)
        case AnswerIndex(index):
            return f"index {shown(index)}"
        case _ if isinstance(answer, Action):
            return action_text(answer, rules)
        case _:
            return shown(answer)


def reject(desk: Desk, waiting: OpenDecision, given: Answered, rejection: Rejection, now_ns: int) -> None:
    """Refuses an answer to the open decision."""
    waiting.refusals += 1
    refusal = rejection.refusal
    verdict = verdicts.refused(waiting.used_ms(given.at_ns), line_text(refusal.text))
    evidence = waiting.evidence(verdict, desk.held_up, *moments_of(given, now_ns))
    run = {
        "n": desk.scribe.decisions + 1,
        "id": waiting.decision_id,
        "reason": line_text(refusal.reason),
        "cause": str(rejection.cause),
        "answer": line_text(shown_answer(given.answer, waiting.request.answers, desk.setup.rules)),
        EVIDENCE: evidence.plain(),
    }
    desk.incident(REJECTED, now_ns, waiting.seat, refusal.text, **run)
    left = desk.setup.terms.faults.refusals_max - waiting.refusals
    desk.say(Refused(given.seat, given.decision_id, replace(refusal, trace=evidence.trace), left, evidence=evidence))


def refuse_unasked(desk: Desk, given: Answered, now_ns: int) -> None:
    """Refuses an answer to a decision that is not open: it is too late, was answered without the bot, or was never asked."""
    seat = desk.seats[given.seat]
    if given.decision_id in seat.overdue:
        refuse_late(desk, given, seat.overdue[given.decision_id], now_ns, is_open=False)
    elif 1 <= given.decision_id <= seat.last_id:
        desk.refuse_answer(given, RefusalReason.STALE, "this decision was answered without the bot")
    else:
        desk.refuse_answer(given, RefusalReason.NOT_ASKED, "no decision of this id has been put to the seat")


def refuse_late(desk: Desk, given: Answered, overdue: Overdue | None, now_ns: int, *, is_open: bool) -> None:
    """Refuses an answer that came after its time was up; `is_open` says whether its decision still waits for its default.

    That is written once for each decision, so that a bot that repeats itself does not fill the record.
    """
    if overdue is None:
        desk.refuse_answer(given, RefusalReason.TOO_LATE, "the time was up")
        return
    seat, number = desk.seats[given.seat], given.decision_id
    over_ns = max(given.at_ns - overdue.deadline_ns, 0)
    overrun = overrun_ms(over_ns)
    text = f"the time was up {overrun} ms before this answer came"
    moments = [*moments_of(given, now_ns)]
    if is_open:
        moments.append((MomentKind.DEADLINE, overdue.deadline_ns))  # a decision that is no longer open has it already
    verdict = verdicts.late(over_ns, overdue.uncredited_ns)
    evidence = overdue.timeline.evidence(verdict, desk.held_up, *moments, round_trip_ns=overdue.round_trip_ns)
    if number not in seat.late:
        seat.late.add(number)
        run: dict[str, object] = {"id": number, "overrun_ms": overrun, EVIDENCE: evidence.plain()}
        desk.incident(LATE, now_ns, seat, text, **run)
    desk.refuse_answer(given, RefusalReason.TOO_LATE, text, overrun, evidence)


def retire_if_failing(desk: Desk, seat: Seat, now_ns: int, last: OpenDecision | None = None) -> None:
    """Stops asking a seat that has failed too often; `last` is the decision of its last failure."""
    if seat.is_playing and seat.failures >= desk.setup.terms.faults.defaults_max:
        verdict = verdicts.too_many_defaults(seat.failures)
        evidence = desk.bare_evidence(verdict, seat) if last is None else last.evidence(verdict, desk.held_up)
        desk.retire(seat, PlayIncident.AUTOPILOT, now_ns, f"{seat.failures} defaults were taken", evidence)
