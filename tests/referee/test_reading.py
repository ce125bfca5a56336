"""How a stream is read: only as fast as it is handled, later if the client makes too much work, and without losing a message.

Neither a read nor a write is ever cancelled.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from grpc import aio
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.rpc.accounts import Account
from mergemaker_referee.rpc.calls import READERS, read_apart
from mergemaker_referee.rpc.crossing import Crossing, Lane
from mergemaker_referee.rpc.stamps import Stamps
from mergemaker_referee.rpc.streams import FLOOD_WINDOW_S, LOOK_AGAIN_S, Stream

MS = 1_000_000
STEPS = 50
OVER = Closing(CloseCode.OK, "over", "the match is over")


class Loop(asyncio.SelectorEventLoop):
    """A loop whose time advances when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1_000.0

    def time(self) -> float:
        return self.now_s

    def now_ns(self) -> int:
        return int(self.now_s * 1e9)


class Client:
    """The context of a call whose client always has another request, until it stops."""

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.read_requests = 0
        self.stops_at: int | None = None
        self.pending: asyncio.Future[Any] | None = None
        """A read that still waits for data."""
        self.takes = True
        """Whether it takes responses."""
        self.writing: asyncio.Future[None] | None = None
        """A write that still waits for the client."""

    def peer(self) -> str:
        return "a test"

    async def read(self) -> Any:
        await asyncio.sleep(0)
        if self.read_requests == self.stops_at:
            self.pending = asyncio.get_running_loop().create_future()
            return await self.pending
        self.read_requests += 1
        return self.request

    async def write(self, _: bytes) -> None:
        await asyncio.sleep(0)
        if not self.takes:
            self.writing = asyncio.get_running_loop().create_future()
            await self.writing

    async def abort(self, *_: object) -> None:
        await asyncio.sleep(0)


class Referee:
    """The crossing, and a referee that handles its messages on command."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self.dealt = 0

    def in_lane(self, _: Lane, call: Callable[..., None], *arguments: Any) -> None:
        self.waiting.append((call, arguments))

    def to_referee(self, call: Callable[..., None], *arguments: Any) -> None:
        call(*arguments)

    to_referee_soon = to_referee

    def to_transport(self, call: Callable[..., None], *arguments: Any) -> None:
        asyncio.get_running_loop().call_soon(call, *arguments)

    def deal(self, count: int) -> None:
        for _ in range(count):
            call, arguments = self.waiting.popleft()
            call(*arguments)

    def received(self, _request: bytes, _at_ns: int) -> None:
        self.dealt += 1

    def gone(self, _why: str) -> None:
        """There was nothing to lose."""


class Bench:
    """A stream, a talking client, and a referee that handles messages on command."""

    def __init__(self, loop: Loop, limits: Limits, request: bytes = b"request") -> None:
        self.loop = loop
        self.client = Client(request)
        self.referee = Referee()
        self.account = Account(limits, loop.now_ns, "a bot")
        stamps = Stamps(loop.now_ns)
        self.stream = Stream(cast("Any", self.client), cast("Crossing", self.referee), stamps, limits, self.account)
        self.serving = loop.create_task(self.stream.serve(lambda _: self.referee, reads=True))

    async def settle(self) -> None:
        """Lets the loop run until only time can change anything."""
        for _ in range(STEPS):
            await asyncio.sleep(0)

    async def pass_time(self, seconds: float) -> None:
        self.loop.now_s += seconds
        await self.settle()


def on_a_loop(test: Callable[[Loop], Awaitable[None]]) -> None:
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(_run(test))


async def _run(test: Callable[[Loop], Awaitable[None]]) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    await test(loop)


def test_no_more_is_read_than_the_referee_has_dealt_with() -> None:
    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits(waiting_requests_max=5))
        await bench.settle()
        assert bench.client.read_requests == 5
        bench.referee.deal(1)  # news that the stream is open
        bench.referee.deal(2)
        await bench.settle()
        assert bench.client.read_requests == 7
        bench.referee.deal(5)
        await bench.settle()
        assert (bench.client.read_requests, bench.referee.dealt) == (12, 7)

    on_a_loop(test)


def test_bytes_that_wait_count_as_requests_do() -> None:
    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits(waiting_bytes_max=4_096), b"x" * 1_500)
        await bench.settle()
        assert bench.client.read_requests == 3, "two and a half of them fit"
        bench.referee.deal(2)
        await bench.settle()
        assert bench.client.read_requests == 4

    on_a_loop(test)


def test_a_client_that_makes_too_much_work_is_read_when_it_has_time_again() -> None:
    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits(unasked_ms_per_s=50, unasked_ms_max=10))
        bench.client.stops_at = 2
        await bench.settle()
        bench.stream.charge(20 * MS)
        bench.client.stops_at = None
        assert bench.client.pending is not None
        bench.client.pending.set_result(b"one more")
        await bench.settle()
        assert bench.client.read_requests == 2, "that one was on its way; nothing is read after it"
        await bench.pass_time(0.19)
        assert bench.client.read_requests == 2
        await bench.pass_time(0.02)
        assert bench.client.read_requests > 2, "10 ms too much are back after 200 ms"

    on_a_loop(test)


def test_requests_have_a_rate() -> None:
    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits(requests_per_s_max=40, waiting_requests_max=1_000))
        await bench.settle()
        assert bench.client.read_requests == 5
        for window in (2, 3):
            await bench.pass_time(FLOOD_WINDOW_S + 0.01)
            assert bench.client.read_requests == 5 * window

    on_a_loop(test)


def test_a_reader_that_waits_ends_with_its_stream() -> None:
    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits(waiting_requests_max=2))
        await bench.settle()
        bench.serving.cancel()
        await bench.settle()
        assert all(task.done() for task in bench.stream.tasks)
        assert (len(bench.stream.tasks), bench.client.read_requests) == (2, 2)

    on_a_loop(test)


@pytest.mark.parametrize("end", ["the client is gone", "the referee ends it"])
def test_a_read_that_is_pending_is_never_cancelled(end: str) -> None:
    """If a read is cancelled, gRPC never frees a message that comes for it."""

    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits())
        bench.client.stops_at = 1
        await bench.settle()
        pending = bench.client.pending
        assert pending is not None
        if end == "the client is gone":
            bench.serving.cancel()
        else:
            bench.stream.end_from_transport(OVER)
        await bench.settle()
        assert bench.serving.done()
        assert not pending.cancelled()
        reader, writer = bench.stream.tasks
        assert (reader.done(), writer.done()) == (False, True), "the reader waits until gRPC says that the call is over"
        pending.set_result(aio.EOF)
        await bench.settle()
        assert reader.done()

    on_a_loop(test)


@pytest.mark.parametrize("end", ["the client is gone", "the stream is cut off"])
def test_a_write_that_is_under_way_is_never_cancelled(end: str) -> None:
    """If a write is cancelled, gRPC never frees its message."""

    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits(write_ms_max=1_000))
        bench.client.takes = False
        await bench.settle()
        bench.stream.send(b"a response")
        bench.stream.send(b"one more")
        await bench.settle()
        writing = bench.client.writing
        assert writing is not None
        if end == "the client is gone":
            bench.serving.cancel()
        else:
            bench.stream.cut_if_stuck(loop.now_ns() + 2_000 * MS)
        await bench.settle()
        assert bench.serving.done()
        _, writer = bench.stream.tasks
        assert (writing.cancelled(), writer.done()) == (False, False), "it waits until gRPC says that the call is over"
        writing.set_exception(aio.InternalError("the call is over"))
        await bench.settle()
        assert isinstance(writer.exception(), aio.InternalError)
        assert bench.client.writing is writing, "nothing more is written"

    on_a_loop(test)


def test_a_writer_that_has_nothing_to_write_ends_with_its_stream() -> None:
    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits())
        bench.client.stops_at = 0
        await bench.settle()
        bench.serving.cancel()
        await bench.settle()
        reader, writer = bench.stream.tasks
        assert (reader.done(), writer.done()) == (False, True)

    on_a_loop(test)


def test_a_reader_looks_again_though_nobody_wakes_it() -> None:
    async def test(loop: Loop) -> None:
        bench = Bench(loop, Limits(waiting_requests_max=2))
        await bench.settle()
        bench.stream._dealt_requests += 1
        await bench.settle()
        assert bench.client.read_requests == 2
        await bench.pass_time(LOOK_AGAIN_S)
        assert bench.client.read_requests == 3

    on_a_loop(test)


@pytest.mark.parametrize("end", ["its time is up", "its client goes"])
def test_a_first_request_that_does_not_come_leaves_its_read_alone(end: str) -> None:
    async def test(loop: Loop) -> None:
        client = Client(b"")
        client.stops_at = 0
        waiting = loop.create_task(read_apart(cast("Any", client), 5_000, loop.now_ns))
        for _ in range(STEPS):
            await asyncio.sleep(0)
        assert client.pending is not None
        if end == "its client goes":
            waiting.cancel()
        else:
            loop.now_s += 6.0
        for _ in range(STEPS):
            await asyncio.sleep(0)
        assert waiting.done()
        assert waiting.cancelled() or isinstance(waiting.exception(), TimeoutError)
        assert not client.pending.cancelled()
        client.pending.set_exception(aio.InternalError("the call is over"))
        for _ in range(STEPS):
            await asyncio.sleep(0)
        assert not READERS, "nothing is kept of it"

    on_a_loop(test)


def test_what_comes_in_time_is_what_was_read() -> None:
    async def test(loop: Loop) -> None:
        assert await read_apart(cast("Any", Client(b"a request")), 5_000, loop.now_ns) == b"a request"
        assert loop.now_s == 1_000.0

    on_a_loop(test)
