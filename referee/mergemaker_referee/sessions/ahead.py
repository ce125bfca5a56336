"""Matches that were made ahead: their time to join has not begun. Which bots each waits for, oldest match first."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mergemaker_referee.matches.seat_link import SeatedMatch


@dataclass(slots=True)
class AheadMatch:
    """A match whose time to join has not begun."""

    match: SeatedMatch
    bots: tuple[str, ...]
    """The known bots that have seats, each once."""
    number: int
    """How many were made before it."""
    counts_from: datetime
    """When it began to wait for its bots."""
    is_taken_up: bool
    """Whether the referee was gone meanwhile."""
    until_ns: int | None = None
    """When its wait is over, by the clock that stands still while the referee does; None: not counted yet."""
    is_given_up: bool = False
    """Whether it has waited in vain. Its end is on its way."""


class AheadMatches:
    """All of them, by id and by bot."""

    def __init__(self) -> None:
        self._all: Final[dict[str, AheadMatch]] = {}
        self._of_bot: Final[dict[str, dict[str, AheadMatch]]] = {}

    def __contains__(self, match: str) -> bool:
        return match in self._all

    def __iter__(self) -> Iterator[AheadMatch]:
        return iter(tuple(self._all.values()))

    def get(self, match: str) -> AheadMatch | None:
        """One of them."""
        return self._all.get(match)

    def add(self, ahead: AheadMatch) -> None:
        """One more."""
        self._all[ahead.match.id] = ahead
        for bot in ahead.bots:
            self._of_bot.setdefault(bot, {})[ahead.match.id] = ahead

    def remove(self, match: str) -> None:
        """Its time to join has begun, or it is over."""
        ahead = self._all.pop(match, None)
        for bot in () if ahead is None else ahead.bots:
            matches = self._of_bot[bot]
            del matches[match]
            if not matches:
                del self._of_bot[bot]

    def of_bots(self, bots: Collection[str]) -> list[AheadMatch]:
        """Those in which one of these bots has a seat, oldest first."""
        found = {match: ahead for bot in bots for match, ahead in self._of_bot.get(bot, {}).items()}
        return sorted(found.values(), key=lambda ahead: ahead.number)
