"""The file of a server's public log: opened after any end of the server before, and read by pages (engine/PUBLIC_LOG.md)."""

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.public_log import Begin, End, Entry, Head, LogChain, Other, log_entries

from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.disks import SYSTEM_DISK, Disk
from mergemaker_referee.records.journal import COMMIT_LIMIT_S, Commits, Journal, SyncAtOnce, match_in_name, sync_folder
from mergemaker_referee.records.leftovers import Leftovers, end_line

LOG_NAME: Final = "public-log.jsonl"
PAGE_BYTES_MAX: Final = 65_536
"""The most bytes of a page."""
STRIDE: Final = 64
"""The places of the entries 1, 65, 129 … are known. Those of the others are found from there."""
LINE_BYTES: Final = 512
"""No line that a server writes is longer."""
KEY_BYTES: Final = 8
"""An entry is found by this much of a hash. With 100,000 matches, one search in 10^14 finds an entry that is another's."""


@dataclass(slots=True)
class LogIndex:
    """How far a log goes, and where its entries are: about 9 bytes for each, so that a log may have millions."""

    head: Head = field(default_factory=Head)
    size: int = 0
    places: "array[int]" = field(default_factory=lambda: array("Q"))
    keys: bytearray = field(default_factory=bytearray)
    """Of all entries, one after the other."""

    def add(self, head: Head, size: int, entry: Entry) -> None:
        """Takes one more line, with the head and the size of the log after it."""
        if self.head.entries % STRIDE == 0:
            self.places.append(self.size)
        self.keys += bytes(KEY_BYTES) if isinstance(entry, Other) else _key(type(entry), entry.match)
        self.head, self.size = head, size

    def number_of(self, kind: type[Begin | End], match: str) -> int:
        """The number of a match's begin or end; 0 if the log does not have it."""
        key = _key(kind, match)
        place = self.keys.find(key)
        while place % KEY_BYTES and place > 0:  # it lies across two keys
            place = self.keys.find(key, place + 1)
        return place // KEY_BYTES + 1 if place >= 0 else 0


def _key(kind: type[Begin | End], match: str) -> bytes:
    return blake2b(f"{kind.__name__} {match}".encode(), digest_size=KEY_BYTES).digest()


@dataclass(frozen=True, slots=True)
class MissingEnd:
    """A match that is over, and whose end a log lacks."""

    match: str
    line: bytes | None
    """The end line of its record; None if the match was voided without one."""


@dataclass(frozen=True, slots=True)
class OpenedLog:
    """A log to which entries can be added."""

    path: Path
    disk: Disk
    journal: Journal
    index: LogIndex
    open: frozenset[str]
    """Matches that have begun in the log, and have no end there."""
    ended: frozenset[str]
    """Matches that this server takes up or shows again, and that have their end in the log."""
    missing: tuple[MissingEnd, ...]


def open_log(
    path: Path, records: Sequence[Path], leftovers: Leftovers, committer: Commits | None = None, disk: Disk = SYSTEM_DISK
) -> OpenedLog:
    """Opens a server's log, or begins it. A torn last line is cut off: nobody has been sent a head that covers it.

    `leftovers` are those of the folders of the records: the server before may have ended between a record's line and the log's.
    """
    commits = committer or SyncAtOnce(disk)
    if disk.tail(path, 0) is None:
        journal, reading = Journal.create(path, commits, disk), _Reading(frozenset())
    else:
        reading = _Reading({match_in_name(record.name) for record in (*leftovers.unfinished, *leftovers.ended)})
        journal = _reopened(path, reading.read(path, disk), reading.index.size, commits, disk)
    missing = tuple(_missing(records, leftovers, reading, disk))
    return OpenedLog(path, disk, journal, reading.index, frozenset(reading.open), frozenset(reading.ended), missing)


class _Reading:
    """A log as it was read: its index, and what it says of some matches."""

    def __init__(self, known: Collection[str | None]) -> None:
        self.index: Final = LogIndex()
        self.open: Final[set[str]] = set()
        self.ended: Final[set[str]] = set()
        """Those that are `known` and have their end."""
        self._known: Final = known

    def read(self, path: Path, disk: Disk) -> bool:
        """Reads the log; returns whether its last line is torn."""
        chain = LogChain()
        try:
            for entry in log_entries(_chunks(path, disk), chain):
                self.index.add(chain.head, chain.size, entry)
                self._take(entry)
        except RecordError as error:
            if error.reason == "torn":
                return True
            raise RefereeError(
                "bad-public-log",
                f"the public log {path} is damaged: {error}. Restore it from a copy, or move it away: then a new log begins, "
                "as everybody sees who kept a head of this one",
            ) from error
        return False

    def _take(self, entry: Entry) -> None:
        match entry:
            case Begin(match):
                self.open.add(match)
            case End(match):
                self.open.discard(match)
                if match in self._known:
                    self.ended.add(match)
            case Other():
                pass  # a newer server wrote it


def _chunks(path: Path, disk: Disk) -> Iterator[bytes]:
    start = 0
    while chunk := disk.part(path, start, PAGE_BYTES_MAX):
        yield chunk
        start += len(chunk)


def _reopened(path: Path, is_torn: bool, size: int, commits: Commits, disk: Disk) -> Journal:
    descriptor = disk.reopen(path)
    try:
        if is_torn:
            disk.truncate(descriptor, size)
        commits.commit(descriptor).result(COMMIT_LIMIT_S)
        sync_folder(path.parent, commits, disk)
    except BaseException:
        disk.close(descriptor)
        raise
    return Journal(path, descriptor, size, commits, disk)


def _missing(records: Sequence[Path], leftovers: Leftovers, reading: _Reading, disk: Disk) -> Iterator[MissingEnd]:
    """What records have and the log lacks. Records that were moved away, or packed, had their end in the log before."""
    for record in leftovers.ended:
        match = match_in_name(record.name)
        if match is not None and match not in reading.ended:
            yield MissingEnd(match, end_line(record, disk))
    there = (*leftovers.unfinished, *leftovers.ended, *(record for record, _ in leftovers.damaged))
    over = reading.open - {match_in_name(record.name) for record in there}
    for folder in records if over else ():
        for name in disk.names(folder):
            match = match_in_name(name)
            if match in over:
                yield MissingEnd(match, end_line(folder / name, disk))


def page_of(opened: OpenedLog, first: int, count: int) -> bytes:
    """Whole lines of a log, from an entry on: this many, which are there, or as many as fit a page. Uses the disk."""
    index = opened.index
    start, skipped = index.places[(first - 1) // STRIDE], (first - 1) % STRIDE
    data = opened.disk.part(opened.path, start, min(index.size - start, PAGE_BYTES_MAX + STRIDE * LINE_BYTES))
    page = b"".join(line + b"\n" for line in data.split(b"\n")[:-1][skipped : skipped + count])[:PAGE_BYTES_MAX]
    return page[: page.rfind(b"\n") + 1]
