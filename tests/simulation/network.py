"""A network in memory: where clients connect, and the streams that they open."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from mergemaker_referee.connections import CloseCode, Closing, Connection, Listener
from mergemaker_referee.identities import Identity
from mergemaker_referee.rpc.front import Front

from .streams import UNAVAILABLE, Stream, Watching
from .transport import Transport
from .ways import NO_WAY, Client, Way
from .world import World


class Network:
    """The place where clients connect."""

    def __init__(self, world: World) -> None:
        self.world: Final = world
        self.transport: Transport | None = None
        """The living referee's transport."""
        self.watching: Final[list[Watching]] = []
        self.dialled = 0

    def play(self, token: str | None, client: Client, way: Way = NO_WAY) -> Stream:
        """Opens a bot's stream."""
        return self._dial(token, client, way, lambda front, stream, identity: front.play(stream, identity))

    def watch(self, token: str | None, request: bytes, client: Client, way: Way = NO_WAY) -> Stream:
        """Opens a spectator's stream."""
        return self._dial(token, client, way, lambda front, stream, identity: front.watch(stream, identity, request))

    def call(self, token: str | None, method: str, request: bytes, reply: Callable[[bytes | Path | Closing], None]) -> None:
        """Makes a single call, which takes no time on its way. A referee that dies meanwhile never replies."""
        transport = self.transport
        if transport is None or transport.is_dead:
            reply(Closing(CloseCode.UNAVAILABLE, "refused", "nobody listens"))
            return
        if transport.leaves_unread(self.call, token, method, request, reply):
            return
        identity = transport.front.identify(token)
        if isinstance(identity, Closing):
            reply(identity)
            return
        transport.cross(transport.front.call, method, identity, request, lambda found: transport.cross(reply, found))

    def _dial(
        self, token: str | None, client: Client, way: Way, opened: Callable[[Front, Connection, Identity], Listener]
    ) -> Stream:
        self.dialled += 1
        stream = Stream(self.world, self.watching, self.dialled, client, way)
        self.world.after(stream.delay_ns(way.back_ns), self._accept, stream, token, opened)
        return stream

    def _accept(self, stream: Stream, token: str | None, opened: Callable[[Front, Connection, Identity], Listener]) -> None:
        transport = self.transport
        if stream.is_over:
            return
        if transport is None or transport.is_dead:
            stream.end_client(UNAVAILABLE, "connection refused")
            return
        if transport.leaves_unread(self._accept, stream, token, opened):
            return
        identity = transport.front.identify(token)
        if isinstance(identity, Closing):
            stream.end_client(str(identity.code), f"{identity.reason}: {identity.text}")
            return
        for each in self.watching:
            each.opened(stream, identity)
        stream.accepted(transport, identity, lambda: opened(transport.front, stream, identity))
