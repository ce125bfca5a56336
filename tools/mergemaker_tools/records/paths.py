"""The given records: files, and for a folder all records in it and in the folders below."""

import argparse
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.records.files import PACKED_SUFFIXES, SUFFIX
from mergemaker_referee.records.log_file import LOG_NAME

from mergemaker_tools.problems import CommandFailed, WrongUse

_ENDINGS: Final = (SUFFIX, *(SUFFIX + packed for packed in PACKED_SUFFIXES))


def add_record_paths(parser: argparse.ArgumentParser, *, needed: bool = True) -> None:
    """Adds the records, as files and folders."""
    endings = ", ".join(f"*{ending}" for ending in _ENDINGS)
    parser.add_argument(
        "records",
        metavar="RECORD",
        nargs="+" if needed else "*",
        help=f"a file, packed or not, or a folder, which stands for all {endings} in it and below",
    )


def record_paths(given: Sequence[str]) -> list[Path]:
    """Every given record, once, in the order given; those of a folder are sorted by their paths.

    This only looks files up. Whether they can be read shows when their turn comes.
    """
    found: dict[str, Path] = {}
    for name in given:
        for path in sorted(_meant_by(name)):
            # By its absolute path, so that of `records records/*` each counts once.
            found.setdefault(os.path.abspath(path), path)  # noqa: PTH100 - pathlib would follow links, too
    if not found:
        raise WrongUse(f"there is nothing in {_listed(given)}: a record's name ends in {', '.join(_ENDINGS)}")
    return list(found.values())


def _listed(given: Sequence[str]) -> str:
    return given[0] if len(given) == 1 else f"these {len(given)} folders"


def _meant_by(name: str) -> Iterator[Path]:
    path = Path(name)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise WrongUse(f"{shown_path(path)} cannot be found: {reason_of(error)}") from error
    if not stat.S_ISDIR(mode):
        yield path
        return
    for folder, folders, files in os.walk(path, onerror=_refuse_folder):
        folders.sort()
        for file in sorted(files):
            if file.endswith(_ENDINGS) and file != LOG_NAME:
                yield Path(folder, file)


def _refuse_folder(error: OSError) -> NoReturn:
    raise CommandFailed(f"the folder {shown_path(Path(error.filename))} cannot be read: {reason_of(error)}") from error
