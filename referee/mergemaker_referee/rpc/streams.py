"""One stream of a client. The transport's thread reads and writes it; the referee's thread uses it as a `Connection`."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import structlog
from grpc import aio

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing, Connection, Listener, NotesOnly, OnHanded
from mergemaker_referee.rpc.accounts import Account
from mergemaker_referee.rpc.crossing import Crossing, Lane
from mergemaker_referee.rpc.stamps import Stamps
from mergemaker_referee.rpc.statuses import abort

Context: TypeAlias = aio.ServicerContext[Any, Any]

LAST_WRITE_LIMIT_S: Final = 1.0
"""How long the last response of a stream may take before the stream ends without it."""
FLOOD_WINDOW_S: Final = 0.1
LOOK_AGAIN_S: Final = 1.0
"""The longest time until a waiting reader looks again, whether or not it was woken."""

_CLOCK_GRAIN_S: Final = 0.001

NOT_READING: Final = Closing(
    CloseCode.RESOURCE_EXHAUSTED, "not-reading", "responses were not read in time, so the stream was cut off", reconnect=True
)
LEFT: Final = Closing(CloseCode.OK, "left", "the client left")
FAULT: Final = Closing(CloseCode.INTERNAL, "fault", "a fault of the referee; its log says more", reconnect=True)
_LOG = structlog.get_logger(__name__)


class Stream:
    """A `Connection` over gRPC. Public methods are for the referee, except `serve` and `cut_if_stuck`."""

    def __init__(self, context: Context, crossing: Crossing, stamps: Stamps, limits: Limits, account: Account) -> None:
        self._context: Final = context
        self._account: Final = account
        self._lane: Final = Lane()
        self._crossing: Final = crossing
        self._stamps: Final = stamps
        self._limits: Final = limits
        self._peer: Final = context.peer()
        # Used on the referee's thread: the listener, and whether the referee has closed the stream.
        self._listener: Listener | None = None
        self._closed_here = False
        # Each counter is increased by only one thread, so neither needs a lock. Responses that are sent but not written wait, and
        # so do requests that are read but not dealt with.
        self._sent_bytes = 0
        self._written_bytes = 0
        self._read_requests = self._read_bytes = 0
        self._dealt_requests = self._dealt_bytes = 0
        # Everything below is used on the transport's thread.
        self._outbox: Final[deque[tuple[bytes, OnHanded | None]]] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._closing: Closing | None = None
        self._task: asyncio.Task[Any] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._writer: asyncio.Task[None] | None = None
        self._reader_wake: asyncio.Future[None] | None = None
        """Set while the reader waits before its next read."""
        self._window_s, self._window_requests = 0.0, 0
        """When the current period of counting requests began, and how many came in it."""
        self._writing_since_ns: int | None = None
        self._is_gone = False
        self._is_cut = False
        """Whether the handler was cancelled here, and not because the client is gone."""

    # --- the referee's side ------------------------------------------------------------------------------------------

    @property
    def peer(self) -> str:
        """The client's address."""
        return self._peer

    @property
    def held_up_ns(self) -> int:
        """How long the transport's loop was held up so far."""
        return self._stamps.held_up_ns()

    @property
    def unread_bytes(self) -> int:
        """Bytes that were sent, but that the transport has not taken yet."""
        return self._sent_bytes - self._written_bytes

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        """Sends a response; cuts the stream off if too much waits in it."""
        if self._closed_here:
            return
        self._sent_bytes += len(response)
        if self.unread_bytes > self._limits.unread_bytes_max:
            self.close(NOT_READING)
        else:
            self._crossing.to_transport(self._put, response, handed)

    def barrier(self, passed: Callable[[], None]) -> None:
        """Calls back after everything that has come from this client by now."""
        self._crossing.barrier(passed, self._lane)

    def charge(self, cost_ns: int) -> None:
        """Charges the client's account."""
        self._account.charge(cost_ns)

    def close(self, closing: Closing, last: bytes = b"") -> None:
        """Ends the stream."""
        if not self._closed_here:
            self._closed_here = True
            self._crossing.to_transport(self._begin_closing, closing, last)

    def _open(self, opened: Callable[[Connection], Listener]) -> None:
        self._listener = opened(self)

    def _tell_received(self, request: bytes, at_ns: int) -> None:
        # What still comes after the referee has ended the stream is ignored.
        if self._listener is not None and not self._closed_here:
            try:
                self._listener.received(request, at_ns)
            except Exception:  # noqa: BLE001 - a fault over one client's request ends only that client's stream
                _LOG.exception("a stream broke")
                self.close(FAULT)
        self._dealt_requests += 1
        self._dealt_bytes += len(request)
        if self._reader_wake is not None:  # it may be gone by the time the transport looks
            self._crossing.to_transport(self._wake_reader)

    def _tell_gone(self, why: str) -> None:
        self._closed_here = True
        if self._listener is not None:
            self._listener.gone(why)

    # --- the transport's side ----------------------------------------------------------------------------------------

    async def serve(self, opened: Callable[[Connection], Listener], *, reads: bool) -> None:
        """Reads and writes until the stream ends. `opened` is called on the referee's thread and returns the listener."""
        self._task = asyncio.current_task()
        self._crossing.in_lane(self._lane, self._open, opened)
        if reads:
            self._reader = asyncio.ensure_future(self._read())
        self._writer = asyncio.ensure_future(self._write())
        why = "the client went"
        try:
            await asyncio.shield(self._writer)
        except asyncio.CancelledError:
            if not self._is_cut:
                raise  # the client is gone: it would not get a status, and gRPC would not free it
            why = "the stream was cut off"  # we cancelled the handler because a write was stuck: the client is owed a status
        except (aio.UsageError, aio.BaseError) as error:
            why = f"the stream broke: {error}"
        finally:
            self._is_gone = True
            self._wake_reader()
            self._wake_writer()
            self._crossing.in_lane(self._lane, self._tell_gone, why if self._closing is None else self._closing.reason)
        if self._closing is not None and self._closing.code is not CloseCode.OK:
            await abort(self._context, self._closing)

    @property
    def tasks(self) -> tuple[asyncio.Task[None], ...]:
        """The tasks that read and write the stream. They end by themselves when the call is over.

        They must not be cancelled: gRPC never frees a message whose read or write was cancelled.
        """
        return tuple(task for task in (self._reader, self._writer) if task is not None)

    async def _read(self) -> None:
        """Reads until the client ends its stream, which always means that it leaves."""
        try:
            while await self._may_read() and (request := await self._context.read()) is not aio.EOF:
                came = self._stamps.came()
                self._read_requests += 1
                self._read_bytes += len(request)
                self._window_requests += 1
                self._crossing.in_lane(self._lane, self._tell_received, request, came)
        except (aio.UsageError, aio.BaseError, asyncio.InvalidStateError):
            pass  # the call is over, which is the same as its end
        # Its requests are judged and answered before its stream ends.
        self._crossing.in_lane(self._lane, self.close, LEFT)

    async def _may_read(self) -> bool:
        """Waits until more may be read; False if the stream is over."""
        loop = asyncio.get_running_loop()
        while self._closing is None and not self._is_gone:
            if not self._wait_s(loop.time()):
                return True
            # Changes from here on wake the reader. The second look sees changes just before.
            self._reader_wake = loop.create_future()
            wait_s = self._wait_s(loop.time())
            if wait_s:
                handle = loop.call_later(min(wait_s, LOOK_AGAIN_S), self._wake_reader)
                await self._reader_wake
                handle.cancel()
            self._reader_wake = None
        return False

    def _wait_s(self, now_s: float) -> float:
        """How long to read nothing: the client's next requests wait in its own memory."""
        limits = self._limits
        if (
            self._read_requests - self._dealt_requests >= limits.waiting_requests_max
            or self._read_bytes - self._dealt_bytes >= limits.waiting_bytes_max
        ):
            return LOOK_AGAIN_S  # the referee wakes the reader when it has dealt with one
        if (wait_ns := self._account.wait_ns()) > 0:
            return wait_ns / 1e9
        if now_s - self._window_s > FLOOD_WINDOW_S:
            self._window_s, self._window_requests = now_s, 0
        elif self._window_requests > limits.requests_per_s_max * FLOOD_WINDOW_S:
            return self._window_s + FLOOD_WINDOW_S - now_s + _CLOCK_GRAIN_S
        return 0.0

    def _wake_reader(self) -> None:
        if self._reader_wake is not None and not self._reader_wake.done():
            self._reader_wake.set_result(None)

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        outbox = self._outbox
        while True:
            while outbox and not self._is_gone:
                response, handed = outbox.popleft()
                self._writing_since_ns = self._stamps.awake_ns()
                await self._context.write(response)
                self._writing_since_ns = None
                self._written_bytes += len(response)
                if isinstance(handed, NotesOnly):
                    handed(self._stamps.handed())
                elif handed is not None:
                    self._crossing.to_referee_soon(handed, self._stamps.handed())
            if self._closing is not None or self._is_gone:
                return
            self._wake = loop.create_future()
            await self._wake
            self._wake = None

    def _put(self, response: bytes, handed: OnHanded | None) -> None:
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
        self._wake_reader()
        asyncio.get_running_loop().call_later(LAST_WRITE_LIMIT_S, self._cut)

    def _cut(self) -> None:
        """Ends a handler whose last responses are not taken. Its blocked write ends with the call."""
        if not self._is_gone and self._task is not None:
            self._is_cut = True
            self._task.cancel()

    def cut_if_stuck(self, awake_ns: int) -> None:
        """Cuts the stream off if its client has not taken a response for too long. Called from time to time."""
        since = self._writing_since_ns
        if since is not None and awake_ns - since > self._limits.write_ms_max * 1_000_000:
            self._begin_closing(NOT_READING, b"")
            self._cut()

    def end_from_transport(self, closing: Closing) -> None:
        """Ends the stream from the transport's thread, when the server stops."""
        self._begin_closing(closing, b"")
