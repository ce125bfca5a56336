"""Whether something grows: tells the slope of a measurement over time from zero.

The slope is Theil and Sen's: the median of the slopes between all pairs of points, which single peaks do not change. The
points of a process are not independent, so the interval comes from a bootstrap of blocks: the line's residuals
are drawn again, some neighbours at a time, and each draw has a slope. If noise is correlated, about nine in ten
such intervals contain the true slope.
"""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

POINTS_MAX: Final = 40
"""Beyond this number, points are merged, each into the median of its neighbours."""
POINTS_MIN: Final = 8
BLOCK: Final = 2
"""Neighbours that are drawn together."""
ROUNDS: Final = 300
LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """How fast something grows, with lower and upper bounds."""

    each: float
    low: float
    high: float


def theil_sen(points: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes between all pairs of points."""
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2) if a[0] != b[0])


def thinned(points: Sequence[tuple[float, float]], most: int = POINTS_MAX) -> list[tuple[float, float]]:
    """At most this many points; each replaces some neighbours."""
    size = -(-len(points) // most)
    groups = [points[at : at + size] for at in range(0, len(points), size)]
    return [(statistics.fmean(x for x, _ in group), statistics.median(y for _, y in group)) for group in groups]


def slope(points: Sequence[tuple[float, float]], chance: random.Random) -> Slope | None:
    """The slope with its interval; None if there are too few points."""
    points = thinned(points)
    if len(points) < POINTS_MIN or points[0][0] == points[-1][0]:
        return None
    each = theil_sen(points)
    middle = statistics.median(y - each * x for x, y in points)
    left = [y - each * x - middle for x, y in points]
    found = sorted(_drawn(points, each, left, chance) for _ in range(ROUNDS))
    outside = int(ROUNDS * (1 - LEVEL) / 2)
    return Slope(each=each, low=min(each, found[outside]), high=max(each, found[-1 - outside]))


def _drawn(points: Sequence[tuple[float, float]], each: float, left: list[float], chance: random.Random) -> float:
    """The slope of the same line with residuals drawn anew."""
    drawn: list[float] = []
    while len(drawn) < len(points):
        begin = chance.randrange(len(left))
        drawn += (left[begin:] + left[:begin])[:BLOCK]  # in a circle, so that all points are equally frequent
    return theil_sen([(x, each * x + rest) for (x, _), rest in zip(points, drawn, strict=False)])
