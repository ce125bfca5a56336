"""Health checks and reflection, which need no token. Their number and duration are limited."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, TypeAlias

import grpc
from grpc import aio

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.rpc.calls import Context, first_request, read_apart, refuse

LetIn: TypeAlias = Callable[[Context], AbstractAsyncContextManager[object]]
# Quoted, since these types are generic only in their stubs.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
_FoundHandler: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"

OUR_CALLS: Final = "/mergemaker."
"""Calls of our own services ask for a token themselves."""

_UNREADABLE: Final = Closing(CloseCode.INVALID_ARGUMENT, "unreadable", "the bytes that came are not a request of this call")
_TOO_LONG: Final = Closing(CloseCode.DEADLINE_EXCEEDED, "too-long", "a call without a token may not take so long")


class StandardCalls(aio.ServerInterceptor):
    """Wraps the handlers of all services that are not our own."""

    def __init__(self, limits: Limits, let_in: LetIn, awake_ns: Callable[[], int]) -> None:
        self._limits: Final = limits
        self._awake_ns: Final = awake_ns
        self._let_in: Final = let_in
        """Entered while a call without a token is open. It refuses the call if there is no room."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[_FoundHandler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> _FoundHandler:
        """The handler of a call; a bounded one for a call of a service that is not ours."""
        handler = await continuation(handler_call_details)
        if handler is None or handler_call_details.method.startswith(OUR_CALLS):
            return handler
        return self._bounded(handler)

    def _bounded(self, handler: Any) -> Handler:  # noqa: ANN401 - its behaviours have no types
        """The same call, read with limits."""
        shape = {"request_deserializer": None, "response_serializer": handler.response_serializer}

        async def one(_: object, context: Context) -> object:
            async with self._let_in(context):
                return await handler.unary_unary(await self._request(handler, context), context)

        async def watched(_: object, context: Context) -> None:
            # A health check: it writes its own responses, and lasts until its caller leaves.
            async with self._let_in(context):
                await handler.unary_stream(await self._request(handler, context), context)

        async def many(_: object, context: Context) -> AsyncIterator[object]:
            async with self._let_in(context), self._time(context):
                async for response in handler.stream_stream(self._requests(handler, context), context):
                    yield response

        if handler.unary_unary is not None:
            return grpc.stream_unary_rpc_method_handler(one, **shape)
        if handler.unary_stream is not None:
            return grpc.stream_stream_rpc_method_handler(watched, **shape)
        return grpc.stream_stream_rpc_method_handler(many, **shape)

    async def _requests(self, handler: Any, context: Context) -> AsyncIterator[object]:  # noqa: ANN401 - as above
        while isinstance(data := await read_apart(context), bytes):
            yield await self._parsed(handler, data, context)

    async def _request(self, handler: Any, context: Context) -> object:  # noqa: ANN401 - as above
        data = await first_request(context, self._limits.hello_ms_max, self._awake_ns)
        return await self._parsed(handler, data, context)

    async def _parsed(self, handler: Any, data: bytes, context: Context) -> object:  # noqa: ANN401 - as above
        try:
            return handler.request_deserializer(data)
        except Exception:  # noqa: BLE001 - protobuf may raise anything for what it cannot read
            return await refuse(context, _UNREADABLE)

    @asynccontextmanager
    async def _time(self, context: Context) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._limits.hello_ms_max / 1_000):
                yield
        except TimeoutError:
            await refuse(context, _TOO_LONG)
