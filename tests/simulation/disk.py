"""A disk in memory: what was written, what of it is durable, and everything that can go wrong with it.

`SimDisk` outlives the referees that write to it. A referee has a `LifeDisk`, a `Disk` of `records.disks`: after that referee's
death, its operations have no effect. A kill loses nothing that was written; a power cut loses what was
not synced, including names of files, and may leave a torn end.
"""

import errno
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path, PurePath
from random import Random
from typing import Final, Protocol

FOLDER_DESCRIPTOR: Final = 1
"""The same for all folders: there is only one."""
_FIRST_DESCRIPTOR: Final = 10
_ZEROS_MAX: Final = 64
CHUNK_BYTES: Final = 4_096


class Killed(BaseException):
    """The referee died during an operation. None of its code may catch this."""


class Op(Enum):
    """An operation on a disk."""

    CREATE = auto()
    WRITE = auto()
    TRUNCATE = auto()
    SYNC = auto()
    READ = auto()
    REMOVE = auto()


@dataclass(slots=True, eq=False)
class File:
    """One file."""

    data: bytearray = field(default_factory=bytearray)
    """The content in the system's memory."""
    synced: bytes = b""
    """The content after a power cut."""


class SimDisk:
    """The files of a machine."""

    def __init__(self) -> None:
        self.files: dict[PurePath, File] = {}
        self.durable_names: dict[PurePath, File] = {}
        """The names after a power cut."""

    def written(self, path: PurePath) -> bytes:
        """A file's content, as everybody reads it."""
        return bytes(self.files[path].data)

    def durable(self, path: PurePath, *, against_power: bool) -> bytes:
        """The part of a file that nothing can take away any more; empty if there is no such file."""
        file = self.files.get(path)
        if file is None:
            return b""
        if not against_power:
            return bytes(file.data)
        return file.synced if self.durable_names.get(path) is file else b""

    def cut_power(self, chance: Random) -> None:
        """The machine's power fails and returns: data that was not synced survives in part, or not at all."""
        for path in sorted({*self.files, *self.durable_names}):
            now, safe = self.files.get(path), self.durable_names.get(path)
            kept = now if now is safe or chance.random() < 0.5 else safe
            if kept is None:
                self.files.pop(path, None)
            else:
                self.files[path] = kept
        self.durable_names = dict(self.files)
        for path in sorted(self.files):
            _lose_unsynced(self.files[path], chance)


def _lose_unsynced(file: File, chance: Random) -> None:
    data = bytes(file.data)
    if data.startswith(file.synced):
        rest = data[len(file.synced) :]
        kept = file.synced + rest[: chance.randint(0, len(rest))]
        if rest and chance.random() < 0.25:
            kept += bytes(chance.randint(1, _ZEROS_MAX))  # blocks that extended the file but were never written
    else:
        kept = file.synced if chance.random() < 0.5 else data
    file.data = bytearray(kept)
    file.synced = kept


class Faults(Protocol):
    """Decides what goes wrong."""

    def before(self, op: Op, path: PurePath, size: int) -> int | None:
        """May raise `OSError`, or `Killed`. For a write: returns how many bytes it takes before `after_part` is called."""

    def after_part(self, op: Op, path: PurePath) -> None:
        """Called after a part of a write, or after any other operation. May raise, too."""


class NoFaults:
    """A disk that works."""

    def before(self, op: Op, path: PurePath, size: int) -> int | None:
        """Nothing goes wrong."""

    def after_part(self, op: Op, path: PurePath) -> None:
        """Nothing goes wrong."""


class LifeDisk:
    """The disk of one referee, until that dies."""

    def __init__(self, disk: SimDisk, faults: Faults) -> None:
        self.disk: Final = disk
        self.is_dead = False
        self._faults: Final = faults
        self._open: Final[dict[int, tuple[PurePath, File]]] = {}
        self._next = _FIRST_DESCRIPTOR

    def _begin(self, op: Op, path: PurePath, size: int = 0) -> int | None:
        if self.is_dead:
            raise Killed
        taken = self._faults.before(op, path, size)
        if self.is_dead:  # it died just now, before the operation
            raise Killed
        return taken

    def _describe(self, path: PurePath, file: File) -> int:
        self._next += 1
        self._open[self._next] = path, file
        return self._next

    def create(self, path: Path, mode: int) -> int:  # noqa: ARG002 - there is only one user here
        self._begin(Op.CREATE, path)
        if path in self.disk.files:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        file = self.disk.files[path] = File()
        self._faults.after_part(Op.CREATE, path)
        return self._describe(path, file)

    def reopen(self, path: Path) -> int:
        self._begin(Op.READ, path)
        return self._describe(path, self._found(path))

    def open_folder(self, folder: Path) -> int | None:
        self._begin(Op.READ, folder)
        return FOLDER_DESCRIPTOR

    def write(self, descriptor: int, data: bytes) -> int:
        path, file = self._open[descriptor]
        most = self._begin(Op.WRITE, path, len(data))
        taken = data if most is None else data[:most]
        file.data += taken
        self._faults.after_part(Op.WRITE, path)
        return len(taken)

    def truncate(self, descriptor: int, size: int) -> None:
        path, file = self._open[descriptor]
        self._begin(Op.TRUNCATE, path)
        del file.data[size:]
        file.data += bytes(max(0, size - len(file.data)))
        self._faults.after_part(Op.TRUNCATE, path)

    def sync(self, descriptor: int) -> None:
        if descriptor == FOLDER_DESCRIPTOR:
            self._begin(Op.SYNC, PurePath())
            self.disk.durable_names = dict(self.disk.files)
            return
        path, file = self._open[descriptor]
        self._begin(Op.SYNC, path)
        file.synced = bytes(file.data)
        self._faults.after_part(Op.SYNC, path)

    def close(self, descriptor: int) -> None:
        self._open.pop(descriptor, None)

    def chunks(self, path: Path) -> Iterator[bytes]:
        self._begin(Op.READ, path)
        data = bytes(self._found(path).data)
        for at in range(0, len(data), CHUNK_BYTES):
            yield data[at : at + CHUNK_BYTES]

    def part(self, path: Path, start: int, size: int) -> bytes:
        self._begin(Op.READ, path)
        return bytes(self._found(path).data[start : start + size])

    def tail(self, path: Path, size: int) -> bytes | None:
        self._begin(Op.READ, path)
        file = self.disk.files.get(path)
        return None if file is None else bytes(file.data[max(0, len(file.data) - size) :])

    def names(self, folder: Path) -> Iterator[str]:
        self._begin(Op.READ, folder)
        yield from [path.name for path in self.disk.files if path.parent == folder]

    def remove(self, path: Path) -> None:
        self._begin(Op.REMOVE, path)
        self.disk.files.pop(path, None)
        self._faults.after_part(Op.REMOVE, path)

    def _found(self, path: PurePath) -> File:
        if path not in self.disk.files:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return self.disk.files[path]


class LoopCommitter:
    """Syncs at once, on the only thread: the `SimWriter` around it does the waiting."""

    def __init__(self, sync: Callable[[int], None]) -> None:
        self._sync: Final = sync

    def commit(self, descriptor: int) -> Future[None]:
        """Is done, or has failed, when this returns."""
        future: Future[None] = Future()
        try:
            self._sync(descriptor)
        except OSError as problem:
            future.set_exception(problem)
        else:
            future.set_result(None)
        return future
