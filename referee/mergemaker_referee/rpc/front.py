"""What the transport needs of the referee."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from mergemaker_referee.connections import Closing, Connection, Listener
from mergemaker_referee.identities import Identity

Reply: TypeAlias = Callable[[bytes | Path | Closing], None]
"""Called once, on the referee's thread: with the response, with a file to be sent in pieces, or with what went wrong."""


class Front(Protocol):
    """The referee, as the transport sees it. All but `identify` is called on the referee's thread."""

    def identify(self, token: str | None) -> Identity | Closing:
        """Who has this token, or why nothing is done for him. Called on the transport's thread: it must not change anything."""

    def play(self, connection: Connection, identity: Identity) -> Listener:
        """A bot's stream is open."""

    def watch(self, connection: Connection, identity: Identity, request: bytes) -> Listener:
        """A spectator's stream is open."""

    def call(self, method: str, identity: Identity, request: bytes, reply: Reply) -> None:
        """A single call came."""
