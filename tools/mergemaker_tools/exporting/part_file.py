"""A file that appears whole or not at all: it is written beside its place, and moved there when it is finished."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.problems import CommandFailed, WrongUse

PART: Final = ".part"


def is_null_device(path: Path) -> bool:
    """Whether this is the place where everything written is dropped, which needs no file beside it."""
    try:
        return path.samefile(os.devnull)
    except (OSError, ValueError):
        return False


def check_place(path: Path, *, force: bool) -> None:
    """Refuses a place where no file can be made; with `force`, another file may be there."""
    if is_null_device(path):
        return
    name = shown_path(path)
    try:
        if path.exists() and not path.is_file():
            raise WrongUse(f"{name} is there, and is no file: choose another name")
        if path.exists() and not force:
            raise WrongUse(f"{name} is there already: choose another name, or replace it with --force")
        if not path.parent.is_dir():
            raise WrongUse(f"there is no folder {shown_path(path.parent)}: make it, or choose another")
    except (OSError, ValueError) as error:
        raise WrongUse(f"{name} cannot be a file: {reason_of(error)}") from error


@contextmanager
def part_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file to write, which gets its name after success and is removed after a failure."""
    part = path.with_name(path.name + PART)
    try:
        file = part.open("wb" if force else "xb")
    except FileExistsError as error:
        raise WrongUse(
            f"{shown_path(part)} is there: another export is writing it, or one was killed; then remove it, or use --force"
        ) from error
    except (OSError, ValueError) as error:
        raise CommandFailed(f"{shown_path(part)} cannot be written: {reason_of(error)}") from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CommandFailed(f"{shown_path(path)} cannot be written: {reason_of(error)}; nothing is left of it") from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
