"""When something came: the transport thread's stamps, which hold none of our own delays against a bot."""

import asyncio
from collections.abc import Callable
from typing import Final

from mergemaker_referee.rpc.starvation import Starvation

BEAT_MS: Final = 10
"""How often the transport's loop shows that it runs."""
LAG_NS: Final = 10_000_000
"""How late a beat may be before the loop counts as held up: timers are coarse, and the system has other things to do."""
_BEAT_S: Final = BEAT_MS / 1_000
_BEAT_NS: Final = BEAT_MS * 1_000_000


class Stamps:
    """Gives the time on the transport's loop.

    A loop that was held up finds all that came in the meantime at once, and cannot know when it came. An overdue beat
    shows that the loop was held up. What it finds then, and until the next beat, is stamped with the time when the beat was
    due, so that nobody is charged for the delay.
    """

    def __init__(self, now_ns: Callable[[], int], starvation: Starvation | None = None) -> None:
        self._now_ns: Final = now_ns
        self._starvation: Final = starvation
        """Delays that the beat does not show. Each beat looks at it."""
        self._due_ns = now_ns() + _BEAT_NS
        self._held_up_since_ns: int | None = None
        """When the last beat was due, if it came too late."""
        self._handle: asyncio.TimerHandle | None = None
        self.longest_lag_ns = 0
        """The longest time that the loop was held up."""
        self._held_up_ns = 0

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Starts the beat."""
        self._due_ns = self._now_ns()
        self._beat(loop)

    def stop(self) -> None:
        """Stops the beat."""
        if self._handle:
            self._handle.cancel()

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        now = self._now_ns()
        lag = now - self._due_ns
        self.longest_lag_ns = max(self.longest_lag_ns, lag)
        # A loop may run its timers before or after it looks for what came, so a late find is remembered for a beat.
        self._held_up_since_ns = self._due_ns if lag > LAG_NS else None
        self._due_ns = now + _BEAT_NS
        if lag > LAG_NS:
            self._held_up_ns += lag
        if self._starvation is not None:
            self._starvation.look()
        self._handle = loop.call_later(_BEAT_S, self._beat, loop)

    def held_up_ns(self) -> int:
        """How long the loop has been held up since it started, in all, including a delay that still lasts.

        Any thread may ask. While the loop counts a delay, the answer may briefly be without it, but never has it twice.
        """
        counted = self._held_up_ns
        overdue = self._now_ns() - self._due_ns
        return counted + (overdue if overdue > LAG_NS else 0)

    def awake_ns(self) -> int:
        """A clock that stands still while the loop does. It measures how long a client keeps us waiting."""
        return self._now_ns() - self.held_up_ns()

    def handed(self) -> int:
        """When something went out, stamped right afterwards: nobody is charged for a delay before that."""
        return self._now_ns()

    def came(self) -> int:
        """When what was just found came: now, or when the loop should have found it."""
        if self._held_up_since_ns is not None:
            return self._held_up_since_ns
        now = self._now_ns()
        return now if now <= self._due_ns + LAG_NS else self._due_ns
