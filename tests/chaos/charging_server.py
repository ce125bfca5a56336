"""`mergemaker serve` that sometimes charges a bot for nothing: `false_faults.py` must find this.

    python -m tests.chaos.charging_server --config FILE

At regular intervals, one hand-over to the transport is reported too early by more than a bare allowance.
"""

import itertools
import sys
from typing import Final

from mergemaker_referee.rpc.stamps import Stamps
from mergemaker_tools.cli import main

PROGRAM: Final = ("-m", "tests.chaos.charging_server")
EVERY: Final = 40
TOO_EARLY_NS: Final = 150_000_000

_count: Final = itertools.count(1)
_handed: Final = Stamps.handed


def _handed_too_early(self: Stamps) -> int:
    return _handed(self) - (0 if next(_count) % EVERY else TOO_EARLY_NS)


if __name__ == "__main__":
    Stamps.handed = _handed_too_early  # type: ignore[method-assign]  # the planted fault
    sys.exit(main(["serve", *sys.argv[1:]]))
