"""How gRPC's threads wait for a processor, if they are in another process."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import trio

from mergemaker_referee.rpc.starvation import Starvation

LOOK_S: Final = 0.05


class FarWaits:
    """Looks at the threads of the process that serves."""

    def __init__(self, process: int, now_ns: Callable[[], int]) -> None:
        self._covered: frozenset[int] = frozenset()
        self.seen: Final = Starvation(now_ns, Path(f"/proc/{process}/task"), lambda: self._covered)

    def covers(self, threads: Sequence[int]) -> None:
        """The beat of that process covers these threads."""
        self._covered = frozenset(threads)

    async def run(self) -> None:
        """Looks until it is cancelled."""
        try:
            while True:
                self.seen.look()
                await trio.sleep(LOOK_S)
        finally:
            self.seen.close()
