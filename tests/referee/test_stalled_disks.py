"""A disk that neither obeys nor refuses: nobody waits for ever, and nothing is mixed up when it continues."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import preset
from mergemaker_referee.matches.making import MatchMaker, MatchWish, SeatWish
from mergemaker_referee.records.disks import SystemDisk
from mergemaker_referee.records.forgetting import FORGET_S_MAX, Leavings, SecretsOnDisk
from mergemaker_referee.records.journal import Committer
from mergemaker_referee.records.journal_writer import DiskStalled, ThreadedWriter
from mergemaker_referee.records.leftovers import NOTHING_LEFT, find_leftovers
from mergemaker_referee.records.past_matches import past_matches
from mergemaker_referee.records.secrets_file import SeatKey, secrets_path, write_secrets
from mergemaker_table.terms import CLOCKS, Terms

LIMIT_S = 30.0
MANY = 40
"""More than a few: this many matches may stand still on one stalled disk."""


def wait_for(event: threading.Event) -> None:
    assert event.wait(LIMIT_S)


def test_nobody_waits_longer_than_the_limit_and_others_go_on_however_many_stand() -> None:
    free = threading.Event()
    given_up: list[DiskStalled] = []

    async def stand(writer: ThreadedWriter) -> None:
        with pytest.raises(DiskStalled, match="has not answered") as stalled:
            await writer.run(partial(wait_for, free))
        given_up.append(stalled.value)

    async def main() -> None:
        writer = ThreadedWriter(give_up_s=0.5)
        with trio.fail_after(LIMIT_S):
            async with trio.open_nursery() as nursery:
                for _ in range(MANY):
                    nursery.start_soon(stand, writer)
                await trio.testing.wait_all_tasks_blocked()
                done: list[int] = []
                await writer.run(partial(done.append, 1))
                assert done == [1]
            free.set()
            while writer._open:  # noqa: ASYNC110 - abandoned jobs still finish, and report to nobody
                await trio.sleep(0.01)
        writer.close()

    trio.run(main)
    assert len(given_up) == MANY


@pytest.mark.parametrize("problem", [None, OSError("read-only")])
def test_what_comes_late_of_what_nobody_waits_for_can_be_waited_for(problem: OSError | None) -> None:
    free = threading.Event()

    def job() -> None:
        wait_for(free)
        if problem is not None:
            raise problem

    async def main() -> None:
        writer = ThreadedWriter(give_up_s=0.1)
        with trio.fail_after(LIMIT_S):
            with pytest.raises(DiskStalled) as stalled:
                await writer.run(job)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(hear, stalled.value)
                await trio.testing.wait_all_tasks_blocked()
                assert not heard
                free.set()
            await hear(stalled.value)  # again, after the result is known
        writer.close()

    async def hear(stalled: DiskStalled) -> None:
        found = None
        try:
            await stalled.outcome()
        except OSError as late:
            found = late
        heard.append(found)

    heard: list[OSError | None] = []
    trio.run(main)
    assert heard == [problem, problem]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    write_secrets(path, Secrets(bytes(32)))
    return path


class RefusingDisk(SystemDisk):
    """Removes nothing until a test allows it."""

    def __init__(self, before: Callable[[], None]) -> None:
        self.before = before

    def remove(self, path: Path) -> None:
        self.before()
        super().remove(path)


def test_secrets_that_a_disk_does_not_let_go_are_deleted_when_it_does(record: Path) -> None:
    def refuse() -> None:
        raise OSError("read-only")

    disk = RefusingDisk(refuse)
    secrets = SecretsOnDisk("a", record, disk)

    async def main() -> None:
        writer = ThreadedWriter()
        with trio.fail_after(LIMIT_S):
            await secrets.forget(writer)
            assert secrets.are_there
            disk.before = lambda: None
            await secrets.forget(writer)
        writer.close()

    trio.run(main)
    assert not secrets.are_there
    assert not secrets_path(record).exists()


class _NoSync:
    """Makes nothing durable after the first few syncs."""

    def __init__(self, good: int = 0) -> None:
        self._good = good

    def commit(self, descriptor: int) -> Future[None]:  # noqa: ARG002 - any descriptor
        future: Future[None] = Future()
        self._good -= 1
        if self._good < 0:
            future.set_exception(OSError("no sync"))
        else:
            future.set_result(None)
        return future


def test_with_a_committer_secrets_are_gone_when_that_is_durable(record: Path) -> None:
    synced: list[int] = []

    def sync(descriptor: int) -> None:
        assert not secrets_path(record).exists(), "it was removed before"
        synced.append(descriptor)

    committer = Committer(sync)
    secrets, unsafe = SecretsOnDisk("a", record, SystemDisk(), committer), SecretsOnDisk("a", record, SystemDisk(), _NoSync())

    async def main() -> None:
        writer = ThreadedWriter()
        with trio.fail_after(LIMIT_S):
            await unsafe.forget(writer)
            assert (unsafe.are_removed, unsafe.are_there) == (True, True)
            await secrets.forget(writer)
        writer.close()

    trio.run(main)
    committer.close()
    assert not secrets.are_there
    assert len(synced) == (os.name != "nt")


class FailingDisk(SystemDisk):
    """Takes no records and removes nothing, while it is broken."""

    def __init__(self, broken_at: str) -> None:
        self.broken_at = broken_at

    def create(self, path: Path, mode: int) -> int:
        if self.broken_at == "create" and path.suffix == ".jsonl":
            raise OSError("read-only")
        return super().create(path, mode)

    def write(self, descriptor: int, data: bytes) -> int:
        if self.broken_at == "write":
            raise OSError("full")
        return super().write(descriptor, data)

    def remove(self, path: Path) -> None:
        if self.broken_at:
            raise OSError("read-only")
        super().remove(path)


@pytest.mark.parametrize("broken_at", ["create", "write"])
def test_of_a_match_that_could_not_be_made_nothing_is_left_when_the_disk_lets_it_go(tmp_path: Path, broken_at: str) -> None:
    disk = FailingDisk(broken_at)
    maker = MatchMaker(folder=tmp_path, software="test", today=lambda: datetime(2026, 11, 18, tzinfo=UTC), disk=disk)
    seats = (SeatWish("a"), SeatWish("b"))
    with pytest.raises(OSError, match="read-only" if broken_at == "create" else "full"):
        maker.make(MatchWish(rules=preset("renegade-classic"), seats=seats, terms=Terms(CLOCKS["fast"]), mode=DealMode.SERVER))
    assert [path.suffix for path in tmp_path.iterdir()] == [".secrets"]
    assert maker.leavings.are_there

    async def main() -> None:
        writer = ThreadedWriter()
        with trio.fail_after(LIMIT_S):
            await maker.leavings.forget(writer)
            assert maker.leavings.are_there
            disk.broken_at = ""
            await maker.leavings.forget(writer)
        writer.close()

    trio.run(main)
    assert not maker.leavings.are_there
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be synced there")
@pytest.mark.parametrize(("good", "left"), [(0, [".secrets"]), (1, [".jsonl", ".secrets"])])
def test_what_cannot_be_made_durable_and_the_disk_does_not_let_go_is_known(tmp_path: Path, good: int, left: list[str]) -> None:
    disk = FailingDisk("sync")
    moment = datetime(2026, 11, 18, tzinfo=UTC)
    maker = MatchMaker(folder=tmp_path, software="test", today=lambda: moment, disk=disk, committer=_NoSync(good))
    seats = (SeatWish("a"), SeatWish("b"))
    with pytest.raises(OSError, match="no sync"):
        maker.make(MatchWish(rules=preset("renegade-classic"), seats=seats, terms=Terms(CLOCKS["fast"]), mode=DealMode.SERVER))
    assert [path.suffix for path in sorted(tmp_path.iterdir())] == left

    async def main() -> None:
        writer = ThreadedWriter()
        disk.broken_at = ""
        with trio.fail_after(LIMIT_S):
            await maker.leavings.forget(writer)
        writer.close()

    trio.run(main)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("committer", [None, _NoSync(2)])
def test_a_file_that_is_in_the_way_of_a_record_is_left_as_it_is(tmp_path: Path, committer: _NoSync | None) -> None:
    in_the_way = tmp_path / "mine.jsonl"
    in_the_way.write_text("precious")
    moment = datetime(2026, 11, 18, tzinfo=UTC)
    maker = MatchMaker(folder=tmp_path, software="test", today=lambda: moment, committer=committer)
    wish = MatchWish(
        rules=preset("renegade-classic"),
        seats=(SeatWish("a"), SeatWish("b")),
        terms=Terms(CLOCKS["fast"]),
        mode=DealMode.SERVER,
        record=in_the_way,
    )
    with pytest.raises(FileExistsError):
        maker.make(wish)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]
    assert in_the_way.read_text() == "precious"
    assert not maker.leavings.are_there


class _NotingDisk(SystemDisk):
    """Notes the order in which files are removed and folders synced."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def sync(self, descriptor: int) -> None:
        self.done.append("sync")
        super().sync(descriptor)

    def remove(self, path: Path) -> None:
        self.done.append(path.suffix)
        super().remove(path)


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be synced there")
def test_of_a_record_that_was_never_begun_the_secrets_go_last_whatever_the_power_does(tmp_path: Path) -> None:
    disk = _NotingDisk()
    record = tmp_path / "b.jsonl"
    write_secrets(record, Secrets(bytes(32)), [SeatKey(bot="a"), SeatKey(bot="b")])
    record.touch()
    assert find_leftovers(tmp_path, disk) == NOTHING_LEFT
    assert disk.done == [".jsonl", "sync", ".secrets"]


def test_files_that_are_left_and_a_disk_that_does_not_answer_end_nothing_but_the_try(tmp_path: Path) -> None:
    free = threading.Event()
    disk = FailingDisk("write")
    leavings = Leavings(disk)
    path = tmp_path / "a.jsonl"
    path.touch()
    leavings.remove(path)
    assert leavings.are_there

    def stall() -> None:
        wait_for(free)

    async def main() -> None:
        writer = ThreadedWriter(give_up_s=0.1)
        real_run = writer.run

        async def stalled_run(job: Callable[[], None]) -> None:
            def late() -> None:
                stall()
                job()

            await real_run(late)

        writer.run = stalled_run  # type: ignore[method-assign]  # a disk that stands still before any operation
        with trio.fail_after(LIMIT_S):
            await leavings.forget(writer)
            assert leavings.are_there
            await leavings.forget(writer)  # one try is under way
            disk.broken_at = ""
            free.set()
            while leavings.are_there:
                await trio.testing.wait_all_tasks_blocked(0.01)
        writer.close()

    trio.run(main)
    assert not path.exists()


def test_an_empty_record_is_harmless_with_its_secrets_and_without(tmp_path: Path) -> None:
    alone, whole = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_secrets(whole, Secrets(bytes(32)), [SeatKey(bot="a"), SeatKey(bot="b")])
    alone.touch()
    whole.touch()
    assert past_matches([tmp_path], 10) == []
    assert find_leftovers(tmp_path) == NOTHING_LEFT
    assert list(tmp_path.iterdir()) == [alone], "with its secrets it was a match that nobody knew of"


def test_the_deleting_of_secrets_is_waited_for_a_while_and_asked_for_once(record: Path) -> None:
    free, asked = threading.Event(), threading.Semaphore(0)

    def stall() -> None:
        asked.release()
        wait_for(free)

    secrets = SecretsOnDisk("a", record, RefusingDisk(stall))

    async def main() -> None:
        writer = ThreadedWriter()
        with trio.fail_after(LIMIT_S + FORGET_S_MAX):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(secrets.forget, writer)
                await trio.to_thread.run_sync(partial(asked.acquire, timeout=LIMIT_S))
                nursery.cancel_scope.cancel()  # as its own limit does
            await secrets.forget(writer)
            assert not asked.acquire(blocking=False)  # it is under way
            free.set()
            while writer._open:  # noqa: ASYNC110 - likewise
                await trio.sleep(0.01)
        writer.close()

    trio.run(main)
    assert not secrets.are_there
