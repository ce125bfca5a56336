"""How fast many matches are played by bots of this program, through table, clock and record, without a server.

The engine's validated rate is that of random games whose every answer is checked (`simulation.py`). Both are timed in turns, by
CPU time, so that other work on the machine affects them equally. How much two processes gain is measured by the clock.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_table.terms import CLOCKS
from mergemaker_tools.contests.entrants import entrants_from
from mergemaker_tools.contests.playing.blocks import Block, BlockPlayed, PlayTerms
from mergemaker_tools.contests.playing.in_process import LocalPlayer
from mergemaker_tools.contests.playing.many_blocks import play_blocks
from mergemaker_tools.parallel import usual_jobs
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.simulation import Task, play_random_game

from mergemaker_bench.rows import Row

SEATS: Final = 4
RULES: Final = "renegade-classic"
PART_MUST: Final = 0.15
PART_AIM: Final = 0.25
FAST_MUST: Final = 15.0
RUN_LIMIT_S: Final = 600.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured."""

    rounds: int
    matches: int
    """Of each round, and as many random games of the engine."""
    served: int
    """How many matches are played by a server, beyond those that show what its start costs."""
    many: int
    """How many matches are played in all processes."""


USUAL: Final = Effort(rounds=7, matches=20, served=20, many=400)
QUICK: Final = Effort(rounds=2, matches=4, served=2, many=20)


def steps_of(effort: Effort) -> int:
    """How many steps `measure_tournaments` takes."""
    return effort.rounds + 2


def measure_tournaments(effort: Effort, done: Callable[[int], None]) -> list[Row]:
    """All rows."""
    part = _part_of_engine(effort, done)
    scaled, jobs = _scaling(effort)
    done(effort.rounds + 1)
    ratio = _fast_by_served(effort)
    done(effort.rounds + 2)
    return [
        Row(
            "part-of-engine",
            "matches of random bots, as a part of the engine's validated games",
            "",
            part,
            PART_MUST,
            PART_AIM,
            is_floor=True,
        ),
        Row("processes", f"matches by the clock in {jobs} processes, as a multiple of one", "", scaled, is_floor=True),
        Row("fast-by-served", "matches of greedy in fast mode, as a multiple of processes", "", ratio, FAST_MUST, is_floor=True),
    ]


def _terms() -> PlayTerms:
    return PlayTerms(
        bots=entrants_from(["random"] * SEATS), rules=preset(RULES), clock=CLOCKS["standard"], mode=DealMode.PLAIN, records=None
    )


def _blocks() -> Iterator[Block]:
    seating = tuple(range(SEATS))
    return (Block(contest="bench", number=number, seed=number.to_bytes(32, "big"), seatings=(seating,)) for number in count())


def _part_of_engine(effort: Effort, done: Callable[[int], None]) -> float:
    """CPU time of random games over that of matches, the least of all rounds for each."""
    player, blocks = LocalPlayer(_terms()), _blocks()
    task, numbers = Task(preset(RULES), SEATS, bytes(32)), count()
    matches, games = [], []
    with rare_collections():
        for round_ in range(effort.rounds + 1):  # the first one warms up
            matches.append(_cpu_s(lambda: player.play(next(blocks)), effort.matches))
            games.append(_cpu_s(lambda: play_random_game(task, next(numbers)), effort.matches))
            done(round_)
    return min(games[1:]) / min(matches[1:])


def _cpu_s(call: Callable[[], object], times: int) -> float:
    begun = time.process_time()
    for _ in range(times):
        call()
    return time.process_time() - begun


def _scaling(effort: Effort) -> tuple[float, int]:
    """How many times as many matches a second are played in as many processes as there are processors."""
    jobs = usual_jobs()
    alone, together = (_rate(effort.many, each) for each in (1, jobs))
    return together / alone, jobs


def _rate(matches: int, jobs: int) -> float:
    """Matches a second, without the start of the processes."""
    begun, played = 0.0, 0
    results = play_blocks(_terms(), "bench", _blocks(), jobs, fast=True)
    for result in results:
        if not isinstance(result, BlockPlayed):
            raise CommandFailed(result.text)
        if not begun:
            begun = time.monotonic()
            continue
        played += 1
        if played == matches:
            break
    seconds = time.monotonic() - begun
    results.close()
    return played / seconds


def _fast_by_served(effort: Effort) -> float:
    """CPU time of a match by processes over that of one in fast mode. What the starts cost is left out."""
    few = 2
    served = _command_s("served", few + effort.served) - _command_s("served", few)
    fast = _command_s("fast", few + 10 * effort.served) - _command_s("fast", few)
    return 10 * served / fast


def _command_s(way: str, games: int) -> float:
    """CPU time of a whole command, with all its processes."""
    bots = ["greedy"] * SEATS
    before = _children_s()
    subprocess.run(  # noqa: S603 - our own command
        [
            sys.executable,
            "-m",
            "mergemaker_tools",
            "match",
            *bots,
            "--games",
            str(games),
            "--play",
            way,
            "--no-record",
            "--seed",
            "1",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=RUN_LIMIT_S,
    )
    return _children_s() - before


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
