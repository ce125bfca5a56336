"""How many of many findings may be chance."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Finding = TypeVar("Finding", bound=Hashable)


def false_discovery_rates(chances: Mapping[Finding, float]) -> dict[Finding, float]:
    """By finding: if it is reported, and all that are no less certain, this part of them is expected to be false.

    `chances` says how likely each finding is if there is nothing in it. (The procedure of Benjamini and Hochberg.)
    """
    rates: dict[Finding, float] = {}
    lowest = 1.0
    for rank, (finding, chance) in sorted(enumerate(sorted(chances.items(), key=lambda each: each[1]), start=1), reverse=True):
        lowest = min(lowest, chance * len(chances) / rank)
        rates[finding] = lowest
    return rates
