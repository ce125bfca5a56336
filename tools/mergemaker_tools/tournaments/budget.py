"""How much is played: `2000 matches`, `30 min`, `3 cycles`, `5 rounds`."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mergemaker_referee.configuration.kinds import WrongValue

MATCHES_MAX: Final = 1_000_000
MINUTES_MAX: Final = 100_000
_WRITTEN: Final = re.compile(r"(?P<number>[0-9]{1,7})\s+(?P<unit>[a-z]+)")


class Unit(StrEnum):
    """What a budget counts."""

    MATCHES = "matches"
    MINUTES = "min"
    CYCLES = "cycles"
    """After a cycle, all bots have met, and have had all seats, equally often."""
    ROUNDS = "rounds"
    """Of a Swiss tournament."""


_UNITS: Final = {
    "match": Unit.MATCHES,
    "matches": Unit.MATCHES,
    "min": Unit.MINUTES,
    "minute": Unit.MINUTES,
    "minutes": Unit.MINUTES,
    "cycle": Unit.CYCLES,
    "cycles": Unit.CYCLES,
    "round": Unit.ROUNDS,
    "rounds": Unit.ROUNDS,
}
_MOST: Final = {Unit.MATCHES: MATCHES_MAX, Unit.MINUTES: MINUTES_MAX, Unit.CYCLES: MATCHES_MAX, Unit.ROUNDS: 1_000}


_SINGULAR: Final = {Unit.MATCHES: "match", Unit.MINUTES: "min", Unit.CYCLES: "cycle", Unit.ROUNDS: "round"}


@dataclass(frozen=True, slots=True)
class Budget:
    """A number, and what it counts."""

    number: int
    unit: Unit

    def __str__(self) -> str:
        return f"{self.number} {self.unit}" if self.number > 1 else f"1 {_SINGULAR[self.unit]}"


def budget_from(text: str) -> Budget:
    """The budget in a text; `WrongValue` for any other text."""
    found = _WRITTEN.fullmatch(text.strip())
    unit = _UNITS.get(found["unit"]) if found else None
    if found is None or unit is None:
        raise WrongValue(f'takes a number and what it counts, as in "2000 matches", "30 min" or "2 cycles", not {text!r}')
    number = int(found["number"])
    if not 1 <= number <= _MOST[unit]:
        raise WrongValue(f"takes 1 to {_MOST[unit]:,} {unit}, not {number:,}")
    return Budget(number, unit)
