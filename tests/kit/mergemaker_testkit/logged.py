"""Public logs for tests: made from entries, and from records."""

from collections.abc import Iterable, Sequence
from typing import Final

from mergemaker_engine.record.in_log import Claim
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.public_log import Begin, End, Head, LogChain
from mergemaker_engine.record.reading import read_record

AT: Final = "2026-11-18T12:00:00Z"


def begin(match: str, commitment: bytes | None = bytes(32)) -> Begin:
    return Begin(match, commitment, AT)


def end(match: str, why: Ending = Ending.DECLARED, game: bytes | None = bytes(32), line: bytes | None = bytes(32)) -> End:
    return End(match, why, game, line, AT)


def log_of(entries: Iterable[Begin | End]) -> list[bytes]:
    """The lines of a log."""
    chain = LogChain()
    return [chain.seal(entry) for entry in entries]


def heads_of(entries: Sequence[Begin | End]) -> list[Head]:
    """All heads that the log of these entries had, from the empty log's on."""
    chain = LogChain()
    heads = [chain.head]
    for entry in entries:
        chain.seal(entry)
        heads.append(chain.head)
    return heads


def entries_of(record: Iterable[bytes]) -> list[Begin | End]:
    """A log's entries for a finished record."""
    read = read_record(record)
    assert read.end is not None
    claim = Claim.of(read)
    return [begin(claim.match, claim.commitment), end(claim.match, read.end.why, claim.game, claim.line)]
