"""Tools for calling a server by raw gRPC: repeated streams and calls with bytes, and a count of them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from grpc import aio
from mergemaker.v1 import referee_pb2

from tests.chaos.quick_bots import OPTIONS, PLAY, Done, answer_to, bearer, hello

Noise = Callable[["Guest"], Awaitable[None]]

MATCHES: Final = 16
PAUSE_S: Final = 0.02
PING_BYTES_MAX: Final = 32
REFUSED: Final = (aio.AioRpcError, aio.UsageError, asyncio.InvalidStateError, asyncio.CancelledError)
"""How gRPC calls end that the server refuses or breaks off."""
MATCH_SERVICE: Final = "/mergemaker.v1.MatchService/"
WATCH: Final = "/mergemaker.v1.SpectateService/Watch"
HEALTH: Final = "/grpc.health.v1.Health/Check"
REFLECTION: Final = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
LIST_SERVICES: Final = b"\x3a\x01*"
"""A ServerReflectionRequest that asks for all services."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The guest's server, and its means."""

    kind: str
    target: str
    """HOST:PORT."""
    token: str = field(repr=False)


class Guest:
    """The guest's tools: calls, streams, and a count of its actions."""

    def __init__(self, where: Target) -> None:
        self.where: Final = where
        self.match = ""
        """A running match of others, as the guest learns of it."""
        self.done: Final = Done()
        self.metadata: Final = bearer(where.token)

    def did(self, what: str = "noise", count: int = 1) -> None:
        """Counts actions."""
        self.done.answered[what] += count

    def channel(self, **options: Any) -> Any:
        """Its own connection. Typed as Any: gRPC's types know no calls with bytes."""
        return aio.insecure_channel(self.where.target, options=OPTIONS, **options)

    @contextlib.asynccontextmanager
    async def stream(self, channel: Any = None, **wishes: Any) -> AsyncIterator[Any]:
        """A new stream, greeted and welcomed, unless the wishes say `greets=False`."""
        greets = wishes.pop("greets", True)
        async with contextlib.AsyncExitStack() as stack:
            if channel is None:
                channel = await stack.enter_async_context(self.channel())
            call = channel.stream_stream(PLAY)(metadata=self.metadata, wait_for_ready=True)
            stack.callback(call.cancel)
            if greets:
                await call.write(hello(**{"evict": True, "matches_max": MATCHES, **wishes}))
                first = await call.read()
                if first is aio.EOF:
                    raise asyncio.InvalidStateError
                call.welcome = referee_pb2.PlayResponse.FromString(first).welcome
            yield call


def request(match: str = "", **said: Any) -> bytes:
    """A PlayRequest."""
    return referee_pb2.PlayRequest(match=match, **said).SerializeToString()


async def repeat(guest: Guest, said: Iterable[bytes]) -> None:
    """Sends the same request repeatedly; reads the responses and throws them away."""
    said = tuple(said)
    while True:
        with contextlib.suppress(*REFUSED):
            async with guest.stream() as call:
                reading = asyncio.ensure_future(read_on(call))
                try:
                    while not reading.done():
                        for each in said:
                            await call.write(each)
                            guest.did()
                finally:
                    reading.cancel()
        await asyncio.sleep(PAUSE_S)


async def responses(call: Any) -> AsyncIterator[bytes]:
    """The responses on a stream that was read before, which gRPC's own iterator would not continue."""
    while (data := await call.read()) is not aio.EOF:
        yield data


async def read_on(call: Any) -> None:
    """Reads to the end, and answers pings."""
    with contextlib.suppress(*REFUSED):
        async for data in responses(call):
            if len(data) < PING_BYTES_MAX and (pong := answer_to(referee_pb2.PlayResponse.FromString(data))) is not None:
                await call.write(pong)


async def loops(guest: Guest, once: Callable[[Any], Awaitable[None]], at_once: int = 8, channels: int = 2) -> None:
    """Repeats an action, several at once, over several connections."""

    async def some(channel: Any) -> None:
        while True:
            with contextlib.suppress(*REFUSED):
                await once(channel)
            guest.did()
            await asyncio.sleep(0)

    async with contextlib.AsyncExitStack() as stack:
        made = [await stack.enter_async_context(guest.channel()) for _ in range(channels)]
        await asyncio.gather(*(some(channel) for channel in made for _ in range(at_once // channels)))
