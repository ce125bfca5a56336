"""`mergemaker replay --faults`: what went wrong in a record, when, and whose fault it was."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mergemaker_engine.record.lines import DecisionLine, Header, Incident
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import CLOCKS, FaultTerms, Table, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.evidence import HeldUp
from mergemaker_table.inputs import Answered, AnswerIndex, BarrierPassed, Left, Resign, TakenOver, Tick, Void
from mergemaker_testkit.recorded import opened, recorded_match, sealed
from mergemaker_testkit.table_driver import MATCH, TableDriver, random_player, table_setup

from tests.tools.conftest import Run

CLASSIC = preset("renegade-classic")
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
ALL_MS = 10_100


def _table() -> TableDriver:
    driver = TableDriver(Table(table_setup(CLASSIC, 3, Terms(CLOCKS["fast"], FaultTerms(defaults_max=2)))), [random_player] * 3)
    driver.start()
    return driver


def _time_out(driver: TableDriver) -> None:
    driver.pass_ms(2)
    asked = driver.hand()
    driver.asked = None
    driver.pass_ms(ALL_MS + 1)
    driver.feed(Tick())
    driver.feed(BarrierPassed(asked.seat, asked.request.decision_id))


def _troubled() -> TableDriver:
    """A match whose first seat to be asked times out, and then answers wrongly until it is no longer asked."""
    driver = _table()
    seat = driver.question.seat
    _time_out(driver)
    while driver.question.seat != seat:
        driver.step()
    driver.hand()
    for _ in range(3):
        driver.pass_ms(10)
        driver.feed(Answered(seat, driver.question.request.decision_id, AnswerIndex(9_999), None, driver.now_ns))
        if driver.question.seat != seat:
            break
    driver.play_on()
    verify(driver.lines)
    return driver


def _shown(run: Callable[..., Run], *arguments: str) -> str:
    shown = run("replay", *arguments, "--faults")
    assert (shown.status, shown.err) == (0, "")
    return shown.out


def _document(run: Callable[..., Run], *arguments: str) -> dict[str, Any]:
    found = json.loads(_shown(run, *arguments, "--json"))
    assert isinstance(found, dict)
    return found


def test_people_see_a_table_and_a_timeline_for_each(run: Callable[..., Run], written: Callable[..., str]) -> None:
    driver = _troubled()
    out = _shown(run, written(driver.lines))
    first = next(line for line in driver.opened() if isinstance(line, DecisionLine))
    text = " ".join(out.split())
    assert f"match {MATCH} (" in out
    assert "6 entries" in out
    assert f"1. default: timeout, seat {first.seat} bot {first.seat}, {2 + ALL_MS + 1:,} ms after the match's start" in text
    assert "decision 1: ChooseTile; allowance 100 ms, bank 10,000 ms" in text
    assert f"taken in its name: {first.answer}" in text
    assert "ms: asked 0.0 · handed 2.0 · deadline 10,102.0 · default 10,103.0" in text
    assert "held up: transport 0.0, referee 0.0" in text
    assert f"the bot's (no-answer): no answer came in the {ALL_MS} ms that there were" in text
    assert f"trace {MATCH}.{first.seat}.1" in text
    assert "answered: index 9999 (bad-index)" in text
    assert "the bot's (defaults): 2 defaults were taken, so the seat is no longer asked" in text
    assert f"seat {first.seat} was no longer asked after that: " in text
    assert len([line for line in out.splitlines() if line.endswith("the bot's")]) == 6
    details = out.split("\n\n1. ", 1)[1].split("\n\n")[0].splitlines()
    # However narrow the page is, an entry's details stand below its head.
    assert len(details) > 7
    assert all(line.startswith("   ") for line in details[1:])


def test_people_see_how_long_the_clock_stood_while_a_bot_was_not_heard(
    run: Callable[..., Run], written: Callable[..., str]
) -> None:
    driver = _table()
    seat = driver.hand().seat
    came = driver.now_ns
    driver.pass_ms(260)
    driver.feed(TakenOver(seat, "t9c0d41e2aa17", came))
    driver.pass_ms(ALL_MS + 1)
    driver.look_at_clock()
    driver.play_on()
    text = " ".join(_shown(run, written(driver.lines)).split())
    assert "ms: asked 0.0 · handed 0.0 · back 0.0 · deadline 10,360.0 · default 10,361.0" in text
    assert "held up: transport 0.0, referee 0.0; clock stood for the referee: 260.0" in text


def test_programs_get_one_document(run: Callable[..., Run], written: Callable[..., str]) -> None:
    driver = _troubled()
    found = _document(run, written(driver.lines))
    faults = found["faults"]
    assert [fault["what"] for fault in faults] == ["default: timeout", *["rejected"] * 3, "default: illegal", "autopilot"]
    lines = [line for line in driver.opened() if isinstance(line, DecisionLine | Incident) and "evidence" in line.run]
    assert [fault["evidence"] for fault in faults] == [line.run["evidence"] for line in lines]
    assert {fault["at_fault"] for fault in faults} == {"bot"}
    second = [fault["decision"] for fault in faults][1]
    assert [fault["decision"] for fault in faults] == [1, second, second, second, second, None]
    assert faults[1]["reason"] == "bad-index"
    assert faults[0]["used_ms"] == ALL_MS
    # The earlier timeout left this much in the bank.
    assert [(fault["allowance_ms"], fault["bank_ms"]) for fault in faults[:2]] == [(100, 10_000), (100, 0)]
    end = next(line for line in driver.opened() if isinstance(line, Header))
    assert found["bots"] == list(end.bots)
    assert sum(found["unasked"]) > 5


def test_one_seat_and_one_decision_can_be_picked(run: Callable[..., Run], written: Callable[..., str]) -> None:
    driver = _troubled()
    seat = next(line for line in driver.opened() if isinstance(line, DecisionLine)).seat
    path = written(driver.lines)
    assert len(_document(run, path, "--seat", str(seat))["faults"]) == 6
    assert _document(run, path, "--seat", str((seat + 1) % 3))["faults"] == []
    assert len(_document(run, f"{path}@1")["faults"]) == 1
    assert "no faults" in _shown(run, path, "--seat", str((seat + 1) % 3))


def test_a_late_answer_belongs_to_the_decision_that_it_was_for(run: Callable[..., Run], written: Callable[..., str]) -> None:
    driver = _table()
    seat = driver.question.seat
    _time_out(driver)
    driver.step()
    driver.feed(Answered(seat, 1, AnswerIndex(0), None, driver.now_ns))
    driver.play_on()
    faults = _document(run, written(driver.lines))["faults"]
    (late,) = [fault for fault in faults if fault["what"] == "late"]
    assert (late["decision"], late["seat"], late["overrun_ms"]) == (1, seat, 1)


def test_what_held_the_referee_up_is_its_own_fault_and_nobody_was_charged(
    run: Callable[..., Run], written: Callable[..., str]
) -> None:
    driver = _table()
    seat = driver.question.seat
    driver.hand()
    driver.asked = None
    stamp = driver.now_ns
    driver.pass_ms(200)
    driver.held_up = HeldUp(0, in_ns(200))
    driver.feed(Answered(seat, 1, AnswerIndex(0), None, stamp))
    driver.play_on()
    path = written(driver.lines)
    (fault,) = _document(run, path)["faults"]
    assert (fault["what"], fault["at_fault"], fault["referee_lag_ms"], fault["decision"]) == ("held up", "referee", 200, 1)
    assert "the referee's: it was held up (referee 200 ms), and nobody was charged" in _shown(run, path)


def test_a_voided_or_broken_match_is_shown_as_far_as_it_goes(run: Callable[..., Run], written: Callable[..., str]) -> None:
    driver = _table()
    seat = driver.question.seat
    driver.hand()
    driver.feed(Left(seat, "the client went"))
    path = written(driver.lines)
    assert "(running, or broken off): 1 entry" in _shown(run, path)
    assert _document(run, path)["ended"] is None
    driver.crash()
    driver.feed(Void("a fault of the referee: KeyError"))
    out = _shown(run, written(driver.lines))
    assert "(voided): 3 entries" in out
    assert "the referee's: it had been gone and went on; nobody was charged" in out
    assert "the referee's (fault): a fault of the referee: KeyError" in out


def test_seats_that_gave_up_are_named(run: Callable[..., Run], written: Callable[..., str]) -> None:
    driver = _table()
    seat = driver.question.seat
    driver.hand()
    driver.asked = None
    driver.feed(Resign(seat))
    driver.play_on()
    faults = _document(run, written(driver.lines))["faults"]
    assert [(fault["what"], fault["seat"], fault["decision"]) for fault in faults] == [
        ("resigned", seat, 1),
        ("default: resigned", seat, 1),
    ]


def test_a_record_without_faults_says_so(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(recorded_match(CLASSIC, 3, bytes(32)))
    assert "0 entries" in _shown(run, path)
    assert "no faults: every question was answered by its own bot" in _shown(run, path)
    assert _document(run, path)["faults"] == []


@pytest.mark.parametrize("name", ["reference-5-faults", "reference-2-voided", "classic-2-fork", "reference-5-fork"])
def test_old_records_without_timelines_show_what_there_is(run: Callable[..., Run], name: str) -> None:
    path = str(GOLDEN / f"{name}.jsonl.gz")
    found = _document(run, path)["faults"]
    assert all(fault["evidence"] is None for fault in found)
    out = " ".join(_shown(run, path).split())
    assert out.count("no timeline") == len([fault for fault in found if fault["at_fault"] is None])
    if name == "reference-5-faults":
        assert len(found) == 13
        assert "default: timeout, seat 0 bot 1, 2,937 ms" in out
        assert "used 217 ms" in out


def test_texts_that_anybody_wrote_are_shown_harmlessly(run: Callable[..., Run], written: Callable[..., str]) -> None:
    lines = opened(recorded_match(CLASSIC, 3, bytes(32)))
    strange: list[dict[str, Any]] = [
        {"evidence": 7, "n": "x", "reason": ["a"]},
        {"evidence": {"fault": "bot", "text": "\x1b[2J\u202egone", "moments": [["asked", "x"], 7], "reason": 5}},
        {"answer": "\x07", "reason": "\r\n"},
    ]
    lines[2:2] = [Incident(what="rejected", seat=1, why="\x1b]0;title\x07", run=run) for run in strange]
    out = _shown(run, written(sealed(lines)))
    assert "3 entries" in out
    assert all(letter.isprintable() or letter == "\n" for letter in out)


@pytest.mark.parametrize("other", ["--text", "--stats"])
def test_two_views_at_once_are_refused(run: Callable[..., Run], written: Callable[..., str], other: str) -> None:
    shown = run("replay", written(recorded_match(CLASSIC, 3, bytes(32))), "--faults", other)
    assert shown.status == 2
    assert f"--faults and {other} are two ways" in shown.err


def test_what_is_no_record_is_refused(run: Callable[..., Run], written: Callable[..., str]) -> None:
    shown = run("replay", written([b"{}\n"]), "--faults")
    assert shown.status == 1
    assert "is not a record that can be shown" in shown.err
