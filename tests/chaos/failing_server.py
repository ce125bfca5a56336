"""`mergemaker serve` on a disk that fails on orders: for some files, from now on, until the orders change.

    CHAOS_DISK_ORDERS=FILE python -m tests.chaos.failing_server --config FILE

The port uses the real file system. Before each operation, it reads a file with the orders: a JSON
object with a part of a file's name, and the fault of all operations on such files.
"""

import errno
import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from mergemaker_tools.cli import main

PROGRAM: Final = ("-m", "tests.chaos.failing_server")
ORDERS_VARIABLE: Final = "CHAOS_DISK_ORDERS"
LOOK_S: Final = 0.005


class Fault(StrEnum):
    """A fault of the disk."""

    FULL = "full"
    """It takes half of the data, and then reports that there is no space left."""
    READ_ONLY = "read-only"
    """Nothing can be changed."""
    STALLED = "stalled"
    """It does not answer."""


def give_orders(path: Path, orders: Mapping[str, Fault]) -> None:
    """Sets what goes wrong from now on. A name that occurs in no file has no effect."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(orders), "utf-8")
    fresh.replace(path)


class Orders:
    """The present faults, as the file says."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._read_ns = -1
        self._orders: dict[str, str] = {}
        self._lock: Final = threading.Lock()
        self.half_written: Final[set[int]] = set()

    def fault_of(self, name: str) -> str | None:
        """A file's fault; returns when the file is not stalled any more."""
        while (fault := self._find(name)) == Fault.STALLED:
            time.sleep(LOOK_S)
        return fault

    def _find(self, name: str) -> str | None:
        with self._lock:
            try:
                changed_ns = self._path.stat().st_mtime_ns
            except FileNotFoundError:
                return None
            if changed_ns != self._read_ns:
                self._orders, self._read_ns = json.loads(self._path.read_text("utf-8")), changed_ns
            return next((fault for part, fault in self._orders.items() if part in name), None)


_orders: Final = Orders(Path(os.environ.get(ORDERS_VARIABLE, os.devnull)))
_files: Final[dict[int, str]] = {}
"""Names of open files, by descriptor."""
_open, _write, _fsync, _truncate, _unlink = os.open, os.write, os.fsync, os.ftruncate, os.unlink


def _refuse(number: int) -> None:
    raise OSError(number, os.strerror(number))


def _check(name: str) -> None:
    fault = _orders.fault_of(name)
    if fault == Fault.READ_ONLY:
        _refuse(errno.EROFS)


def _opening(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
    name = os.fsdecode(path)
    fault = _orders.fault_of(name)
    if fault == Fault.READ_ONLY and flags & (os.O_WRONLY | os.O_RDWR):
        _refuse(errno.EROFS)
    if fault == Fault.FULL and flags & os.O_CREAT:
        _refuse(errno.ENOSPC)
    descriptor = _open(path, flags, *arguments, **named)
    _files[descriptor] = name
    return descriptor


def _writing(descriptor: int, data: Any) -> int:
    name = _files.get(descriptor, "")
    _check(name)
    if _orders.fault_of(name) == Fault.FULL:
        if descriptor in _orders.half_written or len(data) < 2:
            _orders.half_written.discard(descriptor)
            _refuse(errno.ENOSPC)
        _orders.half_written.add(descriptor)
        return _write(descriptor, data[: len(data) // 2])
    return _write(descriptor, data)


def _syncing(fd: Any) -> None:
    _check(_files.get(fd, ""))
    _fsync(fd)


def _truncating(fd: int, length: int) -> None:
    _check(_files.get(fd, ""))
    _truncate(fd, length)


def _unlinking(path: Any, *arguments: Any, **named: Any) -> None:
    _check(os.fsdecode(path))
    _unlink(path, *arguments, **named)


if __name__ == "__main__":
    os.open, os.write, os.fsync, os.ftruncate, os.unlink = _opening, _writing, _syncing, _truncating, _unlinking
    sys.exit(main(["serve", *sys.argv[1:]]))
