"""Records for a replay, and changes that keep their chains correct."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mergemaker_engine.record.lines import DecisionLine, Incident, Line
from mergemaker_engine.rules import preset

from mergemaker_testkit.recorded import opened, recorded_match, sealed

SEED = hashlib.sha256(b"replay").digest()


def match_of(
    name: str = "renegade-classic", seats: int = 4, note: str | None = None, decisions: int | None = None
) -> list[bytes]:
    """The lines of a random match, always the same one."""
    return recorded_match(preset(name), seats, SEED, note=note, decisions=decisions)


def decisions_of(lines: Sequence[Line]) -> list[DecisionLine]:
    """The lines of its decisions."""
    return [line for line in lines if isinstance(line, DecisionLine)]


def altered(lines: Sequence[bytes], number: int, **changes: Any) -> list[bytes]:
    """A record with changed members in one decision's line and correct chains."""
    return sealed(
        replace(line, **changes) if isinstance(line, DecisionLine) and line.number == number else line for line in opened(lines)
    )


def with_incidents(lines: Sequence[bytes], *incidents: Incident) -> list[bytes]:
    """A record with incidents before its third decision."""
    parts = opened(lines)
    at = parts.index(decisions_of(parts)[2])
    return sealed([*parts[:at], *incidents, *parts[at:]])
