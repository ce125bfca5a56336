"""What runs for each call on the transport's loop. Messages stay bytes here: reading them is the referee's affair."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import grpc
from grpc import aio
from mergemaker.v1 import matches_pb2

from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.rpc.streams import Stream, grpc_status
from mergemaker_referee.tokens import bearer_token

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mergemaker_referee.connections import Connection, Listener
    from mergemaker_referee.identities import Identity
    from mergemaker_referee.limits import Limits
    from mergemaker_referee.rpc.crossing import Crossing
    from mergemaker_referee.rpc.front import Front
    from mergemaker_referee.rpc.stamps import Stamps

    Context: TypeAlias = aio.ServicerContext[Any, Any]

CALL_LIMIT_S: Final = 30.0
"""How long a single call may take before its caller is told that the referee is busy."""
REFEREE_SERVICE: Final = "mergemaker.v1.RefereeService"
MATCH_SERVICE: Final = "mergemaker.v1.MatchService"
SPECTATE_SERVICE: Final = "mergemaker.v1.SpectateService"
SERVICES: Final = (REFEREE_SERVICE, MATCH_SERVICE, SPECTATE_SERVICE)
HEALTH_SERVICE: Final = "grpc.health.v1.Health"
SINGLE_CALLS: Final = ("CreateMatch", "ListMatches", "GetMatch", "CancelMatch")
FETCH_RECORD: Final = "FetchRecord"

_BUSY: Final = Closing(CloseCode.UNAVAILABLE, "busy", "the referee did not answer in time; try again", reconnect=True)
_CLOSING: Final = Closing(CloseCode.UNAVAILABLE, "referee-closing", "the referee is closing", reconnect=True)


def token_of(context: Context) -> str | None:
    """The token that a call brings: `authorization: Bearer TOKEN`."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            return bearer_token(value)
    return None


async def refuse(context: Context, closing: Closing) -> None:
    """Ends a call with a status; never returns."""
    await context.abort(grpc_status(closing.code), f"{closing.reason}: {closing.text}")


class Handlers:
    """Handlers of all services, for one server."""

    def __init__(self, front: Front, crossing: Crossing, stamps: Stamps, limits: Limits) -> None:
        self._front: Final = front
        self._crossing: Final = crossing
        self._stamps: Final = stamps
        self._limits: Final = limits
        self.streams: Final[set[Stream]] = set()
        """Those that are open."""
        self._health: Any = None

    def generic(self) -> Sequence[grpc.GenericRpcHandler]:
        """The handlers as gRPC takes them: with bytes in both directions."""
        unary = grpc.unary_unary_rpc_method_handler
        matches: dict[str, Any] = {name: unary(self._single(name)) for name in SINGLE_CALLS}
        matches[FETCH_RECORD] = grpc.unary_stream_rpc_method_handler(self._fetch)
        return (
            grpc.method_handlers_generic_handler(REFEREE_SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}),
            grpc.method_handlers_generic_handler(MATCH_SERVICE, matches),
            grpc.method_handlers_generic_handler(SPECTATE_SERVICE, {"Watch": grpc.unary_stream_rpc_method_handler(self._watch)}),
        )

    async def add_standard_services(self, server: aio.Server) -> None:
        """Health checks and reflection, where the extra `server` is installed."""
        try:
            from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415 - an extra
            from grpc_health.v1._async import HealthServicer  # noqa: PLC0415 - an extra
            from grpc_reflection.v1alpha import reflection  # noqa: PLC0415 - an extra
            from mergemaker.v1 import referee_pb2, spectate_pb2  # noqa: PLC0415, F401 - reflection finds the services by them
        except ImportError:
            return
        self._health = HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        serving = health_pb2.HealthCheckResponse.SERVING
        for service in ("", *SERVICES):
            await self._health.set(service, serving)
        reflection.enable_server_reflection((*SERVICES, HEALTH_SERVICE, reflection.SERVICE_NAME), server)

    async def say_closing(self) -> None:
        """Says in health checks that the referee closes, and ends all streams that are still open."""
        if self._health is not None:
            await self._health.enter_graceful_shutdown()
        for stream in tuple(self.streams):
            stream.end_from_transport(_CLOSING)

    async def _identity(self, context: Context) -> Identity:
        found = self._front.identify(token_of(context))
        if isinstance(found, Closing):
            await refuse(context, found)
            raise AssertionError(found)  # noqa: TRY004 - not of a type: `abort` never returns
        return found

    async def _play(self, _: object, context: Context) -> None:
        identity = await self._identity(context)
        await self._stream(context, lambda connection: self._front.play(connection, identity), reads=True)

    async def _watch(self, request: bytes, context: Context) -> None:
        identity = await self._identity(context)
        await self._stream(context, lambda connection: self._front.watch(connection, identity, request), reads=False)

    async def _stream(self, context: Context, opened: Callable[[Connection], Listener], *, reads: bool) -> None:
        stream = Stream(context, self._crossing, self._stamps, self._limits)
        self.streams.add(stream)
        try:
            await stream.serve(opened, reads=reads)
        finally:
            self.streams.discard(stream)

    def _single(self, method: str) -> Callable[[bytes, Context], Awaitable[bytes]]:
        async def handle(request: bytes, context: Context) -> bytes:
            found = await self._ask_referee(method, request, context)
            assert isinstance(found, bytes), method
            return found

        return handle

    async def _fetch(self, request: bytes, context: Context) -> None:
        found = await self._ask_referee(FETCH_RECORD, request, context)
        assert isinstance(found, Path)
        size = self._limits.record_chunk_bytes
        with await asyncio.to_thread(found.open, "rb") as file:
            while data := await asyncio.to_thread(file.read, size):
                await context.write(matches_pb2.FetchRecordResponse(data=data).SerializeToString())

    async def _ask_referee(self, method: str, request: bytes, context: Context) -> bytes | Path:
        identity = await self._identity(context)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes | Path | Closing] = loop.create_future()

        def settle(found: bytes | Path | Closing) -> None:
            if not answer.done():
                answer.set_result(found)

        def reply(found: bytes | Path | Closing) -> None:
            self._crossing.to_transport(settle, found)

        self._crossing.to_referee(self._front.call, method, identity, request, reply)
        try:
            found = await asyncio.wait_for(answer, CALL_LIMIT_S)
        except TimeoutError:
            found = _BUSY
        if isinstance(found, Closing):
            await refuse(context, found)
            raise AssertionError(found)  # noqa: TRY004 - not of a type: `abort` never returns
        return found
