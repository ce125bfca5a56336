"""Matches that have work take turns in one task: in their order, together on their way to the disk, and beside everything else.

What a disk does to one match, it does to no other.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final

import pytest
import trio
import trio.testing
from mergemaker.v1 import referee_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.matches import turns as turns_module
from mergemaker_referee.matches.turns import OwnTask, Turns
from mergemaker_referee.records.journal import Journal, JournalError
from mergemaker_referee.records.journal_writer import OnSettled
from mergemaker_testkit.in_process import House, InlineWriter, Stream, a_house


def run(test: Callable[[], Awaitable[None]]) -> None:
    trio.run(test)


def test_turns_are_taken_in_the_order_in_which_they_were_asked_for_and_their_lines_go_together() -> None:
    done: list[object] = []
    turns: Final = Turns(lambda: done.append("flush"))

    async def test() -> None:
        for number in range(3):
            turns.ask(partial(done.append, number))
        await trio.testing.wait_all_tasks_blocked()
        turns.ask(partial(done.append, 3))
        await trio.testing.wait_all_tasks_blocked()

    run(test)
    assert done == [0, 1, 2, "flush", 3, "flush"]


def test_a_turn_that_is_asked_for_while_another_is_taken_comes_after_the_others() -> None:
    done: list[int] = []
    turns: Final = Turns()

    def again() -> None:
        done.append(0)
        turns.ask(partial(done.append, 2))

    async def test() -> None:
        turns.ask(again)
        turns.ask(partial(done.append, 1))
        await trio.testing.wait_all_tasks_blocked()

    run(test)
    assert done == [0, 1, 2]


def test_other_tasks_have_their_turns_while_matches_never_stop_to_ask_for_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "SLICE_NS", 0)
    count = 0
    turns: Final = Turns()

    def for_ever() -> None:
        nonlocal count
        count += 1
        turns.ask(for_ever)

    async def test() -> None:
        turns.ask(for_ever)
        for _ in range(10):
            await trio.lowlevel.checkpoint()

    run(test)
    assert 0 < count <= 20


def test_a_matchs_own_task_sleeps_while_it_has_turns_and_does_what_takes_time() -> None:
    done: list[str] = []

    async def slow() -> None:
        done.append("slow")

    async def play(task: OwnTask) -> None:
        while (slowly := await task.sleep()) is not None:
            assert not task.is_asleep, "no turn is taken meanwhile"
            await slowly()
        done.append("over")

    async def test() -> None:
        task = OwnTask()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, task)
            await trio.testing.wait_all_tasks_blocked()
            assert task.is_asleep
            task.wake(slow)
            task.wake()  # it is awake
            await trio.testing.wait_all_tasks_blocked()
            assert done == ["slow"]
            task.wake()

    run(test)
    assert done == ["slow", "over"]


def test_a_match_whose_task_is_gone_has_no_turns() -> None:
    async def test() -> None:
        task = OwnTask()
        with trio.move_on_after(0):
            await task.sleep()
        assert not task.is_asleep
        task.wake()

    run(test)


# --- a disk that holds one match up ---


class OneHeldUp(InlineWriter):
    """Keeps the lines of one match until the test lets them go."""

    def __init__(self) -> None:
        self.held: Path | None = None
        self.waiting: list[tuple[Journal, bytes, OnSettled]] = []
        self.flushes = 0

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:
        if journal.path == self.held:
            self.waiting.append((journal, lines, settled))
        else:
            super().begin(journal, lines, settled)

    def flush(self) -> None:
        self.flushes += 1

    def go_on(self) -> None:
        """Writes what was held up."""
        self.held = None
        (waiting,) = self.waiting
        self.waiting.clear()
        super().begin(*waiting)


async def _asked(house: House, tokens: tuple[str, ...]) -> tuple[list[Stream], Stream, referee_pb2.PlayRequest]:
    """Seats the bots of a match: all of them, the one that is asked, and its answer."""
    seated = [await house.seated(token) for token in tokens]
    for stream, said in seated:
        for response in (*said, *stream.responses()):
            if response.HasField("decision"):
                answer = referee_pb2.Answer(decision=response.decision.id, index=response.decision.default_index)
                return [each for each, _ in seated], stream, referee_pb2.PlayRequest(match=response.match, answer=answer)
    raise AssertionError("one of them is asked")


def _are_asked(bots: list[Stream]) -> bool:
    return any(response.HasField("decision") for bot in bots for response in bot.responses())


def test_a_line_that_is_held_up_holds_up_its_match_alone_and_nobody_learns_what_it_says(tmp_path: Path) -> None:
    async def test() -> None:
        writer = OneHeldUp()
        async with a_house(tmp_path, Settings(), writer=writer) as house:
            (slow, made), (_, other) = [await house.create() for _ in range(2)]
            bots, bot, answer = await _asked(house, made.tokens)
            writer.held, size = slow.record, slow.record.stat().st_size
            assert await bot.come(answer) == [], "nothing is told before it is written"
            assert (len(writer.waiting), slow.record.stat().st_size) == (1, size)
            assert await bot.come(answer) == [], "what comes meanwhile waits"
            assert (await house.play_to_the_end(other)).ending is not None, "the other match goes on to its end"
            writer.go_on()
            await trio.testing.wait_all_tasks_blocked()
            assert slow.record.stat().st_size > size
            assert _are_asked(bots)

    run(test)


def test_a_line_that_is_refused_is_tried_again_while_the_other_match_goes_on(tmp_path: Path) -> None:
    async def test() -> None:
        writer = OneHeldUp()
        limits = Limits(disk_retry_ms=10)
        async with a_house(tmp_path, Settings(limits=limits), writer=writer) as house:
            (slow, made), (_, other) = [await house.create() for _ in range(2)]
            bots, bot, answer = await _asked(house, made.tokens)
            writer.held = slow.record
            assert await bot.come(answer) == []
            (_, _, settled), *_ = writer.waiting
            settled(JournalError("no space"))
            await trio.testing.wait_all_tasks_blocked()
            assert slow.keeper.suspended_because == "no space"
            assert (await house.play_to_the_end(other)).ending is not None
            while slow.keeper.suspended_because is not None:  # noqa: ASYNC110 - it is tried again after a while
                await trio.sleep(0.001)
            await trio.testing.wait_all_tasks_blocked()
            assert _are_asked(bots)

    run(test)


def test_a_match_that_breaks_in_its_turn_is_void_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with a_house(tmp_path, Settings()) as house:
            (broken, made), (_, other) = [await house.create() for _ in range(2)]
            _, bot, answer = await _asked(house, made.tokens)

            def fail(*_: object) -> None:
                raise ZeroDivisionError

            monkeypatch.setattr(broken.table, "feed", fail)
            await bot.come(answer)
            assert broken.fault == "a fault of the referee: ZeroDivisionError"
            assert broken.is_over
            assert (await house.play_to_the_end(other)).ending is not None

    run(test)


def test_a_match_whose_telling_breaks_is_void_with_all_its_lines(tmp_path: Path) -> None:
    async def test() -> None:
        async with a_house(tmp_path, Settings()) as house:
            match, made = await house.create()
            _, bot, answer = await _asked(house, made.tokens)

            def fail(*_: object) -> None:
                raise ZeroDivisionError

            match.listeners.append(fail)
            await bot.come(answer)
            assert match.fault == "a fault of the referee: ZeroDivisionError"
            lines = match.record.read_bytes().splitlines()
            assert [b'"kind":"end"' in lines[-1], any(b'"decision"' in line for line in lines)] == [True, True]

    run(test)
