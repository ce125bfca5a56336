"""Whether each record holds a match that followed the rules and its terms, and blames the right seats."""

from collections import Counter
from collections.abc import Iterator

from mergemaker_engine.decisions import ChooseExchange
from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.commitments import commitment
from mergemaker_engine.record.lines import AnsweredBy, Ending, Incident, PlayIncident, Status
from mergemaker_engine.record.reading import Step
from mergemaker_engine.record.verifying import verify
from mergemaker_table.evidence import AtFault, evidence_in
from mergemaker_table.record_checks import TermsFound, check_terms

from .book import PUT, Book
from .characters import Habits
from .check_told import seat_of
from .notebook import Came, Notebook

_VOIDED_BY = (
    "cancelled by the operator",
    "nobody joined",
    "not all bots joined in time",
    "not all bots were free at once",
)
_OF_FAILURE = frozenset({AnsweredBy.TIMEOUT, AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL, AnsweredBy.DISCONNECTED})
_OF_REFUSALS = frozenset({AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL})


def record_problems(data: bytes, book: Book) -> Iterator[str]:
    """What is wrong with a record by itself."""
    if book.record.end is None:
        return
    try:
        found = verify([data]).record
        if check_terms(found) is not TermsFound.CHECKED:
            yield "its terms are not checked"
    except EngineError as error:
        yield f"the record does not verify: {error}"
    promise = book.record.header.promise
    if promise is not None:
        made = commitment(promise.match, bytes.fromhex(book.secrets["nonce"]), bytes.fromhex(book.secrets["server_seed"]))
        if made != promise.commitment:
            yield "the promise was not made of the secrets that were written first"
    if book.record.end.why is Ending.VOIDED:
        whys = [line.why or "" for _, line in book.incidents(PlayIncident.VOIDED)]
        if len(whys) != 1 or not whys[0].startswith(_VOIDED_BY):
            yield f"the match was voided: {whys}"
    yield from _defaults(book)
    yield from _refusals(book)


def _defaults(book: Book) -> Iterator[str]:
    """Whether each default is the documented one, and a seat that failed too often gets no more questions."""
    most = book.terms.faults.defaults_max
    failures: Counter[int] = Counter()
    retired: dict[int | None, int] = {}
    for number, line in book.incidents(PlayIncident.AUTOPILOT):
        if retired.setdefault(line.seat, number) != number:
            yield f"line {number}: seat {line.seat} is on autopilot since line {retired[line.seat]}, and is put on it again"
    for step in book.steps:
        by = step.line.by
        if by not in (AnsweredBy.BOT, AnsweredBy.AUTOMATIC) and step.answer != _default(step):
            yield f"decision {step.number}: the default taken is {step.line.answer}"
        failures[step.seat] += by in _OF_FAILURE
        if by in PUT and failures[step.seat] > most:
            yield f"decision {step.number}: seat {step.seat} is asked after {failures[step.seat] - 1} defaults"
        if by in PUT and step.line_number > retired.get(step.seat, step.line_number):
            yield f"decision {step.number}: seat {step.seat} is asked, and is on autopilot since line {retired[step.seat]}"
    for seat, number in retired.items():
        before = sum(step.line.by in _OF_FAILURE for step in book.steps if step.seat == seat and step.line_number < number)
        if before != most:
            yield f"seat {seat} is on autopilot after {before} defaults"


def _default(step: Step) -> object:
    """The default by the table of the referee's README, implemented a second time."""
    legal = step.legal
    # Decisions that occur several times in a turn are counted by `number`.
    is_last = isinstance(step.decision, ChooseExchange) or getattr(step.decision, "number", 1) > 1
    return legal[len(legal) - 1] if is_last else legal[0]


def _refusals(book: Book) -> Iterator[str]:
    """Whether the referee refuses as many answers as the terms say, and then takes the default."""
    most = book.terms.faults.refusals_max
    refused: Counter[int] = Counter()
    for number, line in book.entries:
        if isinstance(line, Incident):
            if line.what == "rejected" and line.seat is not None:
                refused[line.seat] += 1
                if refused[line.seat] > most:
                    yield f"line {number}: refusal {refused[line.seat]} of one decision"
            continue
        if (refused[line.seat] >= most) is not (line.by in _OF_REFUSALS) and line.by is not AnsweredBy.RESIGNED:
            yield f"decision {line.number}: {refused[line.seat]} answers were refused, and it is answered by {line.by}"
        refused[line.seat] = 0


def answer_problems(match: str, book: Book, notebook: Notebook) -> Iterator[str]:
    """Whether each answer in the record is what that bot said to that decision, and counts once."""
    said: dict[tuple[int, str], list[Came]] = {}
    for came in notebook.came_so_far:
        if came.request.WhichOneof("kind") == "answer" and came.request.match == match:
            seat = seat_of(book, match, came.identity)
            if seat is not None:
                said.setdefault((seat, came.request.answer.note), []).append(came)
    used: set[tuple[int, str]] = set()
    for seat in range(book.seats):
        for decision, step in enumerate(book.put[seat], 1):
            if step.line.by is not AnsweredBy.BOT:
                continue
            key = seat, step.line.note or ""
            if key in used:
                yield f"seat {seat}: the answer {key[1]} counts twice"
            used.add(key)
            found = said.get(key)
            if not found:
                yield f"seat {seat}, decision {decision}: the answer {key[1]} was never said"
                continue
            answer = found[0].request.answer
            if answer.decision != decision:
                yield f"seat {seat}, decision {decision}: an answer to decision {answer.decision} counts"
            elif answer.WhichOneof("choice") == "index" and step.legal[answer.index] != step.answer:
                yield f"seat {seat}, decision {decision}: index {answer.index} was said, and {step.line.answer} is written"


def blame_problems(book: Book, habits: dict[int, Habits], resigned: set[int], may_be_busy: set[int]) -> Iterator[str]:
    """Whether the faults of each seat are those for which its bot may be blamed.

    The bots of `may_be_busy` play other matches; this match has waited for them as long as it may.
    """
    for number, line in book.incidents(PlayIncident.NEVER_JOINED):
        if line.seat in habits and line.seat not in may_be_busy:
            habit = habits[line.seat]
            if AnsweredBy.NEVER_JOINED not in habit.may_be_blamed_for | _broken_promise(book, line.seat, habit):
                yield f"line {number}: seat {line.seat} is {habit.name}, and counts as never joined"
    for seat, habit in habits.items():
        causes = {step.line.by for step in book.steps if step.seat == seat} - {AnsweredBy.BOT, AnsweredBy.AUTOMATIC}
        busy = {AnsweredBy.NEVER_JOINED} if seat in may_be_busy else set()
        wrong = causes - habit.may_be_blamed_for - _broken_promise(book, seat, habit) - busy
        if wrong:
            yield f"seat {seat} is {habit.name}, and is blamed for {', '.join(sorted(wrong))}"
        if not habit.may_be_blamed_for and not habit.spends and not habit.is_cut_off:
            yield from _untouched(book, seat, habit)
        if habit.stays and not habit.is_cut_off and not habit.is_displaced:
            yield from _unbroken(book, seat, habit)
        is_absent = book.record.deal is not None and habit.comes_after_ns is None
        end = book.record.end  # none if the match was given up with its disk: that gives no status
        if is_absent and end is not None and end.statuses[seat] is not Status.NEVER_JOINED:
            yield f"seat {seat} was never there, and is {end.statuses[seat]}"
        if habit.silent == 1 and AnsweredBy.BOT in {step.line.by for step in book.put[seat]}:
            yield f"seat {seat} never says anything, and answers"
        if AnsweredBy.RESIGNED in causes and seat not in resigned:
            yield f"seat {seat} did not resign, and is blamed for it"


def _broken_promise(book: Book, seat: int, habit: Habits) -> set[AnsweredBy]:
    """In joint mode, a replacing process does not know the part to which the first one committed the seat."""
    for _, line in book.incidents("committed"):
        promises = line.run["commitments"]
        assert isinstance(promises, list), "by seat"
        if habit.is_displaced and promises[seat] is not None:
            return {AnsweredBy.NEVER_JOINED}
    return set()


def _unbroken(book: Book, seat: int, habit: Habits) -> Iterator[str]:
    """A bot that stays did not break its connection: if it broke anyway, the referee was away."""
    for number, line in book.incidents("disconnected"):
        evidence = evidence_in(line.run)
        if line.seat == seat and evidence is not None and evidence.verdict.at_fault is AtFault.BOT:
            yield f"line {number}: seat {seat} is {habit.name}, and is blamed for a break: {evidence.verdict.reason}"


def _untouched(book: Book, seat: int, habit: Habits) -> Iterator[str]:
    """A bot that answers in time has all of its bank at the end."""
    terms = book.terms.clock
    if terms.allowance_ms is None:
        return
    bank = terms.bank_ms
    for step in book.put[seat]:
        if step.line.by is AnsweredBy.BOT:
            bank += terms.increment_ms
            if step.line.run.get("bank_ms") != bank:
                has = step.line.run.get("bank_ms")
                yield f"seat {seat} is {habit.name}: at decision {step.number} its bank is {has}, not {bank}"
                return
