"""Each fault has a timeline that names whose fault it was: in the record, for the bot, and again at the end."""

from collections.abc import Callable

import pytest
from mergemaker_engine.actions import Place
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.record.verifying import verify
from mergemaker_table import CLOCKS, ClockTerms, FaultTerms, Table, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.evidence import AtFault, Evidence, HeldUp, Moment, MomentKind, evidence_in
from mergemaker_table.inputs import (
    Answer,
    Answered,
    AnswerIndex,
    BarrierPassed,
    Resign,
    RoundTrip,
    Void,
)
from mergemaker_table.outputs import DefaultTaken, Ended, Refused
from mergemaker_testkit.evidence_at_a_table import (
    ALL_MS,
    CLASSIC,
    NO_CHOICE,
    OFF_THE_BOARD,
    START,
    begun,
    default_line,
    last_default,
    last_incident,
    moments_of,
    time_out,
    written_in,
)
from mergemaker_testkit.table_driver import MATCH, TableDriver, random_player, silent_player, table_setup

ASKED, HANDED, RECEIVED, PARSED, JUDGED, DEADLINE, LEFT, BACK, DEFAULT, RESIGNED = MomentKind


def test_of_no_answer() -> None:
    driver = begun()
    seat = driver.question.seat
    time_out(driver)
    told = last_default(driver)
    evidence = told.evidence
    assert evidence is not None
    assert (evidence.verdict.at_fault, evidence.verdict.reason) == (AtFault.BOT, "no-answer")
    assert f"{ALL_MS} ms" in evidence.verdict.text
    assert evidence.trace == f"{MATCH}.{seat}.1"
    assert moments_of(evidence) == [(ASKED, 0), (HANDED, 3), (DEADLINE, 3 + ALL_MS), (DEFAULT, 3 + ALL_MS + 8)]
    assert (evidence.bank_ms, evidence.round_trip_us, evidence.transport_lag_us, evidence.referee_lag_us) == (10_000, None, 0, 0)
    line = default_line(driver)
    assert (line.by, line.run["why"], written_in(line.run)) == (AnsweredBy.TIMEOUT, told.text, evidence)
    # The charge is the time between them.
    assert line.run["used_ms"] == ALL_MS


@pytest.mark.parametrize(("answer", "by"), [(OFF_THE_BOARD, AnsweredBy.ILLEGAL), (NO_CHOICE, AnsweredBy.PROTOCOL)])
def test_of_wrong_answers(answer: Answer, by: AnsweredBy) -> None:
    driver = begun()
    seat = driver.question.seat
    for number in range(1, 4):
        driver.pass_ms(10)
        stamp = driver.now_ns
        driver.pass_ms(2)
        parsed = driver.now_ns
        driver.pass_ms(1)
        driver.feed(Answered(seat, 1, answer, None, stamp, parsed))
        refused = driver.of_kind(Refused)[-1]
        came = 3 + (number - 1) * 13 + 10
        assert refused.evidence is not None
        verdict = refused.evidence.verdict
        assert (verdict.at_fault, verdict.reason, refused.refusal.trace) == (AtFault.BOT, "refused", f"{MATCH}.{seat}.1")
        assert refused.refusal.text in verdict.text
        assert f"{came - 3} ms after" in verdict.text
        expected = [(ASKED, 0), (HANDED, 3), (RECEIVED, came), (PARSED, came + 2), (JUDGED, came + 3)]
        assert moments_of(refused.evidence) == expected
        assert written_in(driver.incidents("rejected")[-1].run) == refused.evidence
    told = last_default(driver)
    assert told.evidence is not None
    assert (told.cause, told.evidence.verdict.reason) == (by, "refused")
    assert moments_of(told.evidence) == [*expected, (DEFAULT, 42)]
    line = default_line(driver)
    assert written_in(line.run) == told.evidence
    assert line.run["used_ms"] == 36 == (told.evidence.at_us(RECEIVED) or 0) // 1_000 - 3


def test_of_an_answer_that_comes_too_late_and_again() -> None:
    driver = begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS + 30)
    driver.feed(Answered(seat, 1, AnswerIndex(0), None, driver.now_ns - in_ns(5)))
    first = driver.of_kind(Refused)[-1].evidence
    assert first is not None
    assert (first.verdict.at_fault, first.verdict.reason) == (AtFault.BOT, "late")
    assert "25 ms after" in first.verdict.text
    late = [(DEADLINE, 3 + ALL_MS), (RECEIVED, 3 + ALL_MS + 25), (PARSED, 3 + ALL_MS + 25), (JUDGED, 3 + ALL_MS + 30)]
    assert moments_of(first) == [(ASKED, 0), (HANDED, 3), *late]
    assert written_in(last_incident(driver, "late").run) == first
    driver.feed(BarrierPassed(seat, 1))
    driver.pass_ms(10)
    driver.feed(Answered(seat, 1, AnswerIndex(0), None, driver.now_ns))
    again = driver.of_kind(Refused)[-1].evidence
    assert again is not None
    ends = [(DEFAULT, 3 + ALL_MS + 30), (RECEIVED, 3 + ALL_MS + 40), (PARSED, 3 + ALL_MS + 40), (JUDGED, 3 + ALL_MS + 40)]
    assert moments_of(again) == [(ASKED, 0), (HANDED, 3), (DEADLINE, 3 + ALL_MS), *ends]


@pytest.mark.parametrize(("overrun_ms", "at_fault", "reason"), [(50, AtFault.NETWORK, "long-way"), (51, AtFault.BOT, "late")])
def test_a_way_that_is_longer_than_what_is_credited_is_told_apart(overrun_ms: int, at_fault: AtFault, reason: str) -> None:
    clock = ClockTerms(
        name="test", allowance_ms=100, bank_ms=1_000, startup_ms=1_000, credit_decision_ms_max=40, credit_match_ms_max=40
    )
    driver = TableDriver(Table(table_setup(CLASSIC, 3, Terms(clock))), [random_player] * 3, START)
    driver.start()
    seat = driver.question.seat
    driver.feed(RoundTrip(seat, in_ns(90)))
    driver.hand()
    driver.pass_ms(1_140 + overrun_ms)
    driver.feed(Answered(seat, 1, AnswerIndex(0), None, driver.now_ns))
    evidence = driver.of_kind(Refused)[-1].evidence
    assert evidence is not None
    assert (evidence.verdict.at_fault, evidence.verdict.reason, evidence.round_trip_us) == (at_fault, reason, 90_000)


def test_of_a_seat_that_is_no_longer_asked() -> None:
    terms = Terms(CLOCKS["fast"], FaultTerms(defaults_max=2))
    driver = TableDriver(Table(table_setup(CLASSIC, 3, terms)), [silent_player, random_player, random_player], START)
    driver.play()
    written = written_in(last_incident(driver, "autopilot").run)
    assert (written.verdict.at_fault, written.verdict.reason) == (AtFault.BOT, "defaults")
    assert "2 defaults" in written.verdict.text
    assert [moment.kind for moment in written.moments] == [ASKED, HANDED, DEADLINE, DEFAULT]
    told = [each for each in driver.of_kind(DefaultTaken, 0) if each.decision_id is None]
    # It learns once why it gets no more questions.
    assert told[0].evidence == written
    assert len(told) > 5
    assert all(each.evidence is None for each in told[1:])


@pytest.mark.parametrize(
    ("given", "at_fault", "reason"),
    [
        (Void("a fault of the referee: KeyError"), AtFault.REFEREE, "fault"),
        (Void("cancelled by the operator", AtFault.NOBODY, "cancelled"), AtFault.NOBODY, "cancelled"),
    ],
)
def test_of_a_match_that_is_voided_and_no_bot_is_named(given: Void, at_fault: AtFault, reason: str) -> None:
    driver = begun()
    driver.pass_ms(4)
    driver.feed(given)
    ended = driver.of_kind(Ended)[0]
    assert ended.evidence is not None
    assert (ended.evidence.verdict.at_fault, ended.evidence.verdict.reason) == (at_fault, reason)
    # Everybody receives it, so a seat's own questions are in the record alone.
    assert (ended.evidence.moments, ended.evidence.trace) == ((), MATCH)
    written = written_in(last_incident(driver, "voided").run)
    assert moments_of(written) == [(ASKED, 0), (HANDED, 3)]
    assert all(not standing.faults for standing in ended.standings)


def _answer_in(driver: TableDriver) -> None:
    driver.pass_ms(30)
    stamp = driver.now_ns
    driver.held_up = HeldUp(in_ns(15), in_ns(1_205))
    driver.pass_ms(200)
    driver.feed(Answered(driver.question.seat, 1, AnswerIndex(0), None, stamp))


def _answer_wrongly(driver: TableDriver) -> None:
    driver.pass_ms(30)
    stamp = driver.now_ns
    driver.held_up = HeldUp(in_ns(15), in_ns(1_205))
    driver.pass_ms(200)
    driver.feed(Answered(driver.question.seat, 1, OFF_THE_BOARD, None, stamp))


def test_a_referee_that_is_held_up_is_seen_and_charges_nobody() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, "fast")), [random_player] * 3, START)
    driver.held_up = HeldUp(in_ns(7), in_ns(1_000))  # before the match
    driver.start()
    driver.hand()
    _answer_in(driver)
    run = next(line for line in driver.opened() if isinstance(line, DecisionLine)).run
    assert (run["used_ms"], run["bank_ms"]) == (30, 10_000)
    assert (run["transport_lag_ms"], run["referee_lag_ms"]) == (8, 205)


def test_a_fault_says_for_how_long_the_referee_was_held_up() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, "fast")), [random_player] * 3, START)
    driver.held_up = HeldUp(in_ns(7), in_ns(1_000))
    driver.start()
    driver.hand()
    _answer_wrongly(driver)
    evidence = driver.of_kind(Refused)[-1].evidence
    assert evidence is not None
    assert (evidence.transport_lag_us, evidence.referee_lag_us) == (8_000, 205_000)
    assert moments_of(evidence)[2:] == [(RECEIVED, 30), (PARSED, 30), (JUDGED, 230)]


@pytest.mark.parametrize("crashes", [False, True])
def test_a_bot_is_told_all_its_defaults_again_at_the_end_also_by_another_referee(*, crashes: bool) -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, "fast")), [random_player, silent_player, random_player], START)
    driver.start()
    while len(driver.of_kind(DefaultTaken, 1)) < 3:
        driver.step()
    if crashes:
        driver.crash()
        driver.join()
    ended = driver.play_on()
    told = [each for each in driver.of_kind(DefaultTaken, 1) if each.decision_id is not None]
    assert len(told) == 5
    assert ended.defaults == ((), tuple(told), ())
    verify(driver.lines)


def test_who_resigned_over_a_question_is_told_that_again_also_by_another_referee() -> None:
    driver = begun()
    seat = driver.question.seat
    driver.feed(Resign(seat))
    driver.asked = None
    told = driver.of_kind(DefaultTaken, seat)[0]
    driver.crash()
    driver.join()
    assert driver.play_on().defaults[seat] == (told,)


def test_what_is_not_open_has_no_timeline_but_a_name() -> None:
    driver = begun()
    seat = driver.question.seat
    for number in (7, 1):
        driver.feed(Answered((seat + 1) % 3, number, AnswerIndex(0), None, driver.now_ns))
        refused = driver.of_kind(Refused)[-1]
        assert (refused.refusal.reason, refused.evidence, refused.refusal.trace) == (
            "not-asked",
            None,
            f"{MATCH}.{(seat + 1) % 3}.{number}",
        )


_GOOD: dict[str, object] = {
    "fault": "bot",
    "reason": "late",
    "text": "…",
    "trace": "m.0.1",
    "moments": [["asked", 0], ["handed", 12]],
    "transport_lag_us": 0,
    "referee_lag_us": 3,
}


def _changed(**members: object) -> Callable[[], Evidence | None]:
    return lambda: evidence_in({"evidence": {**_GOOD, **members}})


def test_evidence_of_a_record_that_anybody_may_have_written_is_read_as_far_as_it_goes() -> None:
    good = evidence_in({"evidence": _GOOD})
    assert good is not None
    assert good.plain() == _GOOD
    runs: list[dict[str, object]] = [
        {},
        {"evidence": None},
        {"evidence": 7},
        {"evidence": []},
        {"evidence": {}},
        {"evidence": {"fault": "me"}},
    ]
    assert [evidence_in(run) for run in runs] == [None] * len(runs)
    faults: list[object] = [7, None, [], {}]
    assert [_changed(fault=fault)() for fault in faults] == [None] * len(faults)
    for moments in (7, None, "asked", [7, None, [], ["asked"], ["asked", "x"], ["asked", True], ["never", 1], ["asked", 1, 2]]):
        read = _changed(moments=moments)()
        assert read is not None
        assert read.moments == ()
    mixed = _changed(moments=[["handed", -3], 7], text=7, reason=None, trace=[], referee_lag_us=-1, transport_lag_us="x")()
    assert mixed is not None
    assert mixed.moments == (Moment(HANDED, -3),)
    assert (mixed.verdict.text, mixed.verdict.reason, mixed.trace) == ("", "", "")
    assert (mixed.transport_lag_us, mixed.referee_lag_us) == (0, 0)


def test_evidence_changes_nothing_of_the_play() -> None:
    """The chain `game` of a match with faults is the same as without any evidence."""
    games = set()
    for delay_ms in (0, 5):
        driver = begun(hand_after_ms=delay_ms)
        driver.feed(Answered(driver.question.seat, 1, Place(0), None, driver.now_ns))
        driver.feed(Answered(driver.question.seat, 1, OFF_THE_BOARD, None, driver.now_ns))
        driver.feed(Answered(driver.question.seat, 1, NO_CHOICE, None, driver.now_ns))
        driver.play_on()
        games.add(verify(driver.lines).record.chains.game)
    assert len(games) == 1
