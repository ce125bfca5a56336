"""When watchers get their responses: in rounds, in small slices, and in a small part of the time, so that no player is slowed."""

from collections.abc import Callable, Collection
from typing import Final, Protocol

import trio

from mergemaker_referee.matches.alarm_clock import NEVER_S

NS_PER_S: Final = 1_000_000_000
ROUND_NS: Final = 100_000_000
"""Rounds begin at multiples of this, independent of the matches: what happened between two rounds is sent together."""
SLICE: Final = 16
"""At most this many watchers are sent something at once. Then everything else has its turn, on both threads."""
WATCHERS_SHARE: Final = 10
"""Sending to watchers takes at most one part in this many of the time: a slice's duration decides how long the next one waits."""
PAUSE_S_MAX: Final = 0.1
"""The longest wait after a slice, even if the slice took long."""
PASSING_S_MAX: Final = 1.0
"""The longest wait for a slice: a transport that takes longer is stuck, and each watcher has at most one response there."""


class Told(Protocol):
    """A watcher, as rounds see it."""

    @property
    def due_ns(self) -> float:
        """When the next thing is due; infinite while there is none."""

    @property
    def is_ready(self) -> bool:
        """Whether the transport has taken what was sent before."""

    def send_due(self, before_ns: int) -> None:
        """Sends the next response, with what is due before a time."""


class Rounds:
    """One task that sends to all watchers. It runs while there are any."""

    def __init__(
        self, watchers: Collection[Told], now_ns: Callable[[], int], barrier: Callable[[Callable[[], None]], None]
    ) -> None:
        self._watchers: Final = watchers
        self._now_ns: Final = now_ns
        self._barrier: Final = barrier
        self._next_ns: float = NEVER_S
        self._waiting = trio.CancelScope()
        self._is_running = False

    def start(self, nursery: trio.Nursery) -> None:
        """Makes sure that watchers get their responses."""
        if not self._is_running:
            self._is_running = True
            nursery.start_soon(self._run)

    def look_at(self, due_ns: float) -> None:
        """Something is due at a time, or there may be no watchers left."""
        next_ns = self._round_after(due_ns)
        if next_ns < self._next_ns:
            self._next_ns = next_ns
            self._waiting.deadline = self._deadline_s()

    async def _run(self) -> None:
        while self._watchers:
            self._next_ns = self._round_after(min(each.due_ns for each in self._watchers))
            with trio.CancelScope(deadline=self._deadline_s()) as self._waiting:
                await trio.sleep_forever()
            now = self._now_ns()
            await self._tell(now - now % ROUND_NS)
        self._is_running = False

    def _round_after(self, due_ns: float) -> float:
        """The beginning of the first round from now on that sends something due at a time."""
        if due_ns == NEVER_S:
            return NEVER_S
        return (int(max(due_ns, self._now_ns())) // ROUND_NS + 1) * ROUND_NS

    def _deadline_s(self) -> float:
        return trio.current_time() + (self._next_ns - self._now_ns()) / NS_PER_S

    async def _tell(self, before_ns: int) -> None:
        """Sends everybody what is due before a time, one response each; the rest is for the next round."""
        due = [each for each in self._watchers if each.due_ns < before_ns and each.is_ready]
        for first in range(0, len(due), SLICE):
            began = self._now_ns()
            for each in due[first : first + SLICE]:
                each.send_due(before_ns)
            passed = trio.Event()
            self._barrier(passed.set)
            with trio.move_on_after(PASSING_S_MAX):
                await passed.wait()
            took_s = (self._now_ns() - began) / NS_PER_S
            await trio.sleep(min(took_s * (WATCHERS_SHARE - 1), PAUSE_S_MAX))
