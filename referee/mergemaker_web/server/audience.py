"""Browsers that follow live matches: when each is told what, so that players do not notice how many they are.

Like the referee's spectators, they are told in rounds, some of them at a time, and in a small part of the time. How long a slice
took decides how long the next one waits.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import trio

from mergemaker_web.server.live import Followed
from mergemaker_web.server.problems import WebProblem

ROUND_S: Final = 0.25
"""The least time from one round to the next: at most four a second."""
SLICE: Final = 16
"""At most this many are told at once. Then everything else on the thread has its turn."""
SHARE: Final = 14
"""Telling them takes about one part in this many of the time."""
PAUSE_S_MAX: Final = 0.02
"""The longest wait after a slice: so 300 browsers are told within half a second however busy the server is."""
MATCHES_MAX: Final = 16
"""Matches that one stream follows."""


class Place:
    """One browser's stream: how far it has got in each match that it follows."""

    def __init__(self, address: str, places: dict[str, int]) -> None:
        self.address: Final = address
        self.places: Final = places
        """By match: the number of the first event that it does not have."""
        self.is_told: set[str] = set()
        """Matches that are over, which it knows."""
        self._woken = trio.Event()

    def wake(self) -> None:
        """It is this one's turn in a round."""
        self._woken.set()

    async def wait(self) -> None:
        """Waits for its turn."""
        await self._woken.wait()
        self._woken = trio.Event()

    def take(self, known: Callable[[str], Followed | None]) -> bytes:
        """What is new for this one, as it goes to the browser; empty if nothing is."""
        said = []
        for match, place in self.places.items():
            followed = known(match)
            if followed is None or match in self.is_told or not self.has_news(followed):
                continue
            said.append(followed.frame(place))
            self.places[match] = followed.next_event
            if followed.is_over:
                self.is_told.add(match)
        return b"".join(said)

    def has_news(self, followed: Followed) -> bool:
        """Whether there is something that it does not have."""
        place = self.places.get(followed.match)
        if place is None or followed.match in self.is_told:
            return False
        return place != followed.next_event or followed.is_over


class Audience:
    """All browsers that follow live matches."""

    def __init__(self, in_all_max: int, per_address_max: int) -> None:
        self._in_all_max: Final = in_all_max
        self._per_address_max: Final = per_address_max
        self._places: Final[dict[Place, None]] = {}
        self._addresses: Final[Counter[str]] = Counter()
        self._news: Final[dict[str, Followed]] = {}
        self._came = trio.Event()
        self.watched: Final = trio.Event()
        """Set when the first one comes."""

    def __len__(self) -> int:
        return len(self._places)

    def enter(self, address: str, places: Mapping[str, int]) -> Place:
        """Somebody comes; raises why not."""
        if len(self._places) >= self._in_all_max:
            text = f"{self._in_all_max} browsers follow live matches, which is the limit (web.spectators_max)"
            raise WebProblem(503, "too-many-spectators", text, "Try again later. Released matches can still be looked at.")
        if self._addresses[address] >= self._per_address_max:
            text = (
                f"{self._per_address_max} streams of your address follow live matches, which is the limit "
                "(web.spectators_per_address_max)"
            )
            raise WebProblem(429, "too-many-spectators", text, "Close some of the pages that show live matches.")
        place = Place(address, dict(places))
        self._places[place] = None
        self._addresses[address] += 1
        self.watched.set()
        return place

    def leave(self, place: Place) -> None:
        """Somebody goes."""
        del self._places[place]
        self._addresses[place.address] -= 1
        if not self._addresses[place.address]:
            del self._addresses[place.address]

    def tell(self, followed: Followed) -> None:
        """There is something new of a match."""
        self._news[followed.match] = followed
        self._came.set()

    async def run(self) -> None:
        """Lets them be told, until it is cancelled."""
        while True:
            await self._came.wait()
            self._came = trio.Event()
            began = time.monotonic()
            news, due = list(self._news.values()), list(self._places)
            self._news.clear()
            await self._round([place for place in due if any(map(place.has_news, news))])
            await trio.sleep(max(0.0, ROUND_S - (time.monotonic() - began)))

    async def _round(self, due: list[Place]) -> None:
        for first in range(0, len(due), SLICE):
            began = time.monotonic()
            for place in due[first : first + SLICE]:
                place.wake()
            await trio.lowlevel.checkpoint()  # until they have sent, or wait for their browser
            took = time.monotonic() - began
            await trio.sleep(min(took * (SHARE - 1), PAUSE_S_MAX))
