"""The server: its own thread with an asyncio loop for gRPC, started and stopped from the referee's nursery."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import grpc
import structlog
import trio
from grpc import aio

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.rpc.crossing import Crossing
from mergemaker_referee.rpc.doorkeeper import Doorkeeper
from mergemaker_referee.rpc.front import Front
from mergemaker_referee.rpc.handlers import Handlers
from mergemaker_referee.rpc.loops import new_loop
from mergemaker_referee.rpc.sockets import connections_that_fit
from mergemaker_referee.rpc.stamps import Stamps
from mergemaker_referee.rpc.standard_calls import StandardCalls
from mergemaker_referee.rpc.starvation import Starvation

THREAD_NAME: Final = "referee transport"
START_LIMIT_S: Final = 30.0
STOP_LIMIT_S: Final = 10.0
"""After the clients' grace time: how long the transport may take to stop before it is abandoned."""
WATCH_INTERVAL_S: Final = 1.0
"""How often streams are checked for clients that do not read."""
PENDING_CALLS_MAX: Final = 100_000
"""How many streams gRPC keeps waiting to be accepted. At its own limit, a herd of thousands loses many of its members."""
LOOKAHEAD_BYTES: Final = 65_536
"""How much gRPC takes in of a stream that is not read."""
PING_STRIKES_MAX: Final = 100
"""How many early transport pings end a connection. Answers to them wait in memory if the client does not read them."""
CALLS_ENDING_MAX: Final = 1_000
"""Calls that are being refused at the same time."""
TASKS_END_S: Final = 1.0
"""How long gRPC may take to report their end to ended streams when the server stops."""
OTHER_DESCRIPTORS: Final = 200
"""File descriptors that are neither connections nor records of matches."""
_LOG = structlog.get_logger(__name__)


class ServerProblem(Exception):
    """The server cannot start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Where the server listens, and how."""

    addresses: Sequence[str]
    """`HOST:PORT`; port 0 takes any that is free."""
    limits: Limits
    certificate: bytes | None = None
    """PEM, with `key`: connections are encrypted. None: they are not."""
    key: bytes | None = None
    fast_loop: bool = True
    """Whether to use uvloop where it is installed."""


def _fitting(limits: Limits) -> Limits:
    """The limits, reduced to the number of connections that this process may have."""
    fitting = connections_that_fit(limits.connections_max, limits.matches_max + OTHER_DESCRIPTORS)
    if fitting < limits.connections_max:
        text = "fewer connections than limits.connections_max: raise this process's limit of open files (ulimit -n)"
        _LOG.warning(text, connections=fitting, wanted=limits.connections_max)
    return replace(limits, connections_max=fitting)


def _calls_max(limits: Limits) -> int:
    """The number of calls at once above which gRPC itself refuses any further one, with its own text.

    Each kind of caller has a lower limit of its own, so that none takes the places of another.
    """
    players = limits.sessions_max * limits.calls_per_identity_max
    return players + limits.spectators_max + limits.open_calls_max + limits.operator_calls_max + CALLS_ENDING_MAX


def _options(limits: Limits, addresses: int) -> list[tuple[str, int]]:
    """Options for gRPC. It ignores options that it does not know, so a test sees each of them at work."""
    return [
        ("grpc.max_receive_message_length", limits.request_bytes),
        ("grpc.max_send_message_length", -1),
        # A few bytes can unpack to very many. The first option refuses packed calls, but does not promise that
        # nothing was unpacked before. So the second makes gRPC unpack nothing.
        ("grpc.compression_enabled_algorithms_bitset", 1),
        ("grpc.per_message_decompression", 0),
        # Each address that the server listens on counts separately.
        ("grpc.max_allowed_incoming_connections", max(1, limits.connections_max // addresses)),
        ("grpc.server_handshake_timeout_ms", limits.handshake_ms_max),
        ("grpc.max_connection_idle_ms", limits.handshake_ms_max),
        ("grpc.max_concurrent_streams", limits.streams_per_connection_max),
        # Between the two limits, gRPC refuses calls at random.
        ("grpc.max_metadata_size", limits.header_bytes_max),
        ("grpc.absolute_max_metadata_size", limits.header_bytes_max),
        # Both are needed: without the second, a dead peer is noticed after a minute, whatever the first says.
        ("grpc.keepalive_time_ms", limits.keepalive_ms),
        ("grpc.keepalive_timeout_ms", limits.keepalive_timeout_ms),
        ("grpc.http2.ping_timeout_ms", limits.keepalive_timeout_ms),
        ("grpc.keepalive_permit_without_calls", 1),
        # Apart from this much, a client's unread requests wait in its own memory. By default gRPC takes in megabytes.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", LOOKAHEAD_BYTES),
        # The same goes for read buffers: by default each connection may have one of 4 MiB.
        ("grpc.experimental.tcp_max_read_chunk_size", LOOKAHEAD_BYTES),
        # Clients may ping, too. By default, one that pings every second is thrown out. More frequent pings are no sign of life.
        ("grpc.http2.min_ping_interval_without_data_ms", 500),
        ("grpc.http2.max_ping_strikes", PING_STRIKES_MAX),
        # gRPC does not document these for its users, so a test sees at every upgrade that a herd still gets in.
        ("grpc.server.max_pending_requests", PENDING_CALLS_MAX),
        ("grpc.server.max_pending_requests_hard_limit", PENDING_CALLS_MAX),
        ("grpc.so_reuseport", 0),
    ]


class Server:
    """Serves a `Front` until it is stopped. Made and run on the referee's thread."""

    def __init__(self, front: Front, listen: Listen, now_ns: Callable[[], int], starvation: Starvation | None = None) -> None:
        self._front: Final = front
        self._listen: Final = listen
        self._stamps: Final = Stamps(now_ns, starvation)
        self._crossing: Final = Crossing(self._fault)
        self._faults_in, self._faults = trio.open_memory_channel[BaseException](1)
        self._started: Final = trio.Event()
        self._ended: Final = trio.Event()
        self._grace_s = 0.0
        # Set by the transport's thread until `started` is set.
        self._stop: asyncio.Event | None = None
        self.ports: tuple[int, ...] = ()
        """The ports it listens on, in the order of the addresses."""
        self.loop: asyncio.AbstractEventLoop | None = None
        """The transport's loop."""

    @property
    def longest_lag_ns(self) -> int:
        """The longest time that the transport's loop was held up."""
        return self._stamps.longest_lag_ns

    @property
    def tasks(self) -> int:
        """How many tasks the transport's loop has. Any thread may ask."""
        return 0 if self.loop is None else len(asyncio.all_tasks(self.loop))

    def held_up_ns(self) -> int:
        """How long the transport's loop was held up so far, in all."""
        return self._stamps.held_up_ns()

    def barrier(self, passed: Callable[[], None]) -> None:
        """Calls back after everything that has come by now, on any stream."""
        self._crossing.barrier(passed)

    async def run(self, *, task_status: "trio.TaskStatus[Server]" = trio.TASK_STATUS_IGNORED) -> None:
        """Runs the transport's thread until this is cancelled. Raises a fault in a callback of either side."""
        self._crossing.start()
        threading.Thread(target=self._thread, name=THREAD_NAME, daemon=True).start()
        try:
            with trio.fail_after(START_LIMIT_S):
                await self._started.wait()
            if self._stop is not None:
                task_status.started(self)
            fault = await self._faults.receive()
            raise fault
        finally:
            # Whatever runs on the transport's loop is ended there, in order. A transport that hangs does not hang the referee.
            with trio.move_on_after(START_LIMIT_S, shield=True):
                await self._started.wait()
            self.stop(self._grace_s)
            with trio.move_on_after(self._grace_s + STOP_LIMIT_S, shield=True):
                await self._ended.wait()
            self._crossing.close()

    def stop(self, grace_s: float) -> None:
        """Takes no new calls, tells those that run, and gives them this long to end."""
        self._grace_s = grace_s
        if self._stop is not None:
            self._crossing.to_transport(self._stop.set)

    def _fault(self, fault: BaseException) -> None:
        """Passes a fault of either thread to `run`."""
        self._on_referee(self._note_fault, fault)

    def _note_fault(self, fault: BaseException) -> None:
        with contextlib.suppress(trio.WouldBlock):  # the first fault ends the server; more of them add nothing
            self._faults_in.send_nowait(fault)

    def _on_referee(self, call: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(trio.RunFinishedError):  # the referee is already gone
            self._crossing.trio_token.run_sync_soon(call, *arguments)

    def _thread(self) -> None:
        try:
            loop = new_loop(fast=self._listen.fast_loop)
            try:
                loop.run_until_complete(self._serve(loop))
            finally:
                loop.run_until_complete(loop.shutdown_asyncgens())
                loop.close()
        except BaseException as fault:  # noqa: BLE001 - passed to `run`, which raises it
            self._fault(fault)
        finally:
            self._on_referee(self._started.set)
            self._on_referee(self._ended.set)

    async def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        limits = _fitting(self._listen.limits)
        doorkeeper = Doorkeeper(limits, self._stamps.awake_ns)
        handlers = Handlers(self._front, self._crossing, self._stamps, limits, doorkeeper)
        server = aio.server(
            interceptors=[StandardCalls(limits, handlers.open_call, self._stamps.awake_ns)],
            options=_options(limits, len(self._listen.addresses)),
            maximum_concurrent_rpcs=_calls_max(limits),
        )
        server.add_generic_rpc_handlers(handlers.generic())
        await handlers.add_standard_services(server)
        self.ports = tuple([self._bind(server, address) for address in self._listen.addresses])
        self.loop = loop
        self._crossing.open(loop)
        self._stamps.start(loop)
        await server.start()
        self._stop = asyncio.Event()
        self._on_referee(self._started.set)
        watching = [asyncio.ensure_future(self._watch(handlers)), asyncio.ensure_future(doorkeeper.run(self.ports))]
        for task in watching:
            task.add_done_callback(self._note_broken)
        await self._stop.wait()
        for task in watching:
            task.cancel()
        await handlers.say_closing()
        await server.stop(self._grace_s)
        if handlers.lingering:
            await asyncio.wait(handlers.lingering, timeout=TASKS_END_S)
        self._stamps.stop()

    def _note_broken(self, task: asyncio.Future[None]) -> None:
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._fault(fault)

    def _bind(self, server: aio.Server, address: str) -> int:
        listen = self._listen
        try:
            if listen.certificate is not None and listen.key is not None:
                credentials = grpc.ssl_server_credentials([(listen.key, listen.certificate)])
                port = server.add_secure_port(address, credentials)
            else:
                port = server.add_insecure_port(address)
        except RuntimeError as error:
            raise ServerProblem(f"cannot listen on {address}: is the port taken, or the address not this machine's?") from error
        if not port:
            raise ServerProblem(f"cannot listen on {address}: is the port taken, or the address not this machine's?")
        return port

    async def _watch(self, handlers: Handlers) -> None:
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            awake = self._stamps.awake_ns()
            for stream in tuple(handlers.streams):
                stream.cut_if_stuck(awake)
            handlers.accounts.forget()
