"""How many bytes connections send: one that sends far more than its bots can need is a flood.

gRPC takes in what a client sends before anything else sees it. A client that ignores HTTP/2's flow control, or opens streams
only to reset them, keeps gRPC's threads busy with bytes that never become a request. The system counts them, so they can be
bounded.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mergemaker_referee.rpc.sockets import Accepted

FLOODED_SHARE: Final = 64
"""For a while, a client that has flooded gets only one part in this many of the usual bytes."""
_NS_PER_S: Final = 1_000_000_000


@dataclass(slots=True)
class _Bucket:
    """What one connection may still send."""

    received: int
    at_ns: int
    left: int


class Traffic:
    """Bytes of each connection. A connection may save up one second's allowance."""

    def __init__(self, bytes_per_s_max: int) -> None:
        self._bytes_per_s_max: Final = bytes_per_s_max
        self._buckets: dict[int, _Bucket] = {}
        """By the connection's identity."""

    def is_flood(self, connection: Accepted, received: int, now_ns: int, *, has_flooded: bool) -> bool:
        """Whether a connection has sent too much by now. `has_flooded`: its client did so before."""
        rate = self._bytes_per_s_max // FLOODED_SHARE if has_flooded else self._bytes_per_s_max
        bucket = self._buckets.setdefault(connection.identity, _Bucket(0, now_ns, rate))
        earned = rate * (now_ns - bucket.at_ns) // _NS_PER_S
        bucket.left = min(bucket.left + earned, rate) - (received - bucket.received)
        bucket.received, bucket.at_ns = received, now_ns
        return bucket.left < 0

    def forget_all_but(self, open_now: Iterable[Accepted]) -> None:
        """Forgets connections that have closed."""
        here = {each.identity for each in open_now}
        self._buckets = {identity: bucket for identity, bucket in self._buckets.items() if identity in here}
