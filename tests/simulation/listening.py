"""Everything the referee sent to each receiver, byte by byte, and when: for tests that compare worlds."""

from dataclasses import dataclass
from typing import Final

from mergemaker_referee.identities import Identity

from .streams import Stream
from .world import World


@dataclass(frozen=True, slots=True)
class Told:
    """One response."""

    at_ns: int
    """When the referee handed it to its transport, by the world's clock."""
    stream: int
    """The stream's number."""
    identity: Identity
    response: bytes


class ToldLog:
    """Keeps all responses: `network.watching.append(ToldLog(world))`."""

    def __init__(self, world: World) -> None:
        self.told_so_far: Final[list[Told]] = []
        self._world: Final = world

    def to(self, identity: Identity) -> list[Told]:
        """The responses to one identity, such as `SeatHolder(match, 0)` or `KnownBot("alice")`, on all its streams."""
        return [each for each in self.told_so_far if each.identity == identity]

    def opened(self, stream: Stream, identity: Identity) -> None:
        """Does nothing."""

    def told(self, stream: Stream, response: bytes) -> None:
        """Keeps the response."""
        assert stream.identity is not None, "who is told something has said who it is"
        self.told_so_far.append(Told(self._world.now_ns, stream.number, stream.identity, response))

    def handed(self, stream: Stream, response: bytes) -> None:
        """Does nothing."""

    def came(self, stream: Stream, request: bytes, stamp_ns: int) -> None:
        """Does nothing."""

    def closed(self, stream: Stream, why: str) -> None:
        """Does nothing."""
