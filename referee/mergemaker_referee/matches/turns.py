"""Matches that have work take turns, in one task: what it costs to wake a task is paid once for all of them."""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn, TypeAlias

import trio

SLICE_NS: Final = 2_000_000
"""How long turns are taken in one go, before everything else on the referee's thread runs."""

Slowly: TypeAlias = Callable[[], Awaitable[None]]
"""Something that takes time, and so cannot be done in a turn."""


class OwnTask:
    """A match's own task. It sleeps while the match has turns, and wakes for what has to wait for something."""

    def __init__(self) -> None:
        self._task: trio.lowlevel.Task | None = None
        self._slowly: Slowly | None = None

    @property
    def is_asleep(self) -> bool:
        """Whether the match has turns."""
        return self._task is not None

    async def sleep(self) -> Slowly | None:
        """Sleeps until the match has no more turns; returns what has to be done before the next one."""
        self._task, self._slowly = trio.lowlevel.current_task(), None
        await trio.lowlevel.wait_task_rescheduled(self._leave)
        return self._slowly

    def wake(self, slowly: Slowly | None = None) -> None:
        """Lets it go on, with something that takes time if need be."""
        if self._task is not None:
            trio.lowlevel.reschedule(self._task)
            self._task, self._slowly = None, slowly

    def _leave(self, _raise_cancel: Callable[[], NoReturn]) -> trio.lowlevel.Abort:
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED


class Turns:
    """The turns of all matches of a referee, in the order in which they asked for them."""

    def __init__(self, flush: Callable[[], None] = lambda: None) -> None:
        """`flush` sends what gathered during some turns: the lines of all matches that had one."""
        self._flush: Final = flush
        self._waiting: Final[deque[Callable[[], None]]] = deque()
        self._parked: trio.lowlevel.Task | None = None
        self._is_running = False

    def ask(self, turn: Callable[[], None]) -> None:
        """Makes a call soon, after those that were asked for before. It must not raise."""
        self._waiting.append(turn)
        if self._parked is not None:
            trio.lowlevel.reschedule(self._parked)
            self._parked = None
        elif not self._is_running:
            self._is_running = True
            trio.lowlevel.spawn_system_task(self._run)

    async def _run(self) -> None:
        while True:
            if self._take() > 1:
                # Others are busy, too: what comes meanwhile goes to the disk with this.
                await trio.lowlevel.checkpoint()
                self._take()
            self._flush()
            if self._waiting:
                await trio.lowlevel.checkpoint()
            else:
                self._parked = trio.lowlevel.current_task()
                await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.SUCCEEDED)

    def _take(self) -> int:
        """Lets matches have their turns for a slice of time; returns how many had one."""
        until_ns, taken = time.perf_counter_ns() + SLICE_NS, 0
        while self._waiting:
            self._waiting.popleft()()
            taken += 1
            if time.perf_counter_ns() > until_ns:
                break
        return taken
