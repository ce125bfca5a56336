"""A stream in memory. One end is the port `Connection`, the other is a client's.

The referee's end behaves like `rpc.streams`: it stamps requests when they arrive, a response counts as handed over when the
transport takes it, and a barrier comes out after all that arrived before. The crossing between the transport's thread and the
referee's keeps order and can be held up.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, Protocol

from mergemaker_referee.connections import CloseCode, Closing, Listener, OnHanded
from mergemaker_referee.identities import Identity

from .transport import Transport
from .ways import Client, Way
from .world import MS, S, World

WINDOW_BYTES: Final = 65_536
"""How much the way to a client holds if it does not read, like a connection's buffers."""
LAST_WRITE_LIMIT_NS: Final = S
WATCH_INTERVAL_NS: Final = S
"""A client that does not read may be cut off this much later than its limit."""
UNAVAILABLE: Final = "UNAVAILABLE"

NOT_READING: Final = Closing(
    CloseCode.RESOURCE_EXHAUSTED, "not-reading", "responses were not read in time, so the stream was cut off", reconnect=True
)
TOO_LARGE: Final = Closing(CloseCode.RESOURCE_EXHAUSTED, "too-large", "the request is larger than may be")


class Watching(Protocol):
    """Watches everything that passes between the referee and its transport. Times are the world's."""

    def opened(self, stream: "Stream", identity: Identity) -> None:
        """A stream opens at the referee."""

    def told(self, stream: "Stream", response: bytes) -> None:
        """The referee sends something, now."""

    def handed(self, stream: "Stream", response: bytes) -> None:
        """The transport has taken a response."""

    def came(self, stream: "Stream", request: bytes, stamp_ns: int) -> None:
        """A request arrived from a client, and was stamped."""

    def closed(self, stream: "Stream", why: str) -> None:
        """The transport knows that a stream is over."""


def _by_the_loop(method: Callable[..., None]) -> Callable[..., None]:
    """The transport's loop does this by itself, but not while the process stands still."""

    @wraps(method)
    def when_it_runs(self: "Stream", *arguments: Any) -> None:
        if self._transport is None or not self._transport.puts_off(method, self, *arguments):
            method(self, *arguments)

    return when_it_runs


def _from_a_socket(method: Callable[..., None]) -> Callable[..., None]:
    """The transport's loop does this after it finds something in a socket, which it must read."""

    @wraps(method)
    def when_it_is_read(self: "Stream", *arguments: Any) -> None:
        if self._transport is None or not self._transport.leaves_unread(method, self, *arguments):
            method(self, *arguments)

    return when_it_is_read


class Stream:
    """One stream. The referee calls its port `Connection`; clients call `say`, `leave`, `drop` and the faults."""

    def __init__(self, world: World, watching: Sequence[Watching], number: int, client: Client, way: Way) -> None:
        self.number: Final = number
        self.way: Final = way
        self.identity: Identity | None = None
        self.is_over = False
        """Whether the client's end is gone: it neither receives nor sends anything any more."""
        self.reads = True
        """Whether the client takes what arrives; see `freeze`."""
        self._watching: Final = watching
        self._world: Final = world
        self._client: Final = client
        self._chance: Final = world.chance(f"stream/{number}")
        self._transport: Transport | None = None
        self._early: Final[list[bytes]] = []
        """Requests before the stream was accepted."""
        self._last_back_ns = self._last_there_ns = 0
        self._listener: Listener | None = None
        self._closed_here = False
        """Whether the referee has closed it, or knows that it is over."""
        self._closing: Closing | None = None
        self._is_gone = False
        """Whether the transport's end is over."""
        self._unwritten_bytes = 0
        self._unread_bytes = 0
        self._outbox: Final[deque[tuple[bytes, OnHanded | None]]] = deque()
        self._unread: Final[deque[bytes]] = deque()
        self._stuck_since_ns: int | None = None

    @property
    def is_closed_here(self) -> bool:
        """Whether the referee has closed it, or the transport's end is over."""
        return self._closed_here or self._is_gone or self._closing is not None

    # --- the referee's side: the port ---

    @property
    def peer(self) -> str:
        return f"simulated:{self.number}"

    @property
    def held_up_ns(self) -> int:
        return 0 if self._transport is None else self._transport.stood_ns

    @property
    def unread_bytes(self) -> int:
        return self._unwritten_bytes

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        if self._closed_here or self._transport is None or self._transport.is_dead:
            return
        for each in self._watching:
            each.told(self, response)
        self._unwritten_bytes += len(response)
        if self._unwritten_bytes > self._transport.limits.unread_bytes_max:
            self.close(NOT_READING)
        else:
            self._transport.cross(self._put, response, handed)

    def charge(self, cost_ns: int) -> None:
        """Does not count anybody's work."""

    def barrier(self, passed: Callable[[], None]) -> None:
        transport = self._transport
        assert transport is not None, "a stream is accepted before it is used"
        transport.barrier(passed)

    def close(self, closing: Closing, last: bytes = b"") -> None:
        if not self._closed_here and self._transport is not None and not self._transport.is_dead:
            self._closed_here = True
            if last:
                for each in self._watching:
                    each.told(self, last)
            self._transport.cross(self._begin_closing, closing, last)

    # --- the transport's side ---

    def accepted(self, transport: Transport, identity: Identity, opened: Callable[[], Listener]) -> None:
        """A referee takes it."""
        self._transport = transport
        self.identity = identity
        transport.streams[self] = None
        transport.cross(self._open, opened)
        for request in self._early:
            self._arrived(request)
        self._early.clear()

    def _open(self, opened: Callable[[], Listener]) -> None:
        self._listener = opened()

    @_from_a_socket
    def _arrived(self, request: bytes) -> None:
        transport = self._transport
        if transport is None:
            self._early.append(request)
        elif not self._is_gone and not transport.is_dead and self._closing is None:
            if len(request) > transport.limits.request_bytes_max:
                self._begin_closing(TOO_LARGE, b"")
                return
            stamp = transport.stamp_ns()
            for each in self._watching:
                each.came(self, request, stamp)
            transport.cross(self._tell_received, request, stamp - self._world.now_ns + transport.since_boot_ns())

    def _tell_received(self, request: bytes, at_ns: int) -> None:
        if self._listener is not None and not self._closed_here:
            self._listener.received(request, at_ns)

    def _put(self, response: bytes, handed: OnHanded | None) -> None:
        if self._closing is None and not self._is_gone:
            self._outbox.append((response, handed))
            self._write()

    @_by_the_loop
    def _write(self) -> None:
        """Takes what waits, as far as the way to the client has room."""
        transport = self._transport
        assert transport is not None, "a stream is accepted before it is used"
        while self._outbox and self._unread_bytes < WINDOW_BYTES and not self._is_gone:
            response, handed = self._outbox.popleft()
            self._stuck_since_ns = None
            self._unwritten_bytes -= len(response)
            self._unread_bytes += len(response)
            self._last_there_ns = max(self._last_there_ns, self._world.now_ns + self.delay_ns(self.way.there_ns))
            self._world.at(self._last_there_ns, self._deliver, response)
            for each in self._watching:
                each.handed(self, response)
            if handed is not None:
                transport.cross(handed, transport.since_boot_ns())
        if self._outbox and self._stuck_since_ns is None:
            since = self._stuck_since_ns = self._world.now_ns
            limit = transport.limits.write_ms_max * MS + self._chance.randrange(WATCH_INTERVAL_NS)
            self._world.after(limit, self._cut_if_stuck, since, transport.stood_ns)
        if not self._outbox and self._closing is not None:
            self._end(self._closing)

    @_by_the_loop
    def _cut_if_stuck(self, since_ns: int, stood_ns: int) -> None:
        assert self._transport is not None, "a stream is accepted before it is used"
        stood_since = self._transport.stood_ns - stood_ns
        if stood_since:
            self._world.after(stood_since, self._cut_if_stuck, since_ns, self._transport.stood_ns)
        elif self._stuck_since_ns == since_ns and not self._is_gone:
            self._outbox.clear()
            self._end(NOT_READING)

    def _begin_closing(self, closing: Closing, last: bytes) -> None:
        if self._closing is not None or self._is_gone:
            return
        self._closing = closing
        if closing is NOT_READING:
            self._outbox.clear()
        if last:
            self._outbox.append((last, None))
            self._unwritten_bytes += len(last)
        self._world.after(LAST_WRITE_LIMIT_NS, self._end, closing)
        self._write()

    def end_from_transport(self, closing: Closing) -> None:
        """The server stops."""
        self._begin_closing(closing, b"")

    @_by_the_loop
    def _end(self, closing: Closing) -> None:
        """The transport's end is over; the client learns this after everything on its way."""
        if self._is_gone:
            return
        self._go(closing.reason)
        due = max(self._last_there_ns, self._world.now_ns + self.way.there_ns)
        self._world.at(due, self.end_client, str(closing.code), f"{closing.reason}: {closing.text}")

    @_from_a_socket
    def _break(self, why: str) -> None:
        """The transport finds the connection gone."""
        self._go(why)

    def _go(self, why: str) -> None:
        transport = self._transport
        if self._is_gone or transport is None:
            return
        self._is_gone = True
        transport.streams.pop(self, None)
        for each in self._watching:
            each.closed(self, why)
        transport.cross(self._tell_gone, why)

    def _tell_gone(self, why: str) -> None:
        self._closed_here = True
        if self._listener is not None:
            self._listener.gone(why)

    def delay_ns(self, usual_ns: int) -> int:
        """How long a message takes on its way."""
        return usual_ns + (self._chance.randint(0, self.way.jitter_ns) if self.way.jitter_ns else 0)

    # --- the client's side ---

    def say(self, request: bytes) -> None:
        """Sends a request."""
        if not self.is_over:
            self._last_back_ns = max(self._last_back_ns, self._world.now_ns + self.delay_ns(self.way.back_ns))
            self._world.at(self._last_back_ns, self._arrived, request)

    def leave(self) -> None:
        """Sends nothing more, and receives nothing more."""
        if not self.is_over:
            self.is_over = True
            due = max(self._last_back_ns, self._world.now_ns + self.way.back_ns)
            self._world.at(due, self._leave)

    @_from_a_socket
    def _leave(self) -> None:
        self._begin_closing(Closing(CloseCode.OK, "left", "the client left"), b"")

    def drop(self, after_ns: int | None = None) -> None:
        """The client's process is gone. The referee notices in the usual way, or only when it checks, after this time."""
        if not self.is_over:
            self.is_over = True
            self._world.after(self.way.back_ns if after_ns is None else after_ns, self._break, "the client went")

    def break_off(self, noticed_after_ns: int | None = None) -> None:
        """The connection breaks; messages on their way are lost, and both ends learn of it, the referee perhaps much later."""
        if not self.is_over:
            self._world.after(
                self.way.back_ns if noticed_after_ns is None else noticed_after_ns, self._break, "the connection broke"
            )
            self.end_client(UNAVAILABLE, "the connection broke")

    def is_not_answered(self, given_up_after_ns: int, noticed_after_ns: int) -> None:
        """The referee's process stands still: it leaves the client's probe unanswered for so long that the client gives up."""
        if not self.is_over:
            self._world.after(given_up_after_ns, self._give_up)
            self._world.after(given_up_after_ns + noticed_after_ns, self._break, "the client went")

    def _give_up(self) -> None:
        self.end_client(UNAVAILABLE, "the connection broke: keepalive watchdog timeout")

    def give_up(self) -> None:
        """The referee's own probe got no answer in time, as far as it knows: data in the socket is lost."""
        self._go("the client went")
        self._world.after(self.way.there_ns, self._give_up)

    def stand_still(self, for_ns: int) -> None:
        """Nothing passes for a time, and then everything does. Beyond the keepalive's limits, the connection breaks instead."""
        transport = self._transport
        if self.is_over or transport is None:
            return
        limit = (transport.limits.keepalive_ms + transport.limits.keepalive_timeout_ms) * MS
        if for_ns > limit:
            self.is_over = True
            self._world.after(limit, self._break, "the connection broke: no sign of life")
            self._world.after(for_ns, self._client.ended, UNAVAILABLE, "the connection broke: no sign of life")
        else:
            until = self._world.now_ns + for_ns
            self._last_back_ns, self._last_there_ns = max(self._last_back_ns, until), max(self._last_there_ns, until)

    def freeze(self, for_ns: int) -> None:
        """The client reads nothing for a time."""
        self.reads = False
        self._world.after(for_ns, self._thaw)

    def _thaw(self) -> None:
        self.reads = True
        while self._unread and not self.is_over and self.reads:
            self._read(self._unread.popleft())

    def _deliver(self, response: bytes) -> None:
        if self.is_over:
            return
        if self.reads and not self._unread:
            self._read(response)
        else:
            self._unread.append(response)

    def _read(self, response: bytes) -> None:
        self._unread_bytes -= len(response)
        if self._outbox and self._transport is not None and not self._transport.is_dead:
            self._write()
        self._client.came(response)

    def reset(self, why: str) -> None:
        """The referee's process is gone."""
        self._is_gone = True
        for each in self._watching:
            each.closed(self, why)
        self._world.after(self.way.there_ns, self.end_client, UNAVAILABLE, why)

    def end_client(self, code: str, text: str) -> None:
        """The client learns that the stream is over."""
        if not self.is_over:
            self.is_over = True
            self._client.ended(code, text)
