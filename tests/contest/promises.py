"""Tries what the statistics promise: error rates of the sequential test, misses of the interval, and honest tables of ratings.

    python -m tests.contest.promises --runs 20000

Blocks are drawn from a population and shifted to a known difference, again and again, with a seed for each row. For each row it
prints how often the test says what, after how many blocks, and how often that is an error. It ends with status 1 if errors are
more than one percentage point more frequent than was asked for, or if an interval of 95 % misses the truth in more than 5 % of
whole runs, and one of 99 % in more than 1 %.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pstdev
from types import MappingProxyType
from typing import Any, Final

from mergemaker_contest.sequential import Comparison, Question, Tally, Verdict, confidence_sequence

MEASURED: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("measured_blocks.json").read_text("utf-8"))
POINT: Final = 0.01
BLOCKS_MAX: Final = 3_000
"""A guard against a run that never ends: nobody decides between two answers that are equally right."""
LOOKS: Final = 400
"""An interval is looked at after each of this many blocks."""
SHIFTS: Final = (0.0, 0.5, 1.0, 2.0)
"""True differences, in units of the one that is asked about."""
RATES: Final = (0.05, 0.01)
MISSES_MAX: Final[Mapping[float, float]] = MappingProxyType({0.05: 0.05, 0.01: 0.01})
"""By alpha: in which part of whole runs the interval may miss."""


def chance_of(seed: int) -> random.Random:
    """Chances that repeat."""
    return random.Random(seed)  # noqa: S311 - it must repeat


def _centred(scores: Sequence[float]) -> tuple[float, ...]:
    mean = fmean(scores)
    return tuple(score - mean for score in scores)


def _with_an_outlier() -> tuple[float, ...]:
    chance = chance_of(5)
    return _centred([*(chance.gauss(0, 0.055) for _ in range(599)), 1.0])


POPULATIONS: Final[Mapping[str, Sequence[float]]] = MappingProxyType(
    {
        "share": _centred(MEASURED["share"]),
        "win": _centred(MEASURED["win"]),
        "constant": (0.0,),
        "one outlier": _with_an_outlier(),
    }
)
"""Block scores with the mean 0: money shares as measured, wins with ties as measured, all equal, and one outlier among 600."""


@dataclass(frozen=True, slots=True)
class Row:
    """What came of many runs."""

    population: str
    rate: float
    """Both error rates that were asked for."""
    shift: float
    """The true difference, in units of the one that was asked about."""
    runs: int
    verdicts: Mapping[Verdict, int]
    blocks: float
    """Mean over the runs."""

    def part(self, *verdicts: Verdict) -> float:
        """How often it was one of these."""
        return sum(self.verdicts.get(verdict, 0) for verdict in verdicts) / self.runs

    @property
    def errors(self) -> float:
        """How often the test was wrong. At half of the difference both answers are right, but 'worse' is not."""
        if self.shift == 0:
            return self.part(Verdict.BETTER, Verdict.WORSE)
        return self.part(Verdict.WORSE) if self.shift < 1 else 1 - self.part(Verdict.BETTER)

    @property
    def is_kept(self) -> bool:
        """Whether the errors are as rare as was asked for, within a percentage point."""
        return self.errors <= self.rate + POINT


def difference_asked(name: str) -> float:
    """Half a standard deviation: some 30 blocks tell it. Of equal blocks, any."""
    return pstdev(POPULATIONS[name]) / 2 or 0.02


def tried(name: str, rate: float, shift: float, runs: int, seed: int = 1) -> Row:
    """Runs the test to its verdict, many times."""
    difference = difference_asked(name)
    question, chance = Question(difference=difference, alpha=rate, beta=rate), chance_of(seed)
    verdicts: Counter[Verdict] = Counter()
    blocks = 0
    for _ in range(runs):
        comparison = Comparison(question)
        while comparison.verdict is Verdict.OPEN and comparison.tally.blocks < BLOCKS_MAX:
            comparison.add(chance.choice(POPULATIONS[name]) + shift * difference)
        verdicts[comparison.verdict] += 1
        blocks += comparison.tally.blocks
    return Row(name, rate, shift, runs, verdicts, blocks / runs)


def missed(name: str, alpha: float, runs: int, seed: int = 3) -> float:
    """In which part of whole runs the interval misses the truth at one look or more."""
    chance, misses = chance_of(seed), 0
    for _ in range(runs):
        tally = Tally()
        for _ in range(LOOKS):
            tally.add(chance.choice(POPULATIONS[name]))
            interval = confidence_sequence(tally, alpha, 1e-6)
            if interval is not None and not interval.low <= 0 <= interval.high:
                misses += 1
                break
    return misses / runs


def rows(runs: int) -> Iterator[Row]:
    """All populations, rates and shifts, but those that never end."""
    for name in POPULATIONS:
        for rate in RATES:
            for shift in SHIFTS:
                if (name, shift) != ("constant", 0.5):
                    yield tried(name, rate, shift, runs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5_000)
    runs = parser.parse_args(arguments).runs
    is_kept = True
    print("| blocks | asked for | true difference | better | no difference | worse | errors | blocks needed |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows(runs):
        is_kept &= row.is_kept
        parts = [row.part(verdict) for verdict in (Verdict.BETTER, Verdict.NO_DIFFERENCE, Verdict.WORSE)]
        shown = " | ".join(f"{part:.2%}" for part in [*parts, row.errors])
        line = f"| {row.population} | {row.rate:.0%} | {row.shift} | {shown} | {row.blocks:.0f} |"
        print(line if row.is_kept else f"{line} too many", flush=True)
    print("\n| blocks | asked for | runs in which the interval misses |\n|---|---|---|")
    for name in POPULATIONS:
        for rate in RATES:
            part = missed(name, rate, max(1, runs // 2))
            is_kept &= part <= MISSES_MAX[rate]
            print(f"| {name} | {rate:.0%} | {part:.2%} |", flush=True)
    return 0 if is_kept else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
