"""Lines on their way to the disk, without the referee's thread ever waiting for it.

The disk is a port: `LineWriter`. The real one hands what waits to a few threads. A file has one line on its way at a time,
because its match waits for it; so threads may come and go, and one that is held up by a disk holds up nobody else.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

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

    __slots__ = ("job", "problem", "since_s", "waiter")

    def __init__(self, job: Callable[[], None], waiter: trio.lowlevel.Task, since_s: float) -> None:
        self.job: Final = job
        self.since_s: Final = since_s
        self.waiter: trio.lowlevel.Task | None = waiter
        """Who is to go on when it is done; None when nobody waits for it any more."""
        self.problem: Exception | None = None

    def leave(self, _raise_cancel: Callable[[], NoReturn]) -> trio.lowlevel.Abort:
        """Nobody waits any more: the job is done all the same."""
        self.waiter = None
        return trio.lowlevel.Abort.SUCCEEDED


class ThreadedWriter:
    """Writes in threads of its own; results that gather come back with one wake-up.

    One task looks out for lines that are held up, so that a line, of which there is one for each decision, needs no time
    limit and no event of its own.
    """

    def __init__(self) -> None:
        self._waiting: Final[queue.SimpleQueue[_Task | None]] = queue.SimpleQueue()
        self._trio: Final = trio.lowlevel.current_trio_token()
        self._threads = 0
        self._idle = 0
        """Threads that wait for work; a hint, since it is read and written without a lock."""
        self._settled: Final[deque[_Task]] = deque()
        self._woken = False
        self._closed = False
        self._open: Final[dict[_Task, None]] = {}
        """What is not settled, in the order in which it came."""
        self._lookout: Final = trio.lowlevel.ParkingLot()
        trio.lowlevel.spawn_system_task(self._look_out)

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Has the lines written."""
        await self.run(lambda: journal.append(lines))

    async def run(self, job: Callable[[], None]) -> None:
        """Has something done that touches the disk, such as making a file."""
        assert not self._closed, "nothing is written through a writer that is closed"
        if not self._threads:
            self._start_thread()
        task = _Task(job, trio.lowlevel.current_task(), trio.current_time())
        self._open[task] = None
        self._waiting.put(task)
        if self._lookout:
            self._lookout.unpark()
        await trio.lowlevel.wait_task_rescheduled(task.leave)
        if task.problem is not None:
            raise task.problem

    def close(self) -> None:
        """Ends the threads, behind what waits."""
        self._closed = True
        self._lookout.unpark_all()
        for _ in range(self._threads):
            self._waiting.put(None)

    async def _look_out(self) -> None:
        """Starts threads while lines are held up, until one is free."""
        while not self._closed:
            if not self._open:
                await self._lookout.park()
            await trio.sleep(HELD_UP_S)
            late_s = trio.current_time() - HELD_UP_S
            if not self._closed and not self._idle:
                for _ in range(sum(task.since_s <= late_s for task in self._open)):
                    with contextlib.suppress(RuntimeError):  # the system has no more threads now; the next look tries again
                        self._start_thread()

    def _start_thread(self) -> None:
        if self._threads < WRITERS_MAX:
            threading.Thread(target=self._work, name=f"journal writer {self._threads + 1}", daemon=True).start()
            self._threads += 1

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
            self._settled.append(task)
            if not self._woken:
                self._woken = True
                with contextlib.suppress(trio.RunFinishedError):  # nobody waits any more
                    self._trio.run_sync_soon(self._settle)

    def _settle(self) -> None:
        self._woken = False
        while self._settled:
            task = self._settled.popleft()
            del self._open[task]
            if task.waiter is not None:
                trio.lowlevel.reschedule(task.waiter)
