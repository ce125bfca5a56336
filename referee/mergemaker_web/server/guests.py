"""Who asks, and how much: limits by address, and the viewers' password."""

import hmac
import re
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import trio
from mergemaker_referee.configuration.web import is_password

from mergemaker_web.server.problems import WebProblem

ADDRESSES_MAX: Final = 10_000
"""Addresses whose requests are counted at once; the oldest are forgotten."""
SAVED_S: Final = 4.0
"""How many seconds' requests an address may save up, and so send at once."""
GUESSES_PER_MINUTE: Final = 10
"""Passwords that may be tried from one address: a guess takes the server some 50 ms."""
GUESSES_WAITING_MAX: Final = 8
"""Passwords that may wait to be checked. One is checked at a time."""
SESSION_S: Final = 30 * 24 * 3_600
COOKIE: Final = "mergemaker_viewer"
_COOKIE: Final = re.compile(r"(?P<until>[0-9]{10})\.(?P<mark>[0-9a-f]{64})")


class Buckets:
    """How many requests each address may still make."""

    def __init__(self, per_s: float, saved_s: float = SAVED_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s: Final = per_s
        self._most: Final = per_s * saved_s
        self._clock: Final = clock
        self._left: Final[dict[str, tuple[float, float]]] = {}

    def take(self, address: str) -> None:
        """One more request; raises that there are too many."""
        now = self._clock()
        left, at = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - at) * self._per_s)
        self._left[address] = (max(0.0, left - 1), now)
        if len(self._left) > ADDRESSES_MAX:
            del self._left[next(iter(self._left))]
        if left < 1:
            raise WebProblem(
                429,
                "too-many-requests",
                "your address sends more requests than it may (web.requests_per_s_max)",
                "Wait a second.",
            )


class Doorman:
    """Asks for the viewers' password, if there is one. The right one gives a cookie that tells nobody anything."""

    def __init__(self, kept: str | None, now_s: Callable[[], float] = time.time) -> None:
        self._kept: Final = kept
        self._now_s: Final = now_s
        self._key: Final = secrets.token_bytes(32) if kept is None else sha256(b"mergemaker viewer" + kept.encode()).digest()
        self._guesses: Final = Buckets(GUESSES_PER_MINUTE / 60, 60.0)
        self._one: Final = trio.CapacityLimiter(1)

    @property
    def asks(self) -> bool:
        """Whether there is a password."""
        return self._kept is not None

    def lets_in(self, cookie: str | None) -> bool:
        """Whether somebody may look."""
        if self._kept is None:
            return True
        found = _COOKIE.fullmatch(cookie or "")
        if found is None or int(found["until"]) < self._now_s():
            return False
        return hmac.compare_digest(found["mark"], self._mark(found["until"]))

    async def cookie_for(self, password: str, address: str) -> str | None:
        """The cookie for the right password; None for a wrong one."""
        if self._kept is None:
            return None
        self._guesses.take(address)
        if self._one.statistics().tasks_waiting >= GUESSES_WAITING_MAX:
            raise WebProblem(429, "too-many-guesses", "many passwords are being checked", "Try again in a moment.")
        kept = self._kept
        if not await trio.to_thread.run_sync(is_password, password, kept, limiter=self._one):
            return None
        until = f"{int(self._now_s()) + SESSION_S:010d}"
        return f"{until}.{self._mark(until)}"

    def _mark(self, until: str) -> str:
        return hmac.new(self._key, until.encode("ascii"), sha256).hexdigest()
