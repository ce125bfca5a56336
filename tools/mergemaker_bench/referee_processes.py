"""What several processes of one server bring: the processor time of a decision, with one process and with two.

Server and clients share the machine, so rates say little. Processor time says what two processors could do if they had
nothing else to do: it is what limits them.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from mergemaker_tools.problems import CommandFailed, WrongUse

from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_client import ClientPlan
from mergemaker_bench.referee_server import ServerKind, ServerPlan
from mergemaker_bench.referee_speed import WARM_UP_DECISIONS, Effort, wait_for
from mergemaker_bench.rows import Row

COUNTS: Final = (1, 2)
RATIO_MUST: Final = 1.8


@dataclass(frozen=True, slots=True)
class Look:
    """One server whose bots play."""

    rate: float
    cpu_us: float
    """Of all its processes, for a decision."""
    serving_us: float
    """Of the one that serves."""

    @property
    def playing_us(self) -> float:
        """Of those that play, together."""
        return self.cpu_us - self.serving_us


def steps_of(effort: Effort) -> int:
    """How many steps `measure_processes` takes."""
    return effort.rounds * len(COUNTS)


def measure_processes(effort: Effort, matches: int, done: Callable[[int], None]) -> list[Row]:
    """Measures servers with one process and with two, by turns; the least of all rounds counts."""
    if sys.platform != "linux":
        raise WrongUse("the processor time of other processes is read as Linux reports it")
    looks: dict[int, list[Look]] = {count: [] for count in COUNTS}
    for number in range(effort.rounds * len(COUNTS)):
        count = COUNTS[number % len(COUNTS)]
        looks[count].append(_look(count, effort, matches))
        done(number + 1)
    return _rows(looks[1], looks[2])


def _look(processes: int, effort: Effort, matches: int) -> Look:
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        plan = ServerPlan(kind=ServerKind.WHOLE, tables=matches, bots=matches, folder=folder, processes=processes)
        with Child("referee_server", asdict(plan)) as server:
            plays = ClientPlan(port=server.ready["port"], tables=matches, spread_s=effort.spread_s)
            with Child("referee_client", asdict(plays)) as client:
                time.sleep(effort.spread_s)
                wait_for(client, lambda told: told["decisions"] >= WARM_UP_DECISIONS * matches or told["lost"])
                before, began = server.ask(), client.ask()
                time.sleep(effort.window_s)
                least = began["decisions"] + effort.decisions_min
                ended = wait_for(client, lambda told: told["decisions"] >= least or told["lost"])
                after = server.ask()
    if ended["lost"] or ended["refused"]:
        raise CommandFailed(
            f"{ended['lost']} streams ended and {ended['refused']} answers were refused: is the machine too busy?"
        )
    rate: float = (ended["decisions"] - began["decisions"]) / (ended["now_ns"] - began["now_ns"]) * 1e9
    passed_ns: int = after["now_ns"] - before["now_ns"]  # the two processes do not answer at the same moment

    def used_us(what: str) -> float:
        used_ns: int = after[what] - before[what]
        return used_ns / passed_ns / rate * 1e6

    return Look(rate=rate, cpu_us=used_us("cpu_ns"), serving_us=used_us("serving_cpu_ns"))


def _rows(one: list[Look], two: list[Look]) -> list[Row]:
    alone, both = min(one, key=_cpu), min(two, key=_cpu)
    # None of the processes can use more than one processor at a time.
    slowest_us = max(both.cpu_us / 2, both.serving_us, both.playing_us / 2)
    pairs = " ".join(f"{2 * a.cpu_us / b.cpu_us:.2f}" for a, b in zip(one, two, strict=True))
    return [
        Row("processes-1-cpu", "one process: CPU of a decision", "µs", alone.cpu_us, note=f"{alone.rate:,.0f}/s beside its bots"),
        Row(
            "processes-2-cpu", "two that play, and one that serves", "µs", both.cpu_us, note=f"{both.rate:,.0f}/s beside its bots"
        ),
        Row("processes-2-serving", "of that, the one that serves", "µs", both.serving_us),
        Row("processes-2-playing", "of that, those that play", "µs", both.playing_us),
        Row(
            "processes-ratio",
            "two on two processors",
            "of one on one",
            alone.cpu_us / slowest_us,
            RATIO_MUST,
            note=f"by CPU; by round {pairs}",
            is_floor=True,
        ),
        Row(
            "processes-most",
            "how many processes one that serves can keep busy",
            "processes",
            both.playing_us / both.serving_us,
            note=f"it is full at {1e6 / both.serving_us:,.0f} decisions/s",
        ),
    ]


def _cpu(look: Look) -> float:
    return look.cpu_us
