"""The disk as records and secrets need it: the port to a file system, or to a simulation of one.

It is thin: `journal` and `secrets_file` decide in which order things are done, and what follows from an error.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol

from mergemaker_referee.records.files import record_chunks

_BINARY: Final = getattr(os, "O_BINARY", 0)


class Disk(Protocol):
    """A file system. Whatever cannot be done raises `OSError`."""

    def create(self, path: Path, mode: int) -> int:
        """Creates a file for appending, and its folder where it is missing. An existing file is an error."""

    def reopen(self, path: Path) -> int:
        """Opens an existing file for appending."""

    def open_folder(self, folder: Path) -> int | None:
        """Opens a folder to sync it; None where the system cannot sync folders."""

    def write(self, descriptor: int, data: bytes) -> int:
        """Appends to a file. Returns how many bytes were taken, which may be fewer than given."""

    def truncate(self, descriptor: int, size: int) -> None:
        """Cuts a file to this size."""

    def sync(self, descriptor: int) -> None:
        """Returns once everything written before survives a loss of power."""

    def close(self, descriptor: int) -> None:
        """Closes a file."""

    def chunks(self, path: Path) -> Iterator[bytes]:
        """The bytes of a file, a bounded piece at a time."""

    def part(self, path: Path, start: int, size: int) -> bytes:
        """Bytes of a file from a place on, up to this many."""

    def tail(self, path: Path, size: int) -> bytes | None:
        """The last bytes of a file, up to this many; None if the file does not exist."""

    def names(self, folder: Path) -> Iterator[str]:
        """The names in a folder, in any order: there may be hundreds of thousands, which nobody has to keep."""

    def remove(self, path: Path) -> None:
        """Removes a file, if it exists."""


class SystemDisk:
    """The file system of this machine."""

    def create(self, path: Path, mode: int) -> int:
        """Creates a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY, mode)

    def reopen(self, path: Path) -> int:
        """Opens an existing file."""
        return os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)

    def open_folder(self, folder: Path) -> int | None:
        """Opens a folder; None on Windows."""
        return None if os.name == "nt" else os.open(folder, os.O_RDONLY)

    def write(self, descriptor: int, data: bytes) -> int:
        """Appends to a file."""
        return os.write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        """Cuts a file to this size."""
        os.ftruncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        """Waits for the disk."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Closes a file."""
        os.close(descriptor)

    def chunks(self, path: Path) -> Iterator[bytes]:
        """The bytes of a file, unpacked if it is packed."""
        return record_chunks(path)

    def part(self, path: Path, start: int, size: int) -> bytes:
        """Bytes from the middle of a file."""
        with path.open("rb") as file:
            file.seek(start)
            return file.read(size)

    def tail(self, path: Path, size: int) -> bytes | None:
        """The last bytes of a file."""
        try:
            with path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - size))
                return file.read()
        except FileNotFoundError:
            return None

    def names(self, folder: Path) -> Iterator[str]:
        """The names in a folder."""
        with os.scandir(folder) as found:
            yield from (each.name for each in found)

    def remove(self, path: Path) -> None:
        """Removes a file, if it exists."""
        path.unlink(missing_ok=True)


def write_new(path: Path, data: bytes, mode: int, disk: Disk, remove: Callable[[Path], None] | None = None) -> None:
    """Writes a whole new file durably. One that cannot be written whole does not stay: `remove` deletes it, if need be later."""
    descriptor = disk.create(path, mode)
    try:
        written = 0
        while written < len(data):
            written += disk.write(descriptor, data[written:])
        disk.sync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            (remove or disk.remove)(path)
        raise
    finally:
        disk.close(descriptor)


SYSTEM_DISK: Final = SystemDisk()
