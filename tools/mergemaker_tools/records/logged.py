"""A server's public log in a file, and records compared with it."""

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.in_log import Claim, LogBook
from mergemaker_engine.record.public_log import Head
from mergemaker_referee.records.files import CHUNK_BYTES

from mergemaker_tools.records.checking import Finding, State, finding_of


@dataclass(frozen=True, slots=True)
class LogReport:
    """What came of a log."""

    path: Path
    book: LogBook
    heads: int
    """How many heads were kept of it."""
    records: int
    """How many records were to be compared."""
    findings: tuple[Finding, ...]
    """What is wrong with the log: then no record is compared. Otherwise each record that disagrees with it."""

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong with the log itself."""
        return all(finding.path != str(self.path) for finding in self.findings)

    @property
    def agree(self) -> int:
        """How many records agree with it."""
        return self.records - len(self.findings) if self.is_good else 0

    @property
    def lines(self) -> Iterator[str]:
        """All of it for people, but for the findings."""
        book, head = self.book, self.book.chain.head
        if not self.is_good:
            yield f"log: bad, so no record was compared with it; the {head.entries:,} entries read were right so far"
            return
        entries = f"{head.entries:,} {'entry' if head.entries == 1 else 'entries'}"
        open_text = f", {book.open:,} without an end yet" if book.open else ""
        yield f"log: {entries}; matches: {book.begins:,} begun, {book.ends:,} ended{open_text}; head {head}"
        if self.heads:
            yield f"log: {self.heads:,} kept {'head agrees' if self.heads == 1 else 'heads agree'}"
        if self.records:
            yield f"log: {self.agree:,} of {self.records:,} good records agree with it"

    def document(self) -> dict[str, object]:
        """All of it for programs."""
        book, head = self.book, self.book.chain.head
        return {
            "path": str(self.path),
            "good": self.is_good,
            "entries": head.entries,
            "head": str(head),
            "begun": book.begins,
            "ended": book.ends,
            "open": book.open,
            "kept_heads": self.heads,
            "agree": self.agree,
            "not_good": [finding.document() for finding in self.findings],
        }


def compare_with_log(path: Path, claims: Mapping[Path, Claim], heads: Sequence[Head]) -> LogReport:
    """Checks a log, the heads that were kept of it, and by path the records that are right in themselves."""
    book = LogBook((claim.match for claim in claims.values()), heads)
    findings: list[Finding] = []
    try:
        book.read(log_chunks(path))
    except (RecordError, OSError) as error:
        findings.append(replace(finding_of(path, error), state=State.BAD))
    else:
        for record, claim in claims.items():
            try:
                book.check(claim)
            except RecordError as error:
                findings.append(finding_of(record, error))
    return LogReport(path, book, len(heads), len(claims), tuple(findings))


def log_chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a log, which may be of any size. A pipe or a device might block, or never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise RecordError("no-file", "this is no regular file, and a public log is one")
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
