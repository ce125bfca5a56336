"""The process of one workload of records: it does the requested runs, and reports the time of each.

Its plan names the workload, the folder of the records, and how many runs come before the first that counts.
"""

import json
import signal
import sys
from pathlib import Path

from mergemaker_bench.engine_child import answer_runs
from mergemaker_bench.record_workloads import RECORD_WORKLOADS


def main() -> None:
    """Prepares, reports that it is ready, and then answers each number with the time of its run, until its parent ends."""
    # Ctrl-C reaches all processes of a terminal; the parent ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plan = json.loads(sys.argv[1])
    answer_runs(RECORD_WORKLOADS[plan["workload"]](Path(plan["folder"])), plan["warm_up"], {})


if __name__ == "__main__":
    main()
