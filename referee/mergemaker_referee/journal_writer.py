"""Lines on their way to the disk, without the referee's thread ever waiting for it.

The disk is a port: `LineWriter`. The real one hands what waits to a few threads. A file has one line on its way at a time,
because its match waits for it; so threads may come and go, and one that is held up by a disk holds up nobody else.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from typing import TYPE_CHECKING, Final, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergemaker_referee.journal import Journal

WRITERS_MAX: Final = 32
"""Threads that write. More than one or two are there only while a disk is slow."""
HELD_UP_S: Final = 0.05
"""How long a line waits before another thread is started for it."""


class LineWriter(Protocol):
    """Where lines go."""

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Returns when the lines are durable; `JournalError` when they could not be written, and then none of them is."""

    async def run(self, job: Callable[[], None]) -> None:
        """Has something else done that touches the disk, such as making a file; raises what it raises."""


class _Task:
    """What one match waits for."""

    __slots__ = ("done", "job", "problem")

    def __init__(self, job: Callable[[], None]) -> None:
        self.job: Final = job
        self.done: Final = trio.Event()
        self.problem: Exception | None = None


class ThreadedWriter:
    """Writes in threads of its own; results that gather come back with one wake-up."""

    def __init__(self) -> None:
        self._waiting: Final[queue.SimpleQueue[_Task | None]] = queue.SimpleQueue()
        self._trio: Final = trio.lowlevel.current_trio_token()
        self._threads = 0
        self._idle = 0
        """Threads that wait for work; a hint, since it is read and written without a lock."""
        self._settled: Final[queue.SimpleQueue[_Task]] = queue.SimpleQueue()
        self._woken = False
        self._closed = False

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Has the lines written."""
        await self.run(lambda: journal.append(lines))

    async def run(self, job: Callable[[], None]) -> None:
        """Has something done that touches the disk, such as making a file."""
        assert not self._closed, "nothing is written through a writer that is closed"
        task = _Task(job)
        if not self._threads:
            self._start_thread()
        self._waiting.put(task)
        while not task.done.is_set():
            with trio.move_on_after(HELD_UP_S if self._threads < WRITERS_MAX else float("inf")):
                await task.done.wait()
            if not task.done.is_set() and not self._idle:
                self._start_thread()
        if task.problem is not None:
            raise task.problem

    def close(self) -> None:
        """Ends the threads, behind what waits."""
        self._closed = True
        for _ in range(self._threads):
            self._waiting.put(None)

    def _start_thread(self) -> None:
        if self._threads < WRITERS_MAX:
            self._threads += 1
            threading.Thread(target=self._work, name=f"journal writer {self._threads}", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._idle += 1
            task = self._waiting.get()
            self._idle -= 1
            if task is None:
                return
            try:
                task.job()
            except Exception as problem:  # noqa: BLE001 - raised where it is waited for
                task.problem = problem
            self._settled.put(task)
            if not self._woken:
                self._woken = True
                with contextlib.suppress(trio.RunFinishedError):  # nobody waits any more
                    self._trio.run_sync_soon(self._settle)

    def _settle(self) -> None:
        self._woken = False
        while True:
            try:
                self._settled.get_nowait().done.set()
            except queue.Empty:
                return
