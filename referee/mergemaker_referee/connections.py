"""A client's stream as the referee sees it: the port behind which gRPC, or a test, stands. All is of the referee's thread."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

OnHanded: TypeAlias = Callable[[int], None]
"""Told when a response was handed to the transport: monotonic nanoseconds, by the transport's thread."""


class CloseCode(StrEnum):
    """How a stream ends, as gRPC's statuses have it."""

    OK = "OK"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    FAILED_PRECONDITION = "FAILED_PRECONDITION"
    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    RESOURCE_EXHAUSTED = "RESOURCE_EXHAUSTED"
    ABORTED = "ABORTED"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    UNAVAILABLE = "UNAVAILABLE"
    INTERNAL = "INTERNAL"
    UNIMPLEMENTED = "UNIMPLEMENTED"


@dataclass(frozen=True, slots=True)
class Closing:
    """Why the referee ends a stream: a status, a stable reason, and a text for people."""

    code: CloseCode
    reason: str
    text: str
    reconnect: bool = False
    """Whether it makes sense to come back."""


class Connection(Protocol):
    """One stream to a client."""

    @property
    def peer(self) -> str:
        """Where the client is, for logs."""

    @property
    def held_up_ns(self) -> int:
        """For how long the transport was held up so far, in all: what lies between two looks was a delay in between."""

    @property
    def unread_bytes(self) -> int:
        """Bytes that were sent and that the transport has not taken yet."""

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        """Has a response sent, behind all before it. A client that does not read is cut off; this never waits."""

    def barrier(self, passed: Callable[[], None]) -> None:
        """Calls back when everything that the transport has got so far from this client has been told."""

    def charge(self, cost_ns: int) -> None:
        """Charges the client for work that it made without being asked. One that makes too much is read later."""

    def close(self, closing: Closing, last: bytes = b"") -> None:
        """Ends the stream, after a last response. A second time nothing happens."""


class Listener(Protocol):
    """Who is told what comes through a stream."""

    def received(self, request: bytes, at_ns: int) -> None:
        """A request came; `at_ns` is when the transport got it."""

    def gone(self, why: str) -> None:
        """The stream is over, and nothing comes any more. Told once, also after `Connection.close`."""
