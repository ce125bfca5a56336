"""Virtual time, chance from a seed, and the trace of all that happens: the parts of a run, and nothing else.

    world = World(seed=7)
    world.after(5 * MS, bot.think)          # everything that happens is a call at a time
    world.run(main)                         # main is a coroutine function; its end ends the run

Time stands still while anything can run, and then jumps to the next event. All runs on one thread: a second one would work
while time jumps, so `no_threads` prevents it.
"""

import hashlib
import heapq
import random
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import trio
import trio.testing
from trio._core import _run as trio_run  # the only access to trio's scheduling: it shuffles ready tasks by its own Random

NS: Final = 1
US: Final = 1_000
MS: Final = 1_000_000
S: Final = 1_000_000_000
STEPS_MAX: Final = 2_000_000
"""Calls in one run; more means an endless loop at one moment."""


STEPS_AT_ONCE_MAX: Final = 200_000
"""Task steps at one moment; more means that the referee is in an endless loop."""


class ThreadUnderVirtualClock(AssertionError):
    """Something tried to start a thread: time would jump while it works."""


class Tangled(AssertionError):
    """A run does not end."""


class World:
    """One run."""

    def __init__(self, seed: int | str, *, keeps_trace: bool = False) -> None:
        self.seed: Final = str(seed)
        self.trace: Final[list[str] | None] = [] if keeps_trace else None
        self._digest: Final = hashlib.sha256()
        self._calls: Final[list[tuple[int, int, Callable[..., None], tuple[Any, ...]]]] = []
        self._count = 0
        self._done = 0
        self._alarm = trio.CancelScope()
        self._clock: Final = trio.testing.MockClock(autojump_threshold=0)
        self._lot: trio.lowlevel.ParkingLot | None = None
        self.nursery: trio.Nursery | None = None
        """Where the lives of referees run, as long as the world does."""

    # --- time ---

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the world began, as integers: the clock below counts in seconds, and is far more exact."""
        return round(trio.current_time() * S)

    def at(self, due_ns: int, call: Callable[..., None], *arguments: Any) -> None:
        """Makes a call at a time: now at the earliest, and after all calls already due at the same moment."""
        self._count += 1
        heapq.heappush(self._calls, (due_ns, self._count, call, arguments))
        if self._lot and due_ns / S < self._alarm.deadline:
            self._alarm.deadline = due_ns / S

    def after(self, delay_ns: int, call: Callable[..., None], *arguments: Any) -> None:
        """Makes a call later."""
        self.at(self.now_ns + delay_ns, call, *arguments)

    async def sleep_until(self, due_ns: int) -> None:
        """Waits for a time."""
        await trio.sleep_until(due_ns / S)

    async def sleep(self, delay_ns: int) -> None:
        """Waits for this long."""
        await trio.sleep_until((self.now_ns + delay_ns) / S)

    def jump(self, until_ns: int, goes_on: Callable[[], bool]) -> None:
        """Makes all calls up to a time, as long as they are wanted, and lets no task run meanwhile: for tasks, time jumps."""
        while self._calls and self._calls[0][0] <= until_ns and goes_on():
            due_ns, _, call, arguments = heapq.heappop(self._calls)
            self._clock.jump(max(0, due_ns - self.now_ns) / S)
            self._make(call, arguments)
        if goes_on():
            self._clock.jump(max(0, until_ns - self.now_ns) / S)

    # --- chance and trace ---

    def chance(self, label: str) -> random.Random:
        """Independent chances for each label: draws from one change nothing for another."""
        return random.Random(f"{self.seed}/{label}")  # noqa: S311 - repeatable chances are the point

    def note(self, *what: object) -> None:
        """Notes an event: in the trace's hash and, if it is kept, in the trace."""
        text = f"{self.now_ns / MS:.6f} {' '.join(map(str, what))}"
        self._digest.update(text.encode("utf-8", "replace"))
        if self.trace is not None:
            self.trace.append(text)

    @staticmethod
    def digest_of(data: bytes) -> str:
        """A few digits that represent some bytes in the trace."""
        return hashlib.blake2b(data, digest_size=4).hexdigest()

    @property
    def trace_hash(self) -> str:
        """A hash of all notes: equal for two runs in which the same happened at the same times."""
        return self._digest.hexdigest()

    # --- running ---

    def run(self, main: Callable[[], Awaitable[None]]) -> None:
        """Lets the world run until `main` returns. What still runs then is dropped."""
        with no_threads(), _steady_scheduling(self.seed):
            watchdog = _Watchdog(self)
            trio.run(self._run, main, clock=self._clock, instruments=[watchdog])
        if watchdog.has_barked:
            raise Tangled(f"more than {STEPS_AT_ONCE_MAX} steps at one moment: a task turns round and round")

    async def _run(self, main: Callable[[], Awaitable[None]]) -> None:
        async with trio.open_nursery() as nursery:
            self.nursery = nursery
            nursery.start_soon(self._make_calls)
            await main()
            nursery.cancel_scope.cancel()

    def _make(self, call: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self._done += 1
        if self._done > STEPS_MAX:
            raise Tangled(f"more than {STEPS_MAX} calls, the last one {call}")
        call(*arguments)

    async def _make_calls(self) -> None:
        self._lot = trio.lowlevel.ParkingLot()
        while True:
            while self._calls and self._calls[0][0] <= self.now_ns:
                _, _, call, arguments = heapq.heappop(self._calls)
                self._make(call, arguments)
            due = self._calls[0][0] / S if self._calls else float("inf")
            with trio.CancelScope(deadline=due) as self._alarm:
                await self._lot.park()


class _Watchdog(trio.abc.Instrument):
    """Ends a world whose time stands still though something always happens."""

    def __init__(self, world: World) -> None:
        self.has_barked = False
        self._world: Final = world
        self._at = 0.0
        self._steps = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002 - any task counts
        """Counts the steps of a moment."""
        now = trio.current_time()
        if now != self._at:
            self._at, self._steps = now, 0
        self._steps += 1
        if self._steps > STEPS_AT_ONCE_MAX and not self.has_barked and self._world.nursery is not None:
            self.has_barked = True
            self._world.nursery.cancel_scope.cancel()


def _refuse_thread(thread: threading.Thread) -> NoReturn:
    raise ThreadUnderVirtualClock(f"{thread.name} was to be started under a virtual clock, which jumps while a thread works")


@contextmanager
def no_threads() -> Iterator[None]:
    """Refuses threads within a block."""
    start = threading.Thread.start
    threading.Thread.start = _refuse_thread  # type: ignore[assignment,method-assign]  # for the time of the block
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]  # as it was


@contextmanager
def _steady_scheduling(seed: str) -> Iterator[None]:
    """Makes trio run simultaneously ready tasks in an order that the seed decides.

    Trio sorts the tasks of a batch before it shuffles them only if `_ALLOW_DETERMINISTIC_SCHEDULING` is set, and
    shuffles them by `_r`: both are private names of `trio._core._run`, here and nowhere else.
    """
    before = trio_run._ALLOW_DETERMINISTIC_SCHEDULING
    state = trio_run._r.getstate()
    trio_run._ALLOW_DETERMINISTIC_SCHEDULING = True  # type: ignore[misc]
    trio_run._r.seed(f"{seed}/schedule")
    try:
        yield
    finally:
        trio_run._ALLOW_DETERMINISTIC_SCHEDULING = before  # type: ignore[misc]
        trio_run._r.setstate(state)
