"""What a bot requests from the referee, before anything is played."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LIBRARY: Final = "mergemaker-python"


class EventMode(StrEnum):
    """When a bot gets events."""

    HELD = "held"
    """With its next decision: the cheapest."""
    IMMEDIATE = "immediate"
    """As they happen: for bots that think while others are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a bot requests from the referee."""

    name: str = ""
    """Empty: the name that goes with the token."""
    version: str = ""
    """The bot's own version, for records."""
    library: str = LIBRARY
    events: EventMode = EventMode.HELD
    matches: int | None = None
    """How many matches it plays; None: as many as there are for it."""
    matches_at_once: int = 1
    evict: bool = False
    """Whether it replaces another live process with the same token."""
