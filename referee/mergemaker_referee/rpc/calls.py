"""What calls of every kind have in common: the token that comes with them, their first request, and how they are refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from grpc import aio

from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.rpc.statuses import abort
from mergemaker_referee.tokens import bearer_token

if TYPE_CHECKING:
    Context: TypeAlias = aio.ServicerContext[Any, Any]

REQUEST_LATE: Final = Closing(CloseCode.DEADLINE_EXCEEDED, "no-request", "no request came in time", reconnect=True)
NO_REQUEST: Final = Closing(CloseCode.INVALID_ARGUMENT, "no-request", "this call has a request, and none came")
READERS: Final[set[asyncio.Future[object]]] = set()
"""Tasks that read, until they end: a loop keeps none of its tasks alive by itself."""


def token_of(context: Context) -> str | None:
    """The token that a call brings: `authorization: Bearer TOKEN`."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            return bearer_token(value)
    return None


async def read_apart(context: Context, limit_s: float | None = None) -> object:
    """What the client says next, or the end of what it says; raises TimeoutError where nothing comes in time.

    GRPC never frees a read that is cancelled, and a client that goes cancels what its handler waits for. So a task of its own
    reads. When nobody waits for it any more, it ends with the call.
    """
    reader = asyncio.ensure_future(context.read())
    READERS.add(reader)
    reader.add_done_callback(_forget_reader)
    await asyncio.wait({reader}, timeout=limit_s)
    if not reader.done():
        raise TimeoutError
    return reader.result()


def _forget_reader(reader: asyncio.Future[object]) -> None:
    READERS.discard(reader)
    if not reader.cancelled():
        reader.exception()  # it was looked at: whoever waited for it may be gone


async def first_request(context: Context, limit_ms: int) -> bytes:
    """The request of a call that has one; ends a call without it."""
    try:
        found = await read_apart(context, limit_ms / 1_000)
    except TimeoutError:
        await refuse(context, REQUEST_LATE)
    if not isinstance(found, bytes):
        await refuse(context, NO_REQUEST)
    return found


async def refuse(context: Context, closing: Closing) -> NoReturn:
    """Ends a call with a status."""
    await abort(context, closing)
    raise AssertionError(closing)  # never reached: `abort` raises
