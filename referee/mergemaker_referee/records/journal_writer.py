"""Lines on their way to the disk, without a disk ever holding up the referee's thread.

The disk is a port: `LineWriter`. The real one hands what waits to a few threads. A file has one line on its way at a time,
because its match waits for it; so threads may come and go, and one that is held up by a disk holds up nobody else.

Lines gather while the referee's thread is busy with matches, and go to a thread all together. A disk nearly always takes them
at once, and that thread would have to contend for the interpreter with the referee's after each of them. So the referee's thread
stands aside for them, briefly: what the disk has not taken by then is waited for without it.
"""

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final, NoReturn, Protocol, TypeAlias

import trio

from mergemaker_referee.records.journal import Journal, JournalError

WRITERS_MAX: Final = 1_100
"""Threads that write. More than one or two are there only while a disk is slow.

A match has one line on its way, so there are enough for as many as run at once by default: with fewer, files that a disk holds
up would hold up those that it does not.
"""
HELD_UP_S: Final = 0.05
"""How long a line waits before another thread is called for it."""
STAND_ASIDE_S_MAX: Final = 0.005
"""How long the referee's thread stands aside for lines that have gathered: ten times what a disk with memory for them needs."""
SLOW_S: Final = 0.05
"""For how long it does not when a disk was slower than that."""
HELPERS: Final = 3
"""So many threads more are called for lines that a disk which is mostly quick did not take at once."""


class DiskStalled(JournalError):
    """A disk has not answered for so long that nobody waits any more. What it was to do may still come to be done."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._settled: Final = trio.Event()
        self._problem: Exception | None = None

    async def outcome(self) -> None:
        """Waits for it after all; raises what the disk met."""
        await self._settled.wait()
        if self._problem is not None:
            raise self._problem

    def settle(self, problem: Exception | None) -> None:
        """The disk has done it, or met a problem."""
        self._problem = problem
        self._settled.set()


class LineWriter(Protocol):
    """Where lines go."""

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Returns when the lines are durable; `JournalError` when they could not be written, and then none of them is.

        But for `DiskStalled`: then they may be written later, or not.
        """

    async def run(self, job: Callable[[], None]) -> None:
        """Has something else done that touches the disk, such as making a file; raises what it raises."""


class _Task:
    """What one match waits for."""

    __slots__ = ("job", "problem", "since_s", "stalled", "waiter")

    def __init__(self, job: Callable[[], None], waiter: trio.lowlevel.Task, since_s: float) -> None:
        self.job: Final = job
        self.since_s = since_s
        """Since when it is waited for, but for what this process itself stood still."""
        self.waiter: trio.lowlevel.Task | None = waiter
        """Who is to go on when it is done; None when nobody waits for it any more."""
        self.problem: Exception | None = None
        """What the disk met."""
        self.stalled: DiskStalled | None = None
        """What was said to who waited, when that was for too long."""

    def leave(self, _raise_cancel: Callable[[], NoReturn]) -> trio.lowlevel.Abort:
        """Nobody waits any more: the job is done all the same."""
        self.waiter = None
        return trio.lowlevel.Abort.SUCCEEDED


_Calls: TypeAlias = "queue.SimpleQueue[bool]"
"""Calls a thread to what is ready; False tells it to end behind that."""


class ThreadedWriter:
    """Writes in threads of its own; what gathers goes there with one wake-up, and comes back with one.

    One task looks out for lines that are held up, so that a line, of which there is one for each decision, needs no time
    limit and no event of its own.
    """

    def __init__(self, give_up_s: float = float("inf"), *, is_quick: bool = True) -> None:
        self._give_up_s: Final = give_up_s
        """How long anybody waits for what a disk does not do."""
        self._is_quick: Final = is_quick
        """Whether it has done a job as soon as the system's memory has the line, so that it makes sense to stand aside for it."""
        self._trio: Final = trio.lowlevel.current_trio_token()
        self._gathered: Final[list[_Task]] = []
        """Lines that are handed to a thread when all matches that can run now have run."""
        self._lines: Final[deque[_Task]] = deque()
        """What threads take from first."""
        self._jobs: Final[deque[_Task]] = deque()
        """What else they do: most of it takes longer than a line."""
        self._answers: Final[queue.SimpleQueue[None]] = queue.SimpleQueue()
        """By which a thread says that nothing more is ready, to a referee's thread that stands aside."""
        self._stands_aside = False
        self._slow_until_s = -float("inf")
        self._threads: Final[list[_Calls]] = []
        """All of them, by what calls them."""
        self._idle: Final[list[_Calls]] = []
        """Those that wait, the last one behind: it is called first, so that the same thread does most."""
        self._settled: Final[deque[_Task]] = deque()
        self._woken = False
        self._closed = False
        self._open: Final[dict[_Task, None]] = {}
        """What is not settled, in the order in which it came."""
        self._handing_over: Final = trio.lowlevel.ParkingLot()
        self._lookout: Final = trio.lowlevel.ParkingLot()
        trio.lowlevel.spawn_system_task(self._hand_over)
        trio.lowlevel.spawn_system_task(self._look_out)

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Has the lines written."""
        task = self._task(partial(journal.append, lines))
        if not self._gathered:
            self._handing_over.unpark()
        self._gathered.append(task)
        await self._done(task)

    async def run(self, job: Callable[[], None]) -> None:
        """Has something done that touches the disk, such as making a file."""
        task = self._task(job)
        self._jobs.append(task)
        self._call_threads(1)
        await self._done(task)

    def _task(self, job: Callable[[], None]) -> _Task:
        assert not self._closed, "nothing is written through a writer that is closed"
        task = _Task(job, trio.lowlevel.current_task(), trio.current_time())
        self._open[task] = None
        if self._lookout:
            self._lookout.unpark()
        return task

    async def _done(self, task: _Task) -> None:
        await trio.lowlevel.wait_task_rescheduled(task.leave)
        if task.stalled is not None:
            raise task.stalled
        if task.problem is not None:
            raise task.problem

    def close(self) -> None:
        """Ends the threads, behind what waits."""
        self._closed = True
        self._lines.extend(self._gathered)
        self._handing_over.unpark_all()
        self._lookout.unpark_all()
        self._call_threads(len(self._lines))
        for calls in self._threads:
            calls.put(False)

    # --- the referee's thread ----------------------------------------------------------------------------------------

    async def _hand_over(self) -> None:
        """Hands what has gathered to a thread: it runs behind all matches that could run with the one that woke it."""
        while not self._closed:
            if not self._gathered:
                await self._handing_over.park()
                continue
            self._lines.extend(self._gathered)
            self._gathered.clear()
            if not self._is_quick:
                self._call_threads(len(self._lines))
            elif trio.current_time() >= self._slow_until_s:
                self._stand_aside()
            else:
                self._call_threads(min(len(self._lines), HELPERS))

    def _stand_aside(self) -> None:
        """Lets a thread do what is ready, for a short time."""
        count, until_s = len(self._lines), time.perf_counter() + STAND_ASIDE_S_MAX
        self._stands_aside = True
        self._call_threads(1)
        try:
            # A thread that was busy with something else, or that came too late the last time, may answer, too.
            while len(self._settled) < count:
                self._answers.get(timeout=max(0.0, until_s - time.perf_counter()))
        except queue.Empty:
            self._slow_until_s = trio.current_time() + SLOW_S
        self._stands_aside = False
        self._settle()
        self._call_threads(min(len(self._lines), HELPERS))  # what is left was held up by what came before it

    def _call_threads(self, count: int) -> None:
        """Has so many threads look for what is ready, if so many may be there."""
        for _ in range(count):
            try:
                self._idle.pop().put(True)
            except IndexError:  # all of them have something to do
                if not self._start_thread():
                    return

    async def _look_out(self) -> None:
        """Calls threads for what is held up, since those that were called are, too."""
        while not self._closed:
            if not self._open:
                await self._lookout.park()
            asleep_s = trio.current_time()
            await trio.sleep(HELD_UP_S)
            now_s = trio.current_time()
            for task in self._open:  # while nobody ran, the disk may have answered
                task.since_s = min(now_s, task.since_s + now_s - asleep_s - HELD_UP_S)
            self._give_up()
            late_s = now_s - HELD_UP_S
            if not self._closed and (self._lines or self._jobs):
                self._call_threads(sum(task.since_s <= late_s for task in self._open))

    def _give_up(self) -> None:
        """Has nobody wait for ever."""
        late_s = trio.current_time() - self._give_up_s
        for task in tuple(self._open):
            if task.since_s <= late_s and (waiter := task.waiter) is not None:
                task.waiter = None
                task.stalled = DiskStalled(f"the disk has not answered for {self._give_up_s:.0f} s")
                trio.lowlevel.reschedule(waiter)

    def _start_thread(self) -> bool:
        """Starts one more; False if there may be no more now."""
        if len(self._threads) >= WRITERS_MAX:
            return False
        calls: _Calls = queue.SimpleQueue()
        thread = threading.Thread(target=self._work, args=(calls,), name=f"journal writer {len(self._threads) + 1}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has no more threads now
            return False
        self._threads.append(calls)
        return True

    def _settle(self) -> None:
        self._woken = False
        while self._settled:
            task = self._settled.popleft()
            del self._open[task]
            if task.waiter is not None:
                trio.lowlevel.reschedule(task.waiter)
            elif task.stalled is not None:
                task.stalled.settle(task.problem)

    # --- the threads -------------------------------------------------------------------------------------------------

    def _work(self, calls: _Calls) -> None:
        self._do_what_is_ready()
        self._idle.append(calls)
        while calls.get():
            self._do_what_is_ready()
            self._idle.append(calls)
        self._do_what_is_ready()

    def _do_what_is_ready(self) -> None:
        while True:
            task = _taken(self._lines)
            if task is None:
                if self._stands_aside:
                    self._answers.put(None)
                task = _taken(self._jobs)
            if task is None:
                return
            try:
                task.job()
            except Exception as problem:  # noqa: BLE001 - raised where it is waited for
                task.problem = problem
            self._settled.append(task)
            if not self._stands_aside:
                self._wake_referee()

    def _wake_referee(self) -> None:
        if not self._woken:
            self._woken = True
            with contextlib.suppress(trio.RunFinishedError):  # nobody waits any more
                self._trio.run_sync_soon(self._settle)


def _taken(tasks: deque[_Task]) -> _Task | None:
    """The first of them, if there is one: other threads take from them, too."""
    try:
        return tasks.popleft() if tasks else None
    except IndexError:
        return None
