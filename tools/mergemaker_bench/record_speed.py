"""The speed of records in rows: the cost of writing and verifying one, relative to simulating its game with events.

All of it is random play of four players by renegade-classic, in the same games, with bank and times in each line.
"""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_bench.callgrind import Count, CountingFailed, Runs, count_instructions, valgrind
from mergemaker_bench.record_workloads import RECORD_WORKLOADS, make_records
from mergemaker_bench.rows import Row
from mergemaker_bench.turns import Times, least, time_round

VERIFY_GAMES_MUST: Final = 4.0
VERIFY_GAMES_AIM: Final = 2.5
WRITE_GAMES_MUST: Final = 4.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to measure of records."""

    rounds: int
    games: int
    """Games of a round; each round has the same ones."""
    warm_up: int
    """Other games, which each process plays first."""
    counted: Runs
    """Under callgrind."""

    @property
    def facts(self) -> Mapping[str, object]:
        """What is said of it beside the rows."""
        return {"rounds": self.rounds, "games": self.games, "warm_up_games": self.warm_up}


USUAL: Final = Effort(rounds=9, games=40, warm_up=30, counted=Runs(30, 5, 35))
QUICK: Final = Effort(rounds=3, games=15, warm_up=10, counted=Runs(10, 2, 12))


def measure_records(effort: Effort, *, instructions: bool, done: Callable[[int], None]) -> list[Row]:
    """Measures everything; `done` is told how many of `steps_of(effort)` steps are over."""
    needed = max(effort.warm_up + effort.games, effort.counted.warm_up + max(effort.counted.few, effort.counted.many))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = make_records(folder, range(needed))[effort.warm_up :][: effort.games]
        rounds = []
        for finished in range(1, effort.rounds + 1):
            rounds.append(time_round(folder, effort.warm_up, effort.games))
            done(finished)
        counts, why_not = _counts(effort, folder, done) if instructions else ({}, "left out")
    return [
        *_time_rows(least(rounds)),
        *_instruction_rows(counts, why_not),
        Row("size", "a record, not packed", "KB", sum(sizes) / len(sizes) / 1_000),
        Row("size-largest", f"the largest of {len(sizes)}", "KB", max(sizes) / 1_000),
    ]


def steps_of(effort: Effort) -> int:
    """How many steps `measure_records` takes: rounds of timing, and the workloads under callgrind."""
    return effort.rounds + len(RECORD_WORKLOADS)


def _counts(effort: Effort, folder: Path, done: Callable[[int], None]) -> tuple[Mapping[str, Count], str]:
    """The instructions of each workload; where they cannot be counted none, and why."""
    program = valgrind()
    if program is None:
        return {}, "valgrind is not installed"
    counts: dict[str, Count] = {}
    for step, name in enumerate(RECORD_WORKLOADS, effort.rounds + 1):
        try:
            counts[name] = count_instructions(program, name, effort.counted, folder)
        except CountingFailed as failure:
            return {}, str(failure)
        done(step)
    return counts, ""


def _time_rows(times: Times) -> list[Row]:
    """By CPU time: the sum over each workload's games, each at its least."""
    seconds = {name: sum(of_games) / 1e9 for name, of_games in times.items()}
    games = len(times["games"])
    return [
        _verify_row("verify", seconds["verifications"] / seconds["games"], "against simulating its game with events"),
        _write_row("write", seconds["recordings"] / seconds["games"], "into a file, line by line"),
        Row("verified-per-second", "records verified in a CPU second", "records", games / seconds["verifications"]),
        Row("written-per-second", "records written in a CPU second", "records", games / seconds["recordings"]),
        Row("games-per-second", "games simulated in a CPU second", "games", games / seconds["games"]),
    ]


def _instruction_rows(counts: Mapping[str, Count], why_not: str) -> list[Row]:
    def ratio(name: str) -> float | None:
        return counts[name].by_run / counts["games"].by_run if counts else None

    note = why_not or "by instructions, the system's left out"
    return [
        _verify_row("verify-instructions", ratio("verifications"), note),
        _write_row("write-instructions", ratio("recordings"), note),
    ]


def _verify_row(row_id: str, measured: float | None, note: str) -> Row:
    return Row(row_id, "verifying a record", "games", measured, VERIFY_GAMES_MUST, VERIFY_GAMES_AIM, note)


def _write_row(row_id: str, measured: float | None, note: str) -> Row:
    return Row(row_id, "writing a record, its game included", "games", measured, WRITE_GAMES_MUST, note=note)
