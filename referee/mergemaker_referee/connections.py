"""A client's stream as the referee sees it: the port to gRPC or to a test. All of it belongs to the referee's thread."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

OnHanded: TypeAlias = Callable[[int], None]
"""Called with the time when a response went to the transport: monotonic nanoseconds, taken by the transport's thread."""


@dataclass(frozen=True, slots=True)
class NotesOnly:
    """An `OnHanded` that only notes the time, where any thread may do that: the transport's thread calls it at once."""

    note: OnHanded

    def __call__(self, at_ns: int) -> None:
        """Notes the time."""
        self.note(at_ns)


class CloseCode(StrEnum):
    """How a stream ends, in the terms of gRPC's statuses."""

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
        """The client's address, for logs."""

    @property
    def held_up_ns(self) -> int:
        """How long the transport was held up so far. Cumulative; subtract two readings to get the delay in between."""

    @property
    def unread_bytes(self) -> int:
        """Bytes that were sent, but that the transport has not taken yet."""

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        """Sends a response after all earlier ones. Never waits: a client that does not read is cut off."""

    def barrier(self, passed: Callable[[], None]) -> None:
        """Calls back once the listener has everything that the transport has received from this client so far."""

    def charge(self, cost_ns: int) -> None:
        """Charges the client for work that nobody asked it for. If it causes too much, its requests are read later."""

    def close(self, closing: Closing, last: bytes = b"") -> None:
        """Ends the stream after a last response. A second call does nothing."""


class Listener(Protocol):
    """Receives what comes through a stream."""

    def received(self, request: bytes, at_ns: int) -> None:
        """A request came. `at_ns` is when the transport received it."""

    def gone(self, why: str) -> None:
        """The stream is over, and nothing more comes. Called once, also after `Connection.close`."""


class Nobody:
    """Listens to a stream that is refused."""

    def received(self, request: bytes, at_ns: int) -> None:
        """Ignores what still comes."""

    def gone(self, why: str) -> None:
        """There is nothing to lose."""


NO_TOKEN: Final = Closing(
    CloseCode.UNAUTHENTICATED, "no-token", "no token came: send it as metadata, `authorization: Bearer TOKEN`"
)
WRONG_TOKEN: Final = Closing(
    CloseCode.UNAUTHENTICATED, "wrong-token", "nobody here has this token; tokens of seats end with their match"
)
NOT_A_PLAYER: Final = Closing(CloseCode.PERMISSION_DENIED, "no-player", "this token is not a bot's: it has no seat to take")
NOT_THE_OPERATOR: Final = Closing(CloseCode.PERMISSION_DENIED, "no-operator", "this call is for the operator's token")
