"""Writes lines to the disk without ever letting a disk hold up the referee's thread.

The disk is a port: `LineWriter`. The real one gives waiting lines to a few threads. Each file has only one line on its way,
because its match waits for it. So threads may come and go, and one that a disk holds up holds up nobody else.

Lines gather while the referee's thread is busy with matches, and go to a thread all together. A disk nearly always takes them
at once; without a pause, the writing thread would compete with the referee's for the interpreter after each line. So the
referee's thread stands aside for them briefly. It does not wait for lines that the disk has not taken by then.
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
from mergemaker_engine.errors import Reduced

from mergemaker_referee.records.journal import Journal, JournalError

WRITERS_MAX: Final = 1_100
"""The most threads that write. More than one or two exist only while a disk is slow.

Each match has one line on its way, so by default there are enough for all running matches. With fewer, files on a stalled
disk would hold up others.
"""
HELD_UP_S: Final = 0.05
"""How long a line waits before another thread is woken for it."""
STAND_ASIDE_S_MAX: Final = 0.005
"""How long the referee's thread stands aside for gathered lines: ten times what a disk with free memory needs."""
SLOW_S: Final = 0.05
"""After a disk was slower than that: how long the referee's thread does not stand aside."""
HELPERS: Final = 3
"""Extra threads woken when a usually fast disk is slow."""


class DiskStalled(JournalError):
    """A disk has not answered for so long that nobody waits any more. It may still do the work later."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._settled: trio.Event | None = trio.Event()
        self._problem: Exception | None = None

    def __reduce__(self) -> Reduced:
        """A copy says the same, but cannot wait: the disk answers the first one alone."""
        return type(self), self.args, {**self.__dict__, "_settled": None}

    async def outcome(self) -> None:
        """Waits for the disk after all; raises the disk's error."""
        await self._answer.wait()
        if self._problem is not None:
            raise self._problem

    def settle(self, problem: Exception | None) -> None:
        """Notes that the disk has done the work, or failed."""
        self._problem = problem
        self._answer.set()

    @property
    def _answer(self) -> trio.Event:
        if self._settled is None:
            raise RuntimeError("this is a copy of the error: wait for the one that was raised first")
        return self._settled


OnSettled: TypeAlias = Callable[[Exception | None], None]
"""Told on the referee's thread how a job ended: with what it raised, or None. It must not raise."""


class LineWriter(Protocol):
    """Takes lines to write."""

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:
        """Takes lines that go to the disk at the next `flush`. `settled` learns what `append` would return or raise.

        It may be told before this returns.
        """

    def flush(self) -> None:
        """Sends the lines that were begun on their way, all together."""

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Returns when the lines are durable. Raises `JournalError` if they could not be written: then none of them is.

        `DiskStalled` is the exception: then they may still be written later, or not.
        """

    async def run(self, job: Callable[[], None]) -> None:
        """Runs another job that uses the disk, such as creating a file; raises what the job raises."""


class _Task:
    """What one match waits for."""

    __slots__ = ("job", "problem", "settled", "since_s", "stalled")

    def __init__(self, job: Callable[[], None], settled: OnSettled, since_s: float) -> None:
        self.job: Final = job
        self.since_s = since_s
        """The start of the wait, moved by any time for which this process itself stood still."""
        self.settled: OnSettled | None = settled
        """Who is told when this is done; None when nobody waits for it any more."""
        self.problem: Exception | None = None
        """The disk's error."""
        self.stalled: DiskStalled | None = None
        """The error that the waiter got when it had waited too long."""

    def leave(self, _raise_cancel: Callable[[], NoReturn]) -> trio.lowlevel.Abort:
        """Nobody waits any more, but the job is done all the same."""
        self.settled = None
        return trio.lowlevel.Abort.SUCCEEDED


_Calls: TypeAlias = "queue.SimpleQueue[bool]"
"""Wakes a thread for ready work; False makes it end afterwards."""


class ThreadedWriter:
    """Writes in its own threads. Gathered lines go there with one wake-up, and come back with one.

    Each decision writes a line. One task watches for lines that are held up, so that a line needs no time limit
    and no event of its own.
    """

    def __init__(self, give_up_s: float = float("inf"), *, is_quick: bool = True) -> None:
        self._give_up_s: Final = give_up_s
        """How long anybody waits for a disk that does not answer."""
        self._is_quick: Final = is_quick
        """Whether jobs are done as soon as the system's memory has the line, so that it makes sense to stand aside for them."""
        self._trio: Final = trio.lowlevel.current_trio_token()
        self._now_s: Final = trio.lowlevel.current_clock().current_time
        """The time of `trio.current_time`, with fewer calls: each line asks for it."""
        self._gathered: Final[list[_Task]] = []
        """Lines that go to a thread once all matches that can run now have run."""
        self._lines: Final[deque[_Task]] = deque()
        """The first source of work for threads."""
        self._jobs: Final[deque[_Task]] = deque()
        """Their other work: most of it takes longer than a line."""
        self._answers: Final[queue.SimpleQueue[None]] = queue.SimpleQueue()
        """A thread reports here that nothing more is ready, to a referee's thread that stands aside."""
        self._stands_aside = False
        self._slow_until_s = -float("inf")
        self._threads: Final[list[_Calls]] = []
        """All threads, by the queue that wakes each."""
        self._idle: Final[list[_Calls]] = []
        """Waiting threads. The last one to wait is woken first, so that the same thread does most of the work."""
        self._settled: Final[deque[_Task]] = deque()
        self._woken = False
        self._closed = False
        self._open: Final[dict[_Task, None]] = {}
        """Unsettled tasks in the order in which they came."""
        self._handing_over: Final = trio.lowlevel.ParkingLot()
        self._lookout: Final = trio.lowlevel.ParkingLot()
        trio.lowlevel.spawn_system_task(self._hand_over)
        trio.lowlevel.spawn_system_task(self._look_out)

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:
        """Takes lines that are written at the next `flush`."""
        self._gathered.append(self._task(partial(journal.append, lines), settled))

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Writes the lines."""
        task = self._task(partial(journal.append, lines), _resumer())
        self._gathered.append(task)
        self._handing_over.unpark()
        await self._done(task)

    async def run(self, job: Callable[[], None]) -> None:
        """Runs a job that uses the disk, such as creating a file."""
        task = self._task(job, _resumer())
        self._jobs.append(task)
        self._call_threads(1)
        await self._done(task)

    def _task(self, job: Callable[[], None], settled: OnSettled) -> _Task:
        assert not self._closed, "nothing is written through a writer that is closed"
        task = _Task(job, settled, self._now_s())
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
        """Ends the threads after the waiting work."""
        self._closed = True
        self._lines.extend(self._gathered)
        self._handing_over.unpark_all()
        self._lookout.unpark_all()
        self._call_threads(len(self._lines))
        for calls in self._threads:
            calls.put(False)

    # --- the referee's thread ----------------------------------------------------------------------------------------

    async def _hand_over(self) -> None:
        """Gives gathered lines to a thread. Runs after all tasks that could run with the one that woke it."""
        while not self._closed:
            if not self._gathered:
                await self._handing_over.park()
            self.flush()

    def flush(self) -> None:
        """Gives gathered lines to a thread."""
        if not self._gathered or self._closed:
            return
        self._lines.extend(self._gathered)
        self._gathered.clear()
        if not self._is_quick:
            self._call_threads(len(self._lines))
        elif trio.current_time() >= self._slow_until_s:
            self._stand_aside()
        else:
            self._call_threads(min(len(self._lines), HELPERS))

    def _stand_aside(self) -> None:
        """Lets a thread do the ready work, for a short time."""
        count, until_s = len(self._lines), time.perf_counter() + STAND_ASIDE_S_MAX
        self._stands_aside = True
        self._call_threads(1)
        try:
            # A thread that was busy otherwise, or that came too late the last time, may answer, too.
            while len(self._settled) < count:
                self._answers.get(timeout=max(0.0, until_s - time.perf_counter()))
        except queue.Empty:
            self._slow_until_s = trio.current_time() + SLOW_S
        self._stands_aside = False
        self._settle()
        self._call_threads(min(len(self._lines), HELPERS))  # what is left was held up by what came before it

    def _call_threads(self, count: int) -> None:
        """Wakes this many threads to look for ready work, if that many are available."""
        for _ in range(count):
            try:
                self._idle.pop().put(True)
            except IndexError:  # all of them are busy
                if not self._start_thread():
                    return

    async def _look_out(self) -> None:
        """Wakes threads for work that is held up, since the threads that were woken for it are held up, too."""
        while not self._closed:
            if not self._open:
                await self._lookout.park()
            asleep_s = trio.current_time()
            await trio.sleep(HELD_UP_S)
            now_s = trio.current_time()
            for task in self._open:  # while nothing ran, the disk may have answered
                task.since_s = min(now_s, task.since_s + now_s - asleep_s - HELD_UP_S)
            self._give_up()
            late_s = now_s - HELD_UP_S
            if not self._closed and (self._lines or self._jobs):
                self._call_threads(sum(task.since_s <= late_s for task in self._open))

    def _give_up(self) -> None:
        """Makes sure that nobody waits for ever."""
        late_s = trio.current_time() - self._give_up_s
        for task in tuple(self._open):
            if task.since_s <= late_s and (settled := task.settled) is not None:
                task.settled = None
                task.stalled = DiskStalled(f"the disk has not answered for {self._give_up_s:.0f} s")
                settled(task.stalled)

    def _start_thread(self) -> bool:
        """Starts one more thread; False if no more are possible now."""
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
            if task.settled is not None:
                task.settled(task.problem)
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
            except Exception as problem:  # noqa: BLE001 - raised in the waiting task
                task.problem = problem
            self._settled.append(task)
            if not self._stands_aside:
                self._wake_referee()

    def _wake_referee(self) -> None:
        if not self._woken:
            self._woken = True
            with contextlib.suppress(trio.RunFinishedError):  # nobody waits any more
                self._trio.run_sync_soon(self._settle)


def _resumer() -> OnSettled:
    """Resumes the current task, which looks up how its job ended."""
    waiter = trio.lowlevel.current_task()
    return lambda _: trio.lowlevel.reschedule(waiter)


def _taken(tasks: deque[_Task]) -> _Task | None:
    """The first task, if there is one: other threads take from the same deque."""
    try:
        return tasks.popleft() if tasks else None
    except IndexError:
        return None
