"""One seat's clock: allowance, bank, increment and credit, to the millisecond; late at the nanosecond."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_table import CLOCKS, ClockTerms
from mergemaker_table.clock import Charge, SeatClock, in_ns, overrun_ms, whole_ms
from mergemaker_testkit.strategies import STEADY

TERMS = ClockTerms(
    name="test", allowance_ms=100, bank_ms=1_000, increment_ms=0, credit_decision_ms_max=50, credit_match_ms_max=120
)
HANDED = 7_000_000_123
RTT = in_ns(40)


def test_time_is_rounded_down_and_lateness_up() -> None:
    assert [whole_ms(ns) for ns in (-5, 0, 999_999, 1_000_000, 1_999_999)] == [0, 0, 0, 1, 1]
    assert [overrun_ms(ns) for ns in (0, 1, 999_999, 1_000_000, 1_000_001)] == [0, 1, 1, 1, 2]


def test_the_allowance_is_free() -> None:
    clock = SeatClock(TERMS)
    assert clock.charge(HANDED, HANDED + in_ns(100)) == Charge(100, 0, 0, 1_000)
    assert clock.charge(HANDED, HANDED + in_ns(101) - 1) == Charge(100, 0, 0, 1_000)


def test_beyond_the_allowance_the_bank_pays() -> None:
    clock = SeatClock(TERMS)
    assert clock.charge(HANDED, HANDED + in_ns(130)) == Charge(130, 0, 30, 970)
    assert clock.bank_ms == 970
    assert clock.time_left_ms == 1_070


def test_the_deadline_holds_allowance_bank_and_the_credit_at_hand() -> None:
    clock = SeatClock(TERMS)
    assert clock.deadline_ns(HANDED) == HANDED + in_ns(1_100)
    assert clock.deadline_ns(HANDED, RTT) == HANDED + in_ns(1_140)
    assert clock.deadline_ns(HANDED, in_ns(900)) == HANDED + in_ns(1_150)


def test_an_answer_at_the_deadline_uses_all_there_is_and_no_more() -> None:
    clock = SeatClock(TERMS)
    deadline = clock.deadline_ns(HANDED, RTT)
    assert deadline is not None
    assert clock.charge(HANDED, deadline, RTT) == Charge(1_140, 40, 1_000, 0)


def test_a_clock_without_a_limit_has_no_bank_and_no_deadline() -> None:
    clock = SeatClock(CLOCKS["none"])
    assert (clock.bank_ms, clock.time_left_ms, clock.deadline_ns(HANDED)) == (None, None, None)
    assert clock.charge(HANDED, HANDED + in_ns(10_000)) == Charge(10_000, 0, 0, None)


def test_the_increment_is_for_answers_of_the_bot() -> None:
    clock = SeatClock(replace(TERMS, increment_ms=30))
    assert clock.charge(HANDED, HANDED).bank_ms == 1_030
    assert clock.charge(HANDED, HANDED, by_bot=False).bank_ms == 1_030


def test_credit_is_used_only_where_the_allowance_is_over() -> None:
    clock = SeatClock(TERMS)
    assert clock.charge(HANDED, HANDED + in_ns(90), RTT).credit_ms == 0
    assert clock.charge(HANDED, HANDED + in_ns(110), RTT) == Charge(110, 10, 0, 1_000)
    assert clock.charge(HANDED, HANDED + in_ns(150), RTT) == Charge(150, 40, 10, 990)
    assert clock.credit_ms(RTT) == 40
    assert clock.charge(HANDED, HANDED + in_ns(150), in_ns(60)).credit_ms == 50
    assert clock.credit_ms(RTT) == 20, "100 ms of 120 are used"


def test_a_bot_that_does_not_think_loses_nothing_on_a_long_way_within_the_quota() -> None:
    clock = SeatClock(CLOCKS["fast"])
    for at in range(1_000):
        # 150 ms there and back, plus or minus 50: the least of the last ones is the credit.
        clock.charge(0, in_ns(100 + at % 101), in_ns(100))
    assert clock.bank_ms == 10_000


def test_the_quota_gets_its_refill_for_answers_of_the_bot_up_to_what_it_had_at_first() -> None:
    clock = SeatClock(replace(TERMS, credit_refill_ms=15))
    assert clock.charge(HANDED, HANDED + in_ns(140), RTT).credit_ms == 40
    clock.charge(HANDED, HANDED + in_ns(140), RTT, by_bot=False)
    clock.charge(HANDED, HANDED + in_ns(140), RTT, by_bot=False)
    assert clock.credit_ms(RTT) == 15, "120, less 40 three times, and one refill"
    for _ in range(20):
        clock.charge(HANDED, HANDED, RTT)
    assert clock.charge(HANDED, HANDED + in_ns(150), in_ns(60), by_bot=False).credit_ms == 50
    assert clock.charge(HANDED, HANDED + in_ns(150), in_ns(60), by_bot=False).credit_ms == 50
    assert clock.credit_ms(RTT) == 20, "no more than 120 were there"


@STEADY
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 2_000)), max_size=60), st.integers(0, 60))
def test_who_delays_on_purpose_gains_no_more_than_the_quota(decisions: list[tuple[int, int]], refill: int) -> None:
    clock = SeatClock(replace(TERMS, credit_refill_ms=refill))
    over = paid = 0
    for used, round_trip in decisions:
        before = clock.bank_ms
        assert before is not None
        charge = clock.charge(0, min(in_ns(used), clock.deadline_ns(0, in_ns(round_trip)) or 0), in_ns(round_trip))
        over += max(charge.used_ms - 100, 0)
        paid += charge.bank_used_ms
        assert charge.bank_ms == before - charge.bank_used_ms >= 0
        assert charge.used_ms <= used
    assert paid + 120 + refill * len(decisions) >= over
    assert clock.bank_ms == 1_000 - paid


@STEADY
@given(st.integers(0, 2_000_000_000), st.integers(0, 100_000_000))
def test_what_is_in_time_is_paid_in_full(elapsed: int, round_trip: int) -> None:
    clock = SeatClock(TERMS)
    deadline = clock.deadline_ns(0, round_trip)
    assert deadline is not None
    charge = clock.charge(0, elapsed, round_trip)
    if elapsed <= deadline:
        assert charge.used_ms == whole_ms(elapsed)
    assert charge.used_ms - charge.credit_ms - charge.bank_used_ms <= 100


@pytest.mark.parametrize(("credited", "left"), [(0, 50), (100, 20), (500, 0)])
def test_a_clock_takes_what_a_record_says(credited: int, left: int) -> None:
    clock = SeatClock(TERMS)
    clock.restore(321, credited, by_bot=True)
    assert (clock.bank_ms, clock.credit_ms(in_ns(60))) == (321, left)


@STEADY
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 400), st.booleans()), max_size=40), st.integers(0, 60))
def test_a_clock_that_is_taken_from_a_record_goes_on_as_the_one_that_wrote_it(
    decisions: list[tuple[int, int, bool]], refill: int
) -> None:
    terms = replace(TERMS, credit_refill_ms=refill)
    written, read = SeatClock(terms), SeatClock(terms)
    for used, round_trip, by_bot in decisions:
        charge = written.charge(0, in_ns(used), in_ns(round_trip), by_bot=by_bot)
        assert charge.bank_ms is not None
        read.restore(charge.bank_ms, charge.credit_ms, by_bot=by_bot)
        assert read.credit_ms(in_ns(999)) == written.credit_ms(in_ns(999))
        assert read.bank_ms == written.bank_ms
