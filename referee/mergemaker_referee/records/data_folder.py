"""A server's folders: created where they are missing, and locked against a second server."""

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from mergemaker_referee.errors import RefereeError

FOLDER_MODE: Final = 0o700
LOCK_MODE: Final = 0o600
LOCK_NAME: Final = ".mergemaker.lock"
PID_CHARACTERS_MAX: Final = 20
PROCESS_PREFIX: Final = "process-"
"""Begins the name of a further process's folder, in the folder of the records."""
_LOCKED_BYTE: Final = 1_024
"""The position of a lock that also keeps others from reading (on Windows): far beyond the pid."""

_TAKEN: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
"""The systems' error codes for a lock that another process holds."""


class DataFolder:
    """The folders of one server. No other server can use them before `close`."""

    def __init__(self, root: Path, records: Path, locks: Sequence[int]) -> None:
        self.root: Final = root
        self.records: Final = records
        self._locks = list(locks)

    @classmethod
    def open(cls, root: Path, *records: Path) -> "DataFolder":
        """Creates the folders where they are missing, and locks them. The first of `records` gets the new ones."""
        locks: list[int] = []
        try:
            # The records may be elsewhere, and two servers must not take up the same matches.
            for folder in (root, *records):
                _make(folder)
                if not locks or not folder.samefile(root):
                    locks.append(_lock(folder))
        except BaseException:
            for descriptor in locks:
                os.close(descriptor)
            raise
        return cls(root, records[0] if records else root, locks)

    def close(self) -> None:
        """Frees the folders for other servers."""
        while self._locks:
            os.close(self._locks.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def record_folders(records: Path, processes: int = 1) -> tuple[Path, ...]:
    """The folders of the records of a server, one for each of its processes, and then those of earlier ones that had more.

    The first is the folder of the records itself. So a server with another number of processes finds all matches again.
    """
    found = {number: records / f"{PROCESS_PREFIX}{number}" for number in range(2, processes + 1)}
    for path in records.iterdir() if records.is_dir() else ():
        number = path.name.removeprefix(PROCESS_PREFIX)
        if path.is_dir() and path.name != number and number.isdecimal() and str(int(number)) == number and int(number) > 1:
            found[int(number)] = path
    return (records, *(found[number] for number in sorted(found)))


def _make(folder: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise RefereeError(
            "bad-folder", f"cannot make the folder {folder}: {error.strerror}; name one that this user may write to"
        ) from error


def _lock(folder: Path) -> int:
    """A descriptor that holds the folder's lock while it is open. The lock ends even if this process is killed."""
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
        import msvcrt  # noqa: PLC0415 - exists only there

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)

else:

    def _take(descriptor: int) -> None:
        import fcntl  # noqa: PLC0415 - exists only there

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
