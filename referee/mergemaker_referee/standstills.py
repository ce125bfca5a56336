"""What follows when the referee has stood still: time that is charged to nobody, and connections that broke because of us.

The caller measures the start and end of each standstill of a loop, or the length of the machine's suspension. All of it
belongs to the referee's thread.
"""

from typing import Final

from mergemaker_referee.configuration.limits import Limits

SETTLE_FROM_NS: Final = 100_000_000
"""After a delay of at least this length, requests may still wait in sockets."""
SETTLE_SHARE: Final = 4
"""One part in this many of such a delay is added to it: the time to find what came meanwhile."""
SETTLE_NS_MAX: Final = 2_000_000_000
SETTLE_CREDIT_NS: Final = 4_000_000_000
"""The most of this added time at once. Half of the time in which the referee runs refills it. Otherwise, a referee that stands
still again and again would never reach a deadline."""
_NS_PER_MS: Final = 1_000_000


class Standstills:
    """Adds up standstills. Times are those of a monotonic clock."""

    def __init__(self, limits: Limits) -> None:
        self._breaking_ns: Final = limits.keepalive_timeout_ms * _NS_PER_MS
        """If its probes are not answered for this long, either side gives up a connection."""
        self._noticed_ns: Final = (limits.keepalive_ms + limits.keepalive_timeout_ms) * _NS_PER_MS
        """By then each side has noticed, whichever gave up the connection."""
        self._begun_ns = self._ended_ns = 0
        """The last standstill, as it was measured."""
        self._settles: tuple[int, int] = 0, 0
        """The period, after a long one, in which what came during it is found."""
        self.settles_for_ns = 0
        """The length of that period."""
        self._credit_ns = SETTLE_CREDIT_NS
        """The longest that the period may be."""
        self._credited_awake_ns = 0
        """When that was last computed, in the time of `awake_ns`."""
        self.stood_ns = 0
        """The total time so far that is charged to nobody."""
        self.until_ns = 0
        """The end of the last such time."""
        self.breaks_until_ns = 0
        """The end of the period in which a breaking connection may have broken because of us."""

    def stood(self, begun_ns: int, until_ns: int) -> None:
        """At least one loop stood still in this period. Time that is already known is not counted twice."""
        self.look(begun_ns)
        if begun_ns > self._ended_ns:
            self._begin(begun_ns)
        self._ended_ns = max(self._ended_ns, until_ns)
        self._count(begun_ns, until_ns)
        self._follow(until_ns - self._begun_ns, until_ns)

    def was_suspended(self, for_ns: int, now_ns: int) -> None:
        """The machine slept. Its monotonic clock stood, so no time has to be left out, but clients were not answered."""
        self.look(now_ns)
        self._begin(now_ns)
        self._follow(for_ns, now_ns)

    def look(self, now_ns: int) -> None:
        """Counts the elapsed part of the period in which waiting requests are found."""
        begun, until = self._settles
        self._count(begun, min(now_ns, until))

    def awake_ns(self, now_ns: int) -> int:
        """A clock that stands still while the referee does. It measures clients' time to react to us."""
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
        """Applies the consequences of a standstill of this length."""
        if for_ns >= SETTLE_FROM_NS:
            self.settles_for_ns = min(for_ns // SETTLE_SHARE, SETTLE_NS_MAX, self._credit_ns)
            self._settles = until_ns, until_ns + self.settles_for_ns
        if for_ns >= self._breaking_ns:
            self.breaks_until_ns = max(self.breaks_until_ns, until_ns + self._noticed_ns)
