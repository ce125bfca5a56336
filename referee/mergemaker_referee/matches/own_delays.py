"""Gives back the time that the transport took from a bot, if it matters: for an answer that needs more than its allowance.

The stamps already leave out the time for which the transport's loop was held up. They cannot see an answer that lay in its
socket while gRPC's threads waited for a processor. The referee looks that up for the few answers that exceed their
allowance, and before a default is taken.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import Answered, BarrierPassed, Handed, Input

LOOK_BACK_NS: Final = 500_000_000
"""No answer lies in its socket longer: earlier waits of the transport are no reason for it to come now."""
HOLD_NS: Final = 20_000_000
"""A default is taken at least this much later: by then, anything on its way within the process has been found."""
HOLD_NS_MAX: Final = 50_000_000
"""At least this much later while a thread waits: how long it waits is known only when it runs again."""
AGAIN_NS: Final = 5_000_000
"""How long until the referee looks again whether one still waits."""


class Waits(Protocol):
    """What is known about how the transport's own threads wait for a processor."""

    def since_ns(self, at_ns: int) -> int:
        """How long they have waited since then, all together."""

    def is_any_waiting(self) -> bool:
        """Whether one of them waits, or runs."""


class OwnDelays:
    """The own delays of one match. Without `waits` nobody knows how the transport waits for a processor."""

    def __init__(self, now_ns: Callable[[], int], waits: Waits | None, allowance_ms: int | None) -> None:
        self._now_ns: Final = now_ns
        self._waits: Final = waits
        self._allowance_ns: Final = in_ns(allowance_ms or 0)
        self._held: BarrierPassed | None = None
        self._held_since_ns = 0
        self._held_until_ns = 0

    def without(self, given: Input, asked: Handed | None) -> Input:
        """A bot's input, stamped as if the transport had never waited."""
        if self._waits is None or not isinstance(given, Answered) or asked is None:
            return given
        if (asked.seat, asked.decision_id) != (given.seat, given.decision_id):
            return given
        if given.at_ns - asked.at_ns <= self._allowance_ns:
            return given
        starved = self._waits.since_ns(max(asked.at_ns, given.at_ns - LOOK_BACK_NS))
        return replace(given, at_ns=max(asked.at_ns, given.at_ns - starved))

    def holds(self, passed: BarrierPassed) -> bool:
        """Whether a barrier has to wait for what the transport may have missed."""
        if self._waits is None:
            return False
        self._held, self._held_since_ns = passed, self._now_ns()
        self._held_until_ns = self._held_since_ns + HOLD_NS
        return True

    def wake_at_ns(self, other_ns: int | None) -> int | None:
        """When to look again: for this, or for something else."""
        if self._held is None:
            return other_ns
        return self._held_until_ns if other_ns is None else min(other_ns, self._held_until_ns)

    def barrier_due(self) -> BarrierPassed | None:
        """The barrier that waited, once it has waited long enough."""
        held = self._held
        if held is None or self._waits is None:
            return None
        now = self._now_ns()
        if now < self._held_until_ns:
            return None
        if now < self._held_since_ns + HOLD_NS_MAX and self._waits.is_any_waiting():
            self._held_until_ns = min(now + AGAIN_NS, self._held_since_ns + HOLD_NS_MAX)
            return None
        # What was missed meanwhile is part of what was missed before, so it is not longer.
        starved = min(self._waits.since_ns(self._held_since_ns - LOOK_BACK_NS), LOOK_BACK_NS)
        if now < self._held_since_ns + starved:
            self._held_until_ns = self._held_since_ns + starved
            return None
        self._held = None
        return held
