"""One timer for all matches, and how a match waits with it for its turn: all under a virtual clock."""

from collections.abc import Awaitable, Callable
from typing import Final

import pytest
import trio
import trio.testing
from mergemaker_referee.matches.alarm_clock import NEVER_S, Alarm, AlarmClock
from mergemaker_referee.matches.inbox import SOON_S, Inbox
from mergemaker_referee.matches.turns import Turns
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


class Waiting:
    """A match that waits: when it had turns, and how much was there."""

    def __init__(self) -> None:
        self.inbox: Final = Inbox(AlarmClock(), Turns(), self._turn)
        self.turns: Final[list[tuple[float, int]]] = []

    def _turn(self) -> None:
        self.turns.append((trio.current_time(), len(self.inbox.came)))


def test_a_waiting_match_has_a_turn_when_something_comes_or_at_its_time() -> None:
    match = Waiting()

    async def test() -> None:
        match.inbox.wait(5.0)
        await trio.sleep(6)
        match.inbox.wait(100.0)
        match.inbox.post(COMES)
        await trio.sleep(1)
        match.inbox.wait(100.0)  # it has already arrived
        await trio.sleep(1)
        assert match.inbox.came.popleft() is COMES
        match.inbox.wait(NEVER_S)
        await trio.sleep(1)
        match.inbox.wake()
        match.inbox.wake()  # it has asked for its turn
        await trio.sleep(1)

    at_once(test)
    assert [when_s for when_s, _ in match.turns] == pytest.approx([5.0, 6.0, 7.0, 9.0])
    assert [came for _, came in match.turns] == [0, 1, 1, 0]


def test_what_can_wait_waits_for_a_moment_or_for_what_comes_next() -> None:
    match = Waiting()

    async def test() -> None:
        match.inbox.wait(100.0)
        await trio.sleep(1)
        match.inbox.post_soon(COMES)
        await trio.sleep(1)
        match.inbox.came.popleft()
        match.inbox.wait(100.0)
        await trio.sleep(1)
        match.inbox.post_soon(COMES)
        match.inbox.post(COMES)
        await trio.sleep(1)

    at_once(test)
    (first_s, first), (second_s, second) = match.turns
    assert (first, second) == (1, 2)
    assert 1 < first_s <= 1 + SOON_S
    assert second_s == pytest.approx(3)


def test_who_does_not_wait_has_no_turn() -> None:
    match = Waiting()

    async def test() -> None:
        match.inbox.post(COMES)
        match.inbox.post_soon(COMES)
        match.inbox.wake()
        await trio.sleep(5)

    at_once(test)
    assert (match.turns, len(match.inbox.came)) == ([], 2)
