"""A referee with its pages, in a thread of the test's process, and matches that are played as far as a test wants."""

import contextlib
import http.client
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from mergemaker.v1 import referee_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_engine.views import View
from mergemaker_referee.configuration.settings import Address, Settings, WebSettings
from mergemaker_referee.matches.making import MatchWish, SeatWish
from mergemaker_referee.rpc.front import Front
from mergemaker_table.terms import CLOCKS, FaultTerms, Terms
from mergemaker_web.server.listening import serving_pages
from mergemaker_web.server.tournaments import TournamentBook

from mergemaker_testkit.live_referee import WAIT_LIMIT_S, Clients, LiveReferee, play_to_the_end

LOOK_S: Final = 0.1
"""How long to wait before looking again."""


class LivePages:
    """A referee with its pages."""

    def __init__(self, settings: Settings, tournaments: TournamentBook | None = None) -> None:
        self._settings = settings
        self._tournaments: Final = tournaments
        self.address = ""
        self.referee: Final = LiveReferee(settings, self._beside)

    def _beside(self, front: Front) -> AbstractAsyncContextManager[None]:
        @asynccontextmanager
        async def beside() -> AsyncIterator[None]:
            async with serving_pages(self._settings, front, "mergemaker test", self._tournaments) as served:
                self.address = served.address
                yield

        return beside()

    def at(self, path: str) -> str:
        """The address of a page."""
        return self.address.rstrip("/") + path

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> tuple[Any, bytes]:
        """The answer to a request, with its content."""
        parts = urlsplit(self.address)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=WAIT_LIMIT_S)) as connection:
            connection.request(method, parts.path.rstrip("/") + path, body, named)
            with connection.getresponse() as answer:
                is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
                return answer, b"" if is_stream else answer.read()

    def ask_anything(self, path: str) -> tuple[Any, bytes]:
        """The answer to a request without the prefix."""
        parts = urlsplit(self.address)
        with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=WAIT_LIMIT_S)) as connection:
            connection.request("GET", path)
            with connection.getresponse() as answer:
                return answer, answer.read()

    def hand(self, match: str, seat: int) -> str:
        """A seat's tiles, as JSON would have them."""

        def tiles() -> tuple[int, ...]:
            assert self.referee.running is not None
            found = self.referee.running.referee._seating.matches[match].table.snapshot(seat, 0)
            assert found is not None
            return found.view.hand

        return json.dumps(list(self.referee.run_sync(tiles)), separators=(",", ":"))

    def json(self, path: str, status: int = 200) -> Any:
        """The JSON that a request is answered with."""
        answer, content = self.ask(path)
        assert answer.status == status, content
        return json.loads(content)

    def until_followed_by(self, browsers: int) -> None:
        """Waits until this many browsers follow live matches: that one goes is noticed at some time."""
        self._until("/api/site", lambda site: site["spectators"] == browsers)

    def until_released(self, match: str) -> None:
        """Waits until the pages know that a match is over: a list is good for a second."""
        self._until(f"/api/matches/{match}", lambda found: found["released"])

    def _until(self, path: str, holds: Callable[[Any], bool]) -> None:
        """Asks now and then: the requests and connections of an address are limited."""
        until, content = time.monotonic() + WAIT_LIMIT_S, b""
        while time.monotonic() < until:
            with contextlib.suppress(ConnectionError):  # until it is noticed that others are gone, there may be too many
                answer, content = self.ask(path)
                if answer.status == 200 and holds(json.loads(content)):
                    return
            time.sleep(LOOK_S)
        raise AssertionError(f"{path} still says {content!r}")

    def public_view(self, match: str) -> View:
        """What the referee itself says that everybody may know."""

        def snapshot() -> View:
            assert self.referee.running is not None
            found = self.referee.running.referee._seating.matches[match].table.public_snapshot()
            assert found is not None
            return found.view

        found = self.referee.run_sync(snapshot)
        assert isinstance(found, View)
        return found


@contextmanager
def live_pages(
    folder: Path, *, web: WebSettings | None = None, tournaments: TournamentBook | None = None, **changes: Any
) -> Iterator[LivePages]:
    """A referee with pages on loopback."""
    listen = Address("127.0.0.1", 0)
    settings = Settings(listen=(listen,), data_folder=folder, web=replace(web or WebSettings(), listen=listen))
    pages = LivePages(replace(settings, **changes), tournaments)
    pages.referee.start()
    try:
        yield pages
    finally:
        pages.referee.stop()


class PlayedMatch:
    """A match whose bots answer with the defaults, as far as a test lets them."""

    def __init__(self, pages: LivePages, names: Sequence[str] = ("ada", "bob"), rules: str = "renegade-classic") -> None:
        self._pages: Final = pages
        self._clients: Final = Clients(pages.referee)
        self._may_go: Final = threading.Condition()
        self._allowed = 0
        self._asked = 0
        wish = MatchWish(
            rules=preset(rules),
            seats=tuple(SeatWish(name, None) for name in names),
            terms=Terms(clock=CLOCKS["none"], faults=FaultTerms()),
            mode=DealMode.PLAIN,
            seed=bytes(range(32)),
        )
        assert pages.referee.running is not None
        _, self._made = pages.referee.run(pages.referee.running.referee.create, wish)
        self.id: Final[str] = self._made.table.setup.match
        self._thread: Final = threading.Thread(target=self._play, daemon=True)

    def begin(self) -> None:
        """The bots take their seats, and wait at their first question."""
        self._thread.start()
        self._until(lambda: self._asked > self._allowed)

    def play(self, decisions: int) -> None:
        """Answers some more questions, and returns when the next one is asked."""
        with self._may_go:
            self._allowed += decisions
            self._may_go.notify_all()
        self._until(lambda: self._asked > self._allowed)

    def finish(self) -> None:
        """Plays to the end, and waits until the record is released."""
        if self._thread.ident is None:
            self._thread.start()
        with self._may_go:
            self._allowed = 1_000_000
            self._may_go.notify_all()
        self._thread.join(WAIT_LIMIT_S)
        assert not self._thread.is_alive()
        self._pages.referee.until_over(self.id)

    def _until(self, holds: Callable[[], bool]) -> None:
        with self._may_go:
            assert self._may_go.wait_for(holds, WAIT_LIMIT_S)

    def _play(self) -> None:
        bots = [self._clients.seated(self._made, seat) for seat in range(len(self._made.tokens))]
        try:
            play_to_the_end(bots, self.id, self._heard)
        finally:
            self._clients.close()

    def _heard(self, _seat: int, response: referee_pb2.PlayResponse) -> None:
        if response.HasField("decision"):
            with self._may_go:
                self._asked += 1
                self._may_go.notify_all()
                assert self._may_go.wait_for(lambda: self._asked <= self._allowed, WAIT_LIMIT_S)
