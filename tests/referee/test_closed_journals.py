"""A journal closed while its disk stands still."""

import threading
from pathlib import Path

import pytest
from mergemaker_referee.records.disks import SystemDisk
from mergemaker_referee.records.journal import Journal, JournalError

LIMIT_S = 30.0


class StallingDisk(SystemDisk):
    """Waits before it writes, and remembers what it closed."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.writes = threading.Semaphore(0)
        self.closed: list[int] = []

    def write(self, descriptor: int, data: bytes) -> int:
        self.writes.release()
        assert self.free.wait(LIMIT_S)
        assert descriptor not in self.closed, "written to what may be another file by now"
        return super().write(descriptor, data)

    def close(self, descriptor: int) -> None:
        self.closed.append(descriptor)
        super().close(descriptor)


def test_nothing_is_written_to_a_journal_that_is_closed(tmp_path: Path) -> None:
    disk = StallingDisk()
    disk.free.set()
    journal = Journal.create(tmp_path / "a.jsonl", disk=disk)
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.append(b"a line\n")  # its caller gave up while it waited for a thread
    assert not disk.writes.acquire(blocking=False)


def test_a_journal_that_is_closed_under_a_line_lets_its_file_go_behind_it(tmp_path: Path) -> None:
    disk = StallingDisk()
    journal = Journal.create(tmp_path / "a.jsonl", disk=disk)
    writing = threading.Thread(target=journal.append, args=(b"a line\n",), daemon=True)
    writing.start()
    assert disk.writes.acquire(timeout=LIMIT_S)
    journal.close()
    assert not disk.closed
    disk.free.set()
    writing.join(LIMIT_S)
    assert len(disk.closed) == 1
    assert (tmp_path / "a.jsonl").read_bytes() == b"a line\n"
