"""The lobby's clocks. Each is a function, so that a test can use its own."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """All times are in nanoseconds, except for the time of day."""

    now_ns: Callable[[], int]
    """The time."""
    awake_ns: Callable[[], int]
    """A clock that stands still while the referee does. It measures how long clients were silent or away."""
    work_ns: Callable[[], int] = time.thread_time_ns
    """How long this thread has worked so far."""
    today: Callable[[], datetime] = lambda: _LONG_AGO
    """The time of day, for what must happen at a named time. By default, no named time ever comes."""
    are_breaks_ours: Callable[[], bool] = lambda: False
    """Whether connections that break now may have broken because the referee stood still."""
