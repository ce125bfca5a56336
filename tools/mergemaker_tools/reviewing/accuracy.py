"""What each seat gave away in a match, and how accurate its answers were."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_tools.redealing.estimates import Estimate, t_quantile
from mergemaker_tools.reviewing.rating import Rated

FREEDOM_MAX: Final = 1_000
"""More degrees of freedom change nothing that is shown."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """One seat, over all its rated decisions. Shares are parts of all money."""

    seat: int
    rated: int
    clear: int
    """How many answers clearly lose."""
    expected: float
    """The mean share that the seat could expect after its answers."""
    lost: Estimate
    """The sum of its losses."""

    @property
    def accuracy(self) -> float:
        """The part that the seat kept: what it could expect, of this and what it gave away together."""
        return self._kept(self.lost.mean)

    @property
    def low(self) -> float:
        """The lower end of the accuracy's interval."""
        return self._kept(self.lost.high)

    @property
    def high(self) -> float:
        """The upper end of the accuracy's interval."""
        return self._kept(self.lost.low)

    def _kept(self, lost: float) -> float:
        return 1.0 if lost <= 0 else self.expected / (self.expected + lost)


def conduct_of(seat: int, decisions: Sequence[Rated]) -> Conduct | None:
    """A seat's conduct; None if none of its decisions was rated."""
    own = [rated for rated in decisions if rated.seat == seat]
    if not own:
        return None
    return Conduct(
        seat=seat,
        rated=len(own),
        clear=sum(rated.is_clear for rated in own),
        expected=math.fsum(rated.share.mean for rated in own) / len(own),
        lost=_sum([rated.gain for rated in own if rated.is_preferred]),
    )


def _sum(losses: Sequence[Estimate]) -> Estimate:
    """The sum of independent estimates, with degrees of freedom by Welch and Satterthwaite."""
    squares = [(loss.half / t_quantile(loss.freedom)) ** 2 for loss in losses]
    variance = math.fsum(squares)
    mean = math.fsum(loss.mean for loss in losses)
    if not variance:
        return Estimate(mean, 0.0, FREEDOM_MAX)
    spread = math.fsum(square**2 / loss.freedom for square, loss in zip(squares, losses, strict=True))
    freedom = min(max(int(variance**2 / spread), 1), FREEDOM_MAX)
    return Estimate(mean, t_quantile(freedom) * math.sqrt(variance), freedom)
