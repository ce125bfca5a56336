"""The journal of a match: its record, written line by line, each durable before anyone is told of it."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Self

from mergemaker_engine.record.reading import Record, read_record

from mergemaker_referee.record_files import SUFFIX, record_chunks

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

COMMIT_LIMIT_S: Final = 30.0
"""How long a line may take to the disk before the match is held up for it."""

RECORD_MODE: Final = 0o644


class Durability(StrEnum):
    """What a written line outlives."""

    PROCESS = "process"
    """The end of this process, however it comes."""
    POWER = "power"
    """The end of the machine's power, too."""


class JournalError(OSError):
    """A line could not be written; the record is as it was before it, and the line may be tried again."""


class Committer:
    """Has files on the disk before it answers: one thread for all, so that those who wait at the same time share the wait.

    While one round of `fsync` runs, requests gather; the next round takes them all, each file once.
    """

    def __init__(self, sync: Callable[[int], None] = os.fsync) -> None:
        self._sync = sync
        self._waiting: list[tuple[int, Future[None]]] = []
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="journal committer", daemon=True)
        self._thread.start()

    def commit(self, descriptor: int) -> Future[None]:
        """Done when everything that was written to the file before is on the disk, or with the error that it met."""
        future: Future[None] = Future()
        with self._changed:
            if self._closing:
                raise JournalError("the committer is closed")
            self._waiting.append((descriptor, future))
            self._changed.notify()
        return future

    def close(self) -> None:
        """Answers what waits, and ends the thread."""
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


class Journal:
    """Appends the lines of one match to its file."""

    def __init__(self, path: Path, descriptor: int, size: int, committer: Committer | None) -> None:
        self.path: Final = path
        self._descriptor = descriptor
        self._size = size
        self._committer = committer

    @classmethod
    def create(cls, path: Path, committer: Committer | None = None) -> Journal:
        """A new record. A file that is there already is never written over.

        With a committer, lines are durable against power loss as well.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY, RECORD_MODE)
        journal = cls(path, descriptor, 0, committer)
        if committer:
            _sync_folder(path.parent, committer)
        return journal

    @classmethod
    def resume(cls, path: Path, committer: Committer | None = None) -> tuple[Journal, Record]:
        """Takes up the record of a match that was broken off, without a last line that was torn: nobody was told of it."""
        record = read_record(record_chunks(path), torn_end=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)
        try:
            size = _end_of_last_line(descriptor)
            os.ftruncate(descriptor, size)
        except OSError:
            os.close(descriptor)
            raise
        return cls(path, descriptor, size, committer), record

    def append(self, line: bytes) -> None:
        """Writes a line. When this returns, the line outlives the process, or the power, whichever was asked for.

        `JournalError` when it cannot be written; then the record is as it was.
        """
        try:
            written = 0
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
            if self._committer:
                self._committer.commit(self._descriptor).result(COMMIT_LIMIT_S)
        except (OSError, TimeoutError) as error:
            self._take_back()
            raise JournalError(f"cannot write to {self.path}: {error}") from error
        self._size += len(line)

    def _take_back(self) -> None:
        """Cuts the file back to its last whole line.

        Where even that fails, a torn line stays, which `resume` cuts off; the next `append` fails as well.
        """
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError as error:
            raise JournalError(f"cannot cut {self.path} back to its last whole line: {error}") from error

    def close(self) -> None:
        """Closes the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_BINARY: Final = getattr(os, "O_BINARY", 0)


def _end_of_last_line(descriptor: int) -> int:
    """Where the last whole line of a file ends."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    at = size
    while at > 0:
        step = min(at, 4_096)
        os.lseek(descriptor, at - step, os.SEEK_SET)
        found = os.read(descriptor, step).rfind(b"\n")
        if found >= 0:
            return at - step + found + 1
        at -= step
    return 0


def _sync_folder(folder: Path, committer: Committer) -> None:
    """Makes a new name durable, where folders can be synced (not on Windows)."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        committer.commit(descriptor).result(COMMIT_LIMIT_S)
    finally:
        os.close(descriptor)


def record_name(started: datetime, match_id: str) -> str:
    """The name of a match's record: names sort by time, and every file system takes them."""
    return f"{started:%Y%m%d-%H%M%S}-{match_id}{SUFFIX}"
