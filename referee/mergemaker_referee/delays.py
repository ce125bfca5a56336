"""How long the server's own loops were held up, whatever stopped them. Evidence of a fault shows it; nobody pays for it.

A late beat reveals it: the loop had too much to do, the process was stopped or throttled, or the virtual machine was
paused. The monotonic clock does not show that a machine was suspended, but another clock of the system does.
"""

import time
from collections.abc import Callable
from typing import Final

import trio
from mergemaker_table.evidence import NOT_HELD_UP, HeldUp

from mergemaker_referee.standstills import Standstills

BEAT_MS: Final = 10
"""How often the referee's loop shows that it runs."""
LAG_MS: Final = 10
"""How late a beat may be before the loop counts as held up: timers are coarse."""
_NS_PER_MS: Final = 1_000_000
LOOK_AGAIN_NS: Final = 1_000_000
"""How long a look counts as new. In that time it can miss at most a tenth of the least that counts as a delay."""
_LAG_NS: Final = LAG_MS * _NS_PER_MS
_BEAT_NS: Final = BEAT_MS * _NS_PER_MS


def _never() -> int:
    return 0


def _suspended_ns() -> int:
    """How long this machine was suspended since it was started. The time between the readings of two clocks adds an error."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)


SUSPENDED_NS: Final[Callable[[], int]] = _suspended_ns if hasattr(time, "CLOCK_BOOTTIME") else _never
"""Only Linux reports it."""


class Delays:
    """Watches the referee's loop by a beat; the transport watches its own loop. All of it belongs to the referee's thread."""

    def __init__(
        self, now_ns: Callable[[], int], standstills: Standstills, suspended_ns: Callable[[], int] = SUSPENDED_NS
    ) -> None:
        self.now_ns: Final = now_ns
        self._standstills: Final = standstills
        self._suspended_ns: Final = suspended_ns
        self._suspended_before_ns = suspended_ns()
        self._transport_before_ns = 0
        self._due_ns: int | None = None
        """When the next beat is due; None before the first."""
        self._counted_ns = 0
        self._told = NOT_HELD_UP
        self._told_at_ns = now_ns() - LOOK_AGAIN_NS
        """When this was last seen to hold."""
        self.longest_ns = 0
        """The longest time that the referee's loop was held up."""
        self.transport_ns: Callable[[], int] = _never
        """How long the transport's loop was held up. Set where a transport exists."""

    async def run(self) -> None:
        """Beats until it is cancelled."""
        while True:
            self._beat()
            await trio.sleep(BEAT_MS / 1_000)

    def _beat(self) -> None:
        now = self.now_ns()
        _, overdue = self._look(now)
        suspended = self._suspended_ns()
        if (slept := suspended - self._suspended_before_ns) > _LAG_NS:
            self._standstills.was_suspended(slept, now)
            self._suspended_before_ns = suspended
        self.longest_ns = max(self.longest_ns, overdue)
        self._counted_ns += overdue
        self._due_ns = now + _BEAT_NS

    def _look(self, now_ns: int) -> tuple[int, int]:
        """Checks whether a loop stood still until now. Returns the transport's delays, and by how much the beat is overdue."""
        overdue = 0 if self._due_ns is None else now_ns - self._due_ns
        if overdue <= _LAG_NS:
            overdue = 0
        transport_ns = self.transport_ns()
        stood = max(transport_ns - self._transport_before_ns, overdue)
        self._transport_before_ns = max(self._transport_before_ns, transport_ns)
        if stood > 0:
            self._standstills.stood(now_ns - stood, now_ns)
        else:
            self._standstills.look(now_ns)
        return transport_ns, overdue

    def held_up(self) -> HeldUp:
        """How long both loops were held up so far, including what the beat has not counted yet."""
        now = self.now_ns()
        # This is called several times in a decision, and a busy referee takes several decisions in a millisecond.
        if now - self._told_at_ns < LOOK_AGAIN_NS:
            return self._told
        self._told_at_ns = now
        transport_ns, overdue = self._look(now)
        referee_ns, seen, told = self._counted_ns + overdue, self._standstills, self._told
        if (
            transport_ns != told.transport_ns
            or referee_ns != told.referee_ns
            or seen.stood_ns != told.stood_ns
            or seen.breaks_until_ns != told.breaks_until_ns
        ):
            self._told = HeldUp(transport_ns, referee_ns, seen.stood_ns, seen.until_ns, seen.breaks_until_ns)
        return self._told
