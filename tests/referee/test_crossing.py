"""Calls between the transport's thread and the referee's: in order, without losses, and none after the end."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import cast
from unittest import mock

import trio
import trio.testing
from mergemaker_referee.rpc.crossing import BARRIER_ROUNDS, SLICE_NS, Crossing, Lane

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
            # A loop finds data in a socket after some rounds.
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


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await trio.lowlevel.checkpoint()


def test_lanes_take_turns_and_each_keeps_its_order() -> None:
    order: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        lanes = {name: Lane() for name in "abc"}
        for name, count in (("a", 4), ("b", 1), ("c", 2)):
            for number in range(count):
                crossing.in_lane(lanes[name], order.append, f"{name}{number}")
        crossing.to_referee(order.append, "a call of no lane")
        await turns()

    crossed(test)
    assert order == ["a0", "b0", "c0", "a call of no lane", "a1", "c1", "a2", "a3"]


def test_what_is_said_meanwhile_waits_for_its_turn() -> None:
    order: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        much, little = Lane(), Lane()

        def talk(number: int) -> None:
            order.append(f"much {number}")
            if number == 1:
                crossing.in_lane(little, order.append, "little")

        for number in range(4):
            crossing.in_lane(much, talk, number)
        await turns()

    crossed(test)
    assert order == ["much 0", "much 1", "little", "much 2", "much 3"]


def test_a_lane_that_two_threads_queue_at_once_loses_nothing() -> None:
    made: list[int] = []

    async def test(crossing: Crossing, faults: list[BaseException]) -> None:
        lane = Lane()
        crossing.in_lane(lane, made.append, 0)
        crossing._inward.append(lane)  # as if both had found it not queued
        crossing.in_lane(lane, made.append, 1)
        await turns()
        assert not faults

    crossed(test)
    assert made == [0, 1]


def test_other_tasks_have_their_turns_while_calls_are_made() -> None:
    order: list[str] = []

    async def main() -> None:
        now = 0

        def slow(number: int) -> None:
            nonlocal now
            now += SLICE_NS * 2 // 3
            order.append(str(number))

        async def other() -> None:
            while "5" not in order:
                order.append("other")
                await trio.lowlevel.checkpoint()

        crossing = Crossing(order.append, lambda: now)  # type: ignore[arg-type]  # a fault would show in the list
        crossing.start()
        for number in range(6):
            crossing.to_referee(slow, number)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
        crossing.close()

    trio.run(main)
    calls = [each for each in order if each != "other"]
    assert calls == sorted(calls)
    assert "other" in order[order.index("0") : order.index("5")], order
    runs = [run.split() for run in " ".join(order).split("other")]
    assert max(map(len, runs)) <= 2 * 2, f"two calls fit into a slice, and trio may take two tasks in either order: {order}"


def test_what_runs_on_the_transports_loop_has_its_turns_too() -> None:
    order: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        done = trio.Event()
        now = 0

        def slow(number: int) -> None:
            nonlocal now
            now += SLICE_NS * 2 // 3
            order.append(str(number))
            if number == 0:
                asyncio.get_running_loop().call_soon(order.append, "other")
            if number == 5:
                crossing.to_referee(done.set)

        crossing._now_ns = lambda: now  # type: ignore[misc]
        with transport(crossing):
            for number in range(6):
                crossing.to_transport(slow, number)
            await done.wait()

    crossed(test)
    assert order.index("other") < order.index("5"), order


def test_a_barrier_of_a_lane_comes_after_what_its_client_said_and_waits_for_nobody_else() -> None:
    order: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        passed, said = trio.Event(), threading.Event()
        mine, other = Lane(), Lane()

        def pass_() -> None:
            order.append("the barrier")
            passed.set()

        def say() -> None:
            for number in range(3):
                crossing.in_lane(other, order.append, f"other {number}")
            crossing.in_lane(mine, order.append, "mine")
            crossing._pass_barrier(pass_, mine, 0)
            said.set()

        with transport(crossing):
            crossing.to_transport(say)
            # Meanwhile, the referee's thread stands still, so it finds all of it at once.
            assert said.wait(LIMIT_S)
            await passed.wait()

    crossed(test)
    assert order.index("mine") < order.index("the barrier") < order.index("other 2"), order


def test_a_barrier_of_all_comes_after_what_every_client_had_said() -> None:
    order: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        passed = trio.Event()
        lanes = [Lane(), Lane()]

        def pass_() -> None:
            order.append("the barrier")
            passed.set()

        def say() -> None:
            for number in range(3):
                crossing.in_lane(lanes[0], order.append, f"one {number}")
            crossing.in_lane(lanes[1], order.append, "two")
            crossing._pass_barrier(pass_, None, 0)

        with transport(crossing):
            crossing.to_transport(say)
            await passed.wait()

    crossed(test)
    assert order[-1] == "the barrier", order
    assert len(order) == 5


def test_what_can_wait_is_made_with_the_next_call_or_a_moment_later() -> None:
    order: list[str] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        alone = trio.Event()
        with transport(crossing) as loop:
            loop.call_soon_threadsafe(crossing.to_referee_soon, alone.set)
            await alone.wait()
            together = trio.Event()

            def say() -> None:
                for number in range(3):
                    crossing.to_referee_soon(order.append, f"soon {number}")
                crossing.to_referee(order.append, "now")
                crossing.to_referee(together.set)

            crossing.to_transport(say)
            await together.wait()

    crossed(test)
    assert order == ["soon 0", "soon 1", "soon 2", "now"]


def test_what_can_wait_wakes_nobody_by_itself_and_one_timer_does_for_all_of_it() -> None:
    timers: list[Callable[[], None]] = []
    made: list[int] = []
    crossing: Crossing

    async def main() -> None:
        nonlocal crossing
        crossing = Crossing(lambda _: made.append(-1))
        crossing.start()
        await trio.testing.wait_all_tasks_blocked()
        for number in range(3):
            crossing.to_referee_soon(made.append, number)
        await trio.testing.wait_all_tasks_blocked()
        assert (made, len(timers)) == ([], 1)
        timers.pop()()
        await trio.testing.wait_all_tasks_blocked()
        assert made == [0, 1, 2]
        crossing.to_referee_soon(made.append, 3)
        crossing.to_referee(made.append, 4)
        await trio.testing.wait_all_tasks_blocked()
        assert made == [0, 1, 2, 3, 4]
        timers.pop()()
        assert not crossing._inward_woken, "there is nothing left to wake anybody for"
        crossing.close()

    loop = SimpleNamespace(call_later=lambda _, call: timers.append(call))
    with mock.patch("asyncio.get_running_loop", return_value=loop):
        trio.run(main)


def test_nobody_is_woken_while_awake() -> None:
    sent: list[bytes] = []
    made: list[int] = []

    async def test(crossing: Crossing, _: list[BaseException]) -> None:
        waking = crossing._waking
        assert waking is not None

        def send(data: bytes) -> int:
            sent.append(data)
            return waking.send(data)

        crossing._waking = cast("socket.socket", SimpleNamespace(send=send, close=waking.close))

        def more(number: int) -> None:
            made.append(number)
            if number < 9:
                crossing.to_referee(more, number + 1)

        for _round in range(2):
            crossing.to_referee(more, 0)
            await trio.testing.wait_all_tasks_blocked()

    crossed(test)
    assert made == [*range(10)] * 2
    assert len(sent) == 2
