"""Servers without a referee, on `grpc.aio` alone: echoes, and tables whose script is played on asyncio."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias

import grpc
from grpc import aio

from mergemaker_bench.referee_bot import SEATS, place_of
from mergemaker_bench.referee_child import mind_parent
from mergemaker_bench.referee_script import Script

Context: TypeAlias = aio.ServicerContext[Any, Any]
Say: TypeAlias = Callable[[bytes], None]

SERVICE: Final = "mergemaker.v1.RefereeService"
_BEARER: Final = "Bearer "


class ScriptTable:
    """A table with a script."""

    def __init__(self, script: Script, number: int) -> None:
        self._steps: Final = script.from_step(number)
        self._seats: Final[dict[int, Say]] = {}

    def join(self, seat: int, say: Say) -> None:
        """Seats a bot; begins when all are there."""
        self._seats[seat] = say
        if len(self._seats) == SEATS:
            self.go_on()

    def go_on(self) -> None:
        """Handles an answer."""
        for seat, response in next(self._steps).responses:
            self._seats[seat](response)


class ScriptTables:
    """All tables of a script, made as their bots come."""

    def __init__(self, script: Script) -> None:
        self._script: Final = script
        self._tables: Final[dict[int, ScriptTable]] = {}

    def table(self, number: int) -> ScriptTable:
        """A table by its number."""
        if number not in self._tables:
            self._tables[number] = ScriptTable(self._script, number)
        return self._tables[number]


class Echo:
    """An echo: the first stream of each table gets the next step for each of its answers."""

    def __init__(self, script: Script) -> None:
        self._script: Final = script

    async def play(self, _: object, context: Context) -> None:
        """Serves one stream."""
        table, seat = _place(context)
        steps = self._script.from_step(table)
        while await context.read() is not aio.EOF:
            if seat:
                continue  # open like the others; as in a match, there is one question at a time
            for _, response in next(steps).responses:
                await context.write(response)


class AsyncioTables:
    """Tables of a script on one asyncio loop: what a referee without a thread of its own would be."""

    def __init__(self, script: Script) -> None:
        self._tables: Final = ScriptTables(script)

    async def play(self, _: object, context: Context) -> None:
        """Serves one stream."""
        number, seat = _place(context)
        await context.read()
        outbox = _Outbox()
        table = self._tables.table(number)
        reader = asyncio.ensure_future(self._read(context, table, outbox))
        table.join(seat, outbox.put)
        try:
            while (response := await outbox.next()) is not None:
                await context.write(response)
        finally:
            reader.cancel()

    async def _read(self, context: Context, table: ScriptTable, outbox: "_Outbox") -> None:
        while await context.read() is not aio.EOF:
            table.go_on()
        outbox.put(None)


class _Outbox:
    """The responses that wait to be written to one stream."""

    def __init__(self) -> None:
        self._waiting: Final[deque[bytes | None]] = deque()
        self._wake: asyncio.Future[None] | None = None

    def put(self, response: bytes | None) -> None:
        """Adds a response; None is the end."""
        self._waiting.append(response)
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def next(self) -> bytes | None:
        """The next one."""
        if not self._waiting:
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
            self._wake = None
        return self._waiting.popleft()


def _place(context: Context) -> tuple[int, int]:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            return place_of(value.removeprefix(_BEARER))
    raise AssertionError("every bot of the benchmark sends its token")


def run_fast(main: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine on uvloop if that is installed, as the referee's transport does."""
    try:
        import uvloop  # noqa: PLC0415 - an extra, and not for Windows
    except ImportError:
        asyncio.run(main)
    else:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(main)


async def serve_bare(server_of: Echo | AsyncioTables, script: Script) -> None:
    """Serves until the parent ends this process."""
    server = aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(server_of.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    mind_parent({"port": port, "messages": script.facts}, dict)
    await server.wait_for_termination()
