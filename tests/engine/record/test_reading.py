"""Reading a record step by step, and continuing one that was interrupted."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import pytest
from mergemaker_engine.audit import audit
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.defaults import default_answer
from mergemaker_engine.errors import EngineError, RecordError, SetupError
from mergemaker_engine.events import EndReason
from mergemaker_engine.game import Game
from mergemaker_engine.playout import draw_answer, play_out
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.digest import state_digest
from mergemaker_engine.record.lines import DEFAULTS, AnsweredBy, DecisionLine, Ending, Incident, Status
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_engine.wording import parse_action
from mergemaker_testkit.recorded import NONCE, VOIDED, of_kind, opened, recorded_match, sealed, setting, written_decision

CLASSIC: Final = preset("renegade-classic")
POWERS: Final = preset("avalon-hill-powers")
SEED: Final = bytes(range(32))
SEATS: Final = 3
INCIDENT: Final = Incident(what="paused", why="asked for")


@cache
def _whole() -> Record:
    return read_record(recorded_match(POWERS, SEATS, SEED))


# --- steps ---


def test_steps_are_the_decisions_of_the_game_in_order() -> None:
    record = _whole()
    game = record.start()
    steps = list(record.steps())
    assert len(steps) == len(record.decisions) == record.lines - 3
    for number, step in enumerate(steps, start=1):
        assert (step.number, step.line_number, step.incidents) == (number, number + 2, ())
        assert step.line is record.decisions[number - 1]
        assert step.decision == game.decision == step.before.decision
        assert step.seat == step.line.seat == step.decision.seat
        assert step.answer == parse_action(step.line.answer, POWERS)
        assert step.answer in step.legal
        assert step.legal == game.legal()
        assert step.mask == game.legal_mask()
        assert [step.view(seat) for seat in range(SEATS)] == [game.view(seat) for seat in range(SEATS)]
        assert step.events == game.apply(step.answer)
        assert state_digest(game) == step.line.digest
    assert game.result is not None
    assert record.end is not None
    assert record.end.cash == game.result.cash


def test_a_view_in_a_step_hides_what_the_seat_could_not_know() -> None:
    step = next(_whole().steps())
    views = [step.view(seat) for seat in range(SEATS)]
    assert len({view.hand for view in views}) == SEATS
    assert {view.seat for view in views} == {0, 1, 2}


def test_each_step_has_a_game_of_its_own() -> None:
    untouched = [state_digest(step.before) for step in _whole().steps()]
    played_on: list[str] = []
    for number, step in enumerate(_whole().steps()):
        played_on.append(state_digest(step.before))
        play_out(step.before, Chances(bytes([number]) + SEED[1:], "play"))
        assert step.before.result is not None
    assert played_on == untouched


def test_incidents_come_with_the_decision_that_follows() -> None:
    lines = opened(recorded_match(CLASSIC, SEATS, SEED, decisions=4))
    seat_incident = Incident(what="autopilot", seat=1, why="three faults")
    lines[6:6] = [INCIDENT]
    lines[4:4] = [INCIDENT, seat_incident]
    lines[2:2] = [INCIDENT]
    lines[1:1] = [seat_incident]
    record = read_record(sealed(lines))
    steps = list(record.steps())
    assert [step.line_number for step in steps] == [5, 6, 9, 10]
    assert [step.incidents for step in steps] == [(seat_incident, INCIDENT), (), (INCIDENT, seat_incident), ()]
    assert [number for number, line in record.entries if isinstance(line, Incident)] == [2, 4, 7, 8, 11, 12]
    assert len(record.decisions) == 4


def test_a_running_record_is_played_with_its_seed() -> None:
    texts = recorded_match(CLASSIC, SEATS, SEED)[:40]
    record = read_record(texts)
    assert record.end is None
    for attempt in (lambda: list(record.steps()), record.start):
        with pytest.raises(RecordError, match="its seed is not in the record") as refusal:
            attempt()
        assert refusal.value.reason == "unfinished"
    steps = list(record.steps(SEED))
    assert len(steps) == 38
    assert steps[-1].line.digest == of_kind(opened(texts)[-1], DecisionLine).digest


def test_a_record_played_with_another_seed_stops_at_the_first_wrong_line() -> None:
    record = read_record(recorded_match(CLASSIC, SEATS, SEED)[:40])
    with pytest.raises(RecordError) as refusal:
        list(record.steps(bytes(32)))
    assert refusal.value.line is not None
    with pytest.raises(SetupError) as malformed:
        record.start(b"short")
    assert malformed.value.reason == "bad-seed"


def test_steps_name_the_line_of_an_answer_that_is_illegal() -> None:
    lines = opened(recorded_match(CLASSIC, SEATS, SEED, decisions=4))
    lines[3] = replace(of_kind(lines[3], DecisionLine), answer="never")
    with pytest.raises(RecordError, match=r"^line 4: ") as refusal:
        list(read_record(sealed(lines)).steps())
    assert refusal.value.reason == "bad-action"


def test_a_record_may_break_off_after_any_line() -> None:
    texts = recorded_match(CLASSIC, SEATS, SEED, decisions=4)
    for count in range(1, len(texts)):
        record = read_record(texts[:count])
        assert record.lines == count
        assert record.end is None
        assert (record.deal is None) == (count == 1)
        assert len(record.decisions) == min(max(0, count - 2), 4)
        with pytest.raises(RecordError) as refusal:
            verify(texts[:count])
        assert (refusal.value.reason, refusal.value.line) == ("unfinished", count)


def test_a_torn_line_is_skipped_on_request() -> None:
    texts = recorded_match(CLASSIC, SEATS, SEED, decisions=4)
    for cut in (1, 30, len(texts[5]) - 1):
        torn = b"".join(texts[:6])[:-cut]
        with pytest.raises(RecordError) as refusal:
            read_record([torn])
        assert (refusal.value.reason, refusal.value.line) == ("torn", 6)
        assert read_record([torn], torn_end=True).lines == 5
    assert read_record(texts, torn_end=True).lines == len(texts)


LONG: Final = b"x" * 65_537
ELSE_WRONG: Final[tuple[tuple[list[bytes], str], ...]] = (
    ([b"{}\n", b"{"], "bad-tail"),
    ([], "empty"),
    ([b"\n"], "not-json"),
    ([LONG], "long-line"),
    ([LONG, b"\n"], "long-line"),
)


@pytest.mark.parametrize(
    ("pieces", "reason"), ELSE_WRONG, ids=["a line", "nothing", "an empty line", "a long rest", "a long line"]
)
def test_nothing_else_that_is_wrong_is_skipped(pieces: list[bytes], reason: str) -> None:
    with pytest.raises(RecordError) as refusal:
        read_record(pieces, torn_end=True)
    assert refusal.value.reason == reason
    header = recorded_match(CLASSIC, SEATS, SEED, decisions=0)[0]
    if pieces:
        with pytest.raises(RecordError) as refusal:
            read_record([header, *pieces], torn_end=True)
        assert (refusal.value.reason, refusal.value.line) == (reason, 2)


def test_a_torn_header_is_no_record() -> None:
    text = recorded_match(CLASSIC, SEATS, SEED, decisions=0)[0]
    with pytest.raises(RecordError, match="begins with a header line") as refusal:
        read_record([text[:-1]], torn_end=True)
    assert refusal.value.reason == "empty"


# --- writing ---


def _written(scribe: Scribe, game: Game, answers: Sequence[str]) -> list[bytes]:
    return [written_decision(scribe, game, parse_action(answer, game.rules)) for answer in answers]


@pytest.mark.parametrize("name", ["renegade-classic", "reference-trading", "avalon-hill-powers"])
def test_a_resumed_scribe_writes_the_same_bytes(name: str) -> None:
    rules = PRESETS[name]
    texts = recorded_match(rules, SEATS, SEED, decisions=40)
    whole = read_record(texts)
    assert whole.end is not None
    for count in (1, 2, 3, 20, 42):
        record = read_record([*texts[:count], texts[count][:-1]], torn_end=True)
        scribe = Scribe.resumed(record)
        game = record.start(whole.end.seed)
        for step in record.steps(whole.end.seed):
            game.apply(step.answer)
        written = [] if count > 1 else [scribe.deal(game)]
        written += _written(scribe, game, [line.answer for line in whole.decisions[max(0, count - 2) :]])
        written.append(scribe.incident(VOIDED))
        written.append(scribe.end(game, Secrets(SEED, SEED, NONCE), [Status.FINISHED] * SEATS, voided=True))
        assert [*texts[:count], *written] == texts
        assert scribe.decisions == 40


def test_resuming_a_record_does_not_change_it() -> None:
    record = read_record(recorded_match(CLASSIC, SEATS, SEED)[:20])
    before = (record.chains.game, record.chains.line, record.chains.lines)
    lines = {Scribe.resumed(record).incident(INCIDENT) for _ in range(2)}
    assert len(lines) == 1
    assert (record.chains.game, record.chains.line, record.chains.lines) == before


def _faulty_match(breaks: Sequence[int]) -> list[bytes]:
    """A match with faults of several kinds, whose scribe is resumed before some decisions."""
    made = setting(CLASSIC, SEATS, SEED)
    game = Game(CLASSIC, SEATS, Deal.from_seed(SEED))
    scribe = Scribe()
    lines = [scribe.header(made.header), scribe.deal(game)]
    chances = Chances(SEED, "play")
    causes = (AnsweredBy.ILLEGAL, AnsweredBy.TIMEOUT, AnsweredBy.BOT, AnsweredBy.DISCONNECTED, AnsweredBy.PROTOCOL)
    while game.decision is not None and scribe.decisions < 24:
        if scribe.decisions in breaks:
            scribe = Scribe.resumed(read_record(lines))
        decision = game.decision
        by = AnsweredBy.AUTOMATIC if len(game.legal()) == 1 else causes[scribe.decisions % len(causes)]
        answer = default_answer(game)[1] if by in DEFAULTS else draw_answer(game, chances)
        game.apply(answer)
        lines.append(scribe.decision(decision, answer, by, game))
        if scribe.decisions == 10:
            lines.append(scribe.incident(INCIDENT))
    lines.append(scribe.incident(VOIDED))
    lines.append(scribe.end(game, made.secrets, [Status.FINISHED] * SEATS, voided=True))
    return lines


def test_faults_are_counted_across_every_break() -> None:
    texts = _faulty_match([])
    assert _faulty_match([0, 1, 11, 23]) == texts
    end = verify(texts).record.end
    assert end is not None
    assert all(len(faults) > 1 for faults in end.faults)
    assert {cause for faults in end.faults for cause in faults} == {
        "default: timeout", "default: illegal", "default: protocol", "default: disconnected",
    }  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 7, 14])
def test_a_scribe_repeats_lines_and_continues_after_them(count: int) -> None:
    texts = _faulty_match([])
    lines = opened(texts)
    scribe = Scribe()
    assert [scribe.line(line) for line in lines[:count]] == texts[:count]
    resumed = Scribe.resumed(read_record(texts[:count]))
    assert scribe.decisions == resumed.decisions == sum(isinstance(line, DecisionLine) for line in lines[:count])
    game = read_record(texts).start()
    for line in lines[:count]:
        if isinstance(line, DecisionLine):
            game.apply(parse_action(line.answer, CLASSIC))
    ends = [maker.end(game, Secrets(SEED), [Status.FINISHED] * SEATS, voided=True) for maker in (scribe, resumed)]
    assert ends[0] == ends[1]


def test_what_a_scribe_refuses_can_be_written_otherwise() -> None:
    game = Game(CLASSIC, SEATS, Deal.from_seed(SEED))
    made = setting(CLASSIC, SEATS, SEED)
    texts: list[list[bytes]] = []
    for tries in (False, True):
        scribe = Scribe()
        if tries:
            with pytest.raises(RecordError):
                scribe.header(replace(made.header, match="M"))
        twin = game.copy()
        lines = [scribe.header(made.header), scribe.deal(twin)]
        for answer in (default_answer(twin)[1],):
            decision = twin.decision
            assert decision is not None
            twin.apply(answer)
            if tries:
                for note, run in (("x" * 1_025, {}), ("\ud800", {}), (None, {"at_ms": 0.5}), (None, {"line": "x" * 65_536})):
                    with pytest.raises((RecordError, UnicodeEncodeError)):
                        scribe.decision(decision, answer, AnsweredBy.TIMEOUT, twin, note, run)
                assert scribe.decisions == 0
            lines.append(scribe.decision(decision, answer, AnsweredBy.TIMEOUT, twin))
        lines.append(scribe.incident(VOIDED))
        lines.append(scribe.end(twin, made.secrets, [Status.FINISHED] * SEATS, voided=True))
        texts.append(lines)
    assert texts[0] == texts[1]
    verify(texts[1])


def test_a_match_does_not_end_before_its_game_unless_it_is_voided() -> None:
    made = setting(CLASSIC, SEATS, SEED)
    game = Game(CLASSIC, SEATS, Deal.from_seed(SEED))
    scribe = Scribe()
    scribe.header(made.header)
    scribe.deal(game)
    with pytest.raises(RecordError, match="END-3") as refusal:
        scribe.end(game, made.secrets, [Status.FINISHED] * SEATS)
    assert (refusal.value.reason, refusal.value.rule) == ("not-over", "END-3")
    end = scribe.end(game, made.secrets, [Status.FINISHED] * SEATS, {"ended": "now"}, voided=True)
    assert b'"why":"voided","cash":null,"places":null' in end
    assert b'"ended":"now"' in end


def test_the_scribe_writes_what_was_played_and_its_hash_changes() -> None:
    texts = recorded_match(CLASSIC, SEATS, SEED, note="thinking")
    record = verify(texts).record
    assert record.end is not None
    assert record.end.why in (Ending.DECLARED, Ending.STUCK)
    assert str(record.end.why) in set(EndReason)
    assert all(line.note == "thinking" for line in record.decisions)
    scribe = Scribe()
    before = scribe.game_hash
    assert before == "A" * 22
    scribe.header(record.header)
    assert f'"game":"{scribe.game_hash}"'.encode() in texts[0]
    assert scribe.game_hash != before


@pytest.mark.parametrize("mode", DealMode)
def test_a_header_says_what_is_played(mode: DealMode) -> None:
    record = read_record(recorded_match(CLASSIC, SEATS, SEED, mode, decisions=1))
    assert (record.header.rules, record.header.seats, record.header.mode) == (CLASSIC, SEATS, mode)
    assert (record.header.promise is None) == (mode is DealMode.PLAIN)
    assert not audit(record.start())


def test_every_ending_and_reason_of_a_game_has_its_word() -> None:
    assert {str(reason) for reason in EndReason} == {str(ending) for ending in Ending} - {"voided"}


def test_the_digest_is_of_everything_that_a_game_is() -> None:
    steps = list(_whole().steps())
    digests = {state_digest(step.before) for step in steps}
    assert len(digests) == len(steps)
    assert state_digest(steps[0].before) == state_digest(steps[0].before.copy())
    assert all(len(digest) == 22 for digest in digests)


def test_errors_of_records_name_their_line_once() -> None:
    error = RecordError("torn", "half a line", "END-3")
    assert isinstance(error, EngineError)
    assert error.line is None
    assert str(error).startswith("half a line [END-3: ")
    at = error.at(5)
    assert (at.reason, at.rule, at.line) == ("torn", "END-3", 5)
    assert str(at) == f"line 5: {error}"
    assert at.at(9) is at
