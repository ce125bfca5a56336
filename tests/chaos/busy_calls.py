"""Calls of every kind beside playing bots, at a steady pace: health checks, reflection, spectators, operator calls, and calls
that the server refuses.

    python -m tests.chaos.busy_calls

Standard input gives the server as one JSON document; each further line is the id of a match. When standard input closes,
everything ends, and standard output gets the number of calls of each kind.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from grpc import aio
from mergemaker.v1 import matches_pb2, spectate_pb2

from tests.chaos.guests import (
    HEALTH,
    LIST_SERVICES,
    MATCH_SERVICE,
    REFLECTION,
    REFUSED,
    WATCH,
    Guest,
    Target,
)
from tests.chaos.quick_bots import PLAY, bearer, hello, tell, until_input_closes

Call = Callable[[Guest, Any], Awaitable[None]]

PACE_S: Final = 0.03
"""The pause between calls of one kind."""
LOOK_ON_S: Final = 0.5
NOBODYS: Final = bearer("mmb_nobody-has-this-one")


def _single(method: str, said: bytes = b"", metadata: tuple[tuple[str, str], ...] | None = None) -> Call:
    async def call(guest: Guest, channel: Any) -> None:
        await channel.unary_unary(method)(said, metadata=guest.metadata if metadata is None else metadata)

    return call


async def _reflect(_: Guest, channel: Any) -> None:
    """Reads to the end, like a tool that has asked for everything."""
    call = channel.stream_stream(REFLECTION)()
    await call.write(LIST_SERVICES)
    await call.done_writing()
    while await call.read() is not aio.EOF:
        pass


async def _reflect_and_leave(_: Guest, channel: Any) -> None:
    """Breaks off after the first response, like a client that wants only that one."""
    call = channel.stream_stream(REFLECTION)()
    await call.write(LIST_SERVICES)
    await call.read()
    call.cancel()


async def _watch(guest: Guest, channel: Any) -> None:
    """Watches for a while."""
    said = spectate_pb2.WatchRequest(match=guest.match).SerializeToString()
    call = channel.unary_stream(WATCH)(said, metadata=guest.metadata)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LOOK_ON_S):
            async for _ in call:
                pass
    call.cancel()


async def _fetch(guest: Guest, channel: Any) -> None:
    """Asks for a record, which may not exist."""
    said = matches_pb2.FetchRecordRequest(match=guest.match).SerializeToString()
    async for _ in channel.unary_stream(MATCH_SERVICE + "FetchRecord")(said, metadata=guest.metadata):
        pass


async def _refused_stream(_: Guest, channel: Any) -> None:
    """A bot with an unknown token."""
    call = channel.stream_stream(PLAY)(metadata=NOBODYS)
    await call.write(hello())
    await call.read()


async def _own_connection(guest: Guest, _: Any) -> None:
    """A call over a new connection."""
    async with guest.channel() as channel:
        await channel.unary_unary(HEALTH)(b"")


CALLS: Final[Mapping[str, Call]] = {
    "health check": _single(HEALTH, metadata=()),
    "health check over its own connection": _own_connection,
    "reflection": _reflect,
    "reflection, broken off": _reflect_and_leave,
    "watch": _watch,
    "list": _single(MATCH_SERVICE + "ListMatches"),
    "fetch": _fetch,
    "unknown token": _single(MATCH_SERVICE + "ListMatches", metadata=NOBODYS),
    "unknown token, stream": _refused_stream,
    "unknown match": _single(MATCH_SERVICE + "GetMatch"),
    "unreadable": _single(MATCH_SERVICE + "GetMatch", b"\xff"),
    "unknown call": _single("/nobody.Service/Call"),
}


async def _again(guest: Guest, kind: str, call: Call) -> None:
    while True:
        async with guest.channel() as channel:
            for _ in range(1_000):
                with contextlib.suppress(*REFUSED):
                    await call(guest, channel)
                guest.did(kind)
                await asyncio.sleep(PACE_S)


def main() -> None:
    """Calls until standard input closes."""
    guest = Guest(Target(**json.loads(sys.stdin.readline())))

    def heard(line: str) -> None:
        guest.match = line.strip()

    until_input_closes(
        lambda: asyncio.gather(tell(guest.done), *(_again(guest, kind, call) for kind, call in CALLS.items())), heard
    )


if __name__ == "__main__":
    main()
