"""For how long the server's own loops were held up: what evidence of a fault tells, and nobody is charged for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio
from mergemaker_table.evidence import NOT_HELD_UP, HeldUp

if TYPE_CHECKING:
    from collections.abc import Callable

BEAT_MS: Final = 10
"""How often the referee's loop shows that it runs."""
LAG_MS: Final = 10
"""How late a beat may be before the loop counts as held up: timers have a grain."""
_NS_PER_MS: Final = 1_000_000
_LAG_NS: Final = LAG_MS * _NS_PER_MS
_BEAT_NS: Final = BEAT_MS * _NS_PER_MS


def _never() -> int:
    return 0


class Delays:
    """Watches the referee's loop by a beat; the transport watches its own. All is of the referee's thread."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns: Final = now_ns
        self._due_ns: int | None = None
        """When the next beat is due; None before the first."""
        self._counted_ns = 0
        self._told = NOT_HELD_UP
        self.longest_ns = 0
        """The longest that the referee's loop was held up."""
        self.transport_ns: Callable[[], int] = _never
        """For how long the transport's loop was held up; set where there is a transport."""

    async def run(self) -> None:
        """Beats until it is cancelled."""
        while True:
            self._beat()
            await trio.sleep(BEAT_MS / 1_000)

    def _beat(self) -> None:
        overdue = self._overdue_ns()
        self.longest_ns = max(self.longest_ns, overdue)
        self._counted_ns += overdue
        self._due_ns = self._now_ns() + _BEAT_NS

    def _overdue_ns(self) -> int:
        overdue = 0 if self._due_ns is None else self._now_ns() - self._due_ns
        return overdue if overdue > _LAG_NS else 0

    def held_up(self) -> HeldUp:
        """For how long both were held up so far, in all; with that which the beat has not counted yet."""
        transport_ns, referee_ns = self.transport_ns(), self._counted_ns + self._overdue_ns()
        # It is asked for several times a decision, and hardly ever another one.
        if transport_ns != self._told.transport_ns or referee_ns != self._told.referee_ns:
            self._told = HeldUp(transport_ns, referee_ns)
        return self._told
