"""Opens records in files without ever waiting, and says in a line what is wrong with one."""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.in_log import Claim
from mergemaker_engine.record.lines import Parent
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.splitting import RECORD_BYTES_MAX
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.shown import shown
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.records.files import record_chunks
from mergemaker_table.record_checks import TermsFound, check_terms
from mergemaker_table.run_members import block_in

from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.records.kept import NOTHING_KEPT, Kept

BEGINNING: Final = b'{"kind":"header",'
"""How every record begins, whatever its format."""
NO_ZSTD: Final = "no-zstd"
"""The reason where a missing extra leaves it open."""
_UNFINISHED: Final = frozenset({"unfinished", "torn"})


class State(StrEnum):
    """The result for a record."""

    GOOD = "good"
    BAD = "bad"
    UNFINISHED = "unfinished"
    """It is right so far, and its end is missing."""
    CONTRADICTING = "contradicting"
    """It is right by itself, and another record says otherwise."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A record that is bad, or could not be read."""

    path: str
    state: State
    line: int | None
    """Counted from 1; None if no single line is wrong."""
    reason: str
    """For programs: that of the `RecordError`, or one of those that `open_chunks` raises."""
    text: str

    @property
    def sentence(self) -> str:
        """Everything in one line for people."""
        where = f"line {self.line}: " if self.line is not None else ""
        state = "unfinished: " if self.state is State.UNFINISHED else ""
        return f"{shown_path(self.path)}: {where}{state}{self.text} ({self.reason})"

    def document(self) -> dict[str, object]:
        """Everything for programs."""
        return {"path": self.path, "state": str(self.state), "line": self.line, "reason": self.reason, "text": self.text}


@dataclass(frozen=True, slots=True)
class Row:
    """What a good record is: for a list, and to compare it with others."""

    match: str
    line: str
    """The hash `line` of the end line; likewise what follows."""
    game: str
    deal: str
    ended: str
    fingerprint: str
    """Of the rules."""
    parent: Parent | None
    terms: TermsFound
    commitment: bytes
    """Of the deal; empty for a plain one, like what follows."""
    server_seed: bytes
    nonce: bytes
    seed: bytes
    """The seed of the deal."""
    block: str = ""
    """The block of matches that were played on this deal; empty if it was the match's alone."""

    @property
    def fork_of(self) -> str:
        """A fork's parent and the decision at which it begins, as `RECORD@57`; empty for other matches."""
        return f"{self.parent.match}@{self.parent.decision}" if self.parent else ""

    def document(self) -> dict[str, object]:
        """What others may use of it."""
        parent = self.parent and {"match": self.parent.match, "decision": self.parent.decision, "game": self.parent.game}
        return {
            "match": self.match,
            "line": self.line,
            "game": self.game,
            "deal": self.deal,
            "ended": self.ended,
            "fingerprint": self.fingerprint,
            "parent": parent,
            "terms": str(self.terms),
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one record."""

    decisions: int
    finding: Finding | None
    """None for a good one."""
    claim: Claim | None = None
    """What a good one says that a public log says, too."""
    row: Row | None = None
    """Of a good one."""


def check_file(path: Path, *, with_audit: bool, kept: Kept = NOTHING_KEPT) -> Checked:
    """Verifies the record in a file, and compares it with what was kept of its match."""
    try:
        verified = verify(open_chunks(path), with_audit=with_audit)
        kept.check(path, verified.record)
        terms = check_terms(verified.record)
        return Checked(verified.decisions, None, Claim.of(verified.record), row_of(verified.record, terms))
    except (EngineError, OSError) as error:
        return Checked(0, finding_of(path, error))


def row_of(record: Record, terms: TermsFound) -> Row:
    """The row of a verified record."""
    header, end = record.header, record.end
    assert end is not None, "a verified record has its end"
    return Row(
        match=header.match,
        line=hash_text(record.chains.line),
        game=hash_text(record.chains.game),
        deal=str(header.mode),
        ended=str(end.why),
        fingerprint=header.rules.fingerprint(),
        parent=header.parent,
        terms=terms,
        commitment=header.promise.commitment if header.promise else b"",
        server_seed=end.server_seed or b"",
        nonce=end.nonce or b"",
        seed=end.seed,
        block=block_in(header.more),
    )


def open_chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a record, unpacked; a file that is clearly no record is refused at once.

    A pipe, a device or a folder might block, or never end.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise RecordError("no-file", "this is no regular file, and a record is one")
    if status.st_size > RECORD_BYTES_MAX:
        raise RecordError("too-large", f"a record has at most {RECORD_BYTES_MAX:,} bytes; this file has {status.st_size:,}")
    return _record_alone(record_chunks(path))


def _record_alone(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks of a file that begins like a record; for others, the error would only say torn, or no JSON."""
    for number, chunk in enumerate(chunks):
        if number == 0 and not chunk.startswith(BEGINNING[: len(chunk)]):
            begins = shown(chunk[: len(BEGINNING)])
            raise RecordError("no-record", f"a record begins with {shown(BEGINNING)}, not {begins}", line=1)
        yield chunk


def finding_of(path: Path, error: EngineError | OSError) -> Finding:
    """The defect for an error with a record's file."""
    if isinstance(error, OSError):
        return Finding(str(path), State.BAD, None, "unreadable", f"this file cannot be read: {reason_of(error)}")
    if error.reason == NO_ZSTD:
        raise CommandFailed(f"{shown_path(path)}: {error}")
    state = State.UNFINISHED if error.reason in _UNFINISHED else State.BAD
    line = error.line if isinstance(error, RecordError) else None
    return Finding(str(path), state, line, error.reason, str(error.args[0]))
