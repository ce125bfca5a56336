"""Scores explained by players and seats, match by match: least squares, and how sure they are if only blocks are independent."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from mergemaker_contest.linear import Inverse, inverse
from mergemaker_contest.meetings import groups
from mergemaker_contest.results import BlockResult, Forfeits, MatchResult, Player
from mergemaker_contest.scores import Score


@dataclass(frozen=True, slots=True, order=True)
class Seat:
    """A seat at tables of this size."""

    seats: int
    seat: int


Effect: TypeAlias = Player | Seat
"""What a score is explained by, beside the match."""


@dataclass(frozen=True, slots=True)
class Mean:
    """What some effects add on average."""

    effects: tuple[Effect, ...]
    value: float
    variance: float


class Played:
    """Who played how often."""

    def __init__(self, blocks: Sequence[BlockResult]) -> None:
        self.groups = groups(blocks)
        self.blocks_of: Counter[Effect] = Counter()
        self.matches_of: Counter[Player] = Counter()
        for block in blocks:
            self.blocks_of.update({effect for match in block.matches for pair in effects_of(match) for effect in pair})
            for match in block.matches:
                self.matches_of.update({seat.player for seat in match.seats})
        self.seats = sorted(effect for effect in self.blocks_of if isinstance(effect, Seat))


def effects_of(match: MatchResult) -> list[tuple[Player, Seat]]:
    """By seat: what its score is explained by."""
    return [(seat.player, Seat(len(match.seats), number)) for number, seat in enumerate(match.seats)]


class Fit:
    """Least squares on players and seats within matches, and the covariance of what it finds.

    The first player of each group, and the last seat of each size of tables, are where the others are counted from.
    """

    def __init__(self, blocks: Sequence[BlockResult], score: Score, forfeits: Forfeits, played: Played) -> None:
        from_here = {players[0] for players in played.groups}
        players: list[Effect] = [player for group in played.groups for player in group if player not in from_here]
        seats: list[Effect] = [seat for seat in played.seats if seat.seat < seat.seats - 1]
        # Players first: if they cannot be told from seats, the seats are left out.
        self._index: Mapping[Effect, int] = {effect: index for index, effect in enumerate([*players, *seats])}
        self._matches = [[(match, self._within(match.scores(score, forfeits))) for match in block.matches] for block in blocks]
        self._inverse = inverse(self._products())
        self.seats_are_known = not self._inverse.left_out
        self._values = self._inverse.times(self._right_side())
        self._covariance = self._robust(self._inverse)

    @staticmethod
    def _within(scores: Sequence[float]) -> list[float]:
        mean = math.fsum(scores) / len(scores)
        return [score - mean for score in scores]

    def _columns(self, match: MatchResult) -> list[list[int]]:
        """By seat of a match: its player's and its seat's columns, as far as they are not where others are counted from."""
        return [[self._index[effect] for effect in pair if effect in self._index] for pair in effects_of(match)]

    def _products(self) -> list[list[float]]:
        """The normal equations' left side. It is counted in whole numbers, for each size of tables."""
        size = len(self._index)
        by_size: dict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
        for block in self._matches:
            for match, _ in block:
                rows = self._columns(match)
                counts, times = by_size[len(rows)], Counter(column for row in rows for column in row)
                for row in rows:
                    for one, other in product(row, row):
                        counts[one, other] += len(rows)
                for one, other in product(times, repeat=2):
                    counts[one, other] -= times[one] * times[other]
        return [
            [math.fsum(by_size[seats][row, column] / seats for seats in sorted(by_size)) for column in range(size)]
            for row in range(size)
        ]

    def _right_side(self) -> list[float]:
        terms: list[list[float]] = [[] for _ in self._index]
        for block in self._matches:
            for match, within in block:
                for row, value in zip(self._columns(match), within, strict=True):
                    for column in row:
                        terms[column].append(value)
        return [math.fsum(each) for each in terms]

    def _robust(self, bread: Inverse) -> list[list[float]]:
        """The covariance if only blocks are independent of each other."""
        size, blocks = len(self._index), len(self._matches)
        middle: dict[tuple[int, int], list[float]] = defaultdict(list)
        for block in self.residuals():
            terms: dict[int, list[float]] = defaultdict(list)
            for match, unexplained in block:
                for row, value in zip(self._columns(match), unexplained, strict=True):
                    for column in row:
                        terms[column].append(value)
            sums = {column: math.fsum(each) for column, each in sorted(terms.items())}
            for one, other in product(sums, repeat=2):
                middle[one, other].append(sums[one] * sums[other])
        # The sums were fitted to be 0 together, so they are a little too small.
        correction = blocks / (blocks - 1) if blocks > 1 else 1.0
        meat = [[correction * math.fsum(middle.get((row, column), ())) for column in range(size)] for row in range(size)]
        return bread.around(meat)

    def residuals(self) -> list[list[tuple[MatchResult, list[float]]]]:
        """By block and match: what each seat got beyond what its player and its seat explain."""
        found = []
        for block in self._matches:
            in_block = []
            for match, within in block:
                fitted = self._within([math.fsum(self._values[column] for column in row) for row in self._columns(match)])
                in_block.append((match, [value - expected for value, expected in zip(within, fitted, strict=True)]))
            found.append(in_block)
        return found

    def value(self, effect: Effect) -> float:
        """How much it adds to a score, counted from its group's first."""
        return self._values[self._index[effect]] if effect in self._index else 0.0

    def covariance(self, one: Effect, other: Effect) -> float:
        """Of two such values."""
        if one not in self._index or other not in self._index:
            return 0.0
        return self._covariance[self._index[one]][self._index[other]]

    def mean(self, effects: Sequence[Effect]) -> "Mean":
        """What these effects add on average."""
        of_all = math.fsum(self.covariance(one, other) for one, other in product(effects, effects)) / len(effects) ** 2
        return Mean(tuple(effects), math.fsum(map(self.value, effects)) / len(effects), of_all)

    def compared(self, effect: Effect, mean: "Mean") -> tuple[float, float]:
        """How much more it adds than these, and the standard error of that."""
        with_others = math.fsum(self.covariance(effect, other) for other in mean.effects) / len(mean.effects)
        variance = self.covariance(effect, effect) - 2 * with_others + mean.variance
        return self.value(effect) - mean.value, math.sqrt(max(0.0, variance))
