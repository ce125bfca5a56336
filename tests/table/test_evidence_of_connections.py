"""The evidence if bots leave, return, or never come."""

import pytest
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_table import Table
from mergemaker_table.clock import in_ns
from mergemaker_table.evidence import AtFault, MomentKind, evidence_in
from mergemaker_table.inputs import (
    Answered,
    AnswerIndex,
    BarrierPassed,
    Handed,
    Joined,
    Left,
    Resign,
    Tick,
)
from mergemaker_table.outputs import DefaultTaken, Ended, Refused
from mergemaker_table.timeline import MOMENTS_MAX
from mergemaker_testkit.evidence_at_a_table import (
    ALL_MS,
    CLASSIC,
    OFF_THE_BOARD,
    START,
    begun,
    default_line,
    last_default,
    last_incident,
    moments_of,
    written_in,
)
from mergemaker_testkit.table_driver import MATCH, TableDriver, random_player, table_setup

ASKED, HANDED, RECEIVED, PARSED, JUDGED, DEADLINE, LEFT, BACK, DEFAULT, RESIGNED = MomentKind


def test_of_a_connection_that_goes_while_a_question_is_open() -> None:
    driver = begun()
    seat = driver.question.seat
    driver.pass_ms(20)
    driver.feed(Left(seat, "unreadable"))
    gone = written_in(last_incident(driver, "disconnected").run)
    assert (gone.verdict.at_fault, gone.verdict.reason) == (AtFault.BOT, "unreadable")
    assert moments_of(gone) == [(ASKED, 0), (HANDED, 3), (LEFT, 23)]
    driver.pass_ms(ALL_MS)
    driver.look_at_clock()
    told = last_default(driver)
    assert told.cause is AnsweredBy.DISCONNECTED
    assert told.evidence is not None
    assert (told.evidence.verdict.at_fault, told.evidence.verdict.reason) == (AtFault.BOT, "unreadable")
    assert moments_of(told.evidence) == [(ASKED, 0), (HANDED, 3), (LEFT, 23), (DEADLINE, 3 + ALL_MS), (DEFAULT, 23 + ALL_MS)]
    assert written_in(default_line(driver).run) == told.evidence


def test_of_a_connection_that_went_before_a_question_and_comes_back() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, "fast")), [random_player] * 3, START)
    driver.start()
    seat = driver.question.seat
    other = (seat + 1) % 3
    driver.feed(Left(other, "the client went"))
    gone = written_in(last_incident(driver, "disconnected").run)
    assert (gone.verdict.reason, gone.moments, gone.trace) == ("left", (), f"{MATCH}.{other}")
    driver.pass_ms(40)
    while driver.question.seat == seat:
        driver.hand()
        driver.asked, asked = None, driver.question
        driver.feed(Answered(seat, asked.request.decision_id, AnswerIndex(asked.request.default_index), None, driver.now_ns))
        if driver.asked is None:
            break
    driver.pass_ms(60)
    driver.feed(Joined(other, "t9c0d41e2aa17"))
    assert last_incident(driver, "joined").run["trace"] == "t9c0d41e2aa17"
    driver.hand()
    driver.pass_ms(ALL_MS)
    driver.feed(Tick())
    driver.feed(BarrierPassed(other, 1))
    told = last_default(driver)
    assert told.evidence is not None
    assert told.evidence.verdict.reason == "no-answer"
    assert moments_of(told.evidence)[:4] == [(LEFT, -40), (ASKED, 0), (BACK, 60), (HANDED, 60)]


def test_of_a_bot_that_gives_up() -> None:
    driver = begun()
    seat = driver.question.seat
    driver.pass_ms(9)
    stamp = driver.now_ns
    driver.pass_ms(1)
    driver.feed(Resign(seat, stamp))
    told = driver.of_kind(DefaultTaken)[0]
    assert (told.decision_id, told.cause) == (1, AnsweredBy.RESIGNED)
    assert told.evidence is not None
    assert (told.evidence.verdict.at_fault, told.evidence.verdict.reason) == (AtFault.BOT, "resigned")
    assert moments_of(told.evidence) == [(ASKED, 0), (HANDED, 3), (RESIGNED, 12), (JUDGED, 13), (DEFAULT, 13)]
    assert moments_of(written_in(last_incident(driver, "resigned").run)) == [
        (ASKED, 0),
        (HANDED, 3),
        (RESIGNED, 12),
        (JUDGED, 13),
    ]
    other = (seat + 2) % 3
    driver.feed(Resign(other))
    assert written_in(last_incident(driver, "resigned").run).trace == f"{MATCH}.{other}"


def test_of_a_seat_that_does_not_come() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, "fast")), [random_player] * 3, START)
    driver.open()
    driver.join(0, 1)
    driver.feed(Joined(2))
    driver.pass_ms(5)
    driver.feed(Left(2, "the client went"))
    assert driver.asked is not None  # all were there, so the match has begun
    driver = TableDriver(Table(table_setup(CLASSIC, 3, "fast")), [random_player] * 3, START)
    driver.open()
    driver.join(0, 1)
    driver.pass_ms(30_004)
    driver.feed(Tick())
    written = written_in(last_incident(driver, "never joined").run)
    assert (written.verdict.at_fault, written.verdict.reason) == (AtFault.BOT, "not-joined")
    assert "did not take its seat" in written.verdict.text
    assert moments_of(written) == [(ASKED, 0), (DEADLINE, 30_000), (JUDGED, 30_004)]


def test_of_a_match_to_which_nobody_comes() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 2, "fast")), [random_player] * 2, START)
    driver.open()
    driver.pass_ms(30_001)
    driver.feed(Tick())
    evidence = driver.of_kind(Ended)[0].evidence
    assert evidence is not None
    assert (evidence.verdict.at_fault, evidence.verdict.reason) == (AtFault.NOBODY, "nobody-came")


def test_of_a_bot_that_does_not_come_back_to_a_referee_that_was_gone() -> None:
    driver = begun()
    seat = driver.question.seat
    driver.crash()
    driver.join(*({0, 1, 2} - {seat}))
    driver.pass_ms(60_000 + ALL_MS + 1)
    driver.look_at_clock()
    told = last_default(driver)
    assert told.evidence is not None
    assert (told.cause, told.evidence.verdict.reason) == (AnsweredBy.DISCONNECTED, "not-back")
    assert "60000 ms of grace" in told.evidence.verdict.text


@pytest.mark.parametrize("why", ["fault", "referee-closing"])
def test_a_bot_whose_stream_the_referee_ends_has_grace_and_then_its_whole_time(why: str) -> None:
    driver = begun()
    seat = driver.question.seat
    driver.pass_ms(90)
    driver.feed(Left(seat, why))
    assert written_in(last_incident(driver, "disconnected").run).verdict.at_fault is AtFault.REFEREE
    driver.pass_ms(ALL_MS * 2)
    assert not driver.of_kind(DefaultTaken)
    driver.feed(Joined(seat))
    driver.hand()
    driver.answer(after_ns=in_ns(50))
    line = next(line for line in driver.opened() if isinstance(line, DecisionLine))
    assert (line.by, line.run["used_ms"], line.run["bank_ms"]) == (AnsweredBy.BOT, 50, 10_000)


def test_a_bot_whose_stream_the_referee_ended_is_not_waited_for_for_ever() -> None:
    driver = begun()
    driver.feed(Left(driver.question.seat, "fault"))
    driver.pass_ms(60_000 + ALL_MS)
    driver.look_at_clock()
    assert not driver.of_kind(DefaultTaken)
    driver.pass_ms(1)
    driver.look_at_clock()
    told = last_default(driver)
    assert told.evidence is not None
    assert told.evidence.verdict.reason == "not-back"


def test_a_bot_that_comes_and_goes_does_not_fill_the_record() -> None:
    driver = begun()
    seat = driver.question.seat
    for _ in range(100):
        driver.feed(Left(seat))
        driver.feed(Joined(seat))
    driver.feed(Answered(seat, 1, OFF_THE_BOARD, None, driver.now_ns))
    evidence = driver.of_kind(Refused)[-1].evidence
    assert evidence is not None
    assert len(evidence.moments) == MOMENTS_MAX + 3


def test_what_the_disk_took_while_the_clock_of_an_absent_bot_ran_is_told_and_the_numbers_add_up() -> None:
    driver = begun()
    driver.pass_ms(100)
    driver.feed(Left(driver.question.seat))
    driver.pass_ms(400)
    driver.table.stood_still(in_ns(250), driver.now_ns)
    driver.pass_ms(ALL_MS)
    driver.look_at_clock()
    line = default_line(driver)
    evidence = written_in(line.run)
    assert evidence.stood_us == 250_000
    deadline, handed = evidence.at_us(DEADLINE), evidence.at_us(HANDED)
    assert deadline is not None
    assert handed is not None
    assert line.run["used_ms"] == (deadline - handed - evidence.stood_us) // 1_000 == ALL_MS
    assert evidence_in({"evidence": evidence.plain()}) == evidence


def test_handing_again_is_told_but_runs_no_second_clock() -> None:
    driver = begun()
    seat = driver.question.seat
    driver.pass_ms(10)
    driver.feed(Left(seat))
    driver.feed(Joined(seat))
    driver.feed(Handed(seat, 1, driver.now_ns))
    driver.feed(Answered(seat, 1, OFF_THE_BOARD, None, driver.now_ns))
    evidence = driver.of_kind(Refused)[-1].evidence
    assert evidence is not None
    assert moments_of(evidence)[:5] == [(ASKED, 0), (HANDED, 3), (LEFT, 13), (BACK, 13), (HANDED, 13)]
