"""What a server publishes of its matches: entries on their way to its log (engine/PUBLIC_LOG.md).

A match begins in the log after the first line of its record, and before anybody learns of it. It ends there after its end line,
and before its secrets are deleted. So if a server ended in between, the next one finds in the records what the log lacks.
Entries gather while others are on their way to the disk, and then go there together. They are always synced: heads of the log
are public, and no loss of power may take back what they cover.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

import structlog
import trio
from mergemaker_engine.record.public_log import Begin, End, Head, LogChain

from mergemaker_referee.records.journal import JournalError
from mergemaker_referee.records.journal_writer import DiskStalled, LineWriter
from mergemaker_referee.records.log_file import OpenedLog, page_of
from mergemaker_referee.times import time_text

_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An entry that is not written yet."""

    entry: Begin | End
    written: trio.Event = field(default_factory=trio.Event)


class MatchLog(Protocol):
    """What a match needs from the log. The methods are those of `PublicLog`."""

    def begin(self, match: str, commitment: bytes | None) -> trio.Event:
        """Publishes that a match was made."""

    def end(self, match: str, line: bytes | None) -> trio.Event:
        """Publishes that a match is over."""

    def ended_before(self, match: str) -> trio.Event | None:
        """For a match that ended under the server before: set when its end is on the disk."""


class PublicLog:
    """The log of one server."""

    def __init__(self, opened: OpenedLog, writer: LineWriter, today: Callable[[], datetime], retry_ms: int) -> None:
        """Publishes first what the records have and the log lacks."""
        self._opened: Final = opened
        self._writer: Final = writer
        self._today: Final = today
        self._retry_s: Final = retry_ms / 1_000
        self._ends: Final = {match: _done() for match in opened.ended}
        """By match that a server before knew: whether its end is written."""
        self._open: Final = set(opened.open)
        """Matches that have begun, and are not over."""
        self._waiting: list[_Waiting] = []
        self._came: Final = trio.lowlevel.ParkingLot()
        self._is_refused = False
        for missing in opened.missing:
            self._ends[missing.match] = self.end(missing.match, missing.line)

    @property
    def head(self) -> Head:
        """The head of what is on the disk."""
        return self._opened.index.head

    def begin(self, match: str, commitment: bytes | None) -> trio.Event:
        """Publishes that a match was made, unless that is published already. The event is set when it is on the disk."""
        if match in self._open or match in self._ends:
            return _done()
        self._open.add(match)
        return self._add(Begin(match, commitment, self._now_text()))

    def end(self, match: str, line: bytes | None) -> trio.Event:
        """Publishes that a match is over, likewise: by the end line of its record, or without one if it could not be written."""
        known = self._ends.get(match)
        if known is not None:
            return known
        self._open.discard(match)
        return self._add(End.of_line(match, line, self._now_text()))

    def ended_before(self, match: str) -> trio.Event | None:
        """For a match that ended under the server before: set when its end is on the disk; None if the log does not have it."""
        return self._ends.get(match)

    def numbers_of(self, match: str) -> tuple[int, int]:
        """The numbers of a match's begin and end in what is on the disk; 0 for what is not there."""
        index = self._opened.index
        return index.number_of(Begin, match), index.number_of(End, match)

    async def page(self, first: int, count: int) -> tuple[Head, bytes]:
        """The head, and whole lines from an entry on: at most this many, and as many as fit a page."""
        head = self.head
        count = min(count, head.entries - first + 1)
        if count < 1:
            return head, b""
        found: list[bytes] = []
        await self._writer.run(lambda: found.append(page_of(self._opened, first, count)))
        return head, found[0]

    async def run(self) -> None:
        """Writes until it is cancelled. What is not written by then, the next server finds in the records."""
        try:
            while True:
                if not self._waiting:
                    await self._came.park()
                batch, self._waiting = self._waiting, []
                await self._write(batch)
        finally:
            self._opened.journal.close()

    def _now_text(self) -> str:
        return time_text(self._today())

    def _add(self, entry: Begin | End) -> trio.Event:
        waiting = _Waiting(entry)
        self._waiting.append(waiting)
        self._came.unpark_all()
        return waiting.written

    async def _write(self, batch: list[_Waiting]) -> None:
        """Writes entries, and tries again as often as needed."""
        index = self._opened.index
        chain = LogChain(index.head, index.size)
        after: list[tuple[Head, int]] = []
        lines = b""
        for waiting in batch:
            lines += chain.seal(waiting.entry)
            after.append((chain.head, chain.size))
        while True:
            if await self._is_written(lines):
                break
            await trio.sleep(self._retry_s)
        if self._is_refused:
            self._is_refused = False
            _LOG.warning("the public log can be written again")
        for waiting, (head, size) in zip(batch, after, strict=True):
            index.add(head, size, waiting.entry)
            waiting.written.set()

    async def _is_written(self, lines: bytes) -> bool:
        try:
            await self._writer.append(self._opened.journal, lines)
        except DiskStalled as stalled:  # they may still be written, so they are not written again before that is known
            self._note_refused(stalled)
            try:
                await stalled.outcome()
            except OSError:
                return False
        except JournalError as problem:
            self._note_refused(problem)
            return False
        return True

    def _note_refused(self, problem: JournalError) -> None:
        if not self._is_refused:
            self._is_refused = True
            text = "the public log cannot be written: new matches wait, and the secrets of matches that are over are kept"
            _LOG.warning(text, problem=str(problem))


def _done() -> trio.Event:
    event = trio.Event()
    event.set()
    return event
