"""Times workloads in this process by the processor's clock.

There are several rounds with all workloads in each, and the best of each counts: other work on the machine
can only make a round slower, and it affects all workloads alike.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mergemaker_bench.workloads import PURSES, WORKLOADS

HASHED_BYTES: Final = 64
_HASHES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is timed."""

    rounds: int
    games: int
    """Games and playouts of a round; each round has the same ones."""
    repeats: int
    """How often the short workloads are run in a round."""


@dataclass(frozen=True, slots=True)
class Timed:
    """The best time of a workload, in seconds."""

    by_run: float
    by_unit: float


def prepare_hashes() -> Callable[[int], int]:
    """SHA-256 of 64 bytes, as a measure of the machine's speed. The units are hashes."""
    data = bytes(HASHED_BYTES)

    def work(_number: int) -> int:
        for _ in range(_HASHES):
            hashlib.sha256(data).digest()
        return _HASHES

    return work


def time_workloads(effort: Effort, done: Callable[[int], None]) -> Mapping[str, Timed]:
    """Times every workload, and hashes beside them; `done` is told how many rounds are over."""
    prepared = {"hashes": prepare_hashes, **WORKLOADS}
    works = {name: (prepare(), _runs_of(name, effort)) for name, prepare in prepared.items()}
    best: dict[str, Timed] = {}
    for finished in range(1, effort.rounds + 1):
        for name, (work, runs) in works.items():
            timed = _timed(work, runs)
            if name not in best or timed.by_unit < best[name].by_unit:
                best[name] = timed
        done(finished)
    return best


def _runs_of(name: str, effort: Effort) -> int:
    if name == "hashes":
        return 1
    return effort.games if name in ("games", "playouts") else effort.repeats


def _timed(work: Callable[[int], int], runs: int) -> Timed:
    began = time.process_time_ns()
    units = sum(work(number) for number in range(runs))
    seconds = (time.process_time_ns() - began) / 1e9
    return Timed(seconds / runs, seconds / units)


def worst_purse(times: Mapping[str, Timed]) -> int:
    """The cash with which listing purchases took longest."""
    return max(PURSES, key=lambda cash: times[f"purchases-{cash}"].by_unit)
