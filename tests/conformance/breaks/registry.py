"""The table of all breaks, and how one replaces a part of the client."""

from collections.abc import Callable
from typing import Any, Final

BREAKS: Final[dict[str, Callable[[], None]]] = {}
"""What each break does, by its name."""


def breaks(function: Callable[[], None]) -> Callable[[], None]:
    """Registers a break under its function's name: `answers_no_pings` is `answers-no-pings`."""
    BREAKS[function.__name__.replace("_", "-")] = function
    return function


def put(owner: Any, name: str, value: object) -> Any:
    """Replaces a part, and returns the old one."""
    part = getattr(owner, name)
    setattr(owner, name, value)
    return part
