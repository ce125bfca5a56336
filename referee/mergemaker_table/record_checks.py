"""What the terms of a match fix about its record. The engine's `verify` does not know what a header's `clock` means.

`used_ms` is measured, and nothing in the record could prove it. What follows from it is fixed: what the bank paid, the
increment, the most that is credited, and that a default for time comes when all time is used.
"""

from enum import StrEnum
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.lines import FORKED, AnsweredBy, DecisionLine, Header, Incident
from mergemaker_engine.record.reading import Record
from mergemaker_engine.shown import shown

from mergemaker_table.clock import SeatClock, in_ns
from mergemaker_table.errors import TableError
from mergemaker_table.forks import ForkTerms, fork_terms_of
from mergemaker_table.seats import OVERDUE, PUT
from mergemaker_table.terms import TERM_MS_MAX, ClockTerms, Terms

_TIMES: Final = ("used_ms", "bank_ms", "credit_ms")
_LONGEST_NS: Final = in_ns(TERM_MS_MAX)
"""A round trip for which as much is credited as the terms allow."""


class TermsFound(StrEnum):
    """What is known about the clock of a record."""

    NONE = "none"
    """There is no clock, so there is nothing to check."""
    UNKNOWN = "unknown"
    """These are not the terms of this program, or of a newer version of it. Nothing is checked."""
    CHECKED = "checked"


def check_terms(record: Record) -> TermsFound:
    """Checks a verified record against its terms. A `RecordError` names the first line that contradicts them."""
    header = record.header
    try:
        fork = fork_terms_of(header) or ForkTerms()
        terms = Terms.from_plain(header.clock)
    except TableError:
        return TermsFound.UNKNOWN
    if not header.clock and fork.terms is None:
        return TermsFound.NONE
    if header.parent is not None and not any(isinstance(line, Incident) and line.what == FORKED for _, line in record.entries):
        raise RecordError("parent", f"a fork has the incident {FORKED!r} where it begins, and this one has none", line=1)
    banks = _Banks(header.seats, terms.clock, is_checked=bool(header.clock))
    unchecked_until = _unknown_until(header, fork)
    for line_number, line in record.entries:
        if not isinstance(line, DecisionLine):
            continue
        if fork.terms is not None and line.number == fork.clock_from:
            banks = _Banks(header.seats, fork.terms.clock, is_checked=True)
        try:
            banks.check(line, is_trusted=line.number < unchecked_until)
        except RecordError as error:
            raise error.at(line_number) from error
    return TermsFound.CHECKED


def _unknown_until(header: Header, fork: ForkTerms) -> int:
    """The first decision of a fork that is known to be played on the header's clock, or on the fork's own.

    A parent that is a fork itself may have had a clock of its own, about which this header says nothing. It is no fork if the
    commitment was made for it.
    """
    if header.parent is None or (header.promise is not None and header.promise.match == header.parent.match):
        return 1
    return header.parent.decision if fork.terms is None else fork.clock_from


class _Banks:
    """Every seat's bank and credit, from line to line."""

    def __init__(self, seats: int, terms: ClockTerms, *, is_checked: bool) -> None:
        self._terms: Final = terms
        self._is_checked: Final = is_checked
        self._clocks: Final = [SeatClock(terms) for _ in range(seats)]
        self._is_known: Final = [True] * seats
        """By seat: whether its last line told its bank."""

    def check(self, line: DecisionLine, *, is_trusted: bool) -> None:
        """Checks a line, and takes over what it says; if it `is_trusted`, without a check."""
        used, bank, credit = (_number(line, name) for name in _TIMES)
        if self._is_checked and not is_trusted:
            if line.by not in PUT:
                _refuse_times(line, "nobody was asked this decision, so it took no time")
            elif self._terms.allowance_ms is None:
                self._check_without_limit(line, bank, credit)
            elif used is not None and bank is not None:
                self._check_bank(line, self._terms.allowance_ms, used, bank, credit or 0)
        if line.by in PUT:
            self._is_known[line.seat] = bank is not None
        if bank is not None:
            self._clocks[line.seat].restore(bank, credit or 0, by_bot=line.by is AnsweredBy.BOT)

    def _check_without_limit(self, line: DecisionLine, bank: int | None, credit: int | None) -> None:
        if bank is not None or credit is not None:
            raise RecordError("clock", "a clock without a limit has no bank and no credit, and this line tells one")
        if line.by in OVERDUE:
            raise RecordError("clock", f"on a clock without a limit no time is up, so nothing is answered by {str(line.by)!r}")

    def _check_bank(self, line: DecisionLine, allowance: int, used: int, bank: int, credit: int) -> None:
        clock, terms = self._clocks[line.seat], self._terms
        most = min(clock.credit_ms(_LONGEST_NS), max(used - allowance, 0))
        if credit > most:
            raise RecordError("clock", f"at most {most} ms of this decision are credited by the terms, not {credit}")
        before = clock.bank_ms
        if before is None or not self._is_known[line.seat]:
            return
        paid = max(used - allowance, 0) - credit
        if paid > before:
            raise RecordError("clock", f"the bank of {before} ms cannot pay {paid} ms: the decision took longer than its time")
        if line.by in OVERDUE and used != allowance + before + credit:
            had = allowance + before + credit
            raise RecordError("clock", f"time is up after {had} ms, and this default for time was taken after {used}")
        expected = before - paid + (terms.increment_ms if line.by is AnsweredBy.BOT else 0)
        if bank != expected:
            raise RecordError("clock", f"by the terms the bank has {expected} ms after this decision, not {bank}")


def _number(line: DecisionLine, name: str) -> int | None:
    value = line.run.get(name)
    if value is None and name not in line.run:
        return None
    if type(value) is not int or value < 0:
        raise RecordError("clock", f"{name!r} is a whole number of milliseconds from 0, not {shown(value)}")
    return value


def _refuse_times(line: DecisionLine, because: str) -> None:
    for name in _TIMES:
        if name in line.run:
            raise RecordError("clock", f"{because}, and this line has {name!r}")
