"""A game in a link: what is played, the seed and the answers, in about as many characters as a short letter.

The part of the address after `#` never leaves the browser. README.md ("A game in a link") has the form.
"""

import base64
import gzip
import json
from typing import Final

from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.record.reading import Record, Step
from mergemaker_engine.wording import action_text

MEMBER: Final = "game"
"""The name of the link's member in an address."""
_NO_OFFER: Final = 0
_NEXT_OFFER: Final = 1
_PACKING_LEVEL: Final = 9
_PACKED_AT: Final = 0
_DIGIT_BITS: Final = 7


class NoLink(Exception):
    """A match has no deal that a link could tell."""


def game_link(record: Record) -> str:
    """The text of a game, for an address after `#game=`. The match must have ended after its deal: a link needs the seed."""
    end = record.end
    if end is None or record.deal is None:
        raise NoLink(
            "a link has the seed of the deal, and this match has none to show: it has not ended, or ended before its deal"
        )
    header = record.header
    moves = bytearray(end.seed)
    offers: list[str] = []
    for step in record.steps():
        moves += _move(step, offers)
    about = {
        "match": header.match,
        "bots": list(header.bots),
        "rules": header.rules.written_knobs(),
        "rules_version": header.rules.version,
        "seats": header.seats,
        "decisions": len(record.decisions),
        "why": str(end.why),
        "offers": offers,
    }
    text = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{_text(gzip.compress(text, _PACKING_LEVEL, mtime=_PACKED_AT))}.{_text(bytes(moves))}"


def _move(step: Step, offers: list[str]) -> bytes:
    """The index of an answer among all legal ones; nothing for the only one. The text of an offer goes into a list of its own."""
    if isinstance(step.decision, ChooseOffer):
        text = action_text(step.answer, step.before.rules)
        if step.answer == step.legal[0]:
            return _number(_NO_OFFER)
        offers.append(text)
        return _number(_NEXT_OFFER)
    legal = step.legal
    return _number(legal.index(step.answer)) if len(legal) > 1 else b""


def _number(value: int) -> bytes:
    """A number in digits of seven bits, the lowest first; all but the last have the eighth bit, too."""
    digits = bytearray()
    while value >> _DIGIT_BITS:
        digits.append(value & 0x7F | 0x80)
        value >>= _DIGIT_BITS
    digits.append(value)
    return bytes(digits)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")
