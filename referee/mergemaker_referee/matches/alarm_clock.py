"""When a match's time is up: one timer for all matches.

An answer nearly always comes before its time is up, and the next decision has its own time. So the alarm only notes a later
time, and looks at it when the earlier one has come. A trio timer for each match would move several times a decision.
"""

import heapq
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

import trio

NEVER_S: Final = float("inf")


class Alarm:
    """One match's alarm. All times are trio's, in seconds."""

    __slots__ = ("_clock", "due_s", "queued_s", "ring")

    def __init__(self, clock: "AlarmClock", ring: Callable[[], None]) -> None:
        self._clock: Final = clock
        self.ring: Final = ring
        """Called when its time has come; it is then no longer set."""
        self.due_s = NEVER_S
        self.queued_s: Final = [NEVER_S]
        """When the clock looks at it, the earliest time last."""

    def set(self, due_s: float) -> None:
        """Makes it ring then, instead of at the time set before; with `NEVER_S` never."""
        self.due_s = due_s
        if due_s < self.queued_s[-1]:
            self._clock.queue(self, due_s)


class AlarmClock:
    """The alarms of all matches of a referee."""

    def __init__(self) -> None:
        self._queue: Final[list[tuple[float, int, Alarm]]] = []
        self._numbers: Final[Iterator[int]] = count()
        """Makes entries distinct, so that two alarms are never compared."""
        self._waiting = trio.CancelScope()
        self._is_running = False

    def queue(self, alarm: Alarm, due_s: float) -> None:
        """Makes the clock look at an alarm earlier than it would."""
        alarm.queued_s.append(due_s)
        heapq.heappush(self._queue, (due_s, next(self._numbers), alarm))
        if not self._is_running:
            self._is_running = True
            trio.lowlevel.spawn_system_task(self._run)
        elif self._queue[0][2] is alarm:
            self._waiting.deadline = due_s

    async def _run(self) -> None:
        """Lets alarms ring until none is left."""
        while self._queue:
            with trio.CancelScope(deadline=self._queue[0][0]) as self._waiting:
                await trio.sleep_forever()
            self._look(trio.current_time())
        self._is_running = False

    def _look(self, now_s: float) -> None:
        while self._queue and self._queue[0][0] <= now_s:
            _, _, alarm = heapq.heappop(self._queue)
            alarm.queued_s.pop()
            if alarm.due_s <= now_s:
                alarm.due_s = NEVER_S
                alarm.ring()
            elif alarm.due_s < alarm.queued_s[-1]:
                self.queue(alarm, alarm.due_s)
