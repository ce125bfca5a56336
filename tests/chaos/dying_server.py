"""`mergemaker serve` that is killed, as by kill -9, at a certain step of its work on the disk.

    CHAOS_DIE_AT=STEP CHAOS_DIE_TEXT=TEXT python -m tests.chaos.dying_server --config FILE

It kills itself, so that the moment is exact: after the step STEP, when TEXT is first in the data written, or in the
name of the file.
"""

import os
import signal
import sys
from enum import StrEnum
from typing import Any, Final

from mergemaker_tools.cli import main

PROGRAM: Final = ("-m", "tests.chaos.dying_server")
STEP_VARIABLE: Final = "CHAOS_DIE_AT"
TEXT_VARIABLE: Final = "CHAOS_DIE_TEXT"


class Step(StrEnum):
    """The step just completed."""

    OPENED = "opened"
    """It made or opened a file, without a change so far."""
    SYNCED = "synced"
    """It synced a file."""
    HALF_WRITTEN = "half-written"
    """It wrote half of the data."""
    WRITTEN = "written"
    REMOVED = "removed"


_files: dict[int, str] = {}
"""Names of open files, by descriptor."""
_open, _write, _fsync, _unlink = os.open, os.write, os.fsync, os.unlink


def _die_at(step: Step, text: str) -> None:
    if os.environ.get(STEP_VARIABLE) == step and os.environ.get(TEXT_VARIABLE, "") in text:
        os.kill(os.getpid(), signal.SIGKILL)


def _opening(path: Any, *arguments: Any, **named: Any) -> int:
    descriptor = _open(path, *arguments, **named)
    _files[descriptor] = os.fsdecode(path)
    _die_at(Step.OPENED, _files[descriptor])
    return descriptor


def _writing(descriptor: int, data: Any) -> int:
    if os.environ.get(STEP_VARIABLE) == Step.HALF_WRITTEN and os.environ[TEXT_VARIABLE].encode() in bytes(data):
        _write(descriptor, data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    written = _write(descriptor, data)
    _die_at(Step.WRITTEN, bytes(data).decode("utf-8", "replace"))
    return written


def _syncing(fd: Any) -> None:
    _fsync(fd)
    _die_at(Step.SYNCED, _files.get(fd, ""))


def _unlinking(path: Any, *arguments: Any, **named: Any) -> None:
    _unlink(path, *arguments, **named)
    _die_at(Step.REMOVED, os.fsdecode(path))


if __name__ == "__main__":
    os.open, os.write, os.fsync, os.unlink = _opening, _writing, _syncing, _unlinking
    sys.exit(main(["serve", *sys.argv[1:]]))
