"""The process of one workload of records: it does the requested runs, and reports the time of each.

Its plan names the workload, the folder of the records, and how many runs come before the first that counts.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

from mergemaker_bench.record_workloads import RECORD_WORKLOADS

# On Windows the CPU clock advances in steps of 16 ms, longer than a game takes.
_clock_ns: Final = time.perf_counter_ns if os.name == "nt" else time.process_time_ns


def main() -> None:
    """Prepares, reports that it is ready, and then answers each number with the time of its run, until its parent ends."""
    # Ctrl-C reaches all processes of a terminal; the parent ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plan = json.loads(sys.argv[1])
    work = RECORD_WORKLOADS[plan["workload"]](Path(plan["folder"]))
    for number in range(plan["warm_up"]):
        work(number)
    print("{}", flush=True)
    for line in sys.stdin:
        number = int(line)
        began = _clock_ns()
        work(number)
        print(json.dumps({"ns": _clock_ns() - began}), flush=True)


if __name__ == "__main__":
    main()
