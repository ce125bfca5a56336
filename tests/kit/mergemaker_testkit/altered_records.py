"""A match as lines that tests alter, and what `verify` then says about them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import (
    AnsweredBy,
    DecisionLine,
    Line,
)
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset

from mergemaker_testkit.recorded import (
    opened,
    recorded_match,
)

CLASSIC: Final = preset("renegade-classic")
SEED: Final = bytes(range(32))
SEATS: Final = 3
DECISIONS: Final = 30


@cache
def whole_match() -> tuple[Line, ...]:
    """All lines of a match, to its end."""
    return tuple(opened(recorded_match(CLASSIC, SEATS, SEED)))


@cache
def short_match(mode: DealMode = DealMode.SERVER, withheld: tuple[int, ...] = ()) -> tuple[Line, ...]:
    """The lines of a match with a few decisions."""
    return tuple(opened(recorded_match(CLASSIC, SEATS, SEED, mode, withheld=withheld, decisions=DECISIONS)))


@cache
def default_match() -> tuple[Line, ...]:
    """A match of a few decisions in which every answer is the default."""
    return tuple(opened(recorded_match(CLASSIC, SEATS, SEED, decisions=DECISIONS, by_default=True)))


def refusal_of(texts: Sequence[bytes], *, with_audit: bool = False) -> tuple[str, int | None]:
    """Why `verify` refuses a record, and at which line."""
    with pytest.raises(RecordError) as refusal:
        verify(texts, with_audit=with_audit)
    return refusal.value.reason, refusal.value.line


def first_decision(lines: Sequence[Line], start: str, *, by: AnsweredBy | None = None, after: int = 0) -> int:
    """The place of the first decision whose question begins like this."""
    return next(
        at
        for at, line in enumerate(lines)
        if at > after and isinstance(line, DecisionLine) and line.asked.startswith(start) and by in (None, line.by)
    )


def alter(lines: list[Line], at: int, **changes: Any) -> None:  # members of any type
    """Changes members of one line."""
    lines[at] = replace(lines[at], **changes)
