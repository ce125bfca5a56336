"""What came for a match and waits for its task; and how the task waits."""

from collections import deque
from collections.abc import Callable
from typing import Final, NoReturn

import trio

from mergemaker_referee.matches.alarm_clock import NEVER_S, Alarm, AlarmClock
from mergemaker_referee.matches.seat_link import Inbound

SOON_S: Final = 0.01
"""The longest wait of something that can wait."""
_SOON_GRAIN_S: Final = SOON_S / 2
"""Waits end at multiples of this, so that few alarms ring for many matches."""


class Inbox:
    """One task waits; an arrival wakes it, or the time that it set."""

    __slots__ = ("_alarm", "_came", "_task")

    def __init__(self, alarms: AlarmClock) -> None:
        self._came: Final[deque[Inbound]] = deque()
        self._alarm: Final = Alarm(alarms, self.wake)
        self._task: trio.lowlevel.Task | None = None
        """Who waits."""

    def __len__(self) -> int:
        return len(self._came)

    @property
    def first(self) -> Inbound:
        """The first of what is there."""
        return self._came[0]

    def take(self) -> Inbound:
        """Removes and returns it."""
        return self._came.popleft()

    def post(self, given: Inbound) -> None:
        """Adds something, after everything before it."""
        self._came.append(given)
        self.wake()

    def post_soon(self, given: Inbound) -> None:
        """The same for something that can wait a moment for the next arrival."""
        self._came.append(given)
        if self._task is not None:
            soon_s = (trio.current_time() // _SOON_GRAIN_S + 2) * _SOON_GRAIN_S
            if soon_s < self._alarm.due_s:
                self._alarm.set(soon_s)

    def wake(self) -> None:
        """Makes the task look, even if nothing came."""
        if self._task is not None:
            trio.lowlevel.reschedule(self._task)
            self._task = None

    async def wait(self, until_s: float = NEVER_S) -> None:
        """Waits until something is there, until this time, or until `wake`."""
        if self._came:
            await trio.lowlevel.checkpoint()
            return
        self._alarm.set(until_s)
        self._task = trio.lowlevel.current_task()
        await trio.lowlevel.wait_task_rescheduled(self._leave)

    def _leave(self, _raise_cancel: Callable[[], NoReturn]) -> trio.lowlevel.Abort:
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED
