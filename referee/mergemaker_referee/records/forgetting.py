"""Deletes files as soon as the disk allows it: secrets of matches that are over, and files of matches that were not made.

As long as its secrets exist, a match would be taken up again.
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
"""How long the end of a match waits until its secrets are deleted."""
_LOG = structlog.get_logger(__name__)


class SecretsOnDisk:
    """The secrets file of one match."""

    def __init__(self, match: str, record: Path, disk: Disk, committer: Commits | None = None) -> None:
        """With a committer, the secrets stay deleted even after a loss of power."""
        self._match: Final = match
        self._record: Final = record
        self._disk: Final = disk
        self._committer: Final = committer
        self.are_there = True
        """Whether they may still exist, or come back."""
        self.are_removed = False
        """Whether the file is removed. With a committer it may still come back: see `are_there`."""
        self._is_under_way = False
        """Whether a stalled disk will delete them when it goes on."""

    async def forget(self, writer: LineWriter) -> None:
        """Deletes them. If the disk refuses, this can be tried again. If it stalls, nobody waits for it."""
        if not self.are_there or self._is_under_way:
            return
        try:
            with trio.move_on_after(FORGET_S_MAX):
                await self.delete(writer)
        except OSError as problem:
            text = "the secrets of a match that is over cannot be deleted; the server will try again"
            _LOG.warning(text, match=self._match, problem=str(problem))

    async def delete(self, writer: LineWriter) -> None:
        """Deletes them. `OSError` if the disk refuses; `DiskStalled` if it does not answer, and then they may go later."""
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
    """Files of matches that could not be made, and that the disk did not delete either."""

    def __init__(self, disk: Disk) -> None:
        self._disk: Final = disk
        self._left: Final[list[tuple[Callable[[Path], None], Path]]] = []
        """What is still to be done, and with which file. Several threads may add to it."""
        self._is_under_way = False

    @property
    def are_there(self) -> bool:
        """Whether any are left."""
        return bool(self._left)

    def remove(self, path: Path) -> None:
        """Deletes a file, now or later. Uses the disk."""
        self._try(self._disk.remove, path)

    def remove_unbegun(self, record: Path) -> None:
        """Deletes a record that nobody knows of, and its secrets, now or later. Uses the disk."""
        self._try(partial(forget_unbegun, disk=self._disk), record)

    def remove_secrets(self, record: Path) -> None:
        """Deletes the secrets of a record that was not made, now or later. A record that is still to go goes before them."""
        if all(path != record for _, path in self._left):
            self.remove(secrets_path(record))

    def _try(self, remove: Callable[[Path], None], path: Path) -> None:
        try:
            remove(path)
        except OSError:
            self._left.append((remove, path))

    async def forget(self, writer: LineWriter) -> None:
        """Tries again to delete them. Does not wait for a stalled disk."""
        if not self.are_there or self._is_under_way:
            return
        self._is_under_way = True
        try:
            with trio.move_on_after(FORGET_S_MAX):
                await writer.run(self._remove_all)
        except OSError as problem:
            _LOG.warning("files of matches that could not be made are still there; trying again later", problem=str(problem))

    def _remove_all(self) -> None:
        try:
            for _ in range(len(self._left)):
                self._try(*self._left.pop(0))
        finally:
            self._is_under_way = False
