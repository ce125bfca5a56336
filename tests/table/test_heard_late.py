"""Bots that return while the referee stands still: nobody is charged until they are noticed and asked again."""

import pytest
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.rules import preset
from mergemaker_table import Table
from mergemaker_table.asking import OWN_DELAY_NS, OWN_DELAYS_MAX
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import BarrierPassed, FollowedUp, Joined, Left, TakenOver, Tick
from mergemaker_table.outputs import Ask, Barrier, DefaultTaken
from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup

ALL_MS = 10_100
HELD_UP_MS = 260


def _begun() -> TableDriver:
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3, "fast")), [random_player] * 3, 5_000_000_007)
    driver.start()
    driver.hand()
    return driver


def _first(driver: TableDriver) -> DecisionLine:
    return next(line for line in driver.opened() if isinstance(line, DecisionLine))


@pytest.mark.parametrize(("late_ms", "by"), [(0, AnsweredBy.BOT), (1, AnsweredBy.DISCONNECTED)])
def test_who_came_back_in_time_and_is_heard_while_a_barrier_is_under_way_is_asked_again(late_ms: int, by: AnsweredBy) -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.feed(Left(seat))
    driver.pass_ms(ALL_MS + late_ms)
    came = driver.now_ns
    driver.pass_ms(HELD_UP_MS)
    assert driver.feed(Tick()) == (Barrier(seat, 1),)
    before = driver.question
    driver.feed(Joined(seat, "", came))
    driver.feed(BarrierPassed(seat, 1))
    if driver.question is not before:
        driver.hand()
        driver.answer()
    assert (_first(driver).by, _first(driver).run["used_ms"]) == (by, ALL_MS)


@pytest.mark.parametrize("coming", [Joined, TakenOver])
def test_whoever_was_heard_late_when_he_came_has_that_time_again(coming: type[Joined | TakenOver]) -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(1_000)
    if coming is Joined:
        driver.feed(Left(seat))
    driver.pass_ms(500)
    came = driver.now_ns
    driver.pass_ms(HELD_UP_MS)
    driver.feed(coming(seat, "", came))
    assert driver.question.request.time_left_ms == ALL_MS - 1_500
    driver.hand()
    driver.answer()
    assert _first(driver).run["used_ms"] == 1_500


def test_what_the_disk_took_while_somebody_was_not_heard_is_not_given_twice() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.feed(Left(seat))
    driver.pass_ms(1_000)
    came = driver.now_ns
    driver.pass_ms(HELD_UP_MS)
    driver.table.stood_still(in_ns(HELD_UP_MS + 300), driver.now_ns)
    driver.pass_ms(15)
    driver.feed(Joined(seat, "", came))
    driver.hand()
    driver.answer()
    assert _first(driver).run["used_ms"] == 1_000 - 300


def test_two_who_came_while_nobody_was_heard_have_that_time_once() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(1_000)
    came = driver.now_ns
    driver.pass_ms(HELD_UP_MS)
    driver.feed(TakenOver(seat, "", came))
    driver.feed(TakenOver(seat, "", came + in_ns(50)))
    driver.hand()
    driver.answer()
    assert _first(driver).run["used_ms"] == 1_000


def test_a_question_that_is_put_again_and_reaches_the_transport_late_takes_nobodys_time() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS - 100)
    driver.feed(TakenOver(seat, "", driver.now_ns))
    driver.pass_ms(HELD_UP_MS)
    assert driver.feed(Tick()) == (Barrier(seat, 1),)
    assert driver.feed(FollowedUp(seat, 1)) == ()
    assert driver.feed(BarrierPassed(seat, 1)) == ()
    driver.hand()
    driver.answer(after_ns=in_ns(100))
    assert _first(driver).run["used_ms"] == ALL_MS


def test_nobody_gains_by_coming_back_again_and_again() -> None:
    driver = _begun()
    seat = driver.question.seat
    for held_up_ms in (*[OWN_DELAY_NS // in_ns(1)] * 100, *[HELD_UP_MS] * (OWN_DELAYS_MAX + 3)):
        came = driver.now_ns
        driver.pass_ms(held_up_ms)
        driver.feed(TakenOver(seat, "", came))
    driver.hand()
    driver.answer()
    assert _first(driver).run["used_ms"] == 100 * OWN_DELAY_NS // in_ns(1) + 3 * HELD_UP_MS


def test_who_came_in_time_and_was_heard_when_it_was_up_is_asked_again_and_the_barrier_of_before_counts_no_more() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS - 100)
    came = driver.now_ns
    driver.pass_ms(HELD_UP_MS)
    assert driver.feed(Tick()) == (Barrier(seat, 1),)
    batch = driver.feed(TakenOver(seat, "", came))
    assert isinstance(batch[-2], Ask)
    assert batch[-2].request.time_left_ms == 100
    assert driver.feed(BarrierPassed(seat, 1)) == ()
    driver.hand()
    driver.pass_ms(101)
    assert driver.feed(Tick()) == (Barrier(seat, 1, 2),)
    assert driver.feed(BarrierPassed(seat, 1)) == ()
    assert any(isinstance(output, DefaultTaken) for output in driver.feed(BarrierPassed(seat, 1, 2)))
    assert _first(driver).run["used_ms"] == ALL_MS


def test_who_came_before_the_time_of_grace_was_over_and_was_heard_later_has_all_his_time() -> None:
    driver = _begun()
    seat = driver.question.seat
    grace_ms = driver.table.setup.terms.faults.recovery_grace_ms
    driver.feed(Left(seat, "fault"))
    driver.pass_ms(grace_ms - 1)
    came = driver.now_ns
    driver.pass_ms(HELD_UP_MS)
    driver.feed(Joined(seat, "", came))
    driver.pass_ms(1_000)
    driver.hand()
    driver.answer(after_ns=in_ns(50))
    assert _first(driver).run["used_ms"] == 50
