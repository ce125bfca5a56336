"""How long gRPC's own threads waited for a processor: a delay of ours that the transport's loop does not show.

gRPC's threads read clients' requests from their sockets; only then can the loop find them. On an overloaded machine these
threads may wait while the loop runs. Linux reports for each thread how long it was ready and did not run. Other systems
report nothing; there, the wait counts as zero.
"""

import os
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

TASKS: Final = Path("/proc/self/task")
LIST_EVERY: Final = 100
"""After this many looks, threads are listed anew: gRPC starts and ends some now and then."""
LOOKS_KEPT: Final = 200
"""Two seconds, with a look every 10 ms."""
_LINE_BYTES: Final = 100
_READY: Final = b"R"
RAN, WAITED = 0, 1
"""What Linux reports of a thread, in nanoseconds: how long it has run, and how long it was ready and did not run."""


def python_threads() -> frozenset[int]:
    """Threads that the loop's beat covers, or that need no measuring."""
    return frozenset(thread.native_id or 0 for thread in threading.enumerate())


class Starvation:
    """Adds up how long threads that are not Python's waited for a processor. Any thread may ask."""

    def __init__(
        self,
        now_ns: Callable[[], int],
        tasks: Path = TASKS,
        ours: Callable[[], frozenset[int]] = python_threads,
        looks_kept: int = LOOKS_KEPT,
        counts: tuple[int, ...] = (WAITED,),
    ) -> None:
        self._now_ns: Final = now_ns
        self._tasks: Final = tasks
        self._ours: Final = ours
        self._counts: Final = counts
        self._lock: Final = threading.Lock()
        self._files: dict[int, int] = {}
        """By thread: its open statistics file."""
        self._waited: dict[int, int] = {}
        """By thread: its last reported wait."""
        self._looks = 0
        self._closed = False
        self._total_ns = 0
        self._kept: Final[deque[tuple[int, int]]] = deque([(now_ns(), 0)], looks_kept)
        """The time of each look, and the sum by then."""

    def look(self) -> None:
        """Adds up the waits since the last look."""
        with self._lock:
            self._look()

    def since_ns(self, at_ns: int) -> int:
        """How long they have waited since then, in all. If that is longer ago than the kept looks, only those count."""
        with self._lock:
            self._look()
            before = self._kept[0][1]
            for looked_ns, total_ns in reversed(self._kept):
                if looked_ns <= at_ns:
                    before = total_ns
                    break
            return self._total_ns - before

    def is_any_waiting(self) -> bool:
        """Whether one of these threads is ready to run: it waits, or it is running right now."""
        with self._lock:
            return any(self._is_ready(thread) for thread in self._files)

    def _is_ready(self, thread: int) -> bool:
        try:
            told = (self._tasks / str(thread) / "stat").read_bytes()
        except OSError:
            return False  # the thread has ended
        # The name before the state, in brackets, can be anything.
        return told.rpartition(b")")[2].lstrip().startswith(_READY)

    def close(self) -> None:
        """Closes all files."""
        with self._lock:
            for file in self._files.values():
                os.close(file)
            self._files.clear()
            self._closed = True

    def _look(self) -> None:
        if self._looks % LIST_EVERY == 0 and not self._closed:
            self._list()
        self._looks += 1
        for thread, file in tuple(self._files.items()):
            try:
                told = os.pread(file, _LINE_BYTES, 0).split()
                waited = sum([int(told[each]) for each in self._counts])
            except (OSError, IndexError, ValueError):
                self._forget(thread)  # the thread has ended
                continue
            # How long ago a newly seen thread waited is unknown, so earlier waits do not count.
            self._total_ns += waited - self._waited.get(thread, waited)
            self._waited[thread] = waited
        self._kept.append((self._now_ns(), self._total_ns))

    def _list(self) -> None:
        try:
            threads = {int(path.name) for path in self._tasks.iterdir()} - self._ours()
        except OSError:
            return  # not Linux
        for thread in threads - set(self._files):
            try:
                self._files[thread] = os.open(self._tasks / str(thread) / "schedstat", os.O_RDONLY)
            except OSError:
                continue  # it has ended, or this kernel does not report it
        for thread in set(self._files) - threads:
            self._forget(thread)

    def _forget(self, thread: int) -> None:
        os.close(self._files.pop(thread))
        self._waited.pop(thread, None)
