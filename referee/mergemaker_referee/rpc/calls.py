"""What calls of every kind have in common: the token that comes with them, their first request, and how they are refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, TypeVar

from grpc import aio

from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.rpc.streams import grpc_status
from mergemaker_referee.tokens import bearer_token

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Context: TypeAlias = aio.ServicerContext[Any, Any]

_Found = TypeVar("_Found")
_NS_PER_MS: Final = 1_000_000
REQUEST_LATE: Final = Closing(CloseCode.DEADLINE_EXCEEDED, "no-request", "no request came in time", reconnect=True)
NO_REQUEST: Final = Closing(CloseCode.INVALID_ARGUMENT, "no-request", "this call has a request, and none came")


def token_of(context: Context) -> str | None:
    """The token that a call brings: `authorization: Bearer TOKEN`."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            return bearer_token(value)
    return None


async def within(limit_ms: int, awaited: Awaitable[_Found], awake_ns: Callable[[], int]) -> _Found:
    """What comes within a time, for which the loop has to have run: a timer alone is due at once behind a standstill.

    Raises `TimeoutError`.
    """
    future = asyncio.ensure_future(awaited)
    until_ns = awake_ns() + limit_ms * _NS_PER_MS
    try:
        while not future.done():
            left_ns = until_ns - awake_ns()
            if left_ns <= 0:
                raise TimeoutError
            await asyncio.wait([future], timeout=left_ns / 1e9)
        return future.result()
    finally:
        future.cancel()


async def first_request(context: Context, limit_ms: int, awake_ns: Callable[[], int]) -> bytes:
    """The request of a call that has one; ends a call without it."""
    try:
        found = await within(limit_ms, context.read(), awake_ns)
    except TimeoutError:
        await refuse(context, REQUEST_LATE)
    if not isinstance(found, bytes):
        await refuse(context, NO_REQUEST)
    return found


async def refuse(context: Context, closing: Closing) -> NoReturn:
    """Ends a call with a status."""
    await context.abort(grpc_status(closing.code), f"{closing.reason}: {closing.text}")
    raise AssertionError(closing)  # never reached: `abort` raises
