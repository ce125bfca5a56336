"""The running clock: from hand-over to stamp, barriers, connections that break and return, credit, late answers."""

from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Status
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import ClockTerms, Table, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.desk import CONNECTION_LINES_MAX
from mergemaker_table.inputs import (
    Answered,
    AnswerIndex,
    BarrierPassed,
    Handed,
    Joined,
    Left,
    Resign,
    RoundTrip,
    TakenOver,
    Tick,
)
from mergemaker_table.outputs import Accepted, Ask, Barrier, DefaultTaken, FollowUp, Output, Refused
from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup

CLASSIC = preset("renegade-classic")
ALL_MS = 10_100
START = 5_000_000_007


def _begun(clock: str | Terms = "fast", *, hand: bool = True) -> TableDriver:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, clock)), [random_player] * 3, START)
    driver.start()
    if hand:
        driver.hand()
    return driver


def _kinds(batch: tuple[Output, ...]) -> list[type]:
    return [type(output) for output in batch]


def _first(driver: TableDriver) -> DecisionLine:
    return next(line for line in driver.opened() if isinstance(line, DecisionLine))


def test_the_clock_stands_until_the_request_is_handed_over() -> None:
    driver = _begun(hand=False)
    assert driver.table.wake_at_ns is None
    driver.pass_ms(3_600_000)
    assert driver.feed(Tick()) == ()
    driver.hand()
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(ALL_MS) + 1
    driver.answer(after_ns=in_ns(50))
    assert _first(driver).run["used_ms"] == 50


def test_a_stall_of_the_referee_is_nobodys_time() -> None:
    driver = _begun()
    asked = driver.question
    stamp = driver.now_ns + in_ns(30)
    driver.pass_ms(200)
    driver.feed(Answered(asked.seat, 1, AnswerIndex(0), None, stamp))
    assert (_first(driver).run["used_ms"], _first(driver).run["bank_ms"]) == (30, 10_000)


def test_a_second_handing_does_not_start_the_clock_anew() -> None:
    driver = _begun()
    wake = driver.table.wake_at_ns
    driver.pass_ms(40)
    driver.hand()
    driver.feed(Handed(driver.question.seat, 7, driver.now_ns))
    assert driver.table.wake_at_ns == wake


def test_an_answer_at_the_deadline_counts_even_if_it_comes_in_later() -> None:
    driver = _begun()
    asked, deadline = driver.question, START + in_ns(ALL_MS)
    driver.now_ns = deadline + 500
    assert _kinds(driver.feed(Tick())) == [Barrier]
    batch = driver.feed(Answered(asked.seat, 1, AnswerIndex(0), None, deadline))
    assert Accepted(asked.seat, 1) in batch
    assert (_first(driver).by, _first(driver).run["used_ms"], _first(driver).run["bank_ms"]) == (AnsweredBy.BOT, ALL_MS, 0)
    assert driver.feed(BarrierPassed(asked.seat, 1)) == ()


def test_an_answer_that_is_late_by_a_nanosecond_is_refused_and_written_with_its_overrun() -> None:
    driver = _begun()
    asked, deadline = driver.question, START + in_ns(ALL_MS)
    driver.now_ns = deadline + 1
    batch = driver.feed(Answered(asked.seat, 1, AnswerIndex(0), None, deadline + 1))
    refused = next(output for output in batch if isinstance(output, Refused))
    assert (refused.refusal.reason, refused.overrun_ms, refused.refusals_left) == ("too-late", 1, None)
    assert batch[-1] == Barrier(asked.seat, 1)
    late = driver.incidents("late")
    assert [(line.seat, line.run["id"], line.run["overrun_ms"]) for line in late] == [(asked.seat, 1, 1)]
    driver.feed(BarrierPassed(asked.seat, 1))
    assert (_first(driver).by, _first(driver).run["used_ms"], _first(driver).run["bank_ms"]) == (AnsweredBy.TIMEOUT, ALL_MS, 0)


def test_a_late_answer_is_written_once_however_often_it_comes() -> None:
    driver = _begun()
    asked = driver.question
    driver.pass_ms(ALL_MS + 5)
    for _ in range(4):
        driver.feed(Answered(asked.seat, 1, AnswerIndex(0), None, driver.now_ns))
    driver.feed(BarrierPassed(asked.seat, 1))
    driver.pass_ms(70)
    batch = driver.feed(Answered(asked.seat, 1, AnswerIndex(0), None, driver.now_ns))
    assert [(output.refusal.reason, output.overrun_ms) for output in batch if isinstance(output, Refused)] == [("too-late", 75)]
    assert len(driver.incidents("late")) == 1


def test_a_barrier_is_sent_once_behind_the_deadline_and_then_the_default_is_taken() -> None:
    driver = _begun()
    asked = driver.question
    driver.now_ns = START + in_ns(ALL_MS)
    assert driver.feed(Tick()) == ()
    assert driver.table.wake_at_ns == driver.now_ns + 1
    driver.now_ns += 1
    assert driver.feed(Tick()) == (Barrier(asked.seat, 1),)
    assert driver.table.wake_at_ns is None
    assert driver.feed(Tick()) == ()
    assert driver.feed(BarrierPassed(asked.seat, 2)) == ()
    assert driver.feed(BarrierPassed((asked.seat + 1) % 3, 1)) == ()
    batch = driver.feed(BarrierPassed(asked.seat, 1))
    taken = next(output for output in batch if isinstance(output, DefaultTaken))
    assert (taken.cause, taken.decision_id) == (AnsweredBy.TIMEOUT, 1)
    assert "10100 ms" in taken.text


def test_a_barrier_that_was_not_sent_does_not_end_anybodys_time() -> None:
    driver = _begun()
    assert driver.feed(BarrierPassed(driver.question.seat, 1)) == ()


def test_an_input_behind_the_deadline_brings_the_barrier_as_a_tick_does() -> None:
    driver = _begun()
    driver.pass_ms(ALL_MS + 1)
    assert Barrier(driver.question.seat, 1) in driver.feed(RoundTrip(driver.question.seat, 5))


def test_the_second_decision_has_what_the_bank_has_left() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.answer(after_ns=in_ns(1_100))
    assert _first(driver).run["bank_ms"] == 9_000
    while driver.question.seat != seat or driver.question.request.decision_id == 1:
        driver.hand()
        driver.answer()
    assert (driver.question.request.time_left_ms, driver.question.request.bank_ms) == (9_100, 9_000)


def test_an_increment_is_for_answers_of_the_bot_alone() -> None:
    clock = Terms(ClockTerms(name="plus", allowance_ms=0, bank_ms=1_000, increment_ms=300))
    driver = _begun(clock)
    driver.answer(after_ns=in_ns(400))
    assert _first(driver).run["bank_ms"] == 900
    other = _begun(clock)
    other.pass_ms(1_001)
    other.feed(Tick())
    other.feed(BarrierPassed(other.question.seat, 1))
    assert (_first(other).by, _first(other).run["bank_ms"]) == (AnsweredBy.TIMEOUT, 0)


def test_without_a_clock_there_is_no_limit() -> None:
    driver = _begun("none")
    assert driver.question.request.time_left_ms is driver.question.request.bank_ms is None
    driver.pass_ms(10**9)
    assert driver.feed(Tick()) == ()
    assert driver.table.wake_at_ns is None
    driver.answer()
    assert dict(_first(driver).run).keys() == {"at_ms", "used_ms"}


# --- connections ---


def test_a_seat_without_a_connection_is_not_asked_and_its_time_runs_from_the_question() -> None:
    driver = _begun()
    seat = driver.question.seat
    others = [number for number in range(3) if number != seat]
    for number in others:
        driver.feed(Left(number, "gone"))
    while True:
        asked = driver.question
        driver.pass_ms(5)
        batch = driver.answer()
        if driver.question is asked:
            break
        driver.hand()
    assert not any(isinstance(output, Ask) for output in batch)
    assert all(driver.of_kind(Ask, number) == [] for number in others)
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(ALL_MS) + 1


def test_time_runs_on_when_the_connection_goes_and_whoever_has_come_back_in_time_is_looked_for() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(60)
    driver.feed(Left(seat, "reset"))
    assert driver.incidents("disconnected")[0].why == "reset"
    assert driver.table.wake_at_ns == START + in_ns(ALL_MS) + 1
    driver.now_ns = START + in_ns(ALL_MS) + 1
    assert driver.feed(Tick()) == (Barrier(seat, 1),)
    assert driver.table.wake_at_ns is None
    driver.feed(BarrierPassed(seat, 1))
    line = _first(driver)
    assert (line.by, line.run["used_ms"], line.run["bank_ms"]) == (AnsweredBy.DISCONNECTED, ALL_MS, 0)


def test_time_runs_from_the_loss_if_the_request_was_not_handed_over() -> None:
    driver = _begun(hand=False)
    driver.pass_ms(77)
    driver.feed(Left(driver.question.seat))
    assert driver.incidents("disconnected")[0].why is None
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(ALL_MS) + 1
    wake = driver.table.wake_at_ns
    driver.hand()
    driver.feed(Left(driver.question.seat))
    assert driver.table.wake_at_ns == wake
    assert len(driver.incidents("disconnected")) == 1


def test_who_comes_back_is_asked_the_same_again_with_the_time_left_now() -> None:
    driver = _begun()
    asked = driver.question
    driver.pass_ms(60)
    driver.feed(Left(asked.seat))
    driver.pass_ms(40)
    wake = driver.table.wake_at_ns
    driver.feed(Joined(asked.seat))
    again = driver.question
    assert again is not asked
    assert (again.request.decision_id, again.request.time_left_ms) == (1, ALL_MS - 100)
    assert (again.request.view, again.request.answers) == (asked.request.view, asked.request.answers)
    driver.pass_ms(100)
    driver.hand()
    assert driver.table.wake_at_ns == wake
    driver.answer()
    assert _first(driver).run["used_ms"] == 200


def test_who_takes_a_seat_over_is_asked_again_and_time_runs_on() -> None:
    driver = _begun()
    asked = driver.question
    driver.pass_ms(1_000)
    batch = driver.feed(TakenOver(asked.seat))
    assert driver.incidents("taken over")[0].seat == asked.seat
    assert batch[-1] == FollowUp(asked.seat, 1)
    assert isinstance(batch[-2], Ask)
    assert batch[-2].request.time_left_ms == ALL_MS - 1_000


def test_who_comes_back_when_time_is_up_is_not_asked_again() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS + 1)
    batch = driver.feed(TakenOver(seat))
    assert not any(isinstance(output, Ask) for output in batch)
    assert batch[-1] == Barrier(seat, 1)


def test_who_goes_while_a_barrier_is_under_way_was_disconnected() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS + 1)
    driver.feed(Tick())
    driver.feed(Left(seat))
    driver.feed(BarrierPassed(seat, 1))
    assert _first(driver).by is AnsweredBy.DISCONNECTED


def test_somebody_elses_coming_and_going_changes_nothing_for_the_seat_that_thinks() -> None:
    driver = _begun()
    seat = driver.question.seat
    other = (seat + 1) % 3
    wake = driver.table.wake_at_ns
    for given in (Left(other), Joined(other), TakenOver(other), RoundTrip(other, 5), Left(other), Resign(other)):
        assert not any(isinstance(output, Ask) for output in driver.feed(given))
    assert driver.table.wake_at_ns == wake
    assert driver.table.connected == tuple(number != other for number in range(3))


def test_all_gone_means_defaults_and_autopilot_and_an_end() -> None:
    driver = _begun()
    for seat in range(3):
        driver.feed(Left(seat))
    driver.asked = None
    ended = driver.play_on()
    assert [standing.status for standing in ended.standings] == [Status.AUTOPILOT] * 3
    assert all(standing.faults[AnsweredBy.DISCONNECTED] == 5 for standing in ended.standings)
    verify(driver.lines)


def test_a_storm_of_connections_does_not_fill_the_record() -> None:
    driver = _begun()
    for _ in range(CONNECTION_LINES_MAX):
        driver.feed(Left(0))
        driver.feed(Joined(0))
    assert len([line for line in driver.lines if b'"seat":0,"' in line and b'"kind":"incident"' in line]) == CONNECTION_LINES_MAX
    driver.play_on()
    verify(driver.lines)


# --- credit ---


def test_the_round_trip_is_credited_beyond_the_allowance() -> None:
    driver = _begun(hand=False)
    seat = driver.question.seat
    driver.feed(RoundTrip(seat, in_ns(150)))
    driver.hand()
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(ALL_MS + 150) + 1
    driver.answer(after_ns=in_ns(180))
    assert (_first(driver).run["used_ms"], _first(driver).run["bank_ms"], _first(driver).run["credit_ms"]) == (180, 10_000, 80)


def test_credit_is_what_was_measured_before_the_clock_began_to_run() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.feed(RoundTrip(seat, in_ns(20)))
    driver.feed(RoundTrip(seat, in_ns(240)))
    driver.answer(after_ns=in_ns(180))
    assert _first(driver).run["bank_ms"] == 10_000 - 60


def test_the_first_measurement_counts_for_the_clock_that_runs_if_there_is_still_time() -> None:
    driver = _begun()
    handed = driver.now_ns
    driver.pass_ms(ALL_MS)
    driver.feed(RoundTrip(driver.question.seat, in_ns(40)))
    assert driver.table.wake_at_ns == handed + in_ns(ALL_MS + 40) + 1
    driver.answer(after_ns=in_ns(40))
    assert _first(driver).by is AnsweredBy.BOT
    assert (_first(driver).run["used_ms"], _first(driver).run["bank_ms"], _first(driver).run["credit_ms"]) == (ALL_MS + 40, 0, 40)


def test_what_is_measured_when_time_is_up_gives_none_back() -> None:
    driver = _begun()
    driver.pass_ms(ALL_MS + 1)
    seat = driver.question.seat
    assert Barrier(seat, 1) in driver.feed(RoundTrip(seat, in_ns(40)))
    driver.feed(BarrierPassed(seat, 1))
    assert _first(driver).by is AnsweredBy.TIMEOUT


def test_a_round_trip_below_zero_is_none() -> None:
    driver = _begun(hand=False)
    driver.feed(RoundTrip(driver.question.seat, -5))
    driver.hand()
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(ALL_MS) + 1


def test_the_time_that_is_told_holds_no_credit() -> None:
    driver = _begun(hand=False)
    seat = driver.question.seat
    driver.feed(RoundTrip(seat, in_ns(150)))
    driver.hand()
    driver.pass_ms(ALL_MS + 10)
    driver.feed(TakenOver(seat))
    assert driver.question.request.time_left_ms == 0
