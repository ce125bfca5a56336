"""What a public log says of each match, and whether records agree with it."""

from collections.abc import Iterable
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.public_log import Begin, End, Entry, Head, LogChain, log_entries
from mergemaker_engine.record.reading import Record
from mergemaker_engine.values import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """What a finished record says, as far as a log says it, too."""

    match: str
    commitment: bytes | None
    """Of the promise that was made for this match; None for plain deals and forks."""
    is_void: bool
    game: bytes
    line: bytes

    @classmethod
    def of(cls, record: Record) -> "Claim":
        """That of a record, which has its end."""
        header, end = record.header, record.end
        promise = header.promise
        own = promise.commitment if promise is not None and promise.match == header.match else None
        is_void = end is not None and end.why is Ending.VOIDED
        return cls(header.match, own, is_void, record.chains.game, record.chains.line)


@dataclass(frozen=True, slots=True)
class _Logged:
    """The entries about a match that records are compared with."""

    begin: Begin | None = None
    end: End | None = None


class LogBook:
    """Reads a whole log. It refuses a log that contradicts itself, and keeps what it says of some matches."""

    def __init__(self, wanted: Iterable[str] = (), heads: Iterable[Head] = ()) -> None:
        """`wanted` are the matches that records are given of, and `heads` were kept of this log earlier."""
        self.chain: Final = LogChain()
        self.begins = 0
        self.ends = 0
        self._is_over: Final[dict[str, bool]] = {}
        """By match."""
        self._found: Final = dict.fromkeys(wanted, _Logged())
        self._heads: Final[dict[int, list[Head]]] = {}
        for head in heads:
            self._heads.setdefault(head.entries, []).append(head)

    @property
    def open(self) -> int:
        """How many matches have begun, and have no end yet."""
        return sum(not is_over for is_over in self._is_over.values())

    def read(self, chunks: Iterable[bytes]) -> None:
        """Reads the log from its first line to its last. A `RecordError` names the first line that is wrong."""
        self._check_head()
        for entry in log_entries(chunks, self.chain):
            try:
                self._take(entry)
                self._check_head()
            except RecordError as error:
                raise error.at(self.chain.head.entries) from error
        if self._heads:
            longest = max(self._heads)
            raise RecordError(
                "head-beyond",
                f"a head of {longest} entries was kept of this log, which has {self.chain.head.entries}: it was cut",
            )

    def _check_head(self) -> None:
        head = self.chain.head
        for kept in self._heads.pop(head.entries, ()):
            if kept != head:
                raise RecordError(
                    "head-differs",
                    f"the head after {head.entries} entries is {head}, and {kept} was kept: something up to it was changed",
                )

    def _take(self, entry: Entry) -> None:
        if isinstance(entry, Begin):
            if entry.match in self._is_over:
                raise RecordError(
                    "begun-twice",
                    f"the match {entry.match} begins here, and has an entry before: each begins once, before its end",
                )
            self.begins += 1
            self._is_over[entry.match] = False
            if entry.match in self._found:
                self._found[entry.match] = _Logged(entry)
        elif isinstance(entry, End):
            if self._is_over.get(entry.match):
                raise RecordError("ended-twice", f"the match {entry.match} ends here, and has ended before: each ends once")
            self.ends += 1
            self._is_over[entry.match] = True
            if entry.match in self._found:
                self._found[entry.match] = _Logged(self._found[entry.match].begin, entry)

    def has_begun(self, match: str) -> bool:
        """Whether the log has a match's begin. The match must be among the wanted."""
        return self._found[match].begin is not None

    def check(self, claim: Claim) -> None:
        """Refuses a record that the log does not know, or knows otherwise. Its match must be among the wanted."""
        found, match = self._found[claim.match], claim.match
        if found.end is None:
            if found.begin is None:
                raise RecordError("not-in-log", f"the public log does not know the match {match}")
            raise RecordError(
                "not-ended", f"the match {match} begins in the public log, and has no end there, as this record has"
            )
        if found.begin is None:
            raise RecordError("not-begun", f"the public log has the end of the match {match}, but nothing from before its deal")
        if found.begin.commitment != claim.commitment:
            promised, says = (_promise_text(each) for each in (found.begin.commitment, claim.commitment))
            raise RecordError(
                "other-promise", f"before the match {match}, the public log promised {promised}; this record says {says}"
            )
        if found.end.line is None and claim.is_void:
            return  # the server gave its end line up, and the disk wrote it later
        if (found.end.game, found.end.line) != (claim.game, claim.line):
            raise RecordError(
                "other-end", f"the public log says that the record of the match {match} ends with {_hashes_text(found.end)}"
            )


def _promise_text(commitment: bytes | None) -> str:
    return "nothing" if commitment is None else f"the commitment {commitment.hex()}"


def _hashes_text(end: End) -> str:
    if end.game is None or end.line is None:
        return "no end line: the match was voided, and its end could not be written"
    return f"the hashes 'game' {hash_text(end.game)} and 'line' {hash_text(end.line)}"
