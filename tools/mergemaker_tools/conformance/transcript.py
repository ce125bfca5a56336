"""The messages of a case, in the same form as in a client's trace."""

import threading
import time
from typing import Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

ENTRIES_KEPT_MAX: Final = 200
"""How many entries are kept: the last ones, because what went wrong is at the end."""


class Transcript:
    """Records what was sent and received, with the milliseconds since the case began."""

    def __init__(self) -> None:
        self._began_ns: Final = time.monotonic_ns()
        self._lock: Final = threading.Lock()
        self.entries: Final[list[dict[str, object]]] = []
        self.responses = 0
        self.requests = 0
        """How many messages were sent, and how many received."""

    def sent(self, message: Message, raw: bytes) -> None:
        """Records a response of the referee. If it has unknown fields, the entry has its bytes as well."""
        self.responses += 1
        known = message.SerializeToString()
        extra: dict[str, object] = {"bytes": raw.hex()} if len(raw) != len(known) else {}
        self._add({"direction": "to the client", "message": _plain(message), **extra})

    def received(self, message: Message) -> None:
        """Records a request of the client."""
        self.requests += 1
        self._add({"direction": "from the client", "message": _plain(message)})

    def step(self, text: str) -> None:
        """Records that a step begins, or that something happened to a stream."""
        self._add({"direction": "script", "what": text})

    def _add(self, entry: dict[str, object]) -> None:
        at_ms = (time.monotonic_ns() - self._began_ns) // 1_000_000
        with self._lock:
            self.entries.append({"at_ms": at_ms, **entry})
            del self.entries[:-ENTRIES_KEPT_MAX]


def _plain(message: Message) -> dict[str, object]:
    return MessageToDict(message, preserving_proto_field_name=True)
