"""Lines on their way to the disk: several at once, past a disk that delays one, and what happens to waiting tasks."""

import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import trio
import trio.testing
from mergemaker_referee.records import journal_writer
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.journal_writer import HELD_UP_S, WRITERS_MAX, DiskStalled, ThreadedWriter

LIMIT_S = 30.0


def with_writer(test: Callable[[ThreadedWriter], Awaitable[None]]) -> None:
    async def main() -> None:
        writer = ThreadedWriter()
        with trio.fail_after(LIMIT_S):
            await test(writer)
        writer.close()

    trio.run(main)


def refuse() -> None:
    raise OSError("the disk is full")


def wait_for(event: threading.Event) -> None:
    assert event.wait(LIMIT_S)


def nothing() -> None:
    pass


def line(job: Callable[[], object]) -> Journal:
    """A journal that does this when it writes a line."""
    return cast("Journal", SimpleNamespace(append=lambda _: job()))


def test_lines_of_many_matches_are_all_written_in_their_order(tmp_path: Path) -> None:
    async def play(writer: ThreadedWriter, journal: Journal) -> None:
        for number in range(20):
            await writer.append(journal, b"%d\n" % number)

    async def test(writer: ThreadedWriter) -> None:
        async with trio.open_nursery() as nursery:
            for journal in journals:
                nursery.start_soon(play, writer, journal)

    journals = [Journal.create(tmp_path / f"{number}.jsonl") for number in range(30)]
    with_writer(test)
    for journal in journals:
        journal.close()
        assert journal.path.read_bytes() == b"".join(b"%d\n" % number for number in range(20))


def test_one_that_is_held_up_holds_up_nobody_else() -> None:
    free = threading.Event()

    async def test(writer: ThreadedWriter) -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(writer.run, partial(wait_for, free))
            await trio.testing.wait_all_tasks_blocked()
            done: list[int] = []
            for number in range(50):
                await writer.run(partial(done.append, number))
            assert done == list(range(50))
            assert len(writer._threads) <= WRITERS_MAX
            free.set()

    with_writer(test)


def test_what_came_with_one_that_is_held_up_is_not() -> None:
    free = threading.Event()

    async def test(writer: ThreadedWriter) -> None:
        done: list[int] = []
        async with trio.open_nursery() as nursery:
            for number in range(20):  # all of them gather before the first is handed over
                job = partial(wait_for, free) if number % 5 == 0 else partial(done.append, number)
                nursery.start_soon(writer.append, line(job), b"")
            while len(done) < 16:  # noqa: ASYNC110 - a thread does it, and tells only those who wait
                await trio.sleep(0.001)
            assert sorted(done) == [number for number in range(20) if number % 5], "only the held-up ones still wait"
            free.set()

    with_writer(test)


def test_what_gathers_goes_to_one_thread_as_long_as_the_disk_takes_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_writer, "STAND_ASIDE_S_MAX", LIMIT_S)  # however busy the machine is

    async def test(writer: ThreadedWriter) -> None:
        threads: set[int] = set()
        for _ in range(10):
            async with trio.open_nursery() as nursery:
                for _ in range(20):
                    nursery.start_soon(writer.append, line(lambda: threads.add(threading.get_ident())), b"")
        assert len(threads) == 1

    with_writer(test)


def test_the_referee_does_not_stand_aside_again_for_a_disk_that_was_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_writer, "STAND_ASIDE_S_MAX", 0.0)
    monkeypatch.setattr(journal_writer, "SLOW_S", LIMIT_S)
    stood: list[int] = []
    stand_aside = ThreadedWriter._stand_aside

    def count(writer: ThreadedWriter) -> None:
        stood.append(1)
        stand_aside(writer)

    monkeypatch.setattr(ThreadedWriter, "_stand_aside", count)
    free = threading.Event()

    async def test(writer: ThreadedWriter) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(writer.append, line(partial(wait_for, free)), b"")
            await trio.testing.wait_all_tasks_blocked()
            assert len(stood) == 1
            monkeypatch.setattr(journal_writer, "STAND_ASIDE_S_MAX", LIMIT_S)
            for _ in range(5):
                await writer.append(line(nothing), b"")
            assert len(stood) == 1
            free.set()

    with_writer(test)


def test_lines_do_not_wait_for_a_thread_that_does_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_writer, "STAND_ASIDE_S_MAX", LIMIT_S)
    free = threading.Event()

    async def test(writer: ThreadedWriter) -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(writer.run, partial(wait_for, free))
            await trio.testing.wait_all_tasks_blocked()
            done: list[int] = []
            for number in range(5):
                await writer.append(line(partial(done.append, number)), b"")
            assert done == list(range(5))
            free.set()

    with_writer(test)


def test_the_referee_stands_aside_for_no_lines_that_are_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse_to_stand(_: ThreadedWriter) -> None:
        raise AssertionError("a sync takes longer than anybody stands aside")

    monkeypatch.setattr(ThreadedWriter, "_stand_aside", refuse_to_stand)
    done: list[int] = []

    async def main() -> None:
        writer = ThreadedWriter(is_quick=False)
        with trio.fail_after(LIMIT_S):
            async with trio.open_nursery() as nursery:
                for number in range(20):
                    nursery.start_soon(writer.append, line(partial(done.append, number)), b"")
        writer.close()

    trio.run(main)
    assert sorted(done) == list(range(20))


def test_what_a_job_raises_is_raised_where_it_is_waited_for() -> None:
    async def test(writer: ThreadedWriter) -> None:
        with pytest.raises(OSError, match="the disk is full"):
            await writer.run(refuse)
        done: list[int] = []
        await writer.run(partial(done.append, 1))
        assert done == [1]

    with_writer(test)


def test_a_job_is_done_though_nobody_waits_for_it_any_more() -> None:
    free, done = threading.Event(), threading.Event()

    def job() -> None:
        free.wait(LIMIT_S)
        done.set()

    async def test(writer: ThreadedWriter) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(writer.run, job)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert not done.is_set()
        free.set()
        await writer.run(partial(wait_for, done))
        assert done.is_set()
        await trio.testing.wait_all_tasks_blocked()
        assert not writer._open

    with_writer(test)


def test_a_disk_is_not_given_up_for_the_time_that_the_process_stood_still() -> None:
    free, stalled = threading.Event(), []

    async def write(writer: ThreadedWriter) -> None:
        with pytest.raises(DiskStalled) as given_up:
            await writer.run(partial(wait_for, free))
        stalled.append(given_up.value)

    async def main() -> None:
        writer = ThreadedWriter(give_up_s=1.0)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(write, writer)
            await trio.testing.wait_all_tasks_blocked()
            clock.jump(3_600)  # it stood still for an hour
            for _ in range(19):
                await trio.testing.wait_all_tasks_blocked()
                assert not stalled
                clock.jump(HELD_UP_S)
            for _ in range(2):
                await trio.testing.wait_all_tasks_blocked()
                clock.jump(HELD_UP_S)
        assert len(stalled) == 1
        free.set()
        await stalled[0].outcome()
        writer.close()

    clock = trio.testing.MockClock()
    trio.run(main, clock=clock)


def test_threads_end_with_the_writer() -> None:
    before = threading.active_count()

    async def test(writer: ThreadedWriter) -> None:
        await writer.run(nothing)

    with_writer(test)
    for thread in threading.enumerate():
        if thread.name.startswith("journal writer"):
            thread.join(LIMIT_S)
    assert threading.active_count() <= before
