"""How many matches a duel needs, by design: measured with built-in bots, on deals that are the same each time.

For each pair of bots and each design, a number of blocks is played. The deviation of their scores says how many matches the
sequential test needs for a difference of 2 points. A duel is run on the same blocks, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mergemaker_contest.designs import Design
from mergemaker_contest.scores import Score
from mergemaker_contest.sequential import Question, blocks_expected
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_table.terms import CLOCKS
from mergemaker_tools.contests.dueling import Duel, DuelPlan, smallest_step
from mergemaker_tools.contests.entrants import entrants_from
from mergemaker_tools.contests.playing.blocks import BlockPlayed, PlayTerms
from mergemaker_tools.contests.playing.many_blocks import play_blocks
from mergemaker_tools.parallel import usual_jobs
from mergemaker_tools.problems import CommandFailed

from mergemaker_bench.rows import Row

SEATS: Final = 4
RULES: Final = "renegade-classic"
PAIRS: Final = (("greedy", "greedy:growth=30"), ("planner:playouts=20", "greedy"))
"""The second of the first pair is the slightly weakened one."""
FIELD: Final = ("greedy", "random")
DIFFERENCE: Final = 0.02


@dataclass(frozen=True, slots=True)
class Effort:
    """How many matches are played for each row."""

    matches: tuple[int, ...]
    """By pair."""


USUAL: Final = Effort((600, 160))
QUICK: Final = Effort((80, 80))


def steps_of(effort: Effort) -> int:
    """How many matches are played."""
    return sum(effort.matches) * len(Design)


def measure_duels(effort: Effort, done: Callable[[int], None]) -> list[Row]:
    """A row for each pair and design."""
    rows: list[Row] = []
    played = 0
    for pair, matches in zip(PAIRS, effort.matches, strict=True):
        for design in Design:
            duel = Duel(_plan(pair, design))
            blocks = matches // duel.plan.matches_per_block
            decided = _play(duel, blocks, lambda more, before=played: done(before + more))  # type: ignore[misc]  # defaults bind
            played += matches
            rows += _rows(pair, duel, decided)
    return rows


def _plan(pair: tuple[str, str], design: Design) -> DuelPlan:
    field = () if design is Design.MIRROR else FIELD
    terms = PlayTerms(
        bots=entrants_from([*pair, *field]), rules=preset(RULES), clock=CLOCKS["standard"], mode=DealMode.PLAIN, records=None
    )
    return DuelPlan(
        contest="bench",
        terms=terms,
        design=design,
        seats=SEATS,
        score=Score.SHARE,
        question=Question(difference=DIFFERENCE, resolution=smallest_step(Score.SHARE, SEATS)),
        seed=bytes(32),
    )


def _play(duel: Duel, blocks: int, done: Callable[[int], None]) -> int | None:
    """Plays the blocks; returns after how many matches a usual duel had ended."""
    plan = duel.plan
    decided = None
    for result in play_blocks(plan.terms, plan.contest, map(plan.block, range(blocks)), usual_jobs(), fast=True):
        if not isinstance(result, BlockPlayed):
            raise CommandFailed(result.text)
        if duel.add(result, 0.0) is not None and decided is None:
            decided = duel.matches
        done(duel.matches)
    return decided


def _rows(pair: tuple[str, str], duel: Duel, decided: int | None) -> list[Row]:
    plan, interval = duel.plan, duel.interval
    needed = blocks_expected(plan.question, duel.deviation) * plan.matches_per_block
    width = f" ± {interval.half_width * 100:.2f}" if interval else ""
    ended = "open" if decided is None else f"{duel.answer} after {decided}"
    note = (
        f"{duel.matches} matches; difference {duel.mean * 100:+.2f}{width} points; standard deviation of a block's score "
        f"{duel.deviation * 100:.2f}; a duel with 2 points: {ended}"
    )
    name = f"{pair[0]} against {pair[1]}, {plan.design}"
    return [Row(f"{pair[0]}-{pair[1]}-{plan.design}", name, "matches", needed, note=note)]
