"""The process with a benchmark's bots: the same for every server, on `grpc.aio` alone.

python -m mergemaker_bench.referee_client PLAN, which is a `ClientPlan` as JSON.
"""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from grpc import aio
from mergemaker.v1 import referee_pb2

from mergemaker_bench.referee_bare import SERVICE, run_fast
from mergemaker_bench.referee_bot import SEATS, answer_to, bot_token, hello, pong, take_seat
from mergemaker_bench.referee_child import mind_parent

METHOD: Final = f"/{SERVICE}/Play"
# Channels with equal options share one connection, unless each has its own pool.
OPTIONS: Final = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPlan:
    """Which bots connect, and how."""

    port: int
    tables: int
    first_table: int = 0
    held: bool = True
    plays: bool = True
    """Whether the bots take seats; otherwise they only connect."""
    answers: bool = True
    """Whether they answer at their seats."""
    think_ms: int = 0
    """How long they think about each answer."""
    connections: int = 4
    spread_s: float = 0.0
    """The time over which tables connect, one after the other; 0: all at once."""


class Bots:
    """All bots of this process."""

    def __init__(self, plan: ClientPlan) -> None:
        self._plan: Final = plan
        self._hello: Final = hello(held=plan.held)
        self._answered_ns: Final[dict[int, int | None]] = {}
        """When a table's last decision was answered."""
        self._round_trips: list[int] = []
        self._began_ns = 0
        self._decisions = 0
        self._welcomed = 0
        self._lost = 0
        self._refused = 0
        self._last_welcome_ns = 0

    async def run(self) -> None:
        """Opens all streams, and plays."""
        plan = self._plan
        async with contextlib.AsyncExitStack() as stack:
            plays: list[Any] = []
            for _ in range(plan.connections):
                channel = await stack.enter_async_context(aio.insecure_channel(f"127.0.0.1:{plan.port}", options=OPTIONS))
                plays.append(channel.stream_stream(METHOD))
            mind_parent({}, self.report)
            self._began_ns = time.monotonic_ns()
            tables = range(plan.first_table, plan.first_table + plan.tables)
            places = [(table, seat) for table in tables for seat in range(SEATS)]
            await asyncio.gather(*(self._stream(plays[number % len(plays)], *place) for number, place in enumerate(places)))
            await asyncio.Event().wait()  # for the parent, which must see the result

    async def _stream(self, play: Any, table: int, seat: int) -> None:  # noqa: ANN401 - grpc's own callable
        await asyncio.sleep(self._plan.spread_s * (table - self._plan.first_table) / self._plan.tables)
        with contextlib.suppress(aio.AioRpcError):  # it should not have ended, in whatever way
            await self._play(play(metadata=(("authorization", f"Bearer {bot_token(table, seat)}"),)), table)
        self._lost += 1

    async def _play(self, call: Any, table: int) -> None:  # noqa: ANN401 - grpc's own call
        await call.write(self._hello)
        while (data := await call.read()) is not aio.EOF:
            response = referee_pb2.PlayResponse.FromString(data)
            if response.HasField("decision"):
                now = time.monotonic_ns()
                answered = self._answered_ns.get(table)
                if answered is not None:
                    self._round_trips.append(now - answered)
                self._decisions += 1
                if self._plan.think_ms:
                    await asyncio.sleep(self._plan.think_ms / 1_000)
                self._answered_ns[table] = time.monotonic_ns()
                if self._plan.answers:
                    await call.write(answer_to(response))
            if not response.HasField("decision") or not self._plan.answers:
                await self._do_else(call, response, table)

    async def _do_else(self, call: Any, response: referee_pb2.PlayResponse, table: int) -> None:  # noqa: ANN401 - as above
        if response.HasField("welcome"):
            self._welcomed += 1
            self._last_welcome_ns = time.monotonic_ns()
        if response.HasField("match_ended"):
            self._answered_ns[table] = None  # the making of the next match does not count as a round trip
        if (response.HasField("welcome") or response.HasField("match_ended")) and self._plan.plays:
            await call.write(take_seat())
        if response.HasField("ping"):
            await call.write(pong(response.ping))
        if response.HasField("answer_refused") or response.HasField("default_taken"):
            self._refused += 1

    def report(self) -> dict[str, object]:
        """What happened so far; the round trips are those since the last report."""
        taken, self._round_trips = self._round_trips, []
        taken.sort()
        return {
            "decisions": self._decisions,
            "welcomed": self._welcomed,
            "lost": self._lost,
            "refused": self._refused,
            "welcomed_ms": max(0, self._last_welcome_ns - self._began_ns) / 1e6,
            "p50_us": part_of(taken, 0.50),
            "p99_us": part_of(taken, 0.99),
        }


def part_of(times_ns: Sequence[int], part: float) -> float | None:
    """The quantile of sorted times for this part, in microseconds."""
    return times_ns[min(len(times_ns) - 1, int(part * len(times_ns)))] / 1_000 if times_ns else None


def main() -> None:
    """Plays what the plan says until the parent ends this process."""
    run_fast(Bots(ClientPlan(**json.loads(sys.argv[1]))).run())


if __name__ == "__main__":
    main()
