"""Whether clocks add up: compares each bank in the record with the terms, and with the times of messages on the network.

The record is always checked against itself. It is compared with the network only if the start of the clock is certain: the
seat's bot was connected when it was asked, on the stream that carried the question first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.record.reading import Step

from .book import Book
from .check_told import seat_of
from .notebook import Came, Notebook, StreamNote, Told
from .world import MS, S

GRACE_NS: Final = 60 * S
NEAR_NS: Final = S
"""One of the referee's threads may hide something from the other for this long, so it may count as later by as much."""
SLACK_NS: Final = 50 * MS
"""How late a default may be taken if nothing holds the referee up."""


@dataclass(frozen=True, slots=True)
class Question:
    """A decision as it was first put to a connected bot in one life of the referee."""

    life: int
    note: StreamNote
    told: Told
    handed_ns: int
    again_ns: list[int]
    """When it was put to this seat again in the same life."""


class Counted:
    """Time without the stretches in which the referee's process did not run. They are in order, and do not touch."""

    def __init__(self, left_out: Sequence[tuple[int, int]]) -> None:
        self._left_out: Final = left_out

    def between_ns(self, since_ns: int, until_ns: int) -> int:
        """How much of a stretch counts."""
        left_out = (max(0, min(until, until_ns) - max(begun, since_ns)) for begun, until in self._left_out)
        return until_ns - since_ns - sum(left_out)

    def is_left_out_near(self, since_ns: int, until_ns: int) -> bool:
        """Whether anything near a stretch is left out."""
        return any(begun <= until_ns + NEAR_NS and until >= since_ns - NEAR_NS for begun, until in self._left_out)

    def has_stood_before(self, at_ns: int) -> bool:
        """Whether anything is left out before a time."""
        return any(begun < at_ns for begun, _ in self._left_out)

    def deadline_ns(self, since_ns: int, limit_ns: int) -> int:
        """When this much has counted."""
        deadline = since_ns + limit_ns
        for begun, until in self._left_out:
            if since_ns < until and begun <= deadline:
                deadline += until - max(begun, since_ns)
        return deadline


@dataclass(slots=True)
class _Bank:
    bank_ms: int
    credit_ms: int


def _number(line: DecisionLine, name: str) -> int:
    value = line.run.get(name, 0)
    return value if type(value) is int else 0


class ClockCheck:
    """Checks one match."""

    def __init__(
        self, match: str, book: Book, notebook: Notebook, counted: Counted, *, is_troubled: bool, crosses_at_once: bool
    ) -> None:
        self._match: Final = match
        self._counted: Final = counted
        self._book: Final = book
        self._notebook: Final = notebook
        self._is_troubled: Final = is_troubled
        self._crosses_at_once: Final = crosses_at_once
        self._notes: Final = list(notebook.streams.values())
        self._answers: Final = self._answers_by_note()

    def _answers_by_note(self) -> dict[str, tuple[StreamNote, Came]]:
        found: dict[str, tuple[StreamNote, Came]] = {}
        for note in self._notes:
            for came in note.came:
                if came.request.WhichOneof("kind") == "answer" and came.request.match == self._match:
                    found.setdefault(f"{came.life}/{came.request.answer.note}", (note, came))
        return found

    def problems(self) -> Iterator[str]:
        """What is wrong."""
        for seat in range(self._book.seats):
            yield from (f"match {self._match}, seat {seat}: {problem}" for problem in self._seat(seat))

    def _seat(self, seat: int) -> Iterator[str]:
        terms = self._book.terms.clock
        questions = self._questions(seat)
        bank = _Bank(terms.bank_ms, terms.credit_match_ms_max)
        for decision, step in enumerate(self._book.put[seat], 1):
            asked = [each for each in questions.get(decision, ()) if each.life == self._life_of(step)]
            question = asked[0] if asked else None
            before = bank.bank_ms
            yield from (f"decision {decision}: {each}" for each in self._line(step.line, bank))
            if question is not None:
                yield from (f"decision {decision}: {each}" for each in self._time(decision, step, question, before))
        yield from self._told_times(seat)

    # --- the record against itself ---

    def _line(self, line: DecisionLine, bank: _Bank) -> Iterator[str]:
        terms = self._book.terms.clock
        used, credit = _number(line, "used_ms"), _number(line, "credit_ms")
        if terms.allowance_ms is None:
            if "bank_ms" in line.run:
                yield "a bank on a clock without a limit"
            return
        if credit > min(terms.credit_decision_ms_max, bank.credit_ms):
            yield f"credited {credit} ms of {bank.credit_ms}"
        paid = max(0, used - terms.allowance_ms - credit)
        expected = bank.bank_ms - paid + (terms.increment_ms if line.by is AnsweredBy.BOT else 0)
        if line.run.get("bank_ms") != expected or paid > bank.bank_ms:
            yield f"used {used} ms, credited {credit}: the bank of {bank.bank_ms} is {line.run.get('bank_ms')}, not {expected}"
        if line.by in (AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED) and bank.bank_ms - paid:
            yield f"time is said to be up with {bank.bank_ms - paid} ms left in the bank"
        refill = terms.credit_refill_ms if line.by is AnsweredBy.BOT else 0
        bank.credit_ms = min(max(0, bank.credit_ms - credit) + refill, terms.credit_match_ms_max)
        bank.bank_ms = line.run["bank_ms"] if type(line.run.get("bank_ms")) is int else expected  # type: ignore[assignment]  # looked at

    # --- the record against the network ---

    def _life_of(self, step: Step) -> int:
        """The life of the referee in which a decision's line was finally written."""
        incidents = self._book.incidents("recovered")
        return sum(number < step.line_number for number, _ in incidents)

    def _questions(self, seat: int) -> dict[int, list[Question]]:
        """By decision: when it was first handed over, for each life in which its clock began to run then."""
        found: dict[int, list[Question]] = {}
        lives = self._lives()
        first: dict[int, StreamNote] = {}
        shown_at: dict[int, int] = {}
        again: dict[tuple[int, int], list[int]] = {}
        for told, note in self._told_to(seat):
            life = lives[told.life]
            if told.response.HasField("match_offered"):
                first.setdefault(life, note)
                shown_at[note.stream.number] = told.durable
            if not told.response.HasField("decision"):
                continue
            decision = told.response.decision.id
            if (life, decision) in again:
                again[life, decision].append(told.at_ns)
                continue
            again[life, decision] = []
            asked = self._book.asked(seat, decision)
            if asked is None or told.handed_ns is None or not self._was_there(asked[2], life, note, first, shown_at):
                continue
            found.setdefault(decision, []).append(Question(life, note, told, told.handed_ns, again[life, decision]))
        return found

    def _was_there(
        self, line_before: int, life: int, note: StreamNote, first: dict[int, StreamNote], shown_at: dict[int, int]
    ) -> bool:
        """Whether the bot was connected by this stream when it was asked, after this line."""
        is_put_later = shown_at[note.stream.number] < self._book.ends[line_before]
        if is_put_later:
            return True
        # After a restart the open decision's clock waits for its bot during a time of grace.
        is_first = first.get(life) is note and life > 0
        return is_first and note.told[0].at_ns - self._recovered_ns(life) < GRACE_NS - S

    def _recovered_ns(self, life: int) -> int:
        number, _ = self._book.incidents("recovered")[life - 1]
        return self._written_ns(number)

    def _written_ns(self, line: int) -> int:
        """When a line was first there."""
        path = self._notebook.path_of(self._match)
        assert path is not None, "the match has a record"
        return next((at for at, size in self._notebook.sizes[path] if size >= self._book.ends[line]), 0)

    def _lives(self) -> dict[int, int]:
        """The life of the match for each life of the referee. A referee that was killed before it took the match up has none."""
        found: dict[int, int] = {}
        taken = [self._written_ns(number) for number, _ in self._book.incidents("recovered")]
        for note in self._notes:
            for told in note.told:
                if told.life not in found:
                    found[told.life] = sum(at <= told.at_ns for at in taken)
        return found

    def _told_to(self, seat: int) -> Iterator[tuple[Told, StreamNote]]:
        found = [
            (told, note)
            for note in self._notes
            if seat_of(self._book, self._match, note.identity) == seat
            for told in note.told
            if told.response.match == self._match
        ]
        return iter(sorted(found, key=lambda each: each[0].order))

    def _time(self, decision: int, step: Step, question: Question, bank_ms: int) -> Iterator[str]:
        terms = self._book.terms.clock
        line = step.line
        used = _number(line, "used_ms")
        limit_ns = None if terms.allowance_ms is None else (terms.allowance_ms + bank_ms) * MS
        lost = question.note.closed_ns
        if line.by is AnsweredBy.BOT and line.note is not None:
            came = self._answer(line.note, question)
            if came is None:
                return
            took = max(0, self._counted.between_ns(question.handed_ns, came.stamp_ns))
            is_exact = self._crosses_at_once or not self._counted.is_left_out_near(question.handed_ns, came.stamp_ns)
            # A bot that takes its seat again after a long standstill gets its whole time anew, from when it has the question.
            is_put_anew = min(question.again_ns, default=came.stamp_ns) < came.stamp_ns
            is_anew = is_put_anew and self._counted.has_stood_before(came.stamp_ns)
            if used != took // MS and is_exact and not is_anew:
                yield f"handed over at {question.handed_ns}, answered at {came.stamp_ns}: {used} ms are charged, not {took // MS}"
            if limit_ns is not None and took > limit_ns + terms.credit_decision_ms_max * MS:
                yield f"an answer counts that came {took - limit_ns} ns after the deadline"
        if (
            line.by in (AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED)
            and limit_ns is not None
            and (lost is None or lost > question.handed_ns)
        ):
            yield from self._overdue(decision, step, question, limit_ns)

    def _overdue(self, decision: int, step: Step, question: Question, limit_ns: int) -> Iterator[str]:
        deadline = self._counted.deadline_ns(question.handed_ns, limit_ns)
        written = self._written_ns(step.line_number)
        if written < deadline:
            yield f"time is said to be up at {written}, before it was: at {deadline}"
        most = self._book.terms.clock.credit_decision_ms_max * MS
        if not self._is_troubled and written > deadline + most + SLACK_NS:
            yield f"its time was up at {deadline}, and the default was taken at {written}"
        for note, came in self._answers.values():
            answer = came.request.answer
            is_right = note is question.note and answer.decision == decision and self._is_legal(step, came)
            is_heard = (note.closed_ns is None or came.at_ns < note.closed_ns) and not _is_behind_rubbish(note, came)
            if is_right and is_heard and came.order > question.told.order and came.stamp_ns <= deadline:
                yield f"an answer of {came.stamp_ns} came in time and did not count: time was up at {deadline}"

    def _is_legal(self, step: Step, came: Came) -> bool:
        answer = came.request.answer
        is_index = answer.WhichOneof("choice") == "index"
        return is_index and answer.index < len(step.legal) and len(answer.note.encode()) <= 1_024

    def _answer(self, note: str, question: Question) -> Came | None:
        """The answer with this note that decided a decision: the first that came in that life."""
        found = self._answers.get(f"{question.told.life}/{note}")
        return found[1] if found is not None and found[0] is question.note else None

    def _told_times(self, seat: int) -> Iterator[str]:
        """Checks that a bot has the time that it was sent."""
        terms = self._book.terms.clock
        banks = [terms.bank_ms, *(_number(step.line, "bank_ms") for step in self._book.put[seat])]
        for told, _ in self._told_to(seat):
            decision = told.response.decision
            if not told.response.HasField("decision") or not 1 <= decision.id <= len(banks):
                continue
            if terms.allowance_ms is None:
                if decision.HasField("time_left_ms") or decision.HasField("bank_ms"):
                    yield f"decision {decision.id}: a limit is told on a clock without one"
            elif decision.bank_ms != banks[decision.id - 1] or decision.time_left_ms > terms.allowance_ms + decision.bank_ms:
                yield f"decision {decision.id}: told are {decision.time_left_ms} ms and a bank of {decision.bank_ms}"


def _is_behind_rubbish(note: StreamNote, came: Came) -> bool:
    """Whether this came after something that was no request and ended the stream. Then nobody read it."""
    rubbish = (other for other in note.came if not other.request.ListFields() and other.order < came.order)
    return note.why == "unreadable" and any(rubbish)
