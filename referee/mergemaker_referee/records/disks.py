"""The disk as records and secrets need it: the port behind which a file system, or a simulation of one, stands.

It is thin: what is done in which order, and what follows from an error, is the affair of `journal` and `secrets_file`.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from mergemaker_referee.records.files import record_chunks

_BINARY: Final = getattr(os, "O_BINARY", 0)


class Disk(Protocol):
    """A file system. Whatever cannot be done raises `OSError`."""

    def create(self, path: Path, mode: int) -> int:
        """A new file that is written at its end, and its folder where there is none; what is there already is an error."""

    def reopen(self, path: Path) -> int:
        """A file that is there, to go on writing at its end."""

    def open_folder(self, folder: Path) -> int | None:
        """A folder, to be synced; None where the system cannot sync folders."""

    def write(self, descriptor: int, data: bytes) -> int:
        """Writes at the end; returns how many bytes were taken, which may be fewer than there are."""

    def truncate(self, descriptor: int, size: int) -> None:
        """Cuts a file off."""

    def sync(self, descriptor: int) -> None:
        """Returns when everything that was written before outlives the machine's power."""

    def close(self, descriptor: int) -> None:
        """Lets a file go."""

    def chunks(self, path: Path) -> Iterator[bytes]:
        """What a file holds, a bounded piece at a time."""

    def tail(self, path: Path, size: int) -> bytes | None:
        """The last bytes of a file, as many as there are; None where there is no such file."""

    def names(self, folder: Path) -> Sequence[str]:
        """The names in a folder, sorted."""

    def remove(self, path: Path) -> None:
        """Removes a file, if it is there."""


class SystemDisk:
    """The file system of this machine."""

    def create(self, path: Path, mode: int) -> int:
        """A new file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY, mode)

    def reopen(self, path: Path) -> int:
        """A file that is there."""
        return os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)

    def open_folder(self, folder: Path) -> int | None:
        """A folder; none on Windows."""
        return None if os.name == "nt" else os.open(folder, os.O_RDONLY)

    def write(self, descriptor: int, data: bytes) -> int:
        """Writes at the end."""
        return os.write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        """Cuts a file off."""
        os.ftruncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        """Waits for the disk."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Lets a file go."""
        os.close(descriptor)

    def chunks(self, path: Path) -> Iterator[bytes]:
        """What a file holds, unpacked where it is packed."""
        return record_chunks(path)

    def tail(self, path: Path, size: int) -> bytes | None:
        """The last bytes of a file."""
        try:
            with path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - size))
                return file.read()
        except FileNotFoundError:
            return None

    def names(self, folder: Path) -> Sequence[str]:
        """The names in a folder."""
        return sorted(path.name for path in folder.iterdir())

    def remove(self, path: Path) -> None:
        """Removes a file, if it is there."""
        path.unlink(missing_ok=True)


SYSTEM_DISK: Final = SystemDisk()
