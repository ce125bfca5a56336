"""Does a bot do better when a certain other bot is at the table? Kingmakers, and pairs that play together.

Each score is first explained by its bot, its seat and the strength of the others at its table. What is left over should not
depend on any single other bot. For each pair, what is left over for A in the blocks with B is compared with that in the blocks
without B, and with what it would be if B's presence were dealt out to A's blocks by chance (a permutation test).

Among many pairs some look odd by chance. So the rate of false discoveries is controlled (Benjamini and Hochberg). If one pair is
found, everybody else at its tables has lost by it. So the others are judged again without these tables.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import fsum
from typing import Final, TypeAlias

from mergemaker_contest.discovery import false_discovery_rates
from mergemaker_contest.errors import ContestError
from mergemaker_contest.left_over import left_over
from mergemaker_contest.results import BlockResult, Forfeits, Player
from mergemaker_contest.scores import Score
from mergemaker_contest.shuffling import shuffled

RATE: Final = 0.05
"""Of the pairs that are reported, at most this part is expected to be there by chance."""
BLOCKS_MIN: Final = 10
"""A pair is judged if A has at least this many blocks with B, and as many without."""
AS_FAR_OUT_ENOUGH: Final = 20
"""After this many permutations that are as far out as the pair itself, it is clear that there is nothing."""
_SPARE: Final = 4
"""How many times the permutations that it takes at least to find a pair."""
DIGITS: Final = 9

Pair: TypeAlias = tuple[Player, Player]


@dataclass(frozen=True, slots=True)
class PairEffect:
    """How a player does with and without another at the table."""

    player: Player
    other: Player
    blocks_with: int
    blocks_without: int
    effect: float
    """By how much its score is higher with the other than without, beyond what strengths and seats explain."""
    chance: float
    """How often presence by chance makes an effect as large, either way."""
    rate: float
    """If this pair is reported, and all that are no less certain, this part of them is expected to be there by chance."""

    def is_found(self, rate: float = RATE) -> bool:
        """Whether it is to be reported."""
        return self.rate <= rate

    @property
    def is_helped(self) -> bool:
        """Whether the player gains by the other, rather than loses."""
        return self.effect > 0


def pair_effects(
    blocks: Iterable[BlockResult],
    score: Score = Score.SHARE,
    *,
    forfeits: Forfeits = Forfeits.AS_PLAYED,
    rate: float = RATE,
    seed: int = 0,
) -> tuple[PairEffect, ...]:
    """All pairs that can be judged, the most certain first."""
    if not 0 < rate < 1:
        raise ContestError("bad-error-rate", f"the rate of false discoveries is between 0 and 1, not {rate}")
    left = sorted(blocks, key=lambda block: block.block)
    found: dict[Pair, PairEffect] = {}
    while True:
        effects = _judged(left, score, forfeits, rate, seed, found)
        new = [effect for effect in effects if effect.is_found(rate)]
        if not new:
            break
        strongest = new[0]
        pair = {strongest.player, strongest.other}
        found |= {(each.player, each.other): each for each in new if {each.player, each.other} == pair}
        left = [block for block in left if not pair <= _players(block)]
    rest = [effect for effect in effects if (effect.player, effect.other) not in found]
    return tuple(sorted([*found.values(), *rest], key=_by_certainty))


def _by_certainty(effect: PairEffect) -> tuple[float, float, float, Player, Player]:
    return effect.rate, effect.chance, -abs(effect.effect), effect.player, effect.other


def _players(block: BlockResult) -> set[Player]:
    return {seat.player for match in block.matches for seat in match.seats}


@dataclass(frozen=True, slots=True)
class _Sample:
    """A player's blocks."""

    left_over: tuple[float, ...]
    with_other: tuple[bool, ...]

    @property
    def sums(self) -> tuple[float, float]:
        """With and without the other."""
        with_other = fsum(value for value, is_with in zip(self.left_over, self.with_other, strict=True) if is_with)
        return with_other, fsum(self.left_over) - with_other


def _judged(
    blocks: Sequence[BlockResult], score: Score, forfeits: Forfeits, rate: float, seed: int, found: "dict[Pair, PairEffect]"
) -> list[PairEffect]:
    by_block = left_over(blocks, score, forfeits)
    blocks_of: dict[Player, list[int]] = defaultdict(list)
    for index, players in enumerate(by_block):
        for player in players:
            blocks_of[player].append(index)
    samples = {}
    for player, other in permutations(sorted(blocks_of), 2):
        with_other = tuple(other in by_block[index] for index in blocks_of[player])
        if min(sum(with_other), len(with_other) - sum(with_other)) >= BLOCKS_MIN and (player, other) not in found:
            samples[player, other] = _Sample(tuple(by_block[index][player] for index in blocks_of[player]), with_other)
    # So that one pair alone can be found, with something to spare.
    permutations_max = round(_SPARE * max(1, len(samples)) / rate)
    chances = {pair: _chance(sample, permutations_max, seed) for pair, sample in samples.items()}
    rates = false_discovery_rates(chances)
    effects = []
    for (player, other), sample in samples.items():
        inside, outside = sample.sums
        number = sum(sample.with_other)
        without = len(sample.with_other) - number
        effect = round(inside / number - outside / without, DIGITS)
        pair = (player, other)
        effects.append(PairEffect(player, other, number, without, effect, chances[pair], rates[pair]))
    return sorted(effects, key=_by_certainty)


def _chance(sample: _Sample, permutations_max: int, seed: int) -> float:
    """How often the effect is as large by chance. It is counted as far as it takes to see that (Besag and Clifford)."""
    count, number = len(sample.left_over), sum(sample.with_other)
    mean = fsum(sample.left_over) / count * number
    # Rounding must not decide whether equal sums are equal.
    distance = abs(sample.sums[0] - mean) * (1 - 1e-9)
    far_out = 0
    for turn in range(1, permutations_max + 1):
        chosen = shuffled(sample.left_over, "pairs", seed, turn)[:number]
        far_out += abs(sum(chosen) - mean) >= distance
        if far_out == AS_FAR_OUT_ENOUGH:
            return far_out / turn
    return (far_out + 1) / (permutations_max + 1)
