"""The private place of a block's records until its last match is over, and their release, all at once.

    records/.unreleased-cup-7/…      while the block is played; nobody else may read it
    records/.released-cup-7/…        from the moment at which it is over: this one renaming is the release
    records/cup-7-0.jsonl, …         moved out of there

A program that is killed leaves the first or the second. `finish_releases` moves the records out of the second. In the first,
whole records stay where they are, if their block is to be continued; otherwise `discard` deletes them.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mergemaker_referee.records.files import SUFFIX

_UNRELEASED: Final = ".unreleased-"
_RELEASED: Final = ".released-"
_PRIVATE: Final = 0o700


class Unreleased:
    """The private place of one block."""

    def __init__(self, records: Path, block: str) -> None:
        self._records: Final = records
        self.folder: Final = records / f"{_UNRELEASED}{block}"
        self._released: Final = records / f"{_RELEASED}{block}"

    @classmethod
    @contextmanager
    def opened(cls, records: Path, block: str, *, keeps: bool = False) -> Iterator["Unreleased"]:
        """Makes the place, empty. What was not released by the end of the body is deleted.

        With `keeps`, what is there from an earlier try stays, and so does what was not released.
        """
        place = cls(records, block)
        if not keeps:
            shutil.rmtree(place.folder, ignore_errors=True)  # of an earlier try
        records.mkdir(parents=True, exist_ok=True)
        place.folder.mkdir(_PRIVATE, exist_ok=keeps)
        try:
            yield place
        finally:
            if not keeps:
                shutil.rmtree(place.folder, ignore_errors=True)

    def record(self, match: str) -> Path:
        """The path of a match's record until the release."""
        return self.folder / f"{match}{SUFFIX}"

    def release(self) -> None:
        """Releases all records, or none. Records of the same matches that are there already are replaced."""
        self.folder.rename(self._released)
        _move_out(self._released, self._records)

    def released(self, match: str) -> Path:
        """The path of a match's record after the release."""
        return self._records / f"{match}{SUFFIX}"


def finish_releases(records: Path, contest: str) -> None:
    """Finishes the releases of a contest whose program was killed."""
    for folder in sorted(records.glob(f"{_RELEASED}{contest}-*")):
        _move_out(folder, records)


def discard(records: Path, contest: str) -> None:
    """Deletes what was not released, when no block of the contest is played any more."""
    for folder in records.glob(f"{_UNRELEASED}{contest}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _move_out(folder: Path, records: Path) -> None:
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        os.replace(path, records / path.name)  # noqa: PTH105 - as atomic as the system allows, over an earlier copy, too
    shutil.rmtree(folder)
