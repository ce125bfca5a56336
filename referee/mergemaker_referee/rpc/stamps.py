"""When something came: stamps of the transport's thread that hold no delay of our own against a bot."""

import asyncio
from collections.abc import Callable
from typing import Final

from mergemaker_referee.rpc.starvation import Starvation

BEAT_MS: Final = 10
"""How often the transport's loop shows that it runs."""
LAG_NS: Final = 10_000_000
"""How late a beat may be before the loop counts as held up: timers have a grain, and the system has other things to do."""
_BEAT_S: Final = BEAT_MS / 1_000
_BEAT_NS: Final = BEAT_MS * 1_000_000


class Stamps:
    """Tells the time on the transport's loop.

    A loop that was held up finds, all at once, what came in the meantime, and cannot know when it came. A beat that is overdue
    shows that it was held up; what it finds then, and until the next beat, is stamped with the time when the beat was due,
    so that the delay is charged to nobody.
    """

    def __init__(self, now_ns: Callable[[], int], starvation: Starvation | None = None) -> None:
        self._now_ns: Final = now_ns
        self._starvation: Final = starvation
        """What the beat does not show: it is looked at with each."""
        self._due_ns = now_ns() + _BEAT_NS
        self._held_up_since_ns: int | None = None
        """When the beat was due that came too late, if the last one did."""
        self._handle: asyncio.TimerHandle | None = None
        self.longest_lag_ns = 0
        """The longest that the loop was held up."""
        self._held_up_ns = 0

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begins to beat."""
        self._due_ns = self._now_ns()
        self._beat(loop)

    def stop(self) -> None:
        """Beats no more."""
        if self._handle:
            self._handle.cancel()

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        now = self._now_ns()
        lag = now - self._due_ns
        self.longest_lag_ns = max(self.longest_lag_ns, lag)
        # A loop may run its timers before it looks for what came, or behind: so what was found late is remembered for a beat.
        self._held_up_since_ns = self._due_ns if lag > LAG_NS else None
        self._due_ns = now + _BEAT_NS
        if lag > LAG_NS:
            self._held_up_ns += lag
        if self._starvation is not None:
            self._starvation.look()
        self._handle = loop.call_later(_BEAT_S, self._beat, loop)

    def held_up_ns(self) -> int:
        """For how long the loop was held up since it began, in all; with that for which it is held up now.

        Any thread may ask: while the loop counts a delay, the answer may for a moment be without it, never with it twice.
        """
        counted = self._held_up_ns
        overdue = self._now_ns() - self._due_ns
        return counted + (overdue if overdue > LAG_NS else 0)

    def awake_ns(self) -> int:
        """A clock that stands while the loop does: for how long a client keeps us waiting is told by it."""
        return self._now_ns() - self.held_up_ns()

    def handed(self) -> int:
        """When something went out, seen right after: a delay before that is nobody's."""
        return self._now_ns()

    def came(self) -> int:
        """When what was just found came: now, or when the loop should have found it."""
        if self._held_up_since_ns is not None:
            return self._held_up_since_ns
        now = self._now_ns()
        return now if now <= self._due_ns + LAG_NS else self._due_ns
