"""HTTP/2 frames, as far as the relay needs them: to tell a ping and its acknowledgement from everything else.

HTTP/2 (RFC 9113) cuts a connection into frames: nine bytes with length, type, flags and stream, then the content. A client sends
a fixed preface first.
"""

import threading
from dataclasses import dataclass, field
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""The first bytes of every client."""
PING_BYTES: Final = 8
"""The content of a ping, which its acknowledgement repeats."""
_HEADER_BYTES: Final = 9
_LENGTH_BYTES: Final = 3
_TYPE_AT: Final = 3
_FLAGS_AT: Final = 4
_PING: Final = 6
_ACKNOWLEDGED: Final = 1


def ping(content: bytes) -> bytes:
    """A ping with these eight bytes."""
    return len(content).to_bytes(_LENGTH_BYTES, "big") + bytes((_PING, 0, 0, 0, 0, 0)) + content


def acknowledged_ping(frame: bytes) -> bytes | None:
    """The content of the ping that a frame acknowledges; None for any other frame, and for the preface."""
    if len(frame) != _HEADER_BYTES + PING_BYTES or frame[_TYPE_AT] != _PING or not frame[_FLAGS_AT] & _ACKNOWLEDGED:
        return None
    return frame[_HEADER_BYTES:]


@dataclass(slots=True)
class Splitter:
    """Cuts what comes on one side of a connection into whole frames."""

    is_client: bool
    """Whether the preface comes first."""
    _rest: bytearray = field(default_factory=bytearray)

    def frames(self, piece: bytes) -> list[bytes]:
        """Takes bytes; returns the frames that are whole now, the preface as one of them."""
        self._rest += piece
        found: list[bytes] = []
        while (length := self._next_length()) is not None and len(self._rest) >= length:
            found.append(bytes(self._rest[:length]))
            del self._rest[:length]
            self.is_client = False
        return found

    def _next_length(self) -> int | None:
        if self.is_client:
            return len(PREFACE)
        if len(self._rest) < _HEADER_BYTES:
            return None
        return _HEADER_BYTES + int.from_bytes(self._rest[:_LENGTH_BYTES], "big")


class SentPings:
    """Pings that the relay sends, and whether the client acknowledges them."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._waiting: Final[set[bytes]] = set()
        self.count = 0
        """How many were sent."""

    def next(self) -> bytes:
        """The frame of a new ping."""
        self.count += 1
        content = b"case" + self.count.to_bytes(PING_BYTES - len(b"case"), "big")
        with self._lock:
            self._waiting.add(content)
        return ping(content)

    def keeps(self, frame: bytes) -> bool:
        """Takes a frame of the client; tells whether the server is to see it, too, which never asked for these."""
        content = acknowledged_ping(frame)
        with self._lock:
            is_ours = content in self._waiting
            if content is not None:
                self._waiting.discard(content)
        return not is_ours

    def are_answered(self) -> bool:
        """Whether all are acknowledged."""
        with self._lock:
            return not self._waiting
