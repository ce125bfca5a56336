"""When to come back after a stream broke: after ever longer waits, with some chance, and not for ever. It has no clock."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

RECONNECT_MS_MIN: Final = 100
"""The first wait."""
RECONNECT_MS_MAX: Final = 10_000
"""The longest wait, unless the referee asks for more."""
RECONNECT_PLAYING_MS_MAX: Final = 1_000
"""The same while a match goes on: the bot's clock may be running."""
FIRST_CONTACT_MS_MAX: Final = 30_000
"""How long to try a referee that was never reached: its address may be wrong."""
GIVE_UP_MS: Final = 120_000
"""How long to try to reach it again."""
DOUBLINGS_MAX: Final = 20
STEADY_MS: Final = 10_000
"""A stream that lasted this long was no failed attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to wait, and how long to try."""

    reconnect_ms_min: int = RECONNECT_MS_MIN
    reconnect_ms_max: int = RECONNECT_MS_MAX
    reconnect_playing_ms_max: int = RECONNECT_PLAYING_MS_MAX
    first_contact_ms_max: int = FIRST_CONTACT_MS_MAX
    give_up_ms: int = GIVE_UP_MS


class Backoff:
    """Counts attempts. `chance` gives numbers from 0 to 1, so that bots that broke off together do not return together."""

    def __init__(self, patience: Patience, chance: Callable[[], float], now_ms: int) -> None:
        self._patience = patience
        self._chance = chance
        self._down_since_ms = now_ms
        self._opened_ms = now_ms
        self._welcomed = False
        self._was_welcome = False
        """Whether the referee was ever reached."""
        self._attempts = 0

    @property
    def limit_ms(self) -> int:
        """How long reaching the referee may take now."""
        return self._patience.give_up_ms if self._was_welcome else self._patience.first_contact_ms_max

    def opened(self, now_ms: int) -> None:
        """Notes an attempt to open a stream."""
        self._opened_ms = now_ms
        self._welcomed = False

    def welcomed(self) -> None:
        """Notes that the stream was accepted."""
        self._welcomed = self._was_welcome = True

    def progressed(self) -> None:
        """Notes that something of a match came through it: the next break is a new one."""
        self._attempts = 0

    def wait_ms(self, now_ms: int, least_ms: int, *, is_playing: bool = False) -> int | None:
        """How long to wait after a stream is gone, perhaps in the middle of a match; None to give up."""
        if self._welcomed:
            self._down_since_ms = now_ms
            if now_ms - self._opened_ms >= STEADY_MS:
                self._attempts = 0
        patience = self._patience
        most = patience.reconnect_playing_ms_max if is_playing else patience.reconnect_ms_max
        longest = min(most, patience.reconnect_ms_min << min(self._attempts, DOUBLINGS_MAX))
        wait = least_ms + int(longest * (1 + self._chance()) / 2)
        self._attempts += 1
        return wait if now_ms + wait - self._down_since_ms <= self.limit_ms else None
