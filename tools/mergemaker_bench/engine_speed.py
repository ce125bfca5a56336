"""The engine's speed in rows: what was measured, what it must be, and what it aims at.

All games are random play of four players by renegade-classic.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mergemaker_bench import record_speed
from mergemaker_bench.build_race import RACED, find_builds, race_builds
from mergemaker_bench.callgrind import Count, CountingFailed, Runs, count_instructions, valgrind
from mergemaker_bench.oracle_race import find_oracle, race
from mergemaker_bench.rows import Row
from mergemaker_bench.timing import Effort, Timed, time_workloads, worst_purse

_MILLION: Final = 1e6
_WHOLE: Final = ("games", "playouts")
COMPILED_MUST: Final = {"games": 2.7, "playouts": 3.0}
COMPILED_AIM: Final = 5.0
GAME_MILLIONS_MUST: Final = 9.0
GAME_MILLIONS_AIM: Final = 8.0
PLAYOUT_MILLIONS_MUST: Final = 3.6
PLAYOUT_MILLIONS_AIM: Final = 3.0
COPY_DECISIONS_MUST: Final = 1 / 3
PURCHASE_DECISIONS_MUST: Final = 2.0
DEAL_US_MUST: Final = 20.0
REFERENCE_HASH_US: Final = 0.5
"""A deal's time is scaled to a machine on which SHA-256 of 64 bytes takes this long."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure."""

    timed: Effort
    games: Runs
    """How many games and playouts under callgrind."""
    short: Runs
    """How many runs of the short workloads under callgrind."""
    counts_parts: bool
    """Whether the short workloads are counted under callgrind, too; otherwise they are only timed."""
    oracle_games: int
    builds: record_speed.Effort
    """Of the race between builds."""


# Both warm up equally: the engine's caches of actions, events and texts fill in the first dozens of games.
USUAL: Final = Plan(Effort(rounds=7, games=60, repeats=20), Runs(30, 5, 65), Runs(5, 5, 55), True, 5, record_speed.USUAL)
QUICK: Final = Plan(Effort(rounds=3, games=20, repeats=5), Runs(30, 5, 25), Runs(2, 2, 12), False, 2, record_speed.QUICK)


def measure(plan: Plan, *, instructions: bool, done: Callable[[int], None]) -> list[Row]:
    """Measures everything; `done` is told how many of `steps_of(plan)` steps are over."""
    times = time_workloads(plan.timed, done)
    program = valgrind() if instructions else None
    why_not = "left out" if not instructions else "" if program else "valgrind is not installed"
    counts: dict[str, Count] = {}
    notes: dict[str, str] = {}
    worst = f"purchases-{worst_purse(times)}"
    for step, name in enumerate((*_WHOLE, "copies", "purchases", worst), 1):
        notes[name] = why_not
        if program and (plan.counts_parts or name in _WHOLE):
            try:
                counts[name] = count_instructions(program, name, _runs_for(name, plan))
            except CountingFailed as failure:
                notes[name] = str(failure)
        done(plan.timed.rounds + step)
    return [
        *_whole_games(times, counts, notes),
        *_parts(times, counts, worst),
        _deal_row(times),
        _oracle_row(plan),
        *_build_rows(plan),
    ]


def steps_of(plan: Plan) -> int:
    """How many steps `measure` takes: rounds of timing, and five workloads under callgrind."""
    return plan.timed.rounds + 5


def _runs_for(name: str, plan: Plan) -> Runs:
    return plan.games if name in _WHOLE else plan.short


def _whole_games(times: Mapping[str, Timed], counts: Mapping[str, Count], notes: Mapping[str, str]) -> list[Row]:
    def millions(name: str) -> float | None:
        return counts[name].by_run / _MILLION if name in counts else None

    return [
        Row(
            "game-instructions",
            "a game: legal(), apply(), events",
            "M instructions",
            millions("games"),
            GAME_MILLIONS_MUST,
            GAME_MILLIONS_AIM,
            notes["games"],
        ),
        Row("games-per-second", "games in a CPU second", "games", 1 / times["games"].by_run),
        Row(
            "playout-instructions",
            "a playout with its set-up",
            "M instructions",
            millions("playouts"),
            PLAYOUT_MILLIONS_MUST,
            PLAYOUT_MILLIONS_AIM,
            notes["playouts"],
        ),
        Row("playouts-per-second", "playouts in a CPU second", "playouts", 1 / times["playouts"].by_run),
    ]


def _parts(times: Mapping[str, Timed], counts: Mapping[str, Count], worst: str) -> list[Row]:
    """Parts of a game, in decisions: how long each takes against the mean decision."""

    def in_decisions(name: str) -> tuple[float, str]:
        if name in counts and "games" in counts:
            return counts[name].by_unit / counts["games"].by_unit, "by instructions"
        return times[name].by_unit / times["games"].by_unit, "by CPU time"

    cash = worst.rpartition("-")[2]
    named = (
        ("copy", "copy()", "copies", COPY_DECISIONS_MUST),
        ("purchases", "legal() for a purchase: 7 chains, little cash", "purchases", PURCHASE_DECISIONS_MUST),
        ("purchases-worst", f"the slowest of these, with ${cash}", worst, PURCHASE_DECISIONS_MUST),
    )
    rows = []
    for row_id, what, name, must in named:
        measured, how = in_decisions(name)
        rows.append(Row(row_id, what, "mean decisions", measured, must, note=how))
    return rows


def _deal_row(times: Mapping[str, Timed]) -> Row:
    deal_us = times["deals"].by_unit * _MILLION
    hash_us = times["hashes"].by_unit * _MILLION
    note = f"here {deal_us:.1f} µs, and {hash_us:.2f} µs for a hash; scaled to {REFERENCE_HASH_US} µs"
    return Row("deal", "a deal from its seed", "µs", deal_us * REFERENCE_HASH_US / hash_us, DEAL_US_MUST, note=note)


def _oracle_row(plan: Plan) -> Row:
    oracle = find_oracle()
    ratio = race(oracle, plan.oracle_games) if oracle else None
    note = "" if oracle else "left out: the oracle is in the source checkout only"
    return Row("oracle", "games, for each one of the oracle", "games", ratio, note=note)


def _build_rows(plan: Plan) -> list[Row]:
    builds = find_builds()
    ratios = race_builds(builds, plan.builds) if builds else {}
    note = "in turns" if builds else "left out: `make compiled` builds it in a checkout"
    return [
        Row(
            f"compiled-{name}",
            f"compiled {name}, for each pure one",
            name,
            ratios.get(name),
            COMPILED_MUST[name],
            COMPILED_AIM,
            note,
            is_floor=True,
        )
        for name in RACED
    ]
