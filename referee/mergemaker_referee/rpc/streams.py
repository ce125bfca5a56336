"""One stream of a client: read and written on the transport's thread, used through the port `Connection` on the referee's."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import grpc
import structlog
from grpc import aio

from mergemaker_referee.connections import CloseCode, Closing

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergemaker_referee.connections import Connection, Handed, Listener
    from mergemaker_referee.limits import Limits
    from mergemaker_referee.rpc.crossing import Crossing
    from mergemaker_referee.rpc.stamps import Stamps

    Context: TypeAlias = aio.ServicerContext[Any, Any]

LAST_WRITE_LIMIT_S: Final = 1.0
"""How long the last response of a stream may take, before the stream ends without it."""
FLOOD_WINDOW_S: Final = 0.1

NOT_READING: Final = Closing(
    CloseCode.RESOURCE_EXHAUSTED, "not-reading", "responses were not read in time, so the stream was cut off", reconnect=True
)
FAULT: Final = Closing(CloseCode.INTERNAL, "fault", "a fault of the referee; its log says more", reconnect=True)
_LOG = structlog.get_logger(__name__)


def grpc_status(code: CloseCode) -> grpc.StatusCode:
    """GRPC's own value of a status."""
    return grpc.StatusCode[code.name]


class Stream:
    """A `Connection` over gRPC. Methods without an underscore but `serve` and `cut_if_stuck` are the referee's."""

    def __init__(self, context: Context, crossing: Crossing, stamps: Stamps, limits: Limits) -> None:
        self._context: Final = context
        self._crossing: Final = crossing
        self._stamps: Final = stamps
        self._limits: Final = limits
        self._peer: Final = context.peer()
        # Of the referee's thread: who listens, and whether the referee has closed the stream.
        self._listener: Listener | None = None
        self._closed_here = False
        # Counted up by one thread each, so that neither needs a lock: what is sent and not written waits.
        self._sent_bytes = 0
        self._written_bytes = 0
        # All below is of the transport's thread.
        self._outbox: Final[deque[tuple[bytes, Handed | None]]] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._closing: Closing | None = None
        self._task: asyncio.Task[Any] | None = None
        self._writing_since_ns: int | None = None
        self._is_gone = False

    # --- the referee's side ------------------------------------------------------------------------------------------

    @property
    def peer(self) -> str:
        """Where the client is."""
        return self._peer

    @property
    def held_up_ns(self) -> int:
        """For how long the transport's loop was held up so far."""
        return self._stamps.held_up_ns()

    def send(self, response: bytes, handed: Handed | None = None) -> None:
        """Has a response sent; cuts off who lets too much wait."""
        if self._closed_here:
            return
        self._sent_bytes += len(response)
        if self._sent_bytes - self._written_bytes > self._limits.unread_bytes_max:
            self.close(NOT_READING)
        else:
            self._crossing.to_transport(self._put, response, handed)

    def barrier(self, passed: Callable[[], None]) -> None:
        """Calls back behind everything that has come."""
        self._crossing.barrier(passed)

    def close(self, closing: Closing, last: bytes = b"") -> None:
        """Ends the stream."""
        if not self._closed_here:
            self._closed_here = True
            self._crossing.to_transport(self._begin_closing, closing, last)

    def _open(self, opened: Callable[[Connection], Listener]) -> None:
        self._listener = opened(self)

    def _tell_received(self, request: bytes, at_ns: int) -> None:
        # What still comes when the referee has ended the stream is of no account.
        if self._listener is not None and not self._closed_here:
            try:
                self._listener.received(request, at_ns)
            except Exception:  # noqa: BLE001 - a fault over one client's request ends that client's stream, and nothing else
                _LOG.exception("a stream broke")
                self.close(FAULT)

    def _tell_gone(self, why: str) -> None:
        self._closed_here = True
        if self._listener is not None:
            self._listener.gone(why)

    # --- the transport's side ----------------------------------------------------------------------------------------

    async def serve(self, opened: Callable[[Connection], Listener], *, reads: bool) -> None:
        """Reads and writes until the stream ends. `opened` is called on the referee's thread, and says who listens."""
        self._task = asyncio.current_task()
        self._crossing.to_referee(self._open, opened)
        reader = asyncio.ensure_future(self._read()) if reads else None
        why = "the client went"
        try:
            await self._write()
        except asyncio.CancelledError:
            # Either the client is gone, or we cut off a write that was stuck; a bare cancellation must not leave this handler.
            why = "the stream was cut off" if self._closing else why
        except (aio.UsageError, aio.BaseError) as error:
            why = f"the stream broke: {error}"
        finally:
            self._is_gone = True
            if reader is not None:
                reader.cancel()
            self._crossing.to_referee(self._tell_gone, why if self._closing is None else self._closing.reason)
        if self._closing is not None and self._closing.code is not CloseCode.OK:
            await self._context.abort(grpc_status(self._closing.code), f"{self._closing.reason}: {self._closing.text}")

    async def _read(self) -> None:
        """Reads to the end of what the client says, which always means that it leaves."""
        window, count = 0.0, 0
        loop = asyncio.get_running_loop()
        most = self._limits.requests_per_s_max * FLOOD_WINDOW_S
        try:
            while (request := await self._context.read()) is not aio.EOF:
                came = self._stamps.came()
                self._crossing.to_referee(self._tell_received, request, came)
                count += 1
                if count > most:
                    # Who talks faster than anybody can listen waits, and what he says waits in his own memory.
                    await asyncio.sleep(max(0.0, window + FLOOD_WINDOW_S - loop.time()))
                if loop.time() - window > FLOOD_WINDOW_S:
                    window, count = loop.time(), 0
        except (aio.UsageError, aio.BaseError, asyncio.InvalidStateError):
            pass  # the call is over; the same as its end
        self._begin_closing(Closing(CloseCode.OK, "left", "the client left"), b"")

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        outbox = self._outbox
        while True:
            while outbox:
                response, handed = outbox.popleft()
                self._writing_since_ns = self._stamps.awake_ns()
                await self._context.write(response)
                self._writing_since_ns = None
                self._written_bytes += len(response)
                if handed is not None:
                    self._crossing.to_referee(handed, self._stamps.handed())
            if self._closing is not None:
                return
            self._wake = loop.create_future()
            await self._wake
            self._wake = None

    def _put(self, response: bytes, handed: Handed | None) -> None:
        if self._closing is None and not self._is_gone:
            self._outbox.append((response, handed))
            self._wake_writer()

    def _wake_writer(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _begin_closing(self, closing: Closing, last: bytes) -> None:
        if self._closing is not None or self._is_gone:
            return
        self._closing = closing
        if closing is NOT_READING:
            self._outbox.clear()
        if last:
            self._outbox.append((last, None))
        self._wake_writer()
        asyncio.get_running_loop().call_later(LAST_WRITE_LIMIT_S, self._cut)

    def _cut(self) -> None:
        """Ends a handler whose last responses are not taken: only cancelling it ends a blocked write."""
        if not self._is_gone and self._task is not None:
            self._task.cancel()

    def cut_if_stuck(self, awake_ns: int) -> None:
        """Cuts the stream off whose client has not taken a response for too long. Looked at every now and then."""
        since = self._writing_since_ns
        if since is not None and awake_ns - since > self._limits.write_ms_max * 1_000_000:
            self._begin_closing(NOT_READING, b"")
            self._cut()

    def end_from_transport(self, closing: Closing) -> None:
        """Ends the stream from the transport's thread, when the server stops."""
        self._begin_closing(closing, b"")
