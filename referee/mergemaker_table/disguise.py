"""Automatic answers that take as long as a bot's, so that real time does not show whether anybody was asked.

If a decision has one possible answer, or its seat is retired, nobody is asked. Without a disguise the game then goes on at
once. The other bots see that, and learn something about a hand. Here such an answer takes a time drawn from those of the
same seat's bot for its own answers, or if it gave none, from those of all bots.
"""

from collections import deque
from typing import Final

from mergemaker_engine.deal import Chances

from mergemaker_table.clock import in_ns
from mergemaker_table.errors import TableError

TIMES_KEPT: Final = 64
"""The last ones of each seat."""
DELAY_MS_MAX: Final = 60_000
"""No automatic answer waits longer."""
_LABEL: Final = "automatic delays"


class Disguise:
    """How long the automatic answers of one match wait. Nobody may know the seed, and it may not be in the record."""

    __slots__ = ("_most_ns", "_stream", "_times")

    def __init__(self, seed: bytes, seats: int, most_ms: int) -> None:
        if not 1 <= most_ms <= DELAY_MS_MAX:
            raise TableError("bad-delay", f"automatic answers wait for 1 to {DELAY_MS_MAX} ms at most, not {most_ms}")
        self._stream: Final = Chances(seed, _LABEL)
        self._times: Final = [deque[int](maxlen=TIMES_KEPT) for _ in range(seats)]
        self._most_ns: Final = in_ns(most_ms)

    def note(self, seat: int, took_ns: int) -> None:
        """Notes the time from when a bot was asked until its answer was judged."""
        self._times[seat].append(took_ns)

    def delay_ns(self, seat: int) -> int:
        """How long an automatic answer of a seat waits."""
        times = self._times[seat] or [took for each in self._times for took in each]
        if not times:
            # Before any bot has answered, nobody knows what is usual.
            return self._stream.below(self._most_ns + 1)
        return min(times[self._stream.below(len(times))], self._most_ns)


class HeldBack:
    """An answer that needs no bot, and waits as long as a bot might take. Without a disguise none waits."""

    __slots__ = ("_disguise", "until_ns")

    def __init__(self, disguise: Disguise | None) -> None:
        self._disguise: Final = disguise
        self.until_ns: int | None = None
        """When the wait ends; None while no answer waits."""

    def holds(self, seat: int, now_ns: int) -> bool:
        """Whether the answer for a seat has to wait. The wait begins with the first call."""
        if self._disguise is None:
            return False
        if self.until_ns is None:
            self.until_ns = now_ns + self._disguise.delay_ns(seat)
        if now_ns < self.until_ns:
            return True
        self.until_ns = None
        return False

    def is_due(self, now_ns: int) -> bool:
        """Whether an answer has waited long enough."""
        return self.until_ns is not None and now_ns >= self.until_ns
