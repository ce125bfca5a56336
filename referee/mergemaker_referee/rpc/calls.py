"""What calls of every kind share: the token that comes with them, their first request, and how they are refused."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from grpc import aio

from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.rpc.statuses import abort
from mergemaker_referee.tokens import bearer_token

Context: TypeAlias = aio.ServicerContext[Any, Any]

_Found = TypeVar("_Found")
_NS_PER_MS: Final = 1_000_000
REQUEST_LATE: Final = Closing(CloseCode.DEADLINE_EXCEEDED, "no-request", "no request came in time", reconnect=True)
NO_REQUEST: Final = Closing(CloseCode.INVALID_ARGUMENT, "no-request", "this call needs a request, and none came")
READERS: Final[set[asyncio.Future[object]]] = set()
"""Reading tasks, until they end: an asyncio loop keeps none of its tasks alive by itself."""


def token_of(context: Context) -> str | None:
    """The token that a call brings: `authorization: Bearer TOKEN`."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            return bearer_token(value)
    return None


async def _wait(future: asyncio.Future[Any], limit_ms: int, awake_ns: Callable[[], int]) -> None:
    """Waits for a time during which the loop runs: after a standstill, a timer alone would be due at once."""
    until_ns = awake_ns() + limit_ms * _NS_PER_MS
    while not future.done() and (left_ns := until_ns - awake_ns()) > 0:
        await asyncio.wait([future], timeout=left_ns / 1e9)
    if not future.done():
        raise TimeoutError


async def within(limit_ms: int, awaited: Awaitable[_Found], awake_ns: Callable[[], int]) -> _Found:
    """The result, if it comes in time; raises TimeoutError otherwise."""
    future = asyncio.ensure_future(awaited)
    try:
        await _wait(future, limit_ms, awake_ns)
        return future.result()
    finally:
        future.cancel()


async def read_apart(context: Context, limit_ms: int | None = None, awake_ns: Callable[[], int] = time.monotonic_ns) -> object:
    """The client's next request, or the end of its stream; raises TimeoutError if nothing comes in time.

    gRPC never frees a read that is cancelled, and a client that leaves cancels whatever its handler waits for. So a separate task
    reads. When nobody waits for it any more, it ends with the call.
    """
    reader = asyncio.ensure_future(context.read())
    READERS.add(reader)
    reader.add_done_callback(_forget_reader)
    if limit_ms is None:
        await asyncio.wait([reader])
    else:
        await _wait(reader, limit_ms, awake_ns)
    return reader.result()


def _forget_reader(reader: asyncio.Future[object]) -> None:
    READERS.discard(reader)
    if not reader.cancelled():
        reader.exception()  # marks it as retrieved: its waiter may be gone


async def first_request(context: Context, limit_ms: int, awake_ns: Callable[[], int]) -> bytes:
    """The first request of a call; ends a call that sends none."""
    try:
        found = await read_apart(context, limit_ms, awake_ns)
    except TimeoutError:
        await refuse(context, REQUEST_LATE)
    if not isinstance(found, bytes):
        await refuse(context, NO_REQUEST)
    return found


async def refuse(context: Context, closing: Closing) -> NoReturn:
    """Ends a call with a status."""
    await abort(context, closing)
    raise AssertionError(closing)  # never reached: `abort` raises
