"""Times workloads of records against each other, in turns: each game by every workload before the next game.

Other work on the machine comes and goes. Measurements within a few milliseconds are affected equally, and the least
time of several rounds is affected little.

Each workload has its own process, a fresh one in each round, warmed up with other games. So the engine's cached texts
are those of a process that has handled some records, and never those of the same game, just played or written.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from mergemaker_bench.record_workloads import RECORD_WORKLOADS
from mergemaker_bench.referee_child import Child

Timer = Callable[[int], int]
"""Does the run with a number; returns its nanoseconds."""
Times = Mapping[str, Sequence[int]]
"""By workload: the nanoseconds of each game, in the same order for all."""


def time_round(folder: Path, warm_up: int, games: int) -> Times:
    """Times one round: the games after those of the warm-up; the folder has the records of all."""
    numbers = range(warm_up, warm_up + games)
    with ExitStack() as running:
        # All are started before the first is waited for.
        started = [
            Child("record_child", {"workload": name, "folder": str(folder), "warm_up": warm_up}) for name in RECORD_WORKLOADS
        ]
        children = [running.enter_context(child) for child in started]
        return in_turns({name: timer_of(child) for name, child in zip(RECORD_WORKLOADS, children, strict=True)}, numbers)


def timer_of(child: Child) -> Timer:
    """Times runs in a process."""

    def timed(number: int) -> int:
        return int(child.ask(str(number))["ns"])

    return timed


def in_turns(timers: Mapping[str, Timer], numbers: Sequence[int]) -> Times:
    """Times every number by each timer before the next number."""
    times: dict[str, list[int]] = {name: [] for name in timers}
    for number in numbers:
        for name, timer in timers.items():
            times[name].append(timer(number))
    return times


def least(rounds: Sequence[Times]) -> Times:
    """The least time of each game by each workload."""
    return {name: [min(of_game) for of_game in zip(*(times[name] for times in rounds), strict=True)] for name in rounds[0]}
