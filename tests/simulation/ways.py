"""A way between a client and the referee, and the client at its end."""

from dataclasses import dataclass
from typing import Final, Protocol


class Client(Protocol):
    """The other end of a stream."""

    def came(self, response: bytes) -> None:
        """A response came."""

    def ended(self, code: str, text: str) -> None:
        """The stream is over: the name of its status, and what it says."""


@dataclass(frozen=True, slots=True)
class Way:
    """How long it takes to a client and back."""

    there_ns: int = 0
    back_ns: int = 0
    jitter_ns: int = 0
    """At most this much is added, at random."""


NO_WAY: Final = Way()
"""It takes no time."""
