"""Receipts: what to keep of a match that is over, so that nobody can show another record of it later (RECORDS.md, 'Receipts').

A receipt is the match's id and both hashes of the record's last line. Its text is short enough for a line of a log:

    20261118-7b382ec45c28:K_6yYBYgGlSPFOyPgPZhY8BTrLJBg8vJIFD_RSPTFiE:Z1zzkGuOIW24AJLUXru7RCD2gs-OSNisJ33AveNIYV0
"""

import re
from collections.abc import Iterator
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import hash_bytes, hash_text
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.commitments import MATCH_ID_BYTES_MAX, check_match_id
from mergemaker_engine.values import dataclass

END_HASH_BYTES: Final = 32
"""The hashes of the last line are whole."""
RECEIPT_CHARACTERS_MAX: Final = MATCH_ID_BYTES_MAX + 2 * 44
_TEXT: Final = re.compile(
    rf"(?<![\w-])([a-z0-9-]{{1,{MATCH_ID_BYTES_MAX}}}):([A-Za-z0-9_-]{{43}}):([A-Za-z0-9_-]{{43}})(?![\w-])", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The match's id, and both hashes of its record's last line."""

    match: str
    line: bytes
    """Of the whole record."""
    game: bytes
    """Of the play."""

    def __post_init__(self) -> None:
        check_match_id(self.match)
        for name, value in (("line", self.line), ("game", self.game)):
            if len(value) != END_HASH_BYTES:
                raise RecordError("bad-receipt", f"a receipt's hash '{name}' has {END_HASH_BYTES} bytes, not {len(value)}")

    def __str__(self) -> str:
        """The receipt as it is in logs."""
        return f"{self.match}:{hash_text(self.line)}:{hash_text(self.game)}"

    def check(self, found: "Receipt", what: str = "receipt") -> None:
        """Refuses a record that is not the one of this receipt, or signature; `found` is what the record itself gives."""
        if found.match != self.match:
            raise RecordError(f"{what}-match", f"this record is of the match {found.match}, and the {what} of {self.match}")
        if found.game != self.game:
            raise RecordError(
                f"{what}-game",
                f"the {what} has the hash 'game' {hash_text(self.game)}, and this record {hash_text(found.game)}: "
                "rules, seats, clock, deal, play or result are not those of the match that ended",
            )
        if found.line != self.line:
            raise RecordError(
                f"{what}-line",
                f"the {what} has the hash 'line' {hash_text(self.line)}, and this record {hash_text(found.line)}: "
                "the play is the same, and something else was changed, such as names, times or notes",
            )


def receipt_of(match: str, chains: Chains) -> Receipt:
    """The receipt for a record, from its chains after the last line."""
    return Receipt(match, chains.line, chains.game)


def receipts_in(text: str) -> Iterator[Receipt]:
    """All receipts in a text, such as a bot's log."""
    for match, line, game in _TEXT.findall(text):
        hashes = [hash_bytes(part) for part in (line, game)]
        receipt = Receipt(match, *hashes)
        if not str(receipt).endswith(f":{line}:{game}"):
            raise RecordError("bad-receipt", f"the receipt of {match} ends in bits that no hash has: it was not copied whole")
        yield receipt
