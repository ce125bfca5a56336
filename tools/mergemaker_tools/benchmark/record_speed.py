"""The speed of records in rows: what writing and verifying one costs, against simulating its game with events.

All of it is random play of four players by renegade-classic, in the same games, with bank and times in each line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergemaker_tools.benchmark.record_workloads import RECORD_WORKLOADS, recorded_game
from mergemaker_tools.benchmark.rows import Row
from mergemaker_tools.benchmark.timing import Effort, time_workloads

if TYPE_CHECKING:
    from collections.abc import Callable

VERIFY_GAMES_MUST: Final = 4.0
VERIFY_GAMES_AIM: Final = 2.5
WRITE_GAMES_MUST: Final = 4.0

USUAL: Final = Effort(rounds=9, games=40, repeats=40)
QUICK: Final = Effort(rounds=3, games=10, repeats=10)


def measure_records(effort: Effort, done: Callable[[int], None]) -> list[Row]:
    """Measures everything; `done` is told how many of `effort.rounds` rounds are over."""
    # The first run of each number makes the record that is verified: no round but the first pays for it.
    times = time_workloads(effort, done, RECORD_WORKLOADS)
    game = times["games"].by_run
    sizes = [len(recorded_game(number)) for number in range(effort.games)]
    return [
        Row(
            "verify",
            "verifying a record",
            "games",
            times["verifications"].by_run / game,
            VERIFY_GAMES_MUST,
            VERIFY_GAMES_AIM,
            "against simulating its game with events",
        ),
        Row("write", "writing a record, its game included", "games", times["recordings"].by_run / game, WRITE_GAMES_MUST),
        Row("verified-per-second", "records verified in a CPU second", "records", 1 / times["verifications"].by_run),
        Row("written-per-second", "records written in a CPU second", "records", 1 / times["recordings"].by_run),
        Row("size", "a record, not packed", "KB", sum(sizes) / len(sizes) / 1_000),
        Row("size-largest", f"the largest of {len(sizes)}", "KB", max(sizes) / 1_000),
    ]
