"""What runs for each call on the transport's loop. Messages stay bytes here: the referee reads them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
from grpc import aio
from mergemaker.v1 import matches_pb2

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing, Connection, Listener
from mergemaker_referee.identities import Identity, Onlooker, Operator
from mergemaker_referee.rpc.accounts import Account, Accounts
from mergemaker_referee.rpc.calls import Context, first_request, refuse, token_of, within
from mergemaker_referee.rpc.crossing import Crossing
from mergemaker_referee.rpc.doorkeeper import TOO_MANY_OPEN, Doorkeeper
from mergemaker_referee.rpc.front import READ_LOG, Front
from mergemaker_referee.rpc.sockets import host_of
from mergemaker_referee.rpc.stamps import Stamps
from mergemaker_referee.rpc.standard_services import HEALTH_SERVICE, add_health, add_reflection
from mergemaker_referee.rpc.streams import Stream

CALL_LIMIT_MS: Final = 30_000
"""How long a single call may take before its caller learns that the referee is busy."""
REFEREE_SERVICE: Final = "mergemaker.v1.RefereeService"
MATCH_SERVICE: Final = "mergemaker.v1.MatchService"
SPECTATE_SERVICE: Final = "mergemaker.v1.SpectateService"
SERVER_SERVICE: Final = "mergemaker.v1.ServerService"
LOG_SERVICE: Final = "mergemaker.v1.PublicLogService"
SERVICES: Final = (REFEREE_SERVICE, MATCH_SERVICE, SPECTATE_SERVICE, SERVER_SERVICE, LOG_SERVICE)
SINGLE_CALLS: Final = ("CreateMatch", "ListMatches", "GetMatch", "CancelMatch")
FETCH_RECORD: Final = "FetchRecord"

_BUSY: Final = Closing(CloseCode.UNAVAILABLE, "busy", "the referee did not answer in time; try again", reconnect=True)
_CLOSING: Final = Closing(CloseCode.UNAVAILABLE, "referee-closing", "the referee is closing", reconnect=True)


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller, and the account that pays for the call."""

    identity: Identity
    account: Account


class Handlers:
    """Handlers of all services, for one server."""

    def __init__(
        self,
        front: Front,
        crossing: Crossing,
        stamps: Stamps,
        limits: Limits,
        doorkeeper: Doorkeeper,
    ) -> None:
        self._front: Final = front
        self._doorkeeper: Final = doorkeeper
        self.accounts: Final = Accounts(limits, stamps.awake_ns)
        self._crossing: Final = crossing
        self._stamps: Final = stamps
        self._limits: Final = limits
        self.streams: Final[set[Stream]] = set()
        """Open streams."""
        self.lingering: Final[set[asyncio.Task[None]]] = set()
        """Tasks of ended streams that read or write, until gRPC reports the end to them."""
        self._health: Any = None

    def generic(self) -> Sequence[grpc.GenericRpcHandler]:
        """The handlers as gRPC takes them, with bytes in both directions.

        All of them read a stream of requests, also those that take one request, which looks the same on the wire. Otherwise gRPC
        would read that request before it calls the handler, without a limit of time and for any caller.
        """
        many, one = grpc.stream_stream_rpc_method_handler, grpc.stream_unary_rpc_method_handler
        matches: dict[str, Any] = {name: one(self._single(name)) for name in SINGLE_CALLS}
        matches[FETCH_RECORD] = many(self._fetch)
        return (
            grpc.method_handlers_generic_handler(REFEREE_SERVICE, {"Play": many(self._play)}),
            grpc.method_handlers_generic_handler(MATCH_SERVICE, matches),
            grpc.method_handlers_generic_handler(SPECTATE_SERVICE, {"Watch": many(self._watch)}),
            grpc.method_handlers_generic_handler(SERVER_SERVICE, {"GetServer": one(self._server)}),
            grpc.method_handlers_generic_handler(LOG_SERVICE, {READ_LOG: one(self._read_log)}),
        )

    async def add_standard_services(self, server: aio.Server) -> None:
        """Adds health checks and reflection where the extra `server` is installed."""
        try:
            self._health = await add_health(server, SERVICES)
            add_reflection(server, (*SERVICES, HEALTH_SERVICE))
        except ImportError:
            return

    async def say_closing(self) -> None:
        """Reports in health checks that the referee is closing, and ends all streams that are still open."""
        if self._health is not None:
            await self._health.enter_graceful_shutdown()
        for stream in tuple(self.streams):
            stream.end_from_transport(_CLOSING)

    @asynccontextmanager
    async def _caller(self, context: Context) -> AsyncIterator[Caller]:
        """The caller, identified by its token before any of its requests is read. Ends calls of unknown callers."""
        found = self._front.identify(token_of(context))
        if isinstance(found, Closing):
            await refuse(context, found)
        if isinstance(found, Onlooker):
            async with self.open_call(context) as account:
                yield Caller(found, account)
            return
        with self.accounts.call(found) as account, self._doorkeeper.known(context.peer(), account):
            # The operator never waits.
            why = account.refusal() if isinstance(found, Operator) else await account.pay_for_call()
            if why is not None:
                await refuse(context, why)
            yield Caller(found, account)

    @asynccontextmanager
    async def open_call(self, context: Context) -> AsyncIterator[Account]:
        """Admits a call without a token if there is room for it. Its address pays."""
        with self._doorkeeper.admitted(context.peer()) as is_in, self.accounts.open_call(host_of(context.peer())) as account:
            if not is_in:
                await refuse(context, TOO_MANY_OPEN)
            await account.pay_for_call()
            yield account

    async def _play(self, _: object, context: Context) -> None:
        async with self._caller(context) as caller:
            await self._stream(context, caller, lambda connection: self._front.play(connection, caller.identity), reads=True)

    async def _watch(self, _: object, context: Context) -> None:
        async with self._caller(context) as caller:
            request = await first_request(context, self._limits.hello_ms_max, self._stamps.awake_ns)
            await self._stream(
                context, caller, lambda connection: self._front.watch(connection, caller.identity, request), reads=False
            )

    async def _stream(self, context: Context, caller: Caller, opened: Callable[[Connection], Listener], *, reads: bool) -> None:
        stream = Stream(context, self._crossing, self._stamps, self._limits, caller.account)
        self.streams.add(stream)
        try:
            await stream.serve(opened, reads=reads)
        finally:
            self.streams.discard(stream)
            for task in stream.tasks:
                self.lingering.add(task)
                task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self.lingering.discard(task)
        if not task.cancelled():
            task.exception()  # marks it as retrieved: it says that the call is over

    def _single(self, method: str) -> Callable[[object, Context], Awaitable[bytes]]:
        async def handle(_: object, context: Context) -> bytes:
            async with self._caller(context) as caller:
                found = await self._ask_referee(method, caller.identity, context)
            assert isinstance(found, bytes), method
            return found

        return handle

    async def _server(self, _: object, context: Context) -> bytes:
        async with self.open_call(context):
            await first_request(context, self._limits.hello_ms_max, self._stamps.awake_ns)
            return self._front.about

    async def _read_log(self, _: object, context: Context) -> bytes:
        # Tokens are not looked at: the address pays, as for all calls that anybody may make.
        async with self.open_call(context):
            found = await self._ask_referee(READ_LOG, Onlooker(), context)
        assert isinstance(found, bytes), READ_LOG
        return found

    async def _fetch(self, _: object, context: Context) -> None:
        async with self._caller(context) as caller:
            found = await self._ask_referee(FETCH_RECORD, caller.identity, context)
            assert isinstance(found, Path)
            size = self._limits.record_chunk_bytes
            try:
                opened = await asyncio.to_thread(found.open, "rb")
            except OSError as problem:
                why = f"the record cannot be read: {problem.strerror}"
                await refuse(context, Closing(CloseCode.NOT_FOUND, "record-gone", why))
                raise
            with opened as file:
                while data := await asyncio.to_thread(file.read, size):
                    await context.write(matches_pb2.FetchRecordResponse(data=data).SerializeToString())

    async def _ask_referee(self, method: str, identity: Identity, context: Context) -> bytes | Path:
        request = await first_request(context, self._limits.hello_ms_max, self._stamps.awake_ns)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes | Path | Closing] = loop.create_future()

        def settle(found: bytes | Path | Closing) -> None:
            if not answer.done():
                answer.set_result(found)

        def reply(found: bytes | Path | Closing) -> None:
            self._crossing.to_transport(settle, found)

        self._crossing.to_referee(self._front.call, method, identity, request, reply)
        try:
            found = await within(CALL_LIMIT_MS, answer, self._stamps.awake_ns)
        except TimeoutError:
            found = _BUSY
        if isinstance(found, Closing):
            await refuse(context, found)
        return found
