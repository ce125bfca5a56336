"""What the terms of a match fix about its record: honest records are right, and each forgery of a time is found in its line."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.lines import FORKED, AnsweredBy, DecisionLine, EndLine, Header, Incident, Line, Parent
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import ClockTerms, Table, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import RoundTrip
from mergemaker_table.outputs import Request
from mergemaker_table.record_checks import TermsFound, check_terms
from mergemaker_testkit.recorded import game_hash_before, of_kind, opened, recorded_match, sealed
from mergemaker_testkit.table_driver import Said, TableDriver, random_player, silent_player, table_setup

CLASSIC: Final = preset("renegade-classic")
TERMS: Final = Terms(
    ClockTerms(
        name="tight",
        allowance_ms=100,
        bank_ms=900,
        increment_ms=3,
        startup_ms=30_000,
        credit_decision_ms_max=40,
        credit_match_ms_max=90,
        credit_refill_ms=10,
    )
)
SLOW: Final = 0
SILENT: Final = 1


def _slow_player(request: Request, nonce: bytes, refused: int) -> Said:
    """A player who uses a little less or more than the allowance."""
    return replace(random_player(request, nonce, refused), after_ms=80 + request.decision_id * 7 % 60)


@cache
def _lines(clock: Terms | str = TERMS) -> tuple[Line, ...]:
    """A match in which one seat lives on bank, credit and increment, and another is silent until it is on autopilot."""
    driver = TableDriver(Table(table_setup(CLASSIC, 3, clock)), [_slow_player, silent_player, random_player])
    if clock == "none":
        driver.players[SILENT] = random_player
    driver.open()
    driver.feed(RoundTrip(SLOW, in_ns(30)))
    driver.join()
    driver.play_on()
    return tuple(opened(driver.lines))


def _checked(lines: list[Line]) -> TermsFound:
    return check_terms(verify(sealed(lines)).record)


def _refused(lines: list[Line]) -> tuple[str, int | None]:
    record = verify(sealed(lines)).record
    with pytest.raises(RecordError) as refusal:
        check_terms(record)
    return refusal.value.reason, refusal.value.line


def _place(seat: int, by: AnsweredBy, member: str = "used_ms", after: int = 0) -> int:
    """The place of a seat's first line that was answered so, and that has this member."""
    return next(
        at
        for at, line in enumerate(_lines())
        if at > after and isinstance(line, DecisionLine) and (line.seat, line.by) == (seat, by) and member in line.run
    )


def _rerun(lines: list[Line], at: int, **changes: Any) -> None:  # whatever the members are
    line = of_kind(lines[at], DecisionLine)
    run = {name: value for name, value in {**line.run, **changes}.items() if value is not ...}
    lines[at] = replace(line, run=run)


def _told(at: int, name: str) -> int:
    value = of_kind(_lines()[at], DecisionLine).run[name]
    assert isinstance(value, int)
    return value


CREDITED: Final = _place(SLOW, AnsweredBy.BOT, "credit_ms")
FIRST: Final = _place(SLOW, AnsweredBy.BOT)
OVERDUE: Final = _place(SILENT, AnsweredBy.TIMEOUT)
SECOND_OVERDUE: Final = _place(SILENT, AnsweredBy.TIMEOUT, after=OVERDUE)


def test_an_honest_match_agrees_with_its_terms() -> None:
    lines = list(_lines())
    assert _checked(lines) is TermsFound.CHECKED
    slow = [line for line in lines if isinstance(line, DecisionLine) and line.seat == SLOW and line.by is AnsweredBy.BOT]
    assert {"credit_ms" in line.run for line in slow} == {False, True}
    banks = [line.run["bank_ms"] for line in slow]
    assert any(after < before for before, after in pairwise(banks))  # type: ignore[operator]  # numbers
    assert {line.by for line in lines if isinstance(line, DecisionLine)} >= {AnsweredBy.TIMEOUT, AnsweredBy.AUTOPILOT}


@pytest.mark.parametrize("clock", ["fast", "standard", "slow", "none"])
def test_matches_on_named_clocks_agree_with_their_terms(clock: str) -> None:
    assert _checked(list(_lines(clock))) is TermsFound.CHECKED


FORGED: Final[dict[str, tuple[int, Callable[[int], dict[str, Any]]]]] = {
    "a bank with more": (FIRST, lambda at: {"bank_ms": _told(at, "bank_ms") + 1}),
    "a bank with less": (FIRST, lambda at: {"bank_ms": _told(at, "bank_ms") - 1}),
    "an increment for a default": (OVERDUE, lambda at: {"bank_ms": _told(at, "bank_ms") + 3}),
    "more time used than the bank paid": (CREDITED, lambda at: {"used_ms": _told(at, "used_ms") + 1}),
    "less time used than the bank paid": (CREDITED, lambda at: {"used_ms": _told(at, "used_ms") - 1}),
    "more time used than there was": (FIRST, lambda _: {"used_ms": 100_000}),
    "more time than the bank had, hidden by the increment": (FIRST, lambda _: {"used_ms": 1_002, "credit_ms": 0, "bank_ms": 1}),
    "more credit than the round trip gave": (CREDITED, lambda at: {"credit_ms": _told(at, "credit_ms") + 1}),
    "more credit than the terms allow": (CREDITED, lambda _: {"used_ms": 180, "credit_ms": 41}),
    "credit within the allowance": (_place(2, AnsweredBy.BOT), lambda _: {"credit_ms": 1}),
    "a default before its time": (OVERDUE, lambda at: {"used_ms": _told(at, "used_ms") - 1, "bank_ms": 1}),
    "a default within the allowance": (SECOND_OVERDUE, lambda _: {"used_ms": 99}),
    "no number": (FIRST, lambda _: {"used_ms": "12"}),
    "a number below zero": (FIRST, lambda _: {"bank_ms": -1}),
    "null": (FIRST, lambda _: {"bank_ms": None}),
    "time of a decision that nobody was asked": (_place(SILENT, AnsweredBy.AUTOPILOT, "at_ms"), lambda _: {"used_ms": 0}),
    "a bank of a decision that nobody was asked": (_place(SLOW, AnsweredBy.AUTOMATIC, "at_ms"), lambda _: {"bank_ms": 900}),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_time_is_found_in_its_line(what: str) -> None:
    at, changes = FORGED[what]
    lines = list(_lines())
    _rerun(lines, at, **changes(at))
    assert _refused(lines) == ("clock", at + 1)


def test_a_bank_that_is_forged_from_a_line_on_is_found_in_that_line() -> None:
    lines = list(_lines())
    places = [
        at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.seat == SLOW and "bank_ms" in line.run
    ]
    for at in places[5:]:
        _rerun(lines, at, bank_ms=_told(at, "bank_ms") + 50)
    assert _refused(lines) == ("clock", places[5] + 1)


def test_credit_beyond_the_quota_is_found() -> None:
    """What is credited at each decision is within its limit, and all of it is more than the match has."""
    lines = list(_lines())
    bank = TERMS.clock.bank_ms
    quota = TERMS.clock.credit_match_ms_max
    expected = None
    for at, line in enumerate(lines):
        if isinstance(line, DecisionLine) and line.seat == SLOW and line.by is AnsweredBy.BOT:
            bank += TERMS.clock.increment_ms
            _rerun(lines, at, used_ms=140, credit_ms=40, bank_ms=bank)
            expected = expected or (at + 1 if quota < 40 else None)
            quota = min(quota - 40 + TERMS.clock.credit_refill_ms, TERMS.clock.credit_match_ms_max)
    assert _refused(lines) == ("clock", expected)


def test_where_a_line_tells_no_times_the_next_one_is_believed() -> None:
    lines = list(_lines())
    _rerun(lines, FIRST, used_ms=..., bank_ms=..., credit_ms=...)
    assert _checked(lines) is TermsFound.CHECKED


@pytest.mark.parametrize(
    "change", [{"bank_ms": 0}, {"credit_ms": 0}, {"by": AnsweredBy.TIMEOUT}, {"by": AnsweredBy.DISCONNECTED}], ids=str
)
def test_without_a_limit_there_is_no_bank_no_credit_and_no_time_that_is_up(change: dict[str, Any]) -> None:
    lines = list(_lines("none"))
    at = next(
        at
        for at, line in enumerate(lines)
        if isinstance(line, DecisionLine) and (line.answer, line.by) == ("buy nothing", AnsweredBy.BOT)
    )
    if "by" in change:
        seat = of_kind(lines[at], DecisionLine).seat
        lines[at] = replace(of_kind(lines[at], DecisionLine), **change)
        faults = tuple({str(change["by"]): 1} if each == seat else {} for each in range(3))
        lines[-1] = replace(of_kind(lines[-1], EndLine), faults=faults)
    else:
        _rerun(lines, at, **change)
    assert _refused(lines) == ("clock", at + 1)


@pytest.mark.parametrize(
    ("clock", "found"),
    [
        ({}, TermsFound.NONE),
        ({"bank_ms": 60_000, "increment_ms": 500}, TermsFound.UNKNOWN),
        ({**TERMS.plain(), "bonus_ms": 1}, TermsFound.UNKNOWN),
        ({**TERMS.plain(), "faults": 3}, TermsFound.UNKNOWN),
    ],
    ids=["no clock", "no name", "newer terms", "no terms"],
)
def test_terms_that_are_not_known_are_not_checked(clock: dict[str, object], found: TermsFound) -> None:
    lines = list(_lines())
    lines[0] = replace(of_kind(lines[0], Header), clock=clock)
    _rerun(lines, FIRST, bank_ms=1)
    assert _checked(lines) is found


# --- forks ---


def _fork(lines: list[Line], decision: int, **more: object) -> list[Line]:
    """The same match as a fork of another, from that decision on."""
    header = of_kind(lines[0], Header)
    at = next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.number == decision)
    parent = Parent(header.match, decision, game_hash_before(lines, decision))
    fork: list[Line] = [replace(header, match="m-2", parent=parent, more=more), *lines[1:at], Incident(what=FORKED), *lines[at:]]
    return fork


def _full_from(lines: list[Line], decision: int) -> list[Line]:
    """As if all banks were full there, on a clock that credits nothing."""
    for at, line in enumerate(lines):
        if isinstance(line, DecisionLine) and line.number >= decision and "bank_ms" in line.run:
            _rerun(lines, at, used_ms=0, bank_ms=5_000, credit_ms=...)
    return lines


OWN: Final = {"decision": 30, "terms": Terms(ClockTerms(name="own", allowance_ms=7, bank_ms=5_000)).plain()}


def _without_silence() -> list[Line]:
    """A match whose bots all answer."""
    driver = TableDriver(Table(table_setup(CLASSIC, 3, TERMS)), [_slow_player, random_player, random_player])
    driver.play()
    return opened(driver.lines)


def test_a_fork_goes_on_with_its_parents_clock() -> None:
    lines = _fork(_without_silence(), 30)
    assert _checked(lines) is TermsFound.CHECKED
    at = next(
        at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.number > 40 and "bank_ms" in line.run
    )
    _rerun(lines, at, bank_ms=1)
    assert _refused(lines) == ("clock", at + 1)


def test_a_fork_with_its_own_clock_begins_it_with_full_banks() -> None:
    lines = _full_from(_fork(_without_silence(), 30, clock=OWN), 30)
    assert _checked(lines) is TermsFound.CHECKED
    at = next(
        at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.number > 30 and "bank_ms" in line.run
    )
    _rerun(lines, at, bank_ms=5_001)
    assert _refused(lines) == ("clock", at + 1)


@pytest.mark.parametrize("own", [{}, {"clock": OWN}], ids=["the parent's clock", "its own clock"])
def test_of_a_fork_of_a_fork_the_repeated_lines_may_be_of_another_clock(own: dict[str, object]) -> None:
    lines = _fork(_without_silence(), 30, **own)
    if own:
        _full_from(lines, 30)
    header = of_kind(lines[0], Header)
    assert header.parent is not None
    at = next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and "bank_ms" in line.run)
    _rerun(lines, at, bank_ms=123)
    assert _refused(lines) == ("clock", at + 1)
    if own:
        lines[0] = replace(header, parent=replace(header.parent, match="m-3"))
        assert _checked(lines) is TermsFound.CHECKED
    else:
        # The seat goes on with what the last repeated line leaves it.
        lines[0] = replace(header, parent=replace(header.parent, match="m-3"))
        assert _checked(lines) is TermsFound.CHECKED


def test_a_fork_on_a_clock_says_where_it_begins() -> None:
    lines = _fork(_without_silence(), 30)
    lines.remove(Incident(what=FORKED))
    assert _refused(lines) == ("parent", 1)


def test_records_without_a_referee_are_let_be() -> None:
    record: Record = verify(recorded_match(CLASSIC, 3, bytes(32), decisions=20)).record
    assert check_terms(record) is TermsFound.NONE
