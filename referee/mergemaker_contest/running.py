"""A number that runs along while matches are played: it seats bots of equal strength together, and shows how a bot has changed.

It is openskill's Bradley-Terry model, after each block, in the order of blocks. The order of matches that were played at the same
time does not matter. It is no estimate to be shown with an interval: openskill's sigma is 1.5 times too wide where that was
measured. `ratings` makes the table. Money margins are not used, and neither is the Plackett-Luce model: its numbers vary more.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum
from typing import Final

from openskill.models import BradleyTerryPart, BradleyTerryPartRating

from mergemaker_contest.designs import SEATS_MAX
from mergemaker_contest.results import BlockResult, Forfeits, Player
from mergemaker_contest.scores import Score

START: Final = 25.0
"""The number of a bot that has not played."""
DIGITS: Final = 6
"""Numbers are rounded, so that the same bots sit together on every machine."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a block changed."""

    block: int
    numbers: dict[Player, float]
    """Of those who played it, after it."""


def running_steps(
    blocks: Iterable[BlockResult], score: Score = Score.SHARE, *, forfeits: Forfeits = Forfeits.AS_PLAYED
) -> Iterator[Step]:
    """The numbers' way through the blocks."""
    # All seats of a table are compared with each other, not only those next to each other.
    model = BradleyTerryPart(window_size=SEATS_MAX - 1)
    held: dict[Player, BradleyTerryPartRating] = {}
    for block in sorted(blocks, key=lambda block: block.block):
        means = _means(block, score, forfeits)
        players = sorted(means)
        if len(players) > 1:
            teams = [[held.setdefault(player, model.rating(mu=START))] for player in players]
            rated = model.rate(teams, ranks=[-means[player] for player in players])
            held.update({player: team[0] for player, team in zip(players, rated, strict=True)})
            yield Step(block.block, {player: round(held[player].mu, DIGITS) for player in players})


def running_numbers(
    blocks: Iterable[BlockResult], score: Score = Score.SHARE, *, forfeits: Forfeits = Forfeits.AS_PLAYED
) -> dict[Player, float]:
    """The numbers after all blocks. A player that has not played has none; it begins at `START`."""
    numbers: dict[Player, float] = {}
    for step in running_steps(blocks, score, forfeits=forfeits):
        numbers |= step.numbers
    return dict(sorted(numbers.items()))


def _means(block: BlockResult, score: Score, forfeits: Forfeits) -> dict[Player, float]:
    """What a seat of each player got in this block. Equal means are equal to the bit, whatever the order of seats."""
    scores: dict[Player, list[float]] = defaultdict(list)
    for match in block.matches:
        for seat, worth in zip(match.seats, match.scores(score, forfeits), strict=True):
            scores[seat.player].append(worth)
    return {player: round(fsum(each) / len(each), DIGITS) for player, each in scores.items()}
