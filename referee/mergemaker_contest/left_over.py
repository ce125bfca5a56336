"""What is left of the scores when strengths and seats have explained their part, for questions about single tables.

A table's scores are divided in proportion to worths: each bot has one, and so has each seat. So a strong bot gains more than a
weak one if the others are weak, as in real matches. Differences of scores, as in `ratings`, would leave that unexplained.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from typing import Final

from mergemaker_contest.least_squares import Effect, Seat, effects_of
from mergemaker_contest.results import BlockResult, Forfeits, MatchResult, Player
from mergemaker_contest.scores import Score

_STEPS_MAX: Final = 200
_CLOSE_ENOUGH: Final = 1e-6
"""Steps end when no worth changes by more than this part."""
_LEAST: Final = 1e-9
"""A worth is never 0, so that it has a logarithm."""


@dataclass(frozen=True, slots=True)
class _Played:
    match: MatchResult
    effects: tuple[tuple[Player, Seat], ...]
    scores: tuple[float, ...]


def left_over(blocks: Sequence[BlockResult], score: Score, forfeits: Forfeits) -> list[dict[Player, float]]:
    """By block and player: what a seat of the player got, on average, beyond what was to be expected at these tables."""
    played = [
        [_Played(match, tuple(effects_of(match)), match.scores(score, forfeits)) for match in block.matches] for block in blocks
    ]
    worths = _worths([match for block in played for match in block])
    rows: list[tuple[int, Player, float, float]] = []
    for index, block in enumerate(played):
        for each in block:
            expected = _expected(each, worths)
            logarithms = [log(worths[player]) for player, _ in each.effects]
            total, size = fsum(logarithms), len(logarithms)
            # How far a strong bot gains from weak ones is not the same in all games: one number says how much more it is here.
            products = [own * (total - own) / (size - 1) for own in logarithms]
            mean = fsum(products) / size
            for place, seat in enumerate(each.match.seats):
                rows.append((index, seat.player, each.scores[place] - expected[place], products[place] - mean))
    squares = fsum(product**2 for *_, product in rows)
    slope = fsum(rest * product for _, _, rest, product in rows) / squares if squares > 0 else 0.0
    sums: list[dict[Player, list[float]]] = [defaultdict(list) for _ in blocks]
    for index, player, rest, product in rows:
        sums[index][player].append(rest - slope * product)
    return [{player: fsum(values) / len(values) for player, values in each.items()} for each in sums]


def _expected(played: _Played, worths: dict[Effect, float]) -> list[float]:
    parts = [worths[player] * worths[seat] for player, seat in played.effects]
    unit = fsum(played.scores) / fsum(parts)
    return [part * unit for part in parts]


def _worths(matches: Sequence[_Played]) -> dict[Effect, float]:
    """Each worth is changed until its expected scores have the sum of its scores."""
    had: dict[Effect, list[float]] = defaultdict(list)
    for each in matches:
        for effects, value in zip(each.effects, each.scores, strict=True):
            for effect in effects:
                had[effect].append(value)
    sums = {effect: fsum(values) for effect, values in had.items()}
    worths: dict[Effect, float] = dict.fromkeys(sums, 1.0)
    for _ in range(_STEPS_MAX):
        largest = 0.0
        for of_players in (True, False):
            expected: dict[Effect, list[float]] = defaultdict(list)
            for each in matches:
                for effects, value in zip(each.effects, _expected(each, worths), strict=True):
                    expected[effects[0] if of_players else effects[1]].append(value)
            for effect, values in expected.items():
                change = max(sums[effect], _LEAST) / fsum(values)
                largest = max(largest, abs(change - 1))
                worths[effect] = max(worths[effect] * change, _LEAST)
        if largest < _CLOSE_ENOUGH:
            break
    mean = fsum(log(worth) for effect, worth in worths.items() if isinstance(effect, Player))
    players = sum(isinstance(effect, Player) for effect in worths)
    scale = exp(mean / players) if players else 1.0
    return {effect: worth / scale if isinstance(effect, Player) else worth for effect, worth in worths.items()}
