"""The listener of a bot's stream: it first waits for the Hello, then serves the session."""

from collections.abc import Callable
from typing import Final, Protocol

from google.protobuf.message import DecodeError
from mergemaker.v1 import referee_pb2

from mergemaker_referee.connections import CloseCode, Closing, Connection
from mergemaker_referee.identities import Player
from mergemaker_referee.sessions.greeting import Greeter
from mergemaker_referee.sessions.session import Session, end_stream

UNASKED_NS: Final = 150_000
"""What a request costs the transport and the answering match, beside the work that is measured here."""

UNREADABLE: Final = Closing(CloseCode.INVALID_ARGUMENT, "unreadable", "what came is no PlayRequest of this protocol")
SECOND_HELLO: Final = Closing(
    CloseCode.INVALID_ARGUMENT, "second-hello", "a Hello is the first request of a stream, and only that"
)


class PlayHost(Protocol):
    """Handles what bots say. The numbers are when it came, in nanoseconds."""

    def begin(self, session: Session, hello: referee_pb2.Hello, at_ns: int) -> None:
        """A session has said Hello, for the first time or again."""

    def take(self, session: Session, request: referee_pb2.PlayRequest, at_ns: int) -> bool:
        """Handles a request that is no Hello; returns whether the bot was asked for it."""

    def leave(self, session: Session, why: str) -> None:
        """A session has lost its stream."""


class PlayListener:
    """Listens to one stream."""

    def __init__(
        self,
        host: PlayHost,
        greeter: Greeter,
        connection: Connection,
        identity: Player,
        trace: str = "",
        work_ns: Callable[[], int] | None = None,
    ) -> None:
        """`trace` names the stream in the log; `work_ns` says how long this thread has worked so far.

        A bot is charged for what nobody asked it for; without `work_ns` for nothing.
        """
        self._host: Final = host
        self._greeter: Final = greeter
        self._connection: Final = connection
        self._identity: Final = identity
        self._trace: Final = trace
        self._work_ns: Final = work_ns
        self._session: Session | None = None
        greeter.await_hello(connection, trace)

    def received(self, request: bytes, at_ns: int) -> None:
        """A request came."""
        work_ns = self._work_ns
        if work_ns is None:
            self._hear(request, at_ns)
            return
        began_ns = work_ns()
        if not self._hear(request, at_ns):
            self._connection.charge(UNASKED_NS + work_ns() - began_ns)

    def _hear(self, request: bytes, at_ns: int) -> bool:
        """Handles a request; returns whether the bot was asked for it."""
        try:
            message = referee_pb2.PlayRequest.FromString(request)
        except DecodeError:
            end_stream(self._connection, UNREADABLE, self._trace)
            return False
        if self._session is None:
            self._greet(message, at_ns)
        elif message.HasField("hello"):
            end_stream(self._connection, SECOND_HELLO, self._trace)
        elif self._session.connection is self._connection:  # otherwise the session has a newer stream
            return self._host.take(self._session, message, at_ns)
        return False

    def _greet(self, message: referee_pb2.PlayRequest, at_ns: int) -> None:
        greeted = self._greeter.greet(self._connection, self._identity, message, self._trace)
        if isinstance(greeted, Closing):
            end_stream(self._connection, greeted, self._trace)
        else:
            self._session = greeted
            self._host.begin(greeted, message.hello, at_ns)

    def gone(self, why: str) -> None:
        """The stream is over."""
        self._greeter.await_no_more(self._connection)
        if self._session is not None and self._session.connection is self._connection:
            self._host.leave(self._session, why)
