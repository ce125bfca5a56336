"""A way between a client and the referee, and the client at its end."""

from dataclasses import dataclass
from typing import Final, Protocol


class Client(Protocol):
    """The other end of a stream."""

    def came(self, response: bytes) -> None:
        """Handles a response."""

    def ended(self, code: str, text: str) -> None:
        """The stream is over: its status name and text."""


@dataclass(frozen=True, slots=True)
class Way:
    """The time to a client and back."""

    there_ns: int = 0
    back_ns: int = 0
    jitter_ns: int = 0
    """The greatest random addition."""


NO_WAY: Final = Way()
"""It takes no time."""
