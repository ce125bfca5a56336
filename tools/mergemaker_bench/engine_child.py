"""The process of one workload of the engine: it does the requested runs, and reports the time of each.

Its plan names the workload, how many runs make a turn, and how many turns come before the first that counts. The Python that
runs it has one build of the engine or the other, which it says when it is ready.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import Final

from mergemaker_tools.engine_build import engine_build

from mergemaker_bench.workloads import WORKLOADS, Work

# On Windows the CPU clock advances in steps of 16 ms, longer than a game takes.
_clock_ns: Final = time.perf_counter_ns if os.name == "nt" else time.process_time_ns


def main() -> None:
    """Prepares, and answers each number with the time of its run, until its parent ends."""
    # Ctrl-C reaches all processes of a terminal; the parent ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plan = json.loads(sys.argv[1])
    work, runs = WORKLOADS[plan["workload"]](), plan["runs"]

    def turn(number: int) -> int:
        return sum(work(run) for run in range(number * runs, (number + 1) * runs))

    answer_runs(turn, plan["warm_up"], {"build": engine_build()})


def answer_runs(work: Work, warm_up: int, ready: Mapping[str, object]) -> None:
    """Warms up, reports that it is ready, and answers each number with the time of its run."""
    for number in range(warm_up):
        work(number)
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        number = int(line)
        began = _clock_ns()
        work(number)
        print(json.dumps({"ns": _clock_ns() - began}), flush=True)


if __name__ == "__main__":
    main()
