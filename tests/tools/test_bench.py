"""`mergemaker bench engine` and `records`: the rows, and how it counts instructions and measures times."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import mergemaker_engine
import pytest
from mergemaker_bench import callgrind, engine_speed, oracle_race, record_speed
from mergemaker_bench import command as bench
from mergemaker_bench.callgrind import Count, CountingFailed, Runs, count_instructions
from mergemaker_bench.engine_speed import Plan, measure, steps_of
from mergemaker_bench.oracle_race import find_oracle, race
from mergemaker_bench.record_workloads import RECORD_WORKLOADS, make_records, record_path, recorded_game
from mergemaker_bench.rows import Row
from mergemaker_bench.timing import Effort
from mergemaker_bench.turns import in_turns, time_round
from mergemaker_bench.workloads import COPIED_POSITIONS, PURSES, WORKLOADS, purchase_position
from mergemaker_engine.actions import Buy
from mergemaker_engine.audit import audit
from mergemaker_engine.decisions import ChoosePurchase
from mergemaker_engine.record.verifying import verify
from mergemaker_tools.problems import CommandFailed

from tests.tools.conftest import Run

FEW_RECORDS = record_speed.Effort(rounds=1, games=2, warm_up=1, counted=Runs(1, 1, 2))
TINY = Plan(
    Effort(rounds=2, games=1, repeats=1), Runs(1, 1, 3), Runs(1, 1, 2), counts_parts=True, oracle_games=1, builds=FEW_RECORDS
)
IDS = [
    "game-instructions",
    "games-per-second",
    "playout-instructions",
    "playouts-per-second",
    "copy",
    "purchases",
    "purchases-worst",
    "deal",
    "oracle",
    "compiled-games",
    "compiled-playouts",
]
LEFT_OUT = {
    ("oracle", "left out: the oracle is in the source checkout only"),
    ("compiled-games", "left out: `make compiled` builds it in a checkout"),
    ("compiled-playouts", "left out: `make compiled` builds it in a checkout"),
}
# A path with a space cannot follow #!, so sh starts Python; for Python, the second line is a string.
FAKE_VALGRIND = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import subprocess, sys
tool, out, python, _, module, workload, warm_up, runs, *records = sys.argv[1:]
assert (tool, python) == ("--tool=callgrind", sys.executable), sys.argv
{body}
"""
# The start costs a million, each run ten thousand, and each run has four units.
COUNTS = """
with open(out.partition("=")[2], "w") as file:
    file.write(f"version: 1\\nsummary: {1_000_000 + 10_000 * int(runs)}\\n")
print(4 * int(runs))
"""


@pytest.fixture
def fake_valgrind(tmp_path: Path) -> Callable[[str], str]:
    """Makes a substitute for valgrind that does this work."""
    if os.name != "posix":
        pytest.skip("a program without an ending needs POSIX")

    def make(body: str) -> str:
        program = tmp_path / "valgrind"
        program.write_text(FAKE_VALGRIND.format(python=sys.executable, body=body), encoding="utf-8")
        program.chmod(stat.S_IRWXU)
        return str(program)

    return make


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest measurable amounts."""
    monkeypatch.setattr(bench, "QUICK", TINY)
    monkeypatch.setattr(engine_speed, "find_builds", lambda: None)


@pytest.mark.usefixtures("tiny")
def test_bench_as_json(run: Callable[..., Run]) -> None:
    measured = run("bench", "engine", "--quick", "--no-instructions", "--json")
    assert (measured.status, measured.err) == (0, "")
    document = json.loads(measured.out)
    assert set(document) == {"python", "build", "system", "cores", "load_average", "rows"}
    rows = {row["id"]: row for row in document["rows"]}
    assert list(rows) == IDS
    for name, row in rows.items():
        assert set(row) == {"id", "what", "unit", "measured", "must", "must_met", "aim", "aim_met", "note"}
        if name.endswith("-instructions"):
            assert (row["measured"], row["must_met"], row["note"]) == (None, None, "left out")
        elif row["measured"] is None:
            assert (name, row["note"]) in LEFT_OUT
        else:
            assert row["measured"] > 0
            assert row["must_met"] in ((None,) if row["must"] is None else (True, False))


@pytest.mark.usefixtures("tiny")
def test_bench_on_the_screen(run: Callable[..., Run]) -> None:
    measured = run("bench", "engine", "--quick", "--no-instructions")
    assert (measured.status, measured.err) == (0, "")
    assert " cores, load " in measured.out.splitlines()[-1]
    assert "a deal from its seed" in measured.out
    assert max(map(len, measured.out.splitlines())) <= 80


@pytest.mark.parametrize(("arguments", "said"), [((), "required: WHAT"), (("enigne",), "invalid choice: 'enigne'")])
def test_what_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("bench", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


RECORD_IDS = [
    *("verify", "write", "verified-per-second", "written-per-second", "games-per-second"),
    *("verify-instructions", "write-instructions", "size", "size-largest"),
]


def test_bench_of_records(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_speed, "QUICK", FEW_RECORDS)
    measured = run("bench", "records", "--quick", "--no-instructions", "--json")
    assert (measured.status, measured.err) == (0, "")
    document = json.loads(measured.out)
    assert (document["rounds"], document["games"], document["warm_up_games"]) == (1, 2, 1)
    rows = {row["id"]: row for row in document["rows"]}
    assert list(rows) == RECORD_IDS
    for name, row in rows.items():
        if name.endswith("-instructions"):
            assert (row["measured"], row["note"]) == (None, "left out")
        else:
            assert row["measured"] > 0
    # Not the one from the warm-up.
    assert rows["size-largest"]["measured"] == max(len(recorded_game(number)) for number in (1, 2)) / 1_000


def test_bench_of_records_on_the_screen(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_speed, "QUICK", FEW_RECORDS)
    monkeypatch.setattr(record_speed, "time_round", lambda *_: ROUND)
    shown = run("bench", "records", "--quick", "--no-instructions").out.splitlines()
    assert max(map(len, shown)) <= 80
    assert shown[-3:] == ["rounds: 1", "games: 2", "warm up games: 1"]
    assert " cores, load " in shown[-4]


ROUND = {"games": [2_000_000, 4_000_000], "recordings": [8_000_000, 19_000_000], "verifications": [12_000_000, 9_000_000]}


def test_rows_of_records_are_ratios_of_the_sums_of_each_games_least_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = iter([ROUND, {"games": [5_000_000, 3_000_000], "recordings": [9_000_000] * 2, "verifications": [10_000_000] * 2}])
    counts = {"games": Count(10e6, 1), "recordings": Count(36e6, 1), "verifications": Count(41e6, 1)}
    folders: set[Path] = set()

    def time_round(folder: Path, warm_up: int, games: int) -> object:
        assert (warm_up, games) == (1, 2)
        assert sorted(path.name for path in folder.iterdir()) == ["0.jsonl", "1.jsonl", "2.jsonl"]
        folders.add(folder)
        return next(rounds)

    def count(program: str, workload: str, runs: Runs, records: Path) -> Count:
        assert (program, runs, {records}) == ("valgrind", FEW_RECORDS.counted, folders)
        return counts[workload]

    monkeypatch.setattr(record_speed, "time_round", time_round)
    monkeypatch.setattr(record_speed, "valgrind", lambda: "valgrind")
    monkeypatch.setattr(record_speed, "count_instructions", count)
    effort = replace(FEW_RECORDS, rounds=2)
    steps: list[int] = []
    rows = {row.id: row for row in record_speed.measure_records(effort, instructions=True, done=steps.append)}
    # The least: games 2 + 3, recordings 8 + 9, verifications 10 + 9 ms.
    measured = {name: row.measured for name, row in rows.items() if not name.startswith("size")}
    assert measured == pytest.approx(
        {
            "verify": 19 / 5,
            "write": 17 / 5,
            "verified-per-second": 2 / 0.019,
            "written-per-second": 2 / 0.017,
            "games-per-second": 2 / 0.005,
            "verify-instructions": 4.1,
            "write-instructions": 3.6,
        }
    )
    assert [rows[name].met(rows[name].must) for name in ("verify", "verify-instructions")] == [True, False]
    assert steps == list(range(1, record_speed.steps_of(effort) + 1))
    assert not any(folder.exists() for folder in folders)


@pytest.mark.parametrize(
    ("program", "note"),
    [(None, "valgrind is not installed"), ("/nowhere/valgrind", "games: /nowhere/valgrind cannot be run")],
)
def test_rows_of_records_say_why_instructions_are_not_counted(
    monkeypatch: pytest.MonkeyPatch, program: str | None, note: str
) -> None:
    monkeypatch.setattr(record_speed, "valgrind", lambda: program)
    monkeypatch.setattr(record_speed, "time_round", lambda *_: ROUND)
    rows = {row.id: row for row in record_speed.measure_records(FEW_RECORDS, instructions=True, done=lambda _: None)}
    for name in ("verify-instructions", "write-instructions"):
        assert rows[name].measured is None
        assert rows[name].note.startswith(note)


def test_each_game_is_timed_by_every_workload_before_the_next_game() -> None:
    turns: list[tuple[str, int]] = []

    def timer(name: str, number: int) -> int:
        turns.append((name, number))
        return 10 * len(turns)

    times = in_turns({name: partial(timer, name) for name in ("one", "other")}, range(5, 8))
    assert turns == [(name, number) for number in (5, 6, 7) for name in ("one", "other")]
    assert times == {"one": [10, 30, 50], "other": [20, 40, 60]}


def test_a_process_that_finds_no_record_says_so(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"(?s)record_child has ended.*FileNotFoundError"):
        time_round(tmp_path, warm_up=1, games=1)


def test_a_workload_of_records_leaves_nothing_behind(tmp_path: Path) -> None:
    sizes = make_records(tmp_path, range(2))
    for prepare in RECORD_WORKLOADS.values():
        prepare(tmp_path)(1)
    assert [record_path(tmp_path, number).stat().st_size for number in range(2)] == sizes
    assert len(list(tmp_path.iterdir())) == 2


def test_the_records_that_are_measured_are_good_ones() -> None:
    assert verify([recorded_game(0)]).record.end is not None


# --- rows -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measured", "must", "aim"),
    [(7.9, True, True), (8.0, True, True), (10.5, True, False), (10.6, False, False), (None, None, None)],
)
def test_limits_are_met_up_to_themselves(measured: float | None, must: bool | None, aim: bool | None) -> None:
    row = Row("id", "what", "unit", measured, 10.5, 8.0)
    assert (row.met(row.must), row.met(row.aim)) == (must, aim)
    assert Row("id", "what", "unit", measured).met(None) is None


def test_rows_by_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"games": Count(9_000_000, 60_000), "playouts": Count(3_500_000, 3_500_000)}
    parts = {"copies": Count(1, 15_000), "purchases": Count(1, 90_000)}

    def count(_program: str, workload: str, _runs: Runs) -> Count:
        return (counts | parts).get(workload, Count(1, 150_000))

    monkeypatch.setattr(engine_speed, "valgrind", lambda: "valgrind")
    monkeypatch.setattr(engine_speed, "count_instructions", count)
    steps: list[int] = []
    rows = {row.id: row for row in measure(TINY, instructions=True, done=steps.append)}
    told = ("game-instructions", "playout-instructions", "copy", "purchases", "purchases-worst")
    assert [rows[name].measured for name in told] == [9.0, 3.5, 0.25, 1.5, 2.5]
    assert rows["purchases-worst"].note == "by instructions"
    assert rows["purchases-worst"].met(rows["purchases-worst"].must) is False
    assert steps == list(range(1, steps_of(TINY) + 1))


@pytest.mark.parametrize(
    ("program", "note"),
    [(None, "valgrind is not installed"), ("/nowhere/valgrind", "games: /nowhere/valgrind cannot be run")],
)
def test_rows_say_why_instructions_are_not_counted(monkeypatch: pytest.MonkeyPatch, program: str | None, note: str) -> None:
    monkeypatch.setattr(engine_speed, "valgrind", lambda: program)
    rows = {row.id: row for row in measure(TINY, instructions=True, done=lambda _: None)}
    assert rows["game-instructions"].measured is None
    assert rows["game-instructions"].note.startswith(note)
    assert rows["copy"].note == "by CPU time"


# --- workloads ------------------------------------------------------------------------------------------------


def test_the_purchases_are_with_seven_chains_and_little_cash() -> None:
    left: set[int] = set()
    for cash in PURSES:
        game = purchase_position(cash)
        assert audit(game) == ()
        assert isinstance(game.decision, ChoosePurchase)
        view = game.view(game.decision.seat)
        assert sorted(view.sizes) == list(range(2, 9))
        assert view.cash[0] == cash
        left |= set(view.market)
        dearest = max(view.prices)
        assert cash < 3 * dearest or cash > 3 * dearest - 600
        assert all(isinstance(answer, Buy) for answer in game.legal())
    assert (min(left), max(left)) == (10, 25)
    lists = [len(purchase_position(cash).legal()) for cash in PURSES]
    assert all(one <= other for one, other in pairwise(lists))
    assert lists[0] < 10
    assert 100 < lists[-1] <= 120


@pytest.mark.parametrize(
    ("name", "units"), [("playouts", 1), ("copies", COPIED_POSITIONS), ("purchases", len(PURSES)), ("purchases-400", 1)]
)
def test_a_workload_tells_its_units(name: str, units: int) -> None:
    work = WORKLOADS[name]()
    assert work(0) == work(1) == units


def test_the_process_whose_instructions_are_counted_tells_the_units_after_its_warm_up() -> None:
    command = [sys.executable, "-m", "mergemaker_bench.child", "copies", "3", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"{2 * COPIED_POSITIONS}\n"


def test_that_process_reads_the_records_it_is_told_of(tmp_path: Path) -> None:
    make_records(tmp_path, range(2))
    command = [sys.executable, "-m", "mergemaker_bench.child", "verifications", "1", "1", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "1\n"


# --- callgrind ------------------------------------------------------------------------------------------------


def test_the_difference_of_two_processes_is_what_counts(fake_valgrind: Callable[[str], str]) -> None:
    assert count_instructions(fake_valgrind(COUNTS), "games", Runs(5, 2, 10)) == Count(10_000, 2_500)


def test_a_workload_of_records_is_told_where_they_are(fake_valgrind: Callable[[str], str], tmp_path: Path) -> None:
    program = fake_valgrind(f"assert records == [{str(tmp_path)!r}]\n{COUNTS}")
    assert count_instructions(program, "verifications", Runs(5, 2, 10), tmp_path) == Count(10_000, 2_500)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit('out of memory')", "games: ended with 1: out of memory"),
        (COUNTS.replace("summary", "nothing"), "neither a line `summary:`"),
    ],
)
def test_what_cannot_be_counted_says_why(fake_valgrind: Callable[[str], str], body: str, said: str) -> None:
    with pytest.raises(CountingFailed, match=said):
        count_instructions(fake_valgrind(body), "games", Runs(1, 1, 2))


def test_a_process_that_takes_too_long_is_ended(fake_valgrind: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callgrind, "CHILD_LIMIT_S", 0)
    with pytest.raises(CountingFailed, match="games: not counted within 0 s"):
        count_instructions(fake_valgrind("import threading; threading.Event().wait(600)"), "games", Runs(1, 1, 2))


@pytest.mark.slow
@pytest.mark.skipif(callgrind.valgrind() is None, reason="needs valgrind")
def test_the_real_callgrind_gives_the_same_count_twice() -> None:
    program = callgrind.valgrind()
    assert program is not None
    # Three processes give two counts: the second run's extra cost over the first, and the third's over the second.
    one, two, three = callgrind.count_processes(program, "copies", 1, (1, 2, 3))
    first, again = two.instructions - one.instructions, three.instructions - two.instructions
    assert first == pytest.approx(again, rel=0.05)
    assert 1_000 < first / (two.units - one.units) < 100_000


# --- the oracle -----------------------------------------------------------------------------------------------


@pytest.mark.checkout
def test_the_oracle_of_the_checkout_plays_the_same_games() -> None:
    oracle = find_oracle()
    assert oracle is not None
    assert race(oracle, 1) > 1


@pytest.mark.checkout
def test_a_difference_to_the_oracle_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = find_oracle()
    assert oracle is not None
    monkeypatch.setattr(oracle_race, "_play_by_oracle", lambda _module, _number: ["1A"])
    with pytest.raises(CommandFailed, match="play game 0 of seed 00"):
        race(oracle, 1)


def test_elsewhere_there_is_no_oracle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "mergemaker_engine"
    package.mkdir(parents=True)
    monkeypatch.setattr(mergemaker_engine, "__file__", str(package / "__init__.py"))
    assert find_oracle() is None
