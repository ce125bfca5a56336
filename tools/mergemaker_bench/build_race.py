"""Compares the compiled build with the pure one in the same games and playouts: both run in turns, each in its own process.

`make compiled` installs the compiled build in a checkout, beside the pure one.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from mergemaker_tools.engine_build import PURE
from mergemaker_tools.problems import CommandFailed

import mergemaker_bench
from mergemaker_bench.record_speed import Effort
from mergemaker_bench.referee_child import Child
from mergemaker_bench.turns import Times, in_turns, least, timer_of

RACED: Final = ("games", "playouts")
RUNS: Final = 20
"""Games or playouts of a turn: enough for a processor to be warm again after the other build's turn."""
TURNS: Final = 3
"""Turns of each build in a round; each round has the same ones."""
CHECKOUT: Final = Path(mergemaker_bench.__path__[0]).parents[1]
BUILDS: Final = {"pure": ".venv", "compiled": ".venv-compiled"}


def find_builds(checkout: Path = CHECKOUT) -> Mapping[str, Path] | None:
    """The Pythons of both builds, if the checkout has both."""
    found = {build: checkout / folder / "bin" / "python" for build, folder in BUILDS.items()}
    return found if all(python.exists() for python in found.values()) else None


def race_builds(pythons: Mapping[str, Path], effort: Effort) -> Mapping[str, float]:
    """By workload: how many of the compiled build's runs take the CPU time of one of the pure build's."""
    ratios = {}
    for workload in RACED:
        times = _times(pythons, workload, effort)
        ratios[workload] = sum(times["pure"]) / sum(times["compiled"])
    return ratios


def _times(pythons: Mapping[str, Path], workload: str, effort: Effort) -> Times:
    """The least time of each turn, of all rounds."""
    plan = {"workload": workload, "runs": RUNS, "warm_up": 1}
    with ExitStack() as running:
        started = {build: Child("engine_child", plan, str(python)) for build, python in pythons.items()}
        for build, child in started.items():
            ready = running.enter_context(child).ready["build"]
            if (ready == PURE) != (build == PURE):
                raise CommandFailed(f"{pythons[build]} runs the build {ready!r}, not the {build} one: run `make setup compiled`")
        timers = {build: timer_of(child) for build, child in started.items()}
        return least([in_turns(timers, range(1, 1 + TURNS)) for _ in range(effort.rounds)])
