"""The referee as the pages see it: lists, released records, and what spectators get. It talks to the same port as the transport.

So nothing can be shown here that a spectator with gRPC could not have, and a server with several processes needs nothing else.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio
from google.protobuf.message import Message
from mergemaker.v1 import matches_pb2, spectate_pb2
from mergemaker_referee.connections import Closing, Listener, OnHanded
from mergemaker_referee.identities import Onlooker, Operator
from mergemaker_referee.rpc.front import Front

from mergemaker_web.server.problems import WebProblem, from_referee

CALL_LIMIT_S: Final = 10.0
"""How long a call to the referee may take: it waits for a disk at most."""
PAGE_SIZE: Final = 1_000
LIST_MAX: Final = 10_000
"""At most this many matches are listed, whatever the referee keeps."""


class RefereePort:
    """Asks the referee. All of it is on the referee's thread."""

    def __init__(self, front: Front) -> None:
        self._front: Final = front

    async def matches(self) -> list[matches_pb2.MatchSummary]:
        """All matches that the referee lists, the newest first."""
        found: list[matches_pb2.MatchSummary] = []
        token = ""
        while len(found) < LIST_MAX:
            request = matches_pb2.ListMatchesRequest(page_size=PAGE_SIZE, page_token=token)
            page = matches_pb2.ListMatchesResponse.FromString(await self._bytes("ListMatches", request))
            found += page.matches
            token = page.next_page_token
            if not token:
                break
        return found

    async def record(self, match: str) -> Path:
        """The file of a released record."""
        found = await self._call("FetchRecord", matches_pb2.FetchRecordRequest(match=match))
        assert isinstance(found, Path), "the referee names a file"
        return found

    def watch(self, match: str, delay_ms: int, ear: "Ear") -> None:
        """Follows a match as a spectator without a token."""
        request = spectate_pb2.WatchRequest(match=match, delay_ms=delay_ms).SerializeToString()
        ear.listener = self._front.watch(ear, Onlooker(), request)

    async def _bytes(self, method: str, request: Message) -> bytes:
        found = await self._call(method, request)
        assert isinstance(found, bytes), "the referee answers with a message"
        return found

    async def _call(self, method: str, request: Message) -> bytes | Path:
        replies: list[bytes | Path | Closing] = []
        came = trio.Event()

        def reply(given: bytes | Path | Closing) -> None:
            replies.append(given)
            came.set()

        # The pages are the server's own, and decide themselves what of a list everybody may know.
        self._front.call(method, Operator(), request.SerializeToString(), reply)
        with trio.move_on_after(CALL_LIMIT_S):
            await came.wait()
        if not replies:
            raise WebProblem(503, "slow", f"the referee did not answer within {CALL_LIMIT_S:.0f} s", "Try again in a moment.")
        if isinstance(replies[0], Closing):
            raise from_referee(replies[0])
        return replies[0]


class Ear:
    """A spectator's stream that ends here instead of at a client: a `Connection`."""

    def __init__(self, hear: Callable[[spectate_pb2.WatchResponse], None], ended: Callable[[Closing], None]) -> None:
        self._hear: Final = hear
        self._ended: Final = ended
        self._is_over = False
        self.listener: Listener | None = None
        """What the referee has for this stream; kept until it ends."""

    @property
    def peer(self) -> str:
        """Who this is, for logs."""
        return "web"

    @property
    def held_up_ns(self) -> int:
        """Nothing lies between here and the referee."""
        return 0

    @property
    def unread_bytes(self) -> int:
        """Everything is taken at once."""
        return 0

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        """Something that everybody may know."""
        if handed is not None:  # where another process plays, it waits for this before it sends more
            handed(time.monotonic_ns())
        if not self._is_over:
            self._hear(spectate_pb2.WatchResponse.FromString(response))

    def barrier(self, passed: Callable[[], None]) -> None:
        """Nothing is on its way."""
        passed()

    def charge(self, cost_ns: int) -> None:
        """The server's own work is charged to nobody."""

    def close(self, closing: Closing, last: bytes = b"") -> None:  # noqa: ARG002 - as of any connection
        """The stream ends."""
        if self._is_over:
            return
        self._is_over = True
        self._ended(closing)
        self.gone()

    def gone(self) -> None:
        """Tells the referee that nobody listens any more."""
        self._is_over = True
        listener, self.listener = self.listener, None
        if listener is not None:
            listener.gone("the pages follow it no longer")
