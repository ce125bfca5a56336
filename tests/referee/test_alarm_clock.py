"""One timer for all matches, and how a match's task waits with it: all under a virtual clock."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio
import trio.testing
from mergemaker_referee.matches.alarm_clock import NEVER_S, Alarm, AlarmClock
from mergemaker_referee.matches.inbox import SOON_S, Inbox
from mergemaker_table.inputs import RoundTrip

COMES = RoundTrip(0, 0)


def at_once(test: Callable[[], Awaitable[None]]) -> None:
    trio.run(test, clock=trio.testing.MockClock(autojump_threshold=0))


def alarm_of(clock: AlarmClock, rung: list[float]) -> Alarm:
    return Alarm(clock, lambda: rung.append(trio.current_time()))


def test_alarms_ring_in_time_each_once() -> None:
    rung: list[float] = []

    async def test() -> None:
        clock = AlarmClock()
        for due_s in (3.0, 1.0, 2.0, 2.0):
            alarm_of(clock, rung).set(due_s)
        await trio.sleep(10)
        alarm_of(clock, rung).set(trio.current_time())
        await trio.sleep(10)

    at_once(test)
    assert rung == pytest.approx([1.0, 2.0, 2.0, 3.0, 10.0])


def test_an_alarm_that_is_set_anew_rings_at_its_last_time_alone() -> None:
    rung: list[float] = []

    async def test() -> None:
        clock = AlarmClock()
        later, earlier, never = (alarm_of(clock, rung) for _ in range(3))
        later.set(1.0)
        later.set(5.0)
        earlier.set(6.0)
        earlier.set(2.0)
        never.set(1.0)
        never.set(NEVER_S)
        await trio.sleep(4)
        earlier.set(7.0)
        await trio.sleep(10)

    at_once(test)
    assert rung == pytest.approx([2.0, 5.0, 7.0])


def test_times_that_are_moved_for_ever_do_not_gather() -> None:
    rung: list[float] = []

    async def test() -> None:
        clock = AlarmClock()
        alarm = alarm_of(clock, rung)
        for _ in range(1_000):
            now = trio.current_time()
            alarm.set(now + 10)
            alarm.set(now + 0.01)
            alarm.set(now + 10)
            await trio.sleep(0.02)
            assert len(clock._queue) <= 3

    at_once(test)
    assert rung == []


def test_a_waiting_task_is_woken_by_what_comes_or_by_its_time() -> None:
    woken: list[tuple[float, int]] = []

    async def wait(inbox: Inbox, until_s: float) -> None:
        await inbox.wait(until_s)
        woken.append((trio.current_time(), len(inbox)))

    async def test() -> None:
        inbox = Inbox(AlarmClock())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, inbox, 5.0)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, inbox, 100.0)
            await trio.sleep(1)
            inbox.post(COMES)
        await wait(inbox, 100.0)  # it has already arrived
        assert inbox.take() is COMES
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, inbox, NEVER_S)
            await trio.sleep(1)
            inbox.wake()

    at_once(test)
    assert [when_s for when_s, _ in woken] == pytest.approx([5.0, 6.0, 6.0, 7.0])
    assert [came for _, came in woken] == [0, 1, 1, 0]


def test_what_can_wait_waits_for_a_moment_or_for_what_comes_next() -> None:
    woken: list[tuple[float, int]] = []

    async def wait(inbox: Inbox) -> None:
        await inbox.wait(100.0)
        woken.append((trio.current_time(), len(inbox)))

    async def test() -> None:
        inbox = Inbox(AlarmClock())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, inbox)
            await trio.sleep(1)
            inbox.post_soon(COMES)
        inbox.take()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, inbox)
            await trio.sleep(1)
            inbox.post_soon(COMES)
            inbox.post(COMES)

    at_once(test)
    (first_s, first), (second_s, second) = woken
    assert (first, second) == (1, 2)
    assert 1 < first_s <= 1 + SOON_S
    assert second_s == pytest.approx(first_s + 1)


def test_who_waits_no_more_is_not_woken() -> None:
    async def test() -> None:
        inbox = Inbox(AlarmClock())
        with trio.move_on_after(1):
            await inbox.wait(2.0)
        inbox.post(COMES)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(trio.sleep, 5))
        await inbox.wait()
        assert len(inbox) == 1

    at_once(test)
