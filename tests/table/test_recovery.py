"""A match resumed from its record continues as if nothing had happened."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from mergemaker_engine.actions import PLACE
from mergemaker_engine.errors import RecordError, Refusal
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Incident, Status
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_table import CLOCKS, FaultTerms, Phase, Table, TableError, Terms
from mergemaker_table.inputs import Answered, AnswerIndex, Handed, Resign, Void
from mergemaker_table.outputs import Accepted, Ask, Autopilot, Publish, Refused, Request, SeatsCommitted, Tell
from mergemaker_testkit.recorded import sealed
from mergemaker_testkit.table_driver import (
    NONCE,
    SEED,
    Player,
    Said,
    TableDriver,
    random_player,
    request_chance,
    table_setup,
)

CLASSIC = preset("renegade-classic")
STRICT = Terms(CLOCKS["fast"], FaultTerms(defaults_max=2))
ALL_MS = 10_100
AGAIN = 10**15
SECRETS = Secrets(SEED, SEED, NONCE)


def _fickle(request: Request, nonce: bytes, refused: int) -> Said | None:
    """Usually answers; sometimes never, sometimes wrongly for ever, sometimes correctly at the second try."""
    kind = request_chance(request, nonce[::-1]).below(24)
    if kind == 0:
        return None
    if kind == 1 or (kind == 2 and not refused):
        return Said(Refusal("no-such-kind", "?"), 3)
    return replace(random_player(request, nonce, 0), after_ms=kind * 6, note="a note" if kind == 7 else None)


def _played(
    mode: DealMode, seats: int, there: Sequence[int], player: Player = _fickle, name: str = "renegade-classic"
) -> list[bytes]:
    driver = TableDriver(Table(table_setup(PRESETS[name], seats, STRICT, mode)), [player] * seats)
    driver.start(*there)
    driver.play_on()
    verify(driver.lines)
    return driver.lines


def _taken_up(lines: Sequence[bytes], secrets: Secrets = SECRETS, player: Player = _fickle) -> TableDriver:
    record = read_record(lines)
    return TableDriver(Table.recovered(record, secrets), [player] * record.header.seats, AGAIN)


@pytest.mark.parametrize(
    ("mode", "seats", "there", "name", "every"),
    [
        (DealMode.SERVER, 2, (0, 1), "renegade-classic", 1),
        (DealMode.SERVER, 3, (0, 2), "avalon-hill-powers", 17),
        (DealMode.JOINT, 3, (0, 1, 2), "renegade-classic", 11),
        (DealMode.JOINT, 3, (0, 2), "renegade-classic", 11),
        (DealMode.PLAIN, 4, (0, 1, 2, 3), "corporations", 11),
    ],
)
def test_cut_behind_any_line_a_match_has_the_same_end(
    mode: DealMode, seats: int, there: tuple[int, ...], name: str, every: int
) -> None:
    lines = _played(mode, seats, there, name=name)
    whole = read_record(lines)
    assert any(line.by in {AnsweredBy.TIMEOUT, AnsweredBy.PROTOCOL} for line in whole.decisions)
    secrets = Secrets(SEED) if mode is DealMode.PLAIN else SECRETS
    first = list(range(1, 14)) if every > 1 else []
    for cut in sorted({*first, *range(1, len(lines), every), len(lines) - 1}):
        driver = _taken_up(lines[:cut], secrets)
        driver.start(*there)
        driver.play_on()
        # The chain belongs to a verified record, so what it covers is not verified again.
        found = read_record([*lines[:cut], *driver.lines])
        assert found.chains.game == whole.chains.game, cut
        assert found.end is not None
        assert whole.end is not None
        assert found.end.faults == whole.end.faults


def test_a_torn_last_line_is_nothing_that_anybody_was_told_of() -> None:
    lines = _played(DealMode.SERVER, 2, (0, 1))
    torn = [b"".join(lines[:50]) + lines[50][:30]]
    table = Table.recovered(read_record(torn, torn_end=True), SECRETS)
    assert table.phase is Phase.PLAYING


def _begun(clock: str | Terms = "fast") -> TableDriver:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, clock)), [random_player] * 3)
    driver.start()
    driver.hand()
    return driver


def test_events_and_decisions_go_on_with_their_numbers() -> None:
    driver = _begun()
    for _ in range(30):
        driver.answer()
        driver.hand()
    seat, asked = driver.question.seat, driver.question.request
    known = [driver.table.events_since(number, 0) for number in range(3)]
    public = driver.table.public_events_since(0)
    outputs = len(driver.outputs)
    driver.crash()
    assert not any(isinstance(output, Tell | Publish) for output in driver.outputs[outputs:]), "nothing is told again"
    assert [driver.table.events_since(number, 0) for number in range(3)] == known
    assert driver.table.public_events_since(0) == public
    driver.join()
    again = driver.question
    assert again.seat == seat
    assert (again.request.decision_id, again.request.view, again.request.answers, again.request.events_seen) == (
        asked.decision_id,
        asked.view,
        asked.answers,
        asked.events_seen,
    )
    driver.play_on()
    verify(driver.lines)


def test_an_answer_that_was_written_but_not_acknowledged_is_acknowledged_when_it_comes_again() -> None:
    driver = _begun()
    seat = driver.question.seat
    batch = driver.table.feed(Answered(seat, 1, AnswerIndex(3), None, driver.now_ns), driver.now_ns)
    driver.lines += [output.line for output in batch if hasattr(output, "line")]
    driver.crash()
    driver.join(seat)
    written = len(driver.lines)
    assert driver.feed(Answered(seat, 1, AnswerIndex(3), None, driver.now_ns)) == (Accepted(seat, 1),)
    assert len(driver.lines) == written


def test_refusals_of_the_open_decision_are_still_counted() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.answer(PLACE[0])
    driver.answer(Refusal("r", "t"))
    driver.crash()
    driver.join(seat)
    batch = driver.answer(PLACE[0])
    assert [output.refusals_left for output in batch if isinstance(output, Refused)] == [0]
    assert next(line for line in driver.opened() if isinstance(line, DecisionLine)).by is AnsweredBy.ILLEGAL


def test_refusals_of_a_decision_that_was_answered_count_no_more() -> None:
    driver = _begun()
    driver.answer(PLACE[0])
    driver.answer()
    driver.crash()
    driver.join()
    batch = driver.answer(Refusal("r", "t"))
    assert [output.refusals_left for output in batch if isinstance(output, Refused)] == [2]


def _cut_in_batch(driver: TableDriver, given: Answered | Resign, kept: int) -> None:
    """The referee dies after writing only some lines of a batch; it does nothing else of it."""
    batch = driver.table.feed(given, driver.now_ns)
    driver.lines += [output.line for output in batch if hasattr(output, "line")][:kept]
    driver.crash()


@pytest.mark.parametrize("answer", [PLACE[0], Refusal("r", "t")])
def test_a_third_refusal_without_its_default_is_followed_by_it(answer: Refusal) -> None:
    driver = _begun()
    seat = driver.question.seat
    for _ in range(2):
        driver.answer(answer)
    _cut_in_batch(driver, Answered(seat, 1, answer, None, driver.now_ns), 1)
    expected = AnsweredBy.PROTOCOL if isinstance(answer, Refusal) else AnsweredBy.ILLEGAL
    assert next(line for line in driver.opened() if isinstance(line, DecisionLine)).by is expected


def test_refusals_of_who_then_resigned_are_nobody_elses() -> None:
    driver = _begun()
    seat = driver.question.seat
    for _ in range(2):
        driver.answer(PLACE[0])
    _cut_in_batch(driver, Resign(seat), 1)
    driver.join(*(number for number in range(3) if number != seat))
    batch = driver.answer(PLACE[0])
    assert [output.refusals_left for output in batch if isinstance(output, Refused)] == [2]
    driver.play_on()
    verify(driver.lines)


def test_a_last_default_without_its_autopilot_is_followed_by_it() -> None:
    terms = Terms(CLOCKS["fast"], FaultTerms(refusals_max=1, defaults_max=1))
    driver = _begun(terms)
    seat = driver.question.seat
    _cut_in_batch(driver, Answered(seat, 1, PLACE[0], None, driver.now_ns), 2)
    assert driver.table.statuses[seat] is Status.AUTOPILOT
    assert Autopilot(seat, Status.AUTOPILOT) in driver.outputs
    driver.join()
    driver.play_on()
    verify(driver.lines)


def test_late_answers_to_what_timed_out_before_are_refused_and_not_written_again() -> None:
    driver = _begun()
    seat = driver.question.seat
    driver.pass_ms(ALL_MS + 1)
    driver.feed(Answered(seat, 1, AnswerIndex(0), None, driver.now_ns))
    driver.step()
    driver.crash()
    driver.join(seat)
    batch = driver.feed(Answered(seat, 1, AnswerIndex(0), None, driver.now_ns))
    assert [(output.refusal.reason, output.overrun_ms) for output in batch if isinstance(output, Refused)] == [("too-late", None)]
    assert len(driver.incidents("late")) == 1


def test_a_match_is_taken_up_before_its_deal() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3)), [random_player] * 3)
    driver.open()
    driver.join(0, 1)
    driver.crash()
    driver.join(0, 2)
    assert driver.table.phase is Phase.JOINING
    driver.play_on()
    standings = driver.ended.standings
    assert standings[1].status is Status.AUTOPILOT, "it had joined before, so it is disconnected"
    verify(driver.lines)


def test_promises_hold_over_a_restart_and_the_parts_are_revealed_then() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, mode=DealMode.JOINT)), [random_player] * 3)
    driver.open()
    driver.join()
    driver.commit(0, 1, 2)
    driver.reveal(0)
    before = driver.of_kind(SeatsCommitted, 1)
    driver.crash()
    driver.join(1)
    assert driver.of_kind(SeatsCommitted, 1) == before * 2
    driver.join(0, 2)
    driver.reveal(0, 1, 2)
    driver.play_on()
    verify(driver.lines)


@pytest.mark.parametrize("commitments", [None, [], ["zz"] * 3, [5, 5, 5]])
def test_promises_that_cannot_be_read_are_asked_for_again(commitments: object) -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, mode=DealMode.JOINT)), [random_player] * 3)
    driver.open()
    lines = [*driver.opened(), Incident(what="committed", run={"commitments": commitments})]
    again = _taken_up(sealed(lines), player=random_player)
    again.start()
    assert again.table.phase is Phase.PLAYING


def test_a_void_without_its_end_is_ended() -> None:
    driver = _begun()
    batch = driver.table.feed(Void("out of disk"), driver.now_ns)
    driver.lines.append(next(output.line for output in batch if hasattr(output, "line")))
    driver.crash()
    assert driver.ended.voided_because == "out of disk"
    verify(driver.lines)


def test_a_match_may_be_taken_up_often() -> None:
    driver = _begun()
    for _ in range(12):
        driver.crash()
        driver.join()
        driver.hand()
        driver.answer()
    driver.play_on()
    assert len(driver.incidents("recovered")) == 12
    verify(driver.lines, with_audit=True)


def test_without_a_clock_a_recovered_match_waits_for_ever() -> None:
    driver = _begun("none")
    driver.crash()
    assert driver.table.wake_at_ns is None
    driver.join()
    assert driver.question.request.time_left_ms is None
    driver.play_on()
    verify(driver.lines)


# --- what cannot be resumed ---


def test_a_match_that_is_over_is_not_taken_up() -> None:
    with pytest.raises(TableError, match="the match is over") as refusal:
        _taken_up(_played(DealMode.SERVER, 2, (0, 1)))
    assert refusal.value.reason == "ended"


def test_the_secrets_of_another_match_are_refused() -> None:
    lines = _played(DealMode.PLAIN, 2, (0, 1))
    with pytest.raises(TableError, match="another deal") as refusal:
        _taken_up(lines[:9], Secrets(bytes(32)))
    assert refusal.value.reason == "wrong-secrets"
    promised = _played(DealMode.SERVER, 2, (0, 1))
    with pytest.raises(TableError, match="was not made of") as refusal:
        _taken_up(promised[:9], Secrets(bytes(32), bytes(32), NONCE))
    assert refusal.value.reason == "bad-setup"
    joint = _played(DealMode.JOINT, 2, (0, 1))
    with pytest.raises(TableError, match="a server's seed and a nonce"):
        _taken_up(joint[:15], Secrets(SEED))


def test_a_record_that_cannot_be_played_is_refused_with_its_line() -> None:
    lines = TableDriver(Table(table_setup(CLASSIC, 2)), [random_player] * 2)
    lines.play()
    values = lines.opened()
    at = next(at for at, line in enumerate(values) if isinstance(line, DecisionLine))
    line = values[at]
    assert isinstance(line, DecisionLine)
    values[at] = replace(line, answer="buy nothing")
    with pytest.raises(RecordError, match=rf"^line {at + 1}: "):
        _taken_up(sealed(values[: at + 1]))
    values[at] = replace(line, digest="A" * 22)
    with pytest.raises(TableError, match="another state") as refusal:
        _taken_up(sealed(values[: at + 1]))
    assert refusal.value.reason == "wrong-state"


def test_what_stands_in_run_may_be_anything() -> None:
    driver = _begun()
    driver.answer(PLACE[0])
    driver.answer()
    values = [
        replace(line, run={"at_ms": "soon", "used_ms": -5, "bank_ms": None, "credit_ms": True})
        if isinstance(line, DecisionLine | Incident)
        else line
        for line in driver.opened()
    ]
    again = _taken_up(
        [*sealed([*values, Incident(what="late", seat=0), Incident(what="weather"), Incident(what="rain", seat=1)])],
        player=random_player,
    )
    again.start()
    assert again.of_kind(Ask)
    assert again.question.request.bank_ms == 10_000
    again.feed(Handed(again.question.seat, 99, AGAIN))
    again.play_on()
