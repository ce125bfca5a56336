"""Who met whom: groups of players that can be compared, and how two players did at the same tables."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from math import fsum, sqrt
from statistics import NormalDist

from mergemaker_contest.results import BlockResult, Forfeits, Player
from mergemaker_contest.scores import Score
from mergemaker_contest.sequential import INTERVAL_BLOCKS_MIN, Interval, anytime_factor, student_bound


class Looks(StrEnum):
    """How often somebody looks at intervals."""

    ONCE = "once"
    """At the end, and when that comes does not depend on the results."""
    ANY = "any"
    """At any time, and what is seen may end the matches. These intervals are wider."""


def factor(looks: Looks, blocks: int, alpha: float) -> float:
    """How many standard errors an interval has on each side."""
    if looks is Looks.ANY:
        return anytime_factor(blocks, alpha)
    return student_bound(NormalDist().inv_cdf(1 - alpha / 2), blocks - 1)


def groups(blocks: Iterable[BlockResult]) -> tuple[tuple[Player, ...], ...]:
    """The players by whom they met, also through others: the largest group first, then by name.

    No result says anything about players of different groups.
    """
    group: dict[Player, set[Player]] = {}
    for block in blocks:
        for match in block.matches:
            joined = {seat.player for seat in match.seats}.union(
                *(group[seat.player] for seat in match.seats if seat.player in group)
            )
            for player in joined:
                group[player] = joined
    found = {tuple(sorted(players)) for players in group.values()}
    return tuple(sorted(found, key=lambda players: (-len(players), players)))


def without_versions(blocks: Iterable[BlockResult]) -> tuple[BlockResult, ...]:
    """The same results, with all versions of a bot as one player."""
    return tuple(
        replace(
            block,
            matches=tuple(
                replace(match, seats=tuple(replace(seat, player=Player(seat.player.bot)) for seat in match.seats))
                for match in block.matches
            ),
        )
        for block in blocks
    )


@dataclass(frozen=True, slots=True)
class Meeting:
    """How a player did against another at the same tables."""

    player: Player
    other: Player
    blocks: int
    matches: int
    ahead: int
    """Pairs of their seats, match by match, in which the player had more money."""
    equal: int
    behind: int
    difference: float | None
    """By how much a seat of the player did better than a seat of the other, mean over blocks. None: too few blocks."""
    interval: Interval | None


def cross_table(
    blocks: Iterable[BlockResult],
    score: Score = Score.SHARE,
    *,
    forfeits: Forfeits = Forfeits.AS_PLAYED,
    looks: Looks = Looks.ANY,
    alpha: float = 0.05,
) -> dict[tuple[Player, Player], Meeting]:
    """All pairs that met, both ways."""
    differences: dict[tuple[Player, Player], list[float]] = defaultdict(list)
    counts: dict[tuple[Player, Player], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for block in sorted(blocks, key=lambda block: block.block):
        in_block: dict[tuple[Player, Player], list[float]] = defaultdict(list)
        for match in block.matches:
            of_player: dict[Player, list[tuple[float, int]]] = defaultdict(list)
            for seat, worth in zip(match.seats, match.scores(score, forfeits), strict=True):
                of_player[seat.player].append((worth, seat.money))
            for one, other in combinations(sorted(of_player), 2):
                mine, theirs = of_player[one], of_player[other]
                in_block[one, other].append(_mean(worth for worth, _ in mine) - _mean(worth for worth, _ in theirs))
                pairs = [(money > against) - (money < against) for _, money in mine for _, against in theirs]
                for index, number in enumerate((1, pairs.count(1), pairs.count(0), pairs.count(-1))):
                    counts[one, other][index] += number
        for pair, scores in in_block.items():
            differences[pair].append(_mean(scores))
    table = {}
    for (one, other), scores in sorted(differences.items()):
        mean, half = _mean_and_half(scores, looks, alpha)
        matches, ahead, equal, behind = counts[one, other]
        shown = Interval(mean - half, mean + half) if mean is not None and half is not None else None
        table[one, other] = Meeting(one, other, len(scores), matches, ahead, equal, behind, mean, shown)
        turned = Interval(-shown.high, -shown.low) if shown else None
        back = None if mean is None else -mean
        table[other, one] = Meeting(other, one, len(scores), matches, behind, equal, ahead, back, turned)
    return table


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fsum(listed) / len(listed)


def _mean_and_half(scores: list[float], looks: Looks, alpha: float) -> tuple[float, float] | tuple[None, None]:
    if len(scores) < INTERVAL_BLOCKS_MIN:
        return None, None
    mean = _mean(scores)
    error = sqrt(fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1) / len(scores))
    return mean, error * factor(looks, len(scores), alpha)
