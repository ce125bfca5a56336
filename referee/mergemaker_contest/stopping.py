"""When a comparison of two bots is over: by a verdict, a precision or a budget; and what to expect of it."""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, sqrt
from typing import Final

from mergemaker_contest.errors import ContestError
from mergemaker_contest.sequential import INTERVAL_BLOCKS_MIN, Comparison, Question, Tally, Verdict, blocks_expected

PILOT_BLOCKS: Final = INTERVAL_BLOCKS_MIN
"""After this many blocks there is an interval, and it is known what to expect. Only a budget ends a comparison sooner."""


class Stopped(StrEnum):
    """Why a comparison is over."""

    VERDICT = "verdict"
    PRECISION = "precision"
    MATCHES = "matches"
    MINUTES = "minutes"
    INTERRUPTED = "interrupted"
    """By somebody, at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAt:
    """A comparison ends at the first of these; None: this does not end it."""

    verdict: bool = True
    """When the test has an answer."""
    half_width: float | None = None
    """When the interval reaches no farther than this to each side."""
    matches: int | None = None
    """Before another block would make more matches than this."""
    minutes: float | None = None
    """At the end of the block in which this time is over."""

    def __post_init__(self) -> None:
        for name, limit in (("half_width", self.half_width), ("matches", self.matches), ("minutes", self.minutes)):
            if limit is not None and not (isfinite(limit) and limit > 0):
                raise ContestError("bad-limit", f"{name} is above 0, not {limit}")
        if not self.verdict and self.half_width is None and self.matches is None and self.minutes is None:
            raise ContestError("no-limit", "nothing would end the comparison: ask for a verdict, a precision or a budget")

    def reached(self, comparison: Comparison, *, matches_in_block: int, minutes: float) -> Stopped | None:
        """Why it is over after the blocks so far; None if it goes on. The order is that of the reasons in `Stopped`."""
        blocks = comparison.tally.blocks
        if blocks >= PILOT_BLOCKS:
            interval = comparison.interval()
            if self.verdict and comparison.verdict is not Verdict.OPEN:
                return Stopped.VERDICT
            if self.half_width is not None and interval is not None and interval.half_width <= self.half_width:
                return Stopped.PRECISION
        if self.matches is not None and (blocks + 1) * matches_in_block > self.matches:
            return Stopped.MATCHES
        if self.minutes is not None and minutes >= self.minutes:
            return Stopped.MINUTES
        return None


def matches_expected(question: Question, pilot: Tally, matches_in_block: int) -> int:
    """About how many matches there will be in all if the difference is as large as was asked about, by the blocks so far."""
    deviation = max(sqrt(pilot.variance), question.resolution / 2)
    return max(PILOT_BLOCKS, round(blocks_expected(question, deviation))) * matches_in_block
