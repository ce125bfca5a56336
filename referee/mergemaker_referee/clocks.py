"""The clocks by which the lobby lives, each a function, so that a test has its own."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """All in nanoseconds, but for the time of day."""

    now_ns: Callable[[], int]
    """The time."""
    awake_ns: Callable[[], int]
    """A clock that stands while the referee does: it tells for how long clients were silent, or away."""
    work_ns: Callable[[], int] = time.thread_time_ns
    """For how long this thread has worked so far."""
    today: Callable[[], datetime] = lambda: _LONG_AGO
    """The time of day, for what is to happen at a named time. As it is here, no named time comes."""
    are_breaks_ours: Callable[[], bool] = lambda: False
    """Whether connections that break now may have broken because the referee stood still."""
