"""What the transport needs from the referee."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from mergemaker_referee.connections import Closing, Connection, Listener
from mergemaker_referee.identities import Identity

READ_LOG: Final = "ReadLog"
"""The single call that anybody may make: it needs no token."""

Reply: TypeAlias = Callable[[bytes | Path | Closing], None]
"""Called once, on the referee's thread: with the response, with a file to send in pieces, or with the error."""


class Front(Protocol):
    """The referee as the transport sees it. All but `about` and `identify` is called on the referee's thread."""

    @property
    def about(self) -> bytes:
        """What the server says of itself to everybody, a GetServerResponse. Read on the transport's thread."""

    def identify(self, token: str | None) -> Identity | Closing:
        """The owner of this token, or why it is refused. Called on the transport's thread: it must not change anything."""

    def play(self, connection: Connection, identity: Identity) -> Listener:
        """Called when a bot's stream is open."""

    def watch(self, connection: Connection, identity: Identity, request: bytes) -> Listener:
        """Called when a spectator's stream is open."""

    def call(self, method: str, identity: Identity, request: bytes, reply: Reply) -> None:
        """Called for each single call."""
