"""How answers end: accepted once, refused with a reason, and the default after too many refusals."""

import pytest
from mergemaker_engine.actions import BUY, NO_OFFER, PLACE, Place
from mergemaker_engine.decisions import ChooseTile
from mergemaker_engine.errors import Refusal
from mergemaker_engine.events import TilePlaced
from mergemaker_engine.record.lines import NOTE_BYTES_MAX, AnsweredBy, DecisionLine, Ending, Status
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_engine.wording import action_text
from mergemaker_table import CLOCKS, FaultTerms, Table, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import Answer, Answered, AnswerIndex, Joined, Resign, SeatCommitted, SeatRevealed, Void
from mergemaker_table.outputs import (
    Accepted,
    Ask,
    Autopilot,
    DefaultTaken,
    Output,
    PartRefused,
    Publish,
    Refused,
    Request,
    Started,
    Tell,
    WriteLine,
)
from mergemaker_testkit.table_driver import Said, TableDriver, random_player, silent_player, table_setup

CLASSIC = preset("renegade-classic")
LEGAL = AnswerIndex(0)


def _begun(seats: int = 3, clock: str | Terms = "fast") -> TableDriver:
    driver = TableDriver(Table(table_setup(CLASSIC, seats, clock)), [random_player] * seats)
    driver.start()
    driver.hand()
    return driver


def _first(driver: TableDriver) -> DecisionLine:
    return next(line for line in driver.opened() if isinstance(line, DecisionLine))


def _refusals(batch: tuple[Output, ...]) -> list[tuple[str, int | None]]:
    return [(output.refusal.reason, output.refusals_left) for output in batch if isinstance(output, Refused)]


def test_an_answer_is_accepted_and_told_and_the_next_decision_is_put() -> None:
    driver = _begun()
    asked = driver.question
    tile = asked.request.answers[1]
    assert isinstance(tile, Place)
    batch = driver.answer(tile, "a note")
    kinds = [type(output) for output in batch]
    assert kinds == sorted(kinds, key=[WriteLine, Accepted, Tell, Publish, Ask].index)
    assert Accepted(asked.seat, 1) in batch
    line = _first(driver)
    assert (line.number, line.seat, line.by, line.note) == (1, asked.seat, AnsweredBy.BOT, "a note")
    assert set(line.run) == {"at_ms", "used_ms", "bank_ms"}
    for output in batch:
        if isinstance(output, Tell | Publish):
            assert TilePlaced(asked.seat, tile.square) in output.events


def test_an_answer_by_index_is_that_of_the_list() -> None:
    one, other = _begun(), _begun()
    one.answer(AnswerIndex(2))
    other.answer(other.question.request.answers[2])
    assert one.lines == other.lines


def test_a_request_says_all_that_is_needed() -> None:
    driver = _begun()
    request = driver.question.request
    assert isinstance(request.decision, ChooseTile)
    assert request.decision == request.view.decision
    assert (request.decision_id, request.default_index) == (1, 0)
    assert (request.time_left_ms, request.allowance_ms, request.bank_ms) == (10_100, 100, 10_000)
    started = driver.of_kind(Started, driver.question.seat)[0]
    assert request.view == started.view
    assert request.events_seen == started.events_seen == len(driver.of_kind(Tell, driver.question.seat)[0].events)
    assert len({output.nonce for output in driver.of_kind(Started)}) == 3


def test_a_repeated_answer_is_acknowledged_again_and_applied_once_whatever_it_says() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.answer(LEGAL)
    written = len(driver.lines)
    for again in (LEGAL, AnswerIndex(5), Refusal("unknown-kind", "?"), BUY[0]):
        assert driver.feed(Answered(seat, 1, again, "x" * 5_000, driver.now_ns)) == (Accepted(seat, 1),)
    assert len(driver.lines) == written


WRONG: tuple[tuple[str, object, str | None, str, AnsweredBy], ...] = (
    ("a tile of somebody else", PLACE[0], None, "not-your-tile", AnsweredBy.ILLEGAL),
    ("an answer to another question", BUY[0], None, "wrong-kind", AnsweredBy.ILLEGAL),
    ("an offer out of turn", NO_OFFER, None, "wrong-kind", AnsweredBy.ILLEGAL),
    ("no action at all", 7, None, "malformed", AnsweredBy.PROTOCOL),
    ("an index too high", AnswerIndex(6), None, "bad-index", AnsweredBy.ILLEGAL),
    ("an index below zero", AnswerIndex(-1), None, "bad-index", AnsweredBy.ILLEGAL),
    ("a truth value as an index", AnswerIndex(True), None, "bad-index", AnsweredBy.ILLEGAL),
    ("an unreadable one", Refusal("unknown-kind", "there is no such kind"), None, "unknown-kind", AnsweredBy.PROTOCOL),
    ("too long a note", LEGAL, "ä" * (NOTE_BYTES_MAX // 2 + 1), "note-too-long", AnsweredBy.PROTOCOL),
    ("a note that is no text", LEGAL, "\ud800", "bad-note", AnsweredBy.PROTOCOL),
)


@pytest.mark.parametrize(("answer", "note", "reason", "cause"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_wrong_answer_is_refused_and_after_the_third_the_default_is_taken(
    answer: Answer, note: str | None, reason: str, cause: AnsweredBy
) -> None:
    driver = _begun()
    seat, request = driver.question.seat, driver.question.request
    for left in (2, 1):
        assert _refusals(driver.answer(answer, note, in_ns(20))) == [(reason, left)]
    batch = driver.answer(answer, note, in_ns(20))
    assert _refusals(batch) == [(reason, 0)]
    taken = next(output for output in batch if isinstance(output, DefaultTaken))
    assert (taken.seat, taken.decision_id, taken.cause, taken.defaults_left) == (seat, 1, cause, 4)
    rejected = driver.incidents("rejected")
    assert [(line.seat, line.run["n"], line.run["reason"], line.run["cause"]) for line in rejected] == [
        (seat, 1, reason, cause)
    ] * 3
    line = _first(driver)
    assert (line.by, line.run["used_ms"], line.run["bank_ms"]) == (cause, 60, 10_000)
    played = driver.table.snapshot(seat, driver.now_ns)
    default = request.answers[0]
    assert played is not None
    assert isinstance(default, Place)
    assert played.view.board[default.square]


def test_a_refused_answer_leaves_clock_and_question_as_they_are() -> None:
    driver = _begun()
    driver.answer(PLACE[0], after_ns=in_ns(150))
    batch = driver.answer(LEGAL, after_ns=in_ns(150))
    assert any(isinstance(output, Accepted) for output in batch)
    line = _first(driver)
    assert (line.run["used_ms"], line.run["bank_ms"]) == (300, 9_800)


def test_the_last_refusals_kind_is_the_cause() -> None:
    driver = _begun()
    for answer in (Refusal("r", "t"), Refusal("r", "t"), PLACE[0]):
        driver.answer(answer)
    assert _first(driver).by is AnsweredBy.ILLEGAL


def test_a_refusal_names_the_rule() -> None:
    driver = _begun()
    refused = next(output for output in driver.answer(PLACE[0]) if isinstance(output, Refused))
    assert refused.refusal.rule == "PLC-1"
    assert "not among the tiles" in refused.refusal.text


def test_strikes_are_counted_anew_for_each_decision() -> None:
    driver = _begun()
    for _ in range(2):
        driver.answer(PLACE[0])
    driver.answer(LEGAL)
    driver.hand()
    assert _refusals(driver.answer(Refusal("r", "t"))) == [("r", 2)]


def test_texts_from_outside_are_cut_and_made_writable() -> None:
    driver = _begun()
    driver.answer(Refusal("\udfff" * 400, "\ud800" + "x" * 100_000))
    rejected = driver.incidents("rejected")[0]
    assert rejected.why is not None
    assert len(rejected.why) == 300
    assert rejected.why.startswith("?x")
    assert rejected.why.endswith("…")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (BUY[1], "buy 1 Tower"),
        (NO_OFFER, "no offer"),
        (AnswerIndex(9_999), "index 9999"),
        (AnswerIndex(-1), "index -1"),
        (Refusal("unreadable-request", "a text"), "unreadable"),
    ],
)
def test_a_refused_answer_is_recorded_in_the_words_of_the_vocabulary(answer: Answer, words: str) -> None:
    driver = _begun()
    driver.answer(answer)
    assert driver.incidents("rejected")[0].run["answer"] == words


def test_a_legal_answer_by_its_index_that_is_refused_for_its_note_is_recorded_as_an_action() -> None:
    driver = _begun()
    (first, *_) = driver.question.request.answers
    driver.answer(AnswerIndex(0), "x" * (NOTE_BYTES_MAX + 1))
    assert driver.incidents("rejected")[0].run["answer"] == action_text(first, CLASSIC)


def test_answers_that_nobody_asked_for_are_refused_and_change_nothing() -> None:
    driver = _begun()
    seat = driver.question.seat
    other = (seat + 1) % 3
    written = len(driver.lines)
    for number, decision_id in ((seat, 2), (seat, 0), (seat, -1), (other, 1), (other, 99)):
        batch = driver.feed(Answered(number, decision_id, LEGAL, None, driver.now_ns))
        assert _refusals(batch) == [("not-asked", None)]
        assert len(batch) == 1
    assert len(driver.lines) == written
    assert driver.question.request.decision_id == 1


def test_an_answer_to_a_decision_that_was_taken_without_the_bot_is_stale() -> None:
    driver = _begun()
    seat = driver.question.seat
    for _ in range(3):
        driver.answer(PLACE[0])
    assert _refusals(driver.feed(Answered(seat, 1, LEGAL, None, driver.now_ns))) == [("stale-decision", None)]


def test_before_the_deal_nothing_is_asked() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 2)), [random_player] * 2)
    driver.open()
    assert _refusals(driver.feed(Answered(0, 1, LEGAL, None, 0))) == [("not-asked", None)]


def test_after_the_end_answers_are_acknowledged_or_refused_and_nothing_is_written() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 2)), [random_player] * 2)
    driver.play()
    written = len(driver.lines)
    assert driver.feed(Answered(0, 1, LEGAL, None, 0)) == (Accepted(0, 1),)
    assert _refusals(driver.feed(Answered(0, 9_999, LEGAL, None, 0))) == [("match-over", None)]
    for late in (SeatCommitted(0, bytes(32)), SeatRevealed(0, bytes(32))):
        batch = driver.feed(late)
        assert [output.refusal.reason for output in batch if isinstance(output, PartRefused)] == ["match-over"]
    for nothing in (Resign(0), Void("too late"), Joined(1)):
        assert driver.feed(nothing) == ()
    assert (len(driver.lines), driver.table.wake_at_ns) == (written, None)


# --- seats that get no more questions ---


def test_after_five_defaults_a_seat_is_on_autopilot_to_the_end() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3)), [random_player, silent_player, random_player])
    ended = driver.play()
    assert [standing.status for standing in ended.standings] == [Status.FINISHED, Status.AUTOPILOT, Status.FINISHED]
    standing = ended.standings[1]
    assert standing.faults[AnsweredBy.TIMEOUT] == 5
    assert standing.faults[AnsweredBy.AUTOPILOT] > 5
    assert driver.of_kind(Autopilot) == [Autopilot(1, Status.AUTOPILOT)]
    assert max(ask.request.decision_id for ask in driver.of_kind(Ask, 1)) == 5
    assert [output.defaults_left for output in driver.of_kind(DefaultTaken, 1)][:6] == [4, 3, 2, 1, 0, 0]
    decisions = [line for line in driver.opened() if isinstance(line, DecisionLine)]
    first = next(line.number for line in decisions if line.seat == 1 and line.by is AnsweredBy.AUTOPILOT)
    assert standing.since is not None
    assert decisions[standing.since - 2].by is AnsweredBy.TIMEOUT
    assert standing.since <= first
    verify(driver.lines)


def test_defaults_by_refusals_count_towards_autopilot_too() -> None:
    terms = Terms(CLOCKS["fast"], FaultTerms(refusals_max=1, defaults_max=2))
    driver = _begun(2, terms)
    seat = driver.question.seat
    for _ in range(2):
        while driver.question.seat != seat:
            driver.hand()
            driver.answer()
        driver.hand()
        driver.answer(PLACE[0] if driver.question.request.decision_id == 1 else Refusal("r", "t"))
    assert driver.table.statuses[seat] is Status.AUTOPILOT


def _default_player(request: Request, _nonce: bytes, _refused: int) -> Said:
    return Said(AnswerIndex(request.default_index))


def test_a_last_default_with_the_last_decision_is_no_autopilot() -> None:
    usual = TableDriver(Table(table_setup(CLASSIC, 3)), [_default_player] * 3)
    usual.play()
    last = usual.of_kind(Ask)[-1]

    def player(request: Request, nonce: bytes, refused: int) -> Said:
        is_last = (request.decision_id, request.decision) == (last.request.decision_id, last.request.decision)
        return Said(Refusal("r", "t")) if is_last else _default_player(request, nonce, refused)

    terms = Terms(CLOCKS["fast"], FaultTerms(refusals_max=1, defaults_max=1))
    driver = TableDriver(Table(table_setup(CLASSIC, 3, terms)), [player] * 3)
    standing = driver.play().standings[last.seat]
    assert (standing.status, standing.faults) == (Status.FINISHED, {AnsweredBy.PROTOCOL: 1})
    verify(driver.lines)


def test_who_resigns_is_asked_no_more_and_the_others_finish() -> None:
    driver = _begun()
    seat = driver.question.seat
    batch = driver.feed(Resign(seat))
    assert Autopilot(seat, Status.RESIGNED) in batch
    taken = next(output for output in batch if isinstance(output, DefaultTaken))
    assert (taken.decision_id, taken.cause, taken.defaults_left) == (1, AnsweredBy.RESIGNED, 0)
    assert driver.last_decision().seat == seat
    assert "used_ms" not in driver.last_decision().run
    assert _refusals(driver.feed(Answered(seat, 1, LEGAL, None, driver.now_ns))) == [("stale-decision", None)]
    assert driver.feed(Resign(seat)) == ()
    ended = driver.play_on()
    assert ended.standings[seat].status is Status.RESIGNED
    assert set(ended.standings[seat].faults) == {AnsweredBy.RESIGNED}
    assert ended.why is not Ending.VOIDED
    verify(driver.lines)


def test_who_resigns_while_others_think_is_not_waited_for_later() -> None:
    driver = _begun()
    other = (driver.question.seat + 1) % 3
    asked = driver.question
    driver.feed(Resign(other))
    assert driver.question is asked
    ended = driver.play_on()
    assert ended.standings[other].status is Status.RESIGNED
    assert driver.of_kind(Ask, other) == []
    verify(driver.lines)


def test_all_may_resign_and_the_game_is_played_out_at_once() -> None:
    driver = _begun(2)
    for seat in (0, 1):
        driver.feed(Resign(seat))
    assert driver.ended.why is Ending.STUCK
    verify(driver.lines)


def test_a_match_is_voided_without_anybodys_loss() -> None:
    driver = _begun()
    batch = driver.feed(Void("the disk failed"))
    ended = driver.ended
    assert batch[-1] == ended
    assert (ended.why, ended.voided_because) == (Ending.VOIDED, "the disk failed")
    assert all(standing.place is standing.cash is None for standing in ended.standings)
    assert driver.incidents("voided")[0].why == "the disk failed"
    snapshot = driver.table.snapshot(driver.question.seat, driver.now_ns)
    assert snapshot is not None
    assert snapshot.request is None
    assert driver.table.wake_at_ns is None
    verify(driver.lines)


def test_parts_are_refused_once_the_deal_is_made() -> None:
    driver = _begun()
    for given in (SeatCommitted(0, bytes(32)), SeatRevealed(0, bytes(32))):
        assert [type(output) for output in driver.feed(given)] == [PartRefused]
