"""The round trip to a bot: a distant bot loses nothing by it, and a bot that only claims distance gains at most the quota."""

from pathlib import Path

import pytest
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.rules import Rules, preset
from mergemaker_referee.records.files import open_record
from mergemaker_table.terms import CLOCKS, ClockTerms
from mergemaker_testkit.far_bots import Far, FarBot, play_far

FAR = Far(way_ms=(50, 100))
"""150 ms there and back, plus or minus 50."""
NEAR = Far()
FAST = CLOCKS["fast"]


def put_to(record: Path, seat: int) -> list[DecisionLine]:
    """The decisions that a seat was asked."""
    return [line for line in open_record(record).decisions if line.seat == seat and "used_ms" in line.run]


def total(lines: list[DecisionLine], name: str) -> int:
    """The sum of a member of `run`."""
    return sum(int(str(line.run.get(name, 0))) for line in lines)


def played(folder: Path, rules: Rules, clock: ClockTerms, bots: list[Far], seed: int = 0) -> tuple[Path, list[FarBot]]:
    record, players = play_far(folder, rules, clock, bots, seed)
    assert all(line.by in (AnsweredBy.BOT, AnsweredBy.AUTOMATIC) for line in open_record(record).decisions)
    return record, players


@pytest.mark.parametrize(("others", "seed"), [(FAR, 0), (FAR, 1), (NEAR, 0)])
def test_who_does_not_think_loses_nothing_on_a_long_way(tmp_path: Path, others: Far, seed: int) -> None:
    record, _ = played(tmp_path, preset("reference-trading"), FAST, [FAR, others, others], seed)
    lines = put_to(record, 0)
    assert len(lines) > 100, "a long game"
    assert total(lines, "used_ms") > 140 * len(lines)
    assert {line.run["bank_ms"] for line in lines} == {FAST.bank_ms}


@pytest.mark.parametrize("clock", ["standard", "slow"])
def test_on_the_longer_clocks_a_long_way_is_within_the_allowance(tmp_path: Path, clock: str) -> None:
    record, _ = played(tmp_path, preset("renegade-classic"), CLOCKS[clock], [FAR, FAR])
    lines = put_to(record, 0)
    assert total(lines, "used_ms") > 140 * len(lines)
    assert total(lines, "credit_ms") == 0
    assert {line.run["bank_ms"] for line in lines} == {CLOCKS[clock].bank_ms}


def test_a_long_way_is_credited_to_who_thinks_too(tmp_path: Path) -> None:
    thinks = Far(way_ms=(50, 100), thinks_ms=100)
    record, _ = played(tmp_path, preset("renegade-classic"), FAST, [thinks, NEAR])
    lines = put_to(record, 0)
    # Its thinking is free, and at least two thirds of the way come back as long as the quota lasts.
    assert total(lines[:10], "used_ms") > 10 * 240
    assert total(lines[:10], "credit_ms") >= 10 * 100
    assert FAST.bank_ms - int(str(lines[9].run["bank_ms"])) <= 10 * 100


@pytest.mark.parametrize("holds_pongs_ms", [0, 200, 5_000])
@pytest.mark.parametrize("thinks_ms", [110, 300])
def test_who_is_slow_on_purpose_gains_no_more_than_quota_and_refill(tmp_path: Path, thinks_ms: int, holds_pongs_ms: int) -> None:
    cheat = Far(thinks_ms=thinks_ms, holds_pongs_ms=holds_pongs_ms)
    clock = ClockTerms(
        name="mine",
        allowance_ms=100,
        bank_ms=60_000,
        startup_ms=60_000,
        credit_decision_ms_max=FAST.credit_decision_ms_max,
        credit_match_ms_max=FAST.credit_match_ms_max,
        credit_refill_ms=FAST.credit_refill_ms,
    )
    record, _ = played(tmp_path, preset("renegade-classic"), clock, [cheat, Far(thinks_ms=100), Far(thinks_ms=100)])
    lines = put_to(record, 0)
    beyond = sum(max(int(str(line.run["used_ms"])) - 100, 0) for line in lines)
    paid = clock.bank_ms - int(str(lines[-1].run["bank_ms"]))
    gained = beyond - paid
    assert gained == total(lines, "credit_ms") <= FAST.credit_match_ms_max + FAST.credit_refill_ms * len(lines)
    assert (gained > 0) == (holds_pongs_ms > 0)
    assert all(int(str(line.run.get("credit_ms", 0))) <= FAST.credit_decision_ms_max for line in lines)
    assert total(put_to(record, 1), "credit_ms") == 0


def test_thinking_is_not_taken_for_a_long_way(tmp_path: Path) -> None:
    one_thing_at_a_time = Far(thinks_ms=150, thinks_before_pongs=True)
    record, players = played(tmp_path, preset("renegade-classic"), FAST, [one_thing_at_a_time, FAR, NEAR])
    lines = put_to(record, 0)
    assert total(lines, "used_ms") == sum(players[0].thought_ms)
    assert total(lines, "credit_ms") == 0


def test_the_same_seed_makes_the_same_record(tmp_path: Path) -> None:
    ends = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        record, _ = played(folder, preset("renegade-classic"), FAST, [FAR, NEAR], 5)
        ends.append([(line.seat, line.answer, line.run) for line in open_record(record).decisions])
    assert ends[0] == ends[1]
