"""A server's folders: made where they are not there, locked against a second server, and searched for what was broken off."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.splitting import LINE_BYTES_MAX

from mergemaker_referee.errors import RefereeError
from mergemaker_referee.record_files import SUFFIX
from mergemaker_referee.secrets_file import SECRETS_SUFFIX, forget_secrets, read_seats, read_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER_MODE: Final = 0o700
LOCK_MODE: Final = 0o600
LOCK_NAME: Final = ".mergemaker.lock"
PID_CHARACTERS_MAX: Final = 20
_LOCKED_BYTE: Final = 1_024
"""Where a lock is put that keeps others from reading, too (on Windows): far behind the pid."""

_TAKEN: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
"""What the systems say of a lock that another process has."""


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What a server that is gone left behind."""

    unfinished: tuple[Path, ...]
    """Records of matches that were broken off and can be taken up again, the oldest first."""
    damaged: tuple[tuple[Path, str], ...]
    """Records with a file of secrets that cannot be read, and why; somebody has to look at them."""


class DataFolder:
    """The folders of one server, which no other can use before `close`."""

    def __init__(self, root: Path, records: Path, locks: Sequence[int]) -> None:
        self.root: Final = root
        self.records: Final = records
        self._locks = list(locks)

    @classmethod
    def open(cls, root: Path, records: Path) -> DataFolder:
        """Makes both folders where they are not there, and locks them."""
        locks: list[int] = []
        try:
            # The records may lie elsewhere, and two servers must not take up the same matches.
            for folder in (root, records):
                _make(folder)
                if not locks or not folder.samefile(root):
                    locks.append(_lock(folder))
        except BaseException:
            for descriptor in locks:
                os.close(descriptor)
            raise
        return cls(root, records, locks)

    def leftovers(self) -> Leftovers:
        """Looks for matches that were broken off.

        A file of secrets lies beside each record that has no durable end. Where the record has its end, or was never begun, so
        that nobody was told anything, its secrets are removed. A record whose seats nobody can take is somebody else's: it is
        left alone.
        """
        unfinished, damaged = [], []
        for found in sorted(self.records.glob(f"*{SUFFIX}{SECRETS_SUFFIX}")):
            record = found.with_name(found.name.removesuffix(SECRETS_SUFFIX))
            try:
                read_secrets(record)
                if not read_seats(record):
                    continue
                last = _last_line(record)
            except (RecordError, OSError) as error:
                damaged.append((record, str(error)))
                continue
            if last is None:
                record.unlink(missing_ok=True)
                forget_secrets(record)
            elif _is_end(last):
                forget_secrets(record)
            else:
                unfinished.append(record)
        return Leftovers(tuple(unfinished), tuple(damaged))

    def close(self) -> None:
        """Lets other servers have the folders."""
        while self._locks:
            os.close(self._locks.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _make(folder: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise RefereeError(
            "bad-folder", f"cannot make the folder {folder}: {error.strerror}; name one that this user may write to"
        ) from error


def _lock(folder: Path) -> int:
    """A descriptor that holds the folder's lock as long as it is open, also when this process is killed."""
    path = folder / LOCK_NAME
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), LOCK_MODE)
    except OSError as error:
        raise RefereeError(
            "bad-folder", f"cannot write to the folder {folder}: {error.strerror}; name one that this user may write to"
        ) from error
    try:
        _take(descriptor)
    except OSError as error:
        if error.errno not in _TAKEN:
            os.close(descriptor)
            raise RefereeError(
                "bad-folder", f"the folder {folder} cannot be locked: {error.strerror}; name one on a disk of this machine"
            ) from error
        pid = os.read(descriptor, PID_CHARACTERS_MAX).decode("ascii", "replace").strip()
        holder = f"process {pid}" if pid.isdigit() else "its pid is not known"
        os.close(descriptor)
        raise RefereeError(
            "folder-in-use",
            f"the folder {folder} is in use by another server ({holder}): end that one, or name another folder",
        ) from error
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))
    return descriptor


if sys.platform == "win32":

    def _take(descriptor: int) -> None:
        import msvcrt  # noqa: PLC0415 - only there

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)

else:

    def _take(descriptor: int) -> None:
        import fcntl  # noqa: PLC0415 - only there

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _last_line(record: Path) -> bytes | None:
    """The last whole line; None where there is no record, or none that was begun."""
    try:
        with record.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            # A whole line and a torn one behind it, each as long as can be.
            file.seek(max(0, size - 2 * LINE_BYTES_MAX))
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return None
    return lines[-2] if len(lines) > 1 else None


def _is_end(line: bytes) -> bool:
    with contextlib.suppress(ValueError):
        document = json.loads(line)
        return isinstance(document, dict) and document.get("kind") == "end"
    return False
