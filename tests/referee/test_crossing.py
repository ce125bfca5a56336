"""Calls between the transport's thread and the referee's: in their order, none lost, and none behind the end."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio
from mergemaker_referee.rpc.crossing import BARRIER_ROUNDS, Crossing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

LIMIT_S = 30.0
MANY = 2_000


@contextmanager
def transport(crossing: Crossing) -> Iterator[asyncio.AbstractEventLoop]:
    """Another thread with a loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    crossing.open(loop)
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(LIMIT_S)
        loop.close()


def crossed(test: Callable[[Crossing, list[BaseException]], Awaitable[None]]) -> None:
    async def main() -> None:
        faults: list[BaseException] = []
        crossing = Crossing(faults.append)
        crossing.start()
        with trio.fail_after(LIMIT_S):
            await test(crossing, faults)
        crossing.close()

    trio.run(main)


def test_calls_of_both_threads_come_in_their_order() -> None:
    there: list[int] = []
    back: list[int] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        done = trio.Event()

        def take(number: int) -> None:
            there.append(number)
            crossing.to_referee(return_, number)

        def return_(number: int) -> None:
            back.append(number)
            if number == MANY - 1:
                done.set()

        with transport(crossing):
            for number in range(MANY):
                crossing.to_transport(take, number)
                if number % 100 == 0:
                    await trio.lowlevel.checkpoint()
            await done.wait()

    crossed(test)
    assert there == back == list(range(MANY))


def test_what_a_call_raises_is_told_and_the_next_ones_are_made() -> None:
    async def test(crossing: Crossing, faults: list[BaseException]) -> None:
        done = trio.Event()

        def fail() -> None:
            raise ValueError("broken")

        with transport(crossing) as loop:
            loop.call_soon_threadsafe(crossing.to_referee, fail)
            loop.call_soon_threadsafe(crossing.to_referee, done.set)
            await done.wait()
        assert [str(fault) for fault in faults] == ["broken"]

    crossed(test)


def test_what_came_before_the_end_is_made_and_nothing_behind_it() -> None:
    made: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        crossing.to_referee(made.append, "before")
        crossing.close()
        assert made == ["before"]
        crossing.to_referee(made.append, "behind")
        for _round in range(10):
            await trio.lowlevel.cancel_shielded_checkpoint()

    crossed(test)
    assert made == ["before"]


def test_calls_are_made_while_all_else_is_being_cancelled() -> None:
    made: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        done = trio.Event()

        def make() -> None:
            made.append("made")
            done.set()

        with trio.CancelScope() as scope:
            scope.cancel()
            try:
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True), transport(crossing) as loop:
                    loop.call_soon_threadsafe(crossing.to_referee, make)
                    await done.wait()

    crossed(test)
    assert made == ["made"]


def test_a_barrier_comes_out_behind_all_that_the_transport_had_and_at_once_before_there_is_one() -> None:
    order: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        crossing.barrier(lambda: order.append("before the transport is open"))
        assert order == ["before the transport is open"]
        passed = trio.Event()

        def find(rounds: int) -> None:
            # What lies in a socket is found in some rounds of the loop.
            if rounds:
                asyncio.get_running_loop().call_soon(find, rounds - 1)
            else:
                crossing.to_referee(order.append, "what came")

        def pass_() -> None:
            order.append("the barrier")
            passed.set()

        with transport(crossing):
            crossing.to_transport(find, BARRIER_ROUNDS - 1)
            crossing.barrier(pass_)
            await passed.wait()

    crossed(test)
    assert order[1:] == ["what came", "the barrier"]
