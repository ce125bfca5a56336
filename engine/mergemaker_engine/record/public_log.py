"""The public log of a server: what it promised before each match, and how the match ended, in one chain of hashes.

    hash of a line = SHA-256( hash before it ‖ the line's bytes before the member "hash" )

Anyone who has kept a head, the number of lines and the hash of the last one, can tell later whether the log still begins
as it did then. `PUBLIC_LOG.md`, two folders up, specifies all of it.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, TypeAlias

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import decoded, hash_bytes, hash_text, written
from mergemaker_engine.record.commitments import check_match_id
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.members import Members
from mergemaker_engine.record.splitting import check_length
from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass

HASH_BYTES: Final = 32
HASH_CHARACTERS: Final = 43
COMMITMENT_BYTES: Final = 32
_START: Final = sha256(b"mergemaker/public-log/1\x00").digest()
"""The hash before the first line."""
_TAIL: Final = re.compile(rb',"hash":"([A-Za-z0-9_-]{43})"\}\Z')
_HASH: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_AT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_HEAD: Final = re.compile(rf"(0|[1-9][0-9]{{0,15}}):({_HASH.pattern})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Begin:
    """A match was made. This comes before its first tile."""

    match: str
    commitment: bytes | None
    """The promise of its deal; None for a match without a promise of its own: a plain deal, or a fork."""
    at: str
    """By the server's clock, as `2026-11-18T15:38:32Z`."""


@dataclass(frozen=True, slots=True)
class End:
    """A match is over."""

    match: str
    why: Ending
    game: bytes | None
    """The hash `game` of its record's end line; None for a voided match whose end line could not be written."""
    line: bytes | None
    """The hash `line` of its record's end line, or None."""
    at: str

    @classmethod
    def of_line(cls, match: str, line: bytes | None, at: str) -> "End":
        """How a match ended, by the end line of its record; None if that could not be written."""
        if line is None:
            return cls(match, Ending.VOIDED, None, None, at)
        members = Members(decoded(line), "the end line")
        return cls(match, members.kind("why", Ending), _hash_in(members, "game"), _hash_in(members, "line"), at)


@dataclass(frozen=True, slots=True)
class Other:
    """What a newer server tells. Only the chain covers it here."""

    kind: str


Entry: TypeAlias = Begin | End | Other


@dataclass(frozen=True, slots=True)
class Head:
    """How long a log is, and the hash that covers all of it."""

    entries: int = 0
    hash: bytes = _START

    def __str__(self) -> str:
        """The head as people keep it: `1207:` and the hash's text."""
        return f"{self.entries}:{hash_text(self.hash)}"

    @classmethod
    def parse(cls, text: str) -> "Head":
        """Reads such a text."""
        found = _HEAD.fullmatch(text)
        head = None if found is None else cls(int(found[1]), hash_bytes(found[2]))
        if head is None or str(head) != text:
            raise RecordError(
                "bad-head", f"a head is a number, a colon and the {HASH_CHARACTERS} characters of a hash, not {shown(text)}"
            )
        return head


class LogChain:
    """The chain after the lines that were written or read so far."""

    __slots__ = ("head", "size")

    def __init__(self, head: Head | None = None, size: int = 0) -> None:
        self.head = head or Head()
        self.size = size
        """The bytes of these lines, with their LFs."""

    def seal(self, entry: Begin | End) -> bytes:
        """The text of the next line, with its LF."""
        body = _body(self.head.entries + 1, entry)
        head = self._after(body)
        line = body + f',"hash":"{hash_text(head.hash)}"}}\n'.encode()
        self.head, self.size = head, self.size + len(line)
        return line

    def open(self, text: bytes) -> Entry:
        """The next line, from its text without the LF."""
        found = _TAIL.search(text)
        if found is None:
            decoded(text)
            raise RecordError("bad-tail", "a line of a public log ends with its hash")
        body = text[: found.start()]
        entry = _entry(self.head.entries + 1, decoded(text), body)
        head = self._after(body)
        if found[1].decode() != hash_text(head.hash):
            raise RecordError("log-chain", f"the hash of this line is {hash_text(head.hash)}, not {found[1].decode()}")
        self.head, self.size = head, self.size + len(text) + 1
        return entry

    def _after(self, body: bytes) -> Head:
        """The head with one more line."""
        return Head(self.head.entries + 1, sha256(self.head.hash + body).digest())


def _body(number: int, entry: Begin | End) -> bytes:
    """A line before its hash."""
    members: dict[str, object] = {"n": number}
    if isinstance(entry, Begin):
        promised = None if entry.commitment is None else entry.commitment.hex()
        members |= {"kind": "begin", "match": entry.match, "commitment": promised}
    else:
        hashes = {
            name: None if value is None else hash_text(value) for name, value in (("game", entry.game), ("line", entry.line))
        }
        members |= {"kind": "end", "match": entry.match, "why": str(entry.why), **hashes}
    return written(members | {"at": entry.at})[:-1].encode()


def _entry(number: int, line: dict[str, object], body: bytes) -> Entry:
    """What a line says, checked."""
    members = Members(line, "the line")
    if (found := members.number("n", 1)) != number:
        raise RecordError("log-number", f"this is line {number} of the log, and its number is {found}")
    kind = members.text("kind")
    entry: Begin | End
    if kind == "begin":
        match = _match(members)
        promised = members.any("commitment")
        commitment = (
            None if promised is None else Members({"commitment": promised}, "the line").octets("commitment", COMMITMENT_BYTES)
        )
        entry = Begin(match, commitment, _time(members))
    elif kind == "end":
        match, why = _match(members), members.kind("why", Ending)
        game, sealed = _hash_in(members, "game"), _hash_in(members, "line")
        if (game is None) is not (sealed is None) or (game is None and why is not Ending.VOIDED):
            raise RecordError("bad-member", "'game' and 'line' are null together, and only of a voided match")
        entry = End(match, why, game, sealed, _time(members))
    else:
        return Other(kind)
    members.any("hash")
    members.end()
    if _body(number, entry) != body:
        raise RecordError("not-canonical", "the members of a line stand in the order of the format's tables")
    return entry


def _match(members: Members) -> str:
    match = members.text("match")
    check_match_id(match)
    return match


def _time(members: Members) -> str:
    at = members.text("at")
    if not _AT.fullmatch(at):
        raise RecordError("bad-member", f"'at' of the line is a time such as 2026-11-18T15:38:32Z, not {shown(at)}")
    return at


def _hash_in(members: Members, name: str) -> bytes | None:
    value = members.any(name)
    if value is not None and not (isinstance(value, str) and _HASH.fullmatch(value)):
        raise RecordError(
            "bad-member", f"{name!r} of the line is null or the {HASH_CHARACTERS} characters of a hash, not {shown(value)}"
        )
    return None if value is None else hash_bytes(value)


def log_entries(chunks: Iterable[bytes], chain: LogChain | None = None) -> Iterator[Entry]:
    """The entries of a log, with their chain checked. A `RecordError` names the first line that is wrong.

    `chain` is where the log goes on from, and afterwards how far it goes: its number of entries is that of the last line yielded.
    """
    chain, rest = chain or LogChain(), b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield _opened(chain, line)
        check_length(rest, chain.head.entries + 1)
    if rest:
        raise RecordError("torn", "the last line is torn off: it has no end of line", line=chain.head.entries + 1)


def _opened(chain: LogChain, line: bytes) -> Entry:
    number = chain.head.entries + 1
    check_length(line, number)
    try:
        return chain.open(line)
    except RecordError as error:
        raise error.at(number) from error
