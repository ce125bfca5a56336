"""What follows when the referee has stood still: how much time is nobody's, and which connections broke because of us.

Whoever measures says from when to when the loops were held up, or for how long the machine was suspended. All of it belongs to
the referee's thread.
"""

from typing import Final

from mergemaker_referee.configuration.limits import Limits

SETTLE_FROM_NS: Final = 100_000_000
"""After a delay of this length, what lies in sockets was not read in passing."""
SETTLE_SHARE: Final = 4
"""One part in so many of such a delay comes to it: the time in which what came meanwhile is found."""
SETTLE_NS_MAX: Final = 2_000_000_000
SETTLE_CREDIT_NS: Final = 4_000_000_000
"""So much of it is there at once. Half of the time in which the referee runs fills it up again: otherwise no deadline would ever
come to a referee that stands still again and again."""
_NS_PER_MS: Final = 1_000_000


class Standstills:
    """Adds up. Times are those of a monotonic clock."""

    def __init__(self, limits: Limits) -> None:
        self._breaking_ns: Final = limits.keepalive_timeout_ms * _NS_PER_MS
        """Connections of which nobody answers the probes for so long are given up, by either side."""
        self._noticed_ns: Final = (limits.keepalive_ms + limits.keepalive_timeout_ms) * _NS_PER_MS
        """By then it is noticed, whoever gave up which."""
        self._begun_ns = self._ended_ns = 0
        """The last standstill, as it was measured."""
        self._settles: tuple[int, int] = 0, 0
        """From when to when what came during a long one is found."""
        self.settles_for_ns = 0
        """How long that is."""
        self._credit_ns = SETTLE_CREDIT_NS
        """How long it may be at most."""
        self._credited_awake_ns = 0
        """When that was reckoned last, as `awake_ns` tells the time."""
        self.stood_ns = 0
        """How much time was nobody's so far, in all."""
        self.until_ns = 0
        """When it was so last."""
        self.breaks_until_ns = 0
        """Until when a connection that breaks may have broken because of us."""

    def stood(self, begun_ns: int, until_ns: int) -> None:
        """The loops, or one of them, stood still then. What is known already is not counted twice."""
        self.look(begun_ns)
        if begun_ns > self._ended_ns:
            self._begin(begun_ns)
        self._ended_ns = max(self._ended_ns, until_ns)
        self._count(begun_ns, until_ns)
        self._follow(until_ns - self._begun_ns, until_ns)

    def was_suspended(self, for_ns: int, now_ns: int) -> None:
        """The machine slept: its monotonic clock stood, so no time has to be left out, but clients were not answered."""
        self.look(now_ns)
        self._begin(now_ns)
        self._follow(for_ns, now_ns)

    def look(self, now_ns: int) -> None:
        """Counts what has come by now of the time in which what came is found."""
        begun, until = self._settles
        self._count(begun, min(now_ns, until))

    def awake_ns(self, now_ns: int) -> int:
        """A clock that stands while the referee does: for what clients have so much time for, counted from something of ours."""
        self.look(now_ns)
        return now_ns - self.stood_ns

    def _count(self, begun_ns: int, until_ns: int) -> None:
        new_ns = until_ns - max(begun_ns, self.until_ns)
        if new_ns > 0:
            self.stood_ns += new_ns
            if self.breaks_until_ns > self.until_ns:
                self.breaks_until_ns += new_ns
            self.until_ns = until_ns

    def _begin(self, begun_ns: int) -> None:
        """Another standstill begins."""
        self._begun_ns = begun_ns
        awake_ns = begun_ns - self.stood_ns
        refilled_ns = self._credit_ns - self.settles_for_ns + (awake_ns - self._credited_awake_ns) // 2
        self._credit_ns, self._credited_awake_ns, self.settles_for_ns = min(refilled_ns, SETTLE_CREDIT_NS), awake_ns, 0

    def _follow(self, for_ns: int, until_ns: int) -> None:
        """What comes of a standstill of this length."""
        if for_ns >= SETTLE_FROM_NS:
            self.settles_for_ns = min(for_ns // SETTLE_SHARE, SETTLE_NS_MAX, self._credit_ns)
            self._settles = until_ns, until_ns + self.settles_for_ns
        if for_ns >= self._breaking_ns:
            self.breaks_until_ns = max(self.breaks_until_ns, until_ns + self._noticed_ns)
