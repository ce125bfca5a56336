"""Clocks and grace of a match resumed from its record."""

from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.rules import preset
from mergemaker_table import CLOCKS, Table, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import Answered, AnswerIndex, Left, RoundTrip
from mergemaker_table.outputs import Accepted, Ask, Request
from mergemaker_testkit.table_driver import (
    TableDriver,
    random_player,
    table_setup,
)

CLASSIC = preset("renegade-classic")
ALL_MS = 10_100


def _begun(clock: str | Terms = "fast") -> TableDriver:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, clock)), [random_player] * 3)
    driver.start()
    driver.hand()
    return driver


def test_banks_and_credit_are_what_they_were_and_the_time_away_is_nobodys() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.feed(RoundTrip(seat, in_ns(200)))
    for _ in range(8):
        driver.pass_ms(700 if driver.question.seat == seat else 5)
        driver.answer()
        driver.hand()
    before = _request(driver, seat)
    driver.pass_ms(2_000)
    driver.crash()
    driver.join()
    asked = _request(driver, seat)
    assert asked.bank_ms == before.bank_ms
    assert before.bank_ms is not None
    assert before.bank_ms < 10_000
    left, credited = CLOCKS["fast"].credit_match_ms_max, 0
    for line in driver.opened():
        if isinstance(line, DecisionLine) and line.seat == seat and "used_ms" in line.run:
            credit = int(str(line.run.get("credit_ms", 0)))
            credited += credit
            left = min(left - credit + CLOCKS["fast"].credit_refill_ms, CLOCKS["fast"].credit_match_ms_max)
    assert credited > 0
    found = driver.table._desk.seats[seat].clock
    assert found.credit_ms(in_ns(20_000)) == 250
    assert found._credit_left_ms == left < CLOCKS["fast"].credit_match_ms_max


def _request(driver: TableDriver, seat: int) -> Request:
    """The next request to a seat."""
    while driver.question.seat != seat:
        driver.hand()
        driver.answer()
    return driver.question.request


def test_time_goes_on_in_the_record_where_it_was() -> None:
    driver = _begun()
    driver.pass_ms(70)
    driver.answer()
    driver.crash()
    assert driver.incidents("recovered")[0].run["at_ms"] == 70
    driver.pass_ms(30)
    driver.join(0)
    assert driver.incidents("joined")[-1].run["at_ms"] == 100


def test_the_clock_waits_for_the_bot_and_runs_from_the_next_handing() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.crash()
    assert driver.asked is None
    assert driver.table.wake_at_ns == in_ns(60_000 + ALL_MS) + 1
    driver.pass_ms(20_000)
    driver.join(seat)
    assert driver.question.request.time_left_ms == ALL_MS
    assert driver.table.wake_at_ns is None
    driver.hand()
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(ALL_MS) + 1


def test_behind_the_grace_time_runs_for_who_is_not_back() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.crash()
    driver.pass_ms(60_500)
    snapshot = driver.table.snapshot(seat, driver.now_ns)
    assert snapshot is not None
    assert snapshot.request is not None
    assert snapshot.request.time_left_ms == ALL_MS - 500
    driver.join(seat)
    assert driver.question.request.time_left_ms == ALL_MS - 500
    driver.feed(Left(seat))
    driver.pass_ms(ALL_MS)
    driver.look_at_clock()
    line = next(line for line in driver.opened() if isinstance(line, DecisionLine))
    assert (line.by, line.run["used_ms"]) == (AnsweredBy.DISCONNECTED, ALL_MS)


def test_before_the_grace_is_over_nobody_has_less_time_than_there_is() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.crash()
    snapshot = driver.table.snapshot(seat, driver.now_ns)
    assert snapshot is not None
    assert snapshot.request is not None
    assert snapshot.request.time_left_ms == ALL_MS
    batch = driver.feed(Answered(seat, 1, AnswerIndex(0), None, driver.now_ns))
    assert Accepted(seat, 1) in batch


def test_the_grace_is_for_all_who_are_not_back_and_ends_with_their_coming() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.crash()
    driver.join(seat)
    asked: Ask | None = None
    while driver.question is not asked:
        asked = driver.hand()
        driver.answer(AnswerIndex(0))
    assert driver.table.wake_at_ns == in_ns(60_000 + ALL_MS) + 1, "the next seat has the grace, too"
    shown = [driver.table.snapshot(number, 0) for number in range(3)]
    other = next(number for number, found in enumerate(shown) if found is not None and found.request is not None)
    driver.join(other)
    driver.feed(Left(other))
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(ALL_MS) + 1, "who was back has none any more"
