"""The process whose instructions are counted: prepares a workload, warms it up, runs it, prints its units.

python -m mergemaker_bench.child WORKLOAD WARM_UP RUNS [RECORDS]

With a folder of records, the workload is one of records.
"""

import sys
from pathlib import Path

from mergemaker_bench.workloads import WORKLOADS


def main() -> None:
    """Runs numbers 0 … WARM_UP - 1 uncounted, and then the next RUNS."""
    name, warm_up, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if sys.argv[4:]:
        # Imported where it is used: while instructions are counted, each import costs seconds.
        from mergemaker_bench.record_workloads import RECORD_WORKLOADS  # noqa: PLC0415

        work = RECORD_WORKLOADS[name](Path(sys.argv[4]))
    else:
        work = WORKLOADS[name]()
    for number in range(warm_up):
        work(number)
    print(sum(work(number) for number in range(warm_up, warm_up + runs)))


if __name__ == "__main__":
    main()
