"""What has to go goes as soon as the disk lets it: secrets of matches that are over, files of matches that were not made.

With its secrets a match would be taken up again.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import structlog
import trio

from mergemaker_referee.records.disks import Disk
from mergemaker_referee.records.journal import Commits, sync_folder
from mergemaker_referee.records.journal_writer import LineWriter
from mergemaker_referee.records.secrets_file import forget_secrets, forget_unbegun, secrets_path

FORGET_S_MAX: Final = 5.0
"""How long the end of a match waits for the deleting of its secrets."""
_LOG = structlog.get_logger(__name__)


class SecretsOnDisk:
    """The file of secrets of one match."""

    def __init__(self, match: str, record: Path, disk: Disk, committer: Commits | None = None) -> None:
        """With a committer they stay deleted when the machine loses its power."""
        self._match: Final = match
        self._record: Final = record
        self._disk: Final = disk
        self._committer: Final = committer
        self.are_there = True
        """Whether they may still be there, or come back."""
        self.are_removed = False
        """Whether the file is removed. With a committer it may still come back: see `are_there`."""
        self._is_under_way = False
        """Whether a disk that stands still is to delete them when it goes on."""

    async def forget(self, writer: LineWriter) -> None:
        """Deletes them. What a disk refuses can be tried again; what it keeps waiting is not waited for."""
        if not self.are_there or self._is_under_way:
            return
        try:
            with trio.move_on_after(FORGET_S_MAX):
                await self.delete(writer)
        except OSError as problem:
            text = "the secrets of a match that is over cannot be deleted; it is tried again"
            _LOG.warning(text, match=self._match, problem=str(problem))

    async def delete(self, writer: LineWriter) -> None:
        """Deletes them. `OSError` when the disk refuses; `DiskStalled` when it does not answer, and then they may go later."""
        self._is_under_way = True
        await writer.run(self._delete)

    def _delete(self) -> None:
        try:
            forget_secrets(self._record, self._disk)
            self.are_removed = True
            if self._committer is not None:
                sync_folder(self._record.parent, self._committer, self._disk)
            self.are_there = False
        finally:
            self._is_under_way = False


class Leavings:
    """Files of matches that could not be made, which the disk did not let go either."""

    def __init__(self, disk: Disk) -> None:
        self._disk: Final = disk
        self._left: Final[list[tuple[Callable[[Path], None], Path]]] = []
        """What is to be done yet, and with which file. Several threads may add to it."""
        self._is_under_way = False

    @property
    def are_there(self) -> bool:
        """Whether there are any."""
        return bool(self._left)

    def remove(self, path: Path) -> None:
        """Deletes a file, now or later. Touches the disk."""
        self._try(self._disk.remove, path)

    def remove_unbegun(self, record: Path) -> None:
        """Deletes a record that nobody was told of, and its secrets, now or later. Touches the disk."""
        self._try(partial(forget_unbegun, disk=self._disk), record)

    def remove_secrets(self, record: Path) -> None:
        """Deletes the secrets of a record that was not made, now or later. Where that has to go yet, they go behind it."""
        if all(path != record for _, path in self._left):
            self.remove(secrets_path(record))

    def _try(self, remove: Callable[[Path], None], path: Path) -> None:
        try:
            remove(path)
        except OSError:
            self._left.append((remove, path))

    async def forget(self, writer: LineWriter) -> None:
        """Tries again to delete them; a disk that stands still is not waited for."""
        if not self.are_there or self._is_under_way:
            return
        self._is_under_way = True
        try:
            with trio.move_on_after(FORGET_S_MAX):
                await writer.run(self._remove_all)
        except OSError as problem:
            _LOG.warning("files of matches that could not be made are still there; it is tried again", problem=str(problem))

    def _remove_all(self) -> None:
        try:
            for _ in range(len(self._left)):
                self._try(*self._left.pop(0))
        finally:
            self._is_under_way = False
