"""The journal of a match: its record, written line by line. Each line is durable before anyone learns of it."""

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol, Self

from mergemaker_engine.record.reading import Record, read_record

from mergemaker_referee.records.disks import SYSTEM_DISK, Disk
from mergemaker_referee.records.files import SUFFIX

COMMIT_LIMIT_S: Final = 30.0
"""How long the disk may take for a line before its match is held up."""

RECORD_MODE: Final = 0o644
_RECORD_NAME: Final = re.compile(rf"[0-9]{{8}}-[0-9]{{6}}-([a-z0-9-]+){re.escape(SUFFIX)}")


class Durability(StrEnum):
    """What a written line survives."""

    PROCESS = "process"
    """Any end of this process."""
    POWER = "power"
    """Also a loss of power."""


class JournalError(OSError):
    """A line could not be written. The record is as it was before, and the line may be tried again."""


class Commits(Protocol):
    """Makes files durable on the disk."""

    def commit(self, descriptor: int) -> Future[None]:
        """Done once everything written to the file before survives a loss of power."""


class Committer:
    """Makes files durable before it answers. One thread serves all, so that simultaneous requests share the wait.

    Requests gather while one round of `fsync` runs. The next round takes them all, each file once.
    """

    def __init__(self, sync: Callable[[int], None] = os.fsync) -> None:
        self._sync = sync
        self._waiting: list[tuple[int, Future[None]]] = []
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="journal committer", daemon=True)
        self._thread.start()

    def commit(self, descriptor: int) -> Future[None]:
        """Done once everything written to the file before is on the disk, or with the disk's error."""
        future: Future[None] = Future()
        with self._changed:
            if self._closing:
                raise JournalError("the committer is closed")
            self._waiting.append((descriptor, future))
            self._changed.notify()
        return future

    def close(self) -> None:
        """Answers all waiting requests, and ends the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(COMMIT_LIMIT_S)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                round_, self._waiting = self._waiting, []
                if not round_:
                    return
            problems: dict[int, OSError | None] = {}
            for descriptor, _ in round_:
                if descriptor not in problems:
                    problems[descriptor] = self._try_sync(descriptor)
            for descriptor, future in round_:
                problem = problems[descriptor]
                if problem is None:
                    future.set_result(None)
                else:
                    future.set_exception(problem)

    def _try_sync(self, descriptor: int) -> OSError | None:
        try:
            self._sync(descriptor)
        except OSError as error:
            return error
        return None


class SyncAtOnce:
    """Makes a file durable in the thread that asks, for a file that is always synced, whatever the durability of records is."""

    def __init__(self, disk: Disk) -> None:
        self._disk: Final = disk

    def commit(self, descriptor: int) -> Future[None]:
        """Done, or failed, when this returns."""
        future: Future[None] = Future()
        try:
            self._disk.sync(descriptor)
        except OSError as problem:
            future.set_exception(problem)
        else:
            future.set_result(None)
        return future


class Journal:
    """Appends the lines of one match, or of the public log, to their file."""

    def __init__(self, path: Path, descriptor: int, size: int, committer: Commits | None, disk: Disk) -> None:
        self.path: Final = path
        self._descriptor = descriptor
        self._size = size
        self._committer = committer
        self._disk: Final = disk
        self._is_torn = False
        """Whether the last whole line may be followed by bytes that could not be removed yet."""
        self._closing: Final = threading.Lock()
        """Guards the two below: a line that nobody waits for any more may still be on its way when the journal is closed."""
        self._is_writing = False
        self._is_closed = False

    @classmethod
    def create(
        cls,
        path: Path,
        committer: Commits | None = None,
        disk: Disk = SYSTEM_DISK,
        remove: Callable[[Path], None] | None = None,
    ) -> "Journal":
        """Creates a new record. Never overwrites an existing file.

        With a committer, lines survive a loss of power, too. A record whose name cannot be made durable does not stay there:
        `remove` deletes it, if need be later, when the disk allows it.
        """
        journal = cls(path, disk.create(path, RECORD_MODE), 0, committer, disk)
        if committer:
            try:
                sync_folder(path.parent, committer, disk)
            except BaseException:
                journal.close()
                with contextlib.suppress(OSError):
                    (remove or disk.remove)(path)
                raise
        return journal

    @classmethod
    def resume(cls, path: Path, committer: Commits | None = None, disk: Disk = SYSTEM_DISK) -> "tuple[Journal, Record]":
        """Takes up the record of an interrupted match, without a torn last line: nobody was sent what that line says.

        With a committer, the existing lines are durable when this returns: the previous server may have ended before they were.
        """
        whole = _WholeLines(disk.chunks(path))
        record = read_record(whole, torn_end=True, kept_bytes_max=None)
        descriptor = disk.reopen(path)
        try:
            disk.truncate(descriptor, whole.size)
            if committer:
                committer.commit(descriptor).result(COMMIT_LIMIT_S)
                sync_folder(path.parent, committer, disk)
        except BaseException:
            disk.close(descriptor)
            raise
        return cls(path, descriptor, whole.size, committer, disk), record

    @property
    def size(self) -> int:
        """The bytes of its whole lines."""
        return self._size

    @property
    def is_torn(self) -> bool:
        """Whether refused bytes, or some of them, may follow the written lines."""
        return self._is_torn

    def append(self, line: bytes) -> None:
        """Writes a line. When this returns, the line survives the end of the process, or a loss of power, as requested.

        Raises `JournalError` if it cannot be written; then the record is as it was.
        """
        with self._closing:
            if self._is_closed:  # the line was given up before it was written: the descriptor may be another file's by now
                raise JournalError(f"{self.path} is closed")
            self._is_writing = True
        try:
            self._append(line)
        finally:
            with self._closing:
                self._is_writing = False
                if self._is_closed:
                    self._disk.close(self._descriptor)

    def _append(self, line: bytes) -> None:
        try:
            if self._is_torn:
                self._take_back()
            self._is_torn = True
            written = 0
            while written < len(line):
                written += self._disk.write(self._descriptor, line[written:])
            if self._committer:
                self._committer.commit(self._descriptor).result(COMMIT_LIMIT_S)
        except (OSError, TimeoutError) as error:
            self._take_back()
            raise JournalError(f"cannot write to {self.path}: {error}") from error
        self._is_torn = False
        self._size += len(line)

    def _take_back(self) -> None:
        """Cuts the file back to its last whole line.

        If even that fails, a torn line stays until the next `append` removes it, or `resume` cuts it off.
        """
        try:
            self._disk.truncate(self._descriptor, self._size)
        except OSError as error:
            raise JournalError(f"cannot cut {self.path} back to its last whole line: {error}") from error
        self._is_torn = False

    def close(self) -> None:
        """Closes the file after any line that is still on its way: until then, no other file may get its descriptor."""
        with self._closing:
            self._is_closed = True
            if not self._is_writing:
                self._disk.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _WholeLines:
    """The chunks of a file, and the end of its last whole line, as far as it was read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks: Final = chunks
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        read = 0
        for chunk in self._chunks:
            end = chunk.rfind(b"\n")
            if end >= 0:
                self.size = read + end + 1
            read += len(chunk)
            yield chunk


def sync_folder(folder: Path, committer: Commits, disk: Disk) -> None:
    """Makes the names in a folder durable where folders can be synced (not on Windows)."""
    descriptor = disk.open_folder(folder)
    if descriptor is not None:
        try:
            committer.commit(descriptor).result(COMMIT_LIMIT_S)
        finally:
            disk.close(descriptor)


def record_name(started: datetime, match_id: str) -> str:
    """The name of a match's record. Names sort by time, and every file system accepts them."""
    return f"{started:%Y%m%d-%H%M%S}-{match_id}{SUFFIX}"


def match_in_name(name: str) -> str | None:
    """The match whose record has this name; None for other names."""
    found = _RECORD_NAME.fullmatch(name)
    return None if found is None else found[1]
