"""Nobody is charged for the referee's own time, whatever stopped it: clocks, grace, joining, returning, broken connections."""

from dataclasses import replace

import pytest
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.rules import preset
from mergemaker_table import CLOCKS, Table, Terms
from mergemaker_table.asking import OWN_DELAYS_MAX
from mergemaker_table.clock import in_ns
from mergemaker_table.evidence import AtFault, HeldUp, evidence_in
from mergemaker_table.inputs import Answered, AnswerIndex, BarrierPassed, Handed, Joined, Left, TakenOver, Tick
from mergemaker_table.outputs import Ask, Barrier, DefaultTaken
from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup

START = 5_000_000_007
ALL_MS = 10_100
LONG_MS = 30_000
GRACE_MS = 60_000
STARTUP_MS = 30_000


def _begun(*, hand: bool = True) -> TableDriver:
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3, "fast")), [random_player] * 3, START)
    driver.start()
    if hand:
        driver.hand()
    return driver


def _stand_still(driver: TableDriver, for_ms: int = LONG_MS, *, breaks_for_ms: int = 0) -> None:
    """The referee stands still; it is the cause if connections break within this time after it."""
    driver.pass_ms(for_ms)
    before = driver.held_up
    driver.held_up = HeldUp(
        before.transport_ns + in_ns(for_ms),
        before.referee_ns + in_ns(for_ms),
        before.stood_ns + in_ns(for_ms),
        driver.now_ns,
        driver.now_ns + in_ns(breaks_for_ms) if breaks_for_ms else before.breaks_until_ns,
    )


def _first(driver: TableDriver) -> DecisionLine:
    return next(line for line in driver.opened() if isinstance(line, DecisionLine))


def _wake_ms(driver: TableDriver) -> float:
    wake = driver.table.wake_at_ns
    assert wake is not None
    return (wake - 1 - driver.now_ns) / in_ns(1)


# --- the clock of a bot that thinks ---


def test_while_the_referee_stands_still_no_clock_runs() -> None:
    driver = _begun()
    driver.pass_ms(1_000)
    _stand_still(driver)
    driver.pass_ms(500)
    driver.answer()
    line = _first(driver)
    assert (line.by, line.run["used_ms"], line.run["bank_ms"]) == (AnsweredBy.BOT, 1_500, 10_000 - 1_400)


def test_a_deadline_during_which_the_referee_stood_still_comes_so_much_later() -> None:
    driver = _begun()
    driver.pass_ms(ALL_MS - 5)
    _stand_still(driver)
    driver.pass_ms(5)
    assert driver.feed(Tick()) == ()
    assert driver.table.wake_at_ns == driver.now_ns + 1
    driver.pass_ms(1)
    assert driver.feed(Tick()) == (Barrier(driver.question.seat, 1),)


def test_a_referee_that_stands_still_again_and_again_takes_no_time_of_anybody() -> None:
    driver = _begun()
    for _ in range(ALL_MS // 100):
        driver.pass_ms(100)
        assert driver.feed(Tick()) == ()
        _stand_still(driver, 900)
        assert driver.feed(Tick()) == ()
    driver.answer()
    assert (_first(driver).by, _first(driver).run["used_ms"]) == (AnsweredBy.BOT, ALL_MS)


def test_a_barrier_under_way_counts_no_more_if_the_referee_stood_still_before_the_deadline() -> None:
    driver = _begun()
    asked = driver.question
    driver.pass_ms(ALL_MS + 1)
    assert driver.feed(Tick()) == (Barrier(asked.seat, 1),)
    # It had begun before the deadline, and was noticed late.
    driver.held_up = HeldUp(in_ns(200), 0, in_ns(200), driver.now_ns + in_ns(195))
    driver.pass_ms(195)
    assert driver.feed(BarrierPassed(asked.seat, 1)) == ()
    assert _wake_ms(driver) == 4


def test_what_the_referee_stood_behind_the_deadline_changes_nothing() -> None:
    driver = _begun()
    asked = driver.question
    driver.pass_ms(ALL_MS + 1)
    driver.feed(Tick())
    _stand_still(driver)
    assert any(isinstance(output, DefaultTaken) for output in driver.feed(BarrierPassed(asked.seat, 1)))
    assert (_first(driver).by, _first(driver).run["used_ms"]) == (AnsweredBy.TIMEOUT, ALL_MS)


def test_an_answer_that_came_before_the_referee_stood_still_is_charged_all_its_time() -> None:
    driver = _begun()
    driver.pass_ms(2_000)
    stamp = driver.now_ns
    _stand_still(driver)
    driver.feed(Answered(driver.question.seat, 1, AnswerIndex(0), None, stamp))
    assert _first(driver).run["used_ms"] == 2_000


def test_of_several_delays_between_two_looks_nobody_gains() -> None:
    driver = _begun()
    driver.pass_ms(1_000)
    stamp = driver.now_ns
    driver.pass_ms(3_000)
    # One delay of 1,000 ms was at some time before, the other ends now; the answer came before either.
    driver.held_up = HeldUp(0, in_ns(2_000), in_ns(2_000), driver.now_ns)
    driver.feed(Answered(driver.question.seat, 1, AnswerIndex(0), None, stamp))
    assert _first(driver).run["used_ms"] == 1_000


def test_what_the_referee_stood_before_the_question_went_out_is_not_given() -> None:
    driver = _begun(hand=False)
    _stand_still(driver)
    driver.hand()
    driver.answer(after_ns=in_ns(70))
    assert _first(driver).run["used_ms"] == 70


def test_a_referee_that_stood_still_when_the_question_had_gone_out_takes_no_time_of_its_bot() -> None:
    driver = _begun(hand=False)
    driver.pass_ms(10)
    handed = driver.now_ns
    _stand_still(driver)
    driver.feed(Handed(driver.question.seat, 1, handed + in_ns(20)))
    driver.pass_ms(50)
    driver.answer()
    assert _first(driver).run["used_ms"] == 50


def test_the_time_that_is_left_is_told_without_what_the_referee_stood() -> None:
    driver = _begun()
    driver.pass_ms(100)
    _stand_still(driver)
    driver.feed(Tick())
    snapshot = driver.table.snapshot(driver.question.seat, driver.now_ns)
    assert snapshot is not None
    assert snapshot.request is not None
    assert snapshot.request.time_left_ms == ALL_MS - 100


def test_evidence_says_for_how_long_the_clock_stood() -> None:
    driver = _begun()
    _stand_still(driver)
    driver.pass_ms(ALL_MS + 1)
    driver.feed(Tick())
    driver.feed(BarrierPassed(driver.question.seat, 1))
    evidence = evidence_in(_first(driver).run)
    assert evidence is not None
    assert (evidence.stood_us, evidence.transport_lag_us) == (LONG_MS * 1_000, LONG_MS * 1_000)


# --- bots that are away, or return ---


def test_whose_time_runs_without_a_connection_does_not_pay_for_the_referee() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(100)
    driver.feed(Left(seat, "fault of its own"))
    driver.pass_ms(1_000)
    _stand_still(driver)
    driver.pass_ms(1_000)
    assert isinstance(driver.feed(Joined(seat, "", driver.now_ns))[-2], Ask)
    assert driver.question.request.time_left_ms == ALL_MS - 2_100


def test_what_disk_and_referee_stood_at_the_same_time_is_left_out_once() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.feed(Left(seat))
    driver.pass_ms(100)
    _stand_still(driver, 1_000)
    driver.table.stood_still(in_ns(1_050), driver.now_ns)
    driver.feed(Joined(seat, "", driver.now_ns))
    driver.hand()
    driver.answer()
    assert _first(driver).run["used_ms"] == 50


def test_the_time_of_grace_stands_while_the_referee_does() -> None:
    driver = _begun()
    driver.crash()
    seat = driver.table.asked_seat
    assert seat is not None
    driver.pass_ms(GRACE_MS - 1_000)
    _stand_still(driver)
    driver.pass_ms(999)
    driver.feed(Joined(seat, "", driver.now_ns))
    assert driver.question.request.time_left_ms == ALL_MS
    driver.pass_ms(500)
    driver.hand()
    driver.answer(after_ns=in_ns(50))
    assert _first(driver).run["used_ms"] == 50


# --- joining ---


@pytest.mark.parametrize("mode", [DealMode.SERVER, DealMode.JOINT])
def test_time_to_join_stands_while_the_referee_does(mode: DealMode) -> None:
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3, "fast", mode)), [random_player] * 3, START)
    driver.open()
    driver.join(0, 1)
    driver.pass_ms(STARTUP_MS - 10)
    _stand_still(driver)
    driver.pass_ms(9)
    assert driver.feed(Tick()) == ()
    driver.join(2)
    assert not driver.incidents("never joined")


def test_where_connections_may_have_broken_all_have_the_time_of_grace_to_join() -> None:
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3, "fast")), [random_player] * 3, START)
    driver.open()
    driver.join(0, 1)
    driver.pass_ms(STARTUP_MS - 10)
    _stand_still(driver, breaks_for_ms=15_000)
    assert driver.feed(Tick()) == ()
    driver.pass_ms(GRACE_MS - 1)
    assert driver.feed(Tick()) == ()
    driver.pass_ms(1)
    driver.feed(Tick())
    assert [line.seat for line in driver.incidents("never joined")] == [2]


# --- connections that break because of it ---


@pytest.mark.parametrize("why", ["the client went", "left", "no-pong"])
def test_a_connection_that_breaks_after_the_referee_stood_still_is_the_referees_doing(why: str) -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS - 10)
    _stand_still(driver, breaks_for_ms=15_000)
    driver.feed(Left(seat, why))
    (gone,) = driver.incidents("disconnected")
    evidence = evidence_in(gone.run)
    assert evidence is not None
    assert (gone.why, evidence.verdict.at_fault, evidence.verdict.reason) == (
        "referee-held-up",
        AtFault.REFEREE,
        "referee-held-up",
    )
    driver.pass_ms(GRACE_MS - 1)
    assert driver.feed(Tick()) == ()
    driver.feed(Joined(seat, "", driver.now_ns))
    assert driver.question.request.time_left_ms == ALL_MS, "it has its whole time again"
    driver.hand()
    driver.answer(after_ns=in_ns(60))
    assert _first(driver).run["used_ms"] == 60


@pytest.mark.parametrize(("why", "after_ms"), [("unreadable", 0), ("taken-over", 0), ("the client went", 9_000)])
def test_other_breaks_are_what_they_were(why: str, after_ms: int) -> None:
    driver = _begun()
    seat = driver.question.seat
    _stand_still(driver, breaks_for_ms=9_000)
    driver.pass_ms(after_ms)
    driver.feed(Left(seat, why))
    (gone,) = driver.incidents("disconnected")
    evidence = evidence_in(gone.run)
    assert evidence is not None
    assert (gone.why, evidence.verdict.at_fault) == (why, AtFault.BOT)
    assert _wake_ms(driver) == ALL_MS - after_ms


def test_a_barrier_that_is_under_way_when_the_connection_breaks_takes_nothing_from_who_has_grace() -> None:
    driver = _begun()
    seat = driver.question.seat
    _stand_still(driver, breaks_for_ms=15_000)
    driver.pass_ms(ALL_MS + 1)
    assert driver.feed(Tick()) == (Barrier(seat, 1),)
    driver.feed(Left(seat, "the client went"))
    assert driver.feed(BarrierPassed(seat, 1)) == ()
    assert _wake_ms(driver) == GRACE_MS + ALL_MS


def test_who_comes_back_before_the_break_was_noticed_has_its_whole_time() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS - 10)
    _stand_still(driver, breaks_for_ms=15_000)
    driver.pass_ms(9)
    driver.feed(TakenOver(seat, "", driver.now_ns))
    assert driver.question.request.time_left_ms == ALL_MS
    assert driver.table.wake_at_ns is None, "its clock stands until it has the question"
    driver.hand()
    driver.answer(after_ns=in_ns(60))
    assert _first(driver).run["used_ms"] == 60


def test_nobody_gains_by_coming_back_again_and_again_because_the_referee_stood_still() -> None:
    driver = _begun()
    seat = driver.question.seat
    _stand_still(driver, breaks_for_ms=15_000)
    for _ in range(OWN_DELAYS_MAX + 3):
        driver.pass_ms(300)
        driver.feed(TakenOver(seat, "", driver.now_ns))
        driver.hand()
    driver.answer()
    assert _first(driver).run["used_ms"] == 3 * 300


def test_what_is_found_at_the_end_of_a_clock_without_a_bank_is_in_time() -> None:
    terms = Terms(replace(CLOCKS["fast"], bank_ms=0))
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3, terms)), [random_player] * 3, START)
    driver.start()
    driver.hand()
    driver.pass_ms(99)
    _stand_still(driver)
    driver.feed(Tick())
    driver.pass_ms(1)
    driver.answer()
    assert (_first(driver).by, _first(driver).run["used_ms"]) == (AnsweredBy.BOT, 100)
