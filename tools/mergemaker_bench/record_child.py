"""The process of one workload of records: it does the runs it is asked for, and says how long each took.

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

# The processor's clock of Windows goes on in steps of 16 ms, longer than a game takes.
_clock_ns: Final = time.perf_counter_ns if os.name == "nt" else time.process_time_ns


def main() -> None:
    """Gets ready, says so, and then answers each number with the time of its run, until its parent has gone."""
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
