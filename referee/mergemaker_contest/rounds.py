"""What swiss and knockout have in common: rounds of tables, and who did best at a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

from mergemaker_contest.results import BlockResult, Forfeits
from mergemaker_contest.schedules import Block, rotated
from mergemaker_contest.scores import Score

DIGITS: Final = 9
"""Scores that agree in as many digits after the point are equal."""


@dataclass(frozen=True, slots=True)
class Round:
    """Tables that are played before the next round is made."""

    number: int
    """Counted from 0."""
    tables: tuple[tuple[str, ...], ...]
    """Who meets whom, the strongest first."""
    resting: tuple[str, ...]
    """Bots without a table in this round."""
    blocks: tuple[Block, ...]
    """All blocks: the first of each table, then the second of each, and so on."""

    def blocks_of(self, table: int) -> tuple[Block, ...]:
        """The blocks of a table."""
        return self.blocks[table :: len(self.tables)]

    def is_played(self, results: Mapping[int, BlockResult]) -> bool:
        """Whether there are results of all blocks."""
        return all(block.number in results for block in self.blocks)


def make_round(
    number: int, tables: Sequence[Sequence[str]], resting: Sequence[str], *, blocks_each: int, first: int, seed: int
) -> Round:
    """A round whose blocks are counted from `first` on. In each block, each bot has each seat once."""
    numbered = enumerate((table for _ in range(blocks_each) for table in tables), start=first)
    blocks = tuple(Block(block, block, rotated(table, seed, block)) for block, table in numbered)
    return Round(number, tuple(map(tuple, tables)), tuple(resting), blocks)


@dataclass(frozen=True, slots=True)
class TableScore:
    """How a bot did at its table."""

    bot: str
    score: float
    """The mean of its seats, as the tournament scores them."""
    place: float
    """The mean of its place scores."""
    win: float
    """Its part of the wins."""
    money: int


def table_scores(bots: Sequence[str], blocks: Iterable[BlockResult], score: Score, forfeits: Forfeits) -> tuple[TableScore, ...]:
    """The bots of a table, the best first.

    Equal bots are told apart by, in this order: the mean score, the mean place, the wins, all the money, and their order in
    `bots`, where the one that was placed better before comes first.
    """
    matches = [match for block in blocks for match in block.matches]

    def mean(bot: str, counted: Score) -> float:
        values = [
            worth
            for match in matches
            for seat, worth in zip(match.seats, match.scores(counted, forfeits), strict=True)
            if seat.player.bot == bot
        ]
        return round(fsum(values) / len(values), DIGITS)

    found = []
    for bot in bots:
        money = sum(seat.money for match in matches for seat in match.seats if seat.player.bot == bot)
        found.append(TableScore(bot, mean(bot, score), mean(bot, Score.PLACE), mean(bot, Score.WIN), money))
    return tuple(sorted(found, key=lambda each: (-each.score, -each.place, -each.win, -each.money)))
