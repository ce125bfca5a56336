"""What a sample of games says: means, and Student's t intervals around them.

An interval covers the true mean in 95 of 100 such samples. It is about deals and chances alone: about the bots that played
on, it says nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

LEVEL: Final = 0.95
"""How often an interval covers the true mean."""
_HALVINGS: Final = 60
"""Steps of the search for a quantile: more than a float has digits."""
_T_MAX: Final = 64.0
"""No quantile that is needed is larger: with two games it is 12.7."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and how far the true mean may be from it."""

    mean: float
    half: float
    """Half the width of the interval."""
    freedom: int
    """The degrees of freedom of its t."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of at least two values, with its interval."""
    count = len(values)
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Estimate(mean, t_quantile(count - 1) * math.sqrt(variance / count), count - 1)


@lru_cache(maxsize=16)
def t_quantile(freedom: int) -> float:
    """The t below which a part `LEVEL` of |t| lies, for this many degrees of freedom."""
    low, high = 0.0, _T_MAX
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _within(middle, freedom) < LEVEL:
            low = middle
        else:
            high = middle
    return high


def _within(t: float, freedom: int) -> float:
    """The part of Student's distribution between -t and t: a finite sum for a whole number of degrees of freedom."""
    angle = math.atan(t / math.sqrt(freedom))
    squared = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for step in range(odd + 1, freedom, 2):
        total += term
        term *= squared * step / (step + 1)
    part = math.sin(angle) * total
    return (angle + part) * 2 / math.pi if odd else part
