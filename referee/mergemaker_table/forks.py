"""What a fork has of its own: a clock from its first decision on, and the source of its bots' chances.

Both are in `run` of its header. The header's game part has what the parent had, so that the play before the fork
keeps its hash.
"""

from collections.abc import Mapping
from typing import Final

from mergemaker_engine.deal import SEED_BYTES
from mergemaker_engine.record.lines import Header
from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass

from mergemaker_table.errors import TableError
from mergemaker_table.terms import Terms

_CLOCK: Final = "clock"
_CHANCES: Final = "chances"


@dataclass(frozen=True, slots=True)
class ForkTerms:
    """What differs between a fork and the match that it came from."""

    terms: Terms | None = None
    """Its clock and fault policy; None: the parent's."""
    clock_from: int = 1
    """The first decision that is played under `terms`: every bank is full there."""
    parent_clock: Mapping[str, object] | None = None
    """What the header says about the parent's clock; None if `terms` is None."""
    chances: bytes | None = None
    """The source of the seats' nonces; None: the deal's secrets, as in the parent."""

    def members(self) -> dict[str, object]:
        """As it is in `run` of the header."""
        run: dict[str, object] = {}
        if self.terms is not None:
            run[_CLOCK] = {"decision": self.clock_from, "terms": self.terms.plain()}
        if self.chances is not None:
            run[_CHANCES] = self.chances.hex()
        return run


def fork_terms_of(header: Header) -> ForkTerms | None:
    """What a record's header says; None for a match that is no fork, and for a fork with nothing of its own."""
    if header.parent is None or not {_CLOCK, _CHANCES} & header.more.keys():
        return None
    terms, clock_from = _own_clock(header.more.get(_CLOCK))
    return ForkTerms(terms, clock_from, None if terms is None else header.clock, _own_chances(header.more.get(_CHANCES)))


def without_fork_terms(more: Mapping[str, object]) -> dict[str, object]:
    """What else is in `run` of the header."""
    return {name: value for name, value in more.items() if name not in (_CLOCK, _CHANCES)}


def _own_clock(member: object) -> tuple[Terms | None, int]:
    if member is None:
        return None, 1
    number = member.get("decision") if isinstance(member, Mapping) else None
    terms = member.get("terms") if isinstance(member, Mapping) else None
    if type(number) is not int or number < 1 or not isinstance(terms, Mapping):
        raise TableError(
            "bad-terms", f"a fork's own clock is an object with 'decision', a number from 1, and 'terms', not {shown(member)}"
        )
    return Terms.from_plain(terms), number


def _own_chances(member: object) -> bytes | None:
    if member is None:
        return None
    try:
        chances = bytes.fromhex(member) if isinstance(member, str) else b""
    except ValueError:
        chances = b""
    if len(chances) != SEED_BYTES:
        raise TableError("bad-terms", f"'{_CHANCES}' has {2 * SEED_BYTES} hexadecimal digits, not {shown(member)}")
    return chances
