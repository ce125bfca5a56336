"""What came for a match and waits for its turn; and how the match waits for one."""

from collections import deque
from collections.abc import Callable
from typing import Final

import trio

from mergemaker_referee.matches.alarm_clock import NEVER_S, Alarm, AlarmClock
from mergemaker_referee.matches.seat_link import Inbound
from mergemaker_referee.matches.turns import Turns

SOON_S: Final = 0.01
"""The longest wait of something that can wait."""
_SOON_GRAIN_S: Final = SOON_S / 2
"""Waits end at multiples of this, so that few alarms ring for many matches."""


class Inbox:
    """The match waits; an arrival gives it a turn, or the time that it set."""

    __slots__ = ("_alarm", "_turn", "_turns", "_waits", "came")

    def __init__(self, alarms: AlarmClock, turns: Turns, turn: Callable[[], None]) -> None:
        self.came: Final[deque[Inbound]] = deque()
        """What came, in order. The match takes from it in its turn."""
        self._alarm: Final = Alarm(alarms, self.wake)
        self._turns: Final = turns
        self._turn: Final = turn
        self._waits = False
        """Whether it waits, and has not asked for its turn yet."""

    def post(self, given: Inbound) -> None:
        """Adds something, after everything before it."""
        self.came.append(given)
        self.wake()

    def post_soon(self, given: Inbound) -> None:
        """The same for something that can wait a moment for the next arrival."""
        self.came.append(given)
        if self._waits:
            soon_s = (trio.current_time() // _SOON_GRAIN_S + 2) * _SOON_GRAIN_S
            if soon_s < self._alarm.due_s:
                self._alarm.set(soon_s)

    def wake(self) -> None:
        """Makes the match look, even if nothing came."""
        if self._waits:
            self._waits = False
            self._turns.ask(self._turn)

    def wait(self, until_s: float = NEVER_S) -> None:
        """Gives the match a turn when something is there, at this time, or at `wake`."""
        self._waits = True
        if self.came:
            self.wake()
        else:
            self._alarm.set(until_s)
