"""Gifts: answers that cost their giver, and served one other seat.

What an answer cost each seat comes from outside, for example from playouts. Bad answers are no crime, and they have to serve
somebody. So for each pair the number of gifts is compared with what is to be expected: each gift goes to one of the others at its
table, more often to bots that get many gifts from everybody.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final, TypeAlias

from mergemaker_contest.discovery import false_discovery_rates
from mergemaker_contest.errors import ContestError
from mergemaker_contest.pair_effects import RATE
from mergemaker_contest.results import Player

DIGITS: Final = 9
_STEPS: Final = 100
"""Steps in which it is found how often each player gets gifts from everybody."""


@dataclass(frozen=True, slots=True)
class PricedAnswer:
    """An answer, and what it changed for each seat, compared with the best answer for the seat that gave it."""

    match: str
    decision: int
    seat: int
    changes: tuple[float, ...]
    """By seat: how much more the seat is expected to get than after the best answer. That of its own seat is a loss, or 0."""


@dataclass(frozen=True, slots=True)
class Gift:
    """An answer that cost its giver, and served one other seat more than all others together."""

    match: str
    decision: int
    giver: int
    """Its seat."""
    receiver: int
    """Its seat."""
    cost: float
    gain: float


Pair: TypeAlias = tuple[Player, Player]


@dataclass(frozen=True, slots=True)
class GiftsOfPair:
    """The gifts of one player to another."""

    giver: Player
    receiver: Player
    gifts: int
    cost: float
    gain: float
    expected: float
    """How many there would be if it did not matter to the giver who receives."""
    chance: float
    """How often there would be as many or more then."""
    rate: float
    """If this pair is reported, and all that are no less certain, this part of them is expected to be there by chance."""

    def is_found(self, rate: float = RATE) -> bool:
        """Whether it is to be reported."""
        return self.rate <= rate


def gifts_in(answers: Iterable[PricedAnswer], *, least: float) -> tuple[Gift, ...]:
    """The gifts among these answers that cost at least this much."""
    if not least > 0:
        raise ContestError("bad-price", f"a gift costs more than 0, so the least price is above 0, not {least}")
    gifts = []
    for answer in answers:
        if not 0 <= answer.seat < len(answer.changes):
            text = f"decision {answer.decision} of match {answer.match!r} is of seat {answer.seat}, which has no price"
            raise ContestError("bad-price", text)
        cost = -answer.changes[answer.seat]
        others = {seat: change for seat, change in enumerate(answer.changes) if seat != answer.seat}
        receiver = max(others, key=lambda seat: (others[seat], -seat))
        rest = fsum(max(change, 0.0) for seat, change in others.items() if seat != receiver)
        if cost >= least and others[receiver] > rest:
            gifts.append(Gift(answer.match, answer.decision, answer.seat, receiver, cost, others[receiver]))
    return tuple(sorted(gifts, key=lambda gift: (gift.match, gift.decision)))


def gifts_of_pairs(
    gifts: Iterable[Gift], seatings: Mapping[str, Sequence[Player]], *, rate: float = RATE
) -> tuple[GiftsOfPair, ...]:
    """All pairs with a gift, the most certain first. `seatings` has the players of each match, by seat.

    If a pair is found, what its giver gave at its tables is left out when the others are judged. Gifts to another seat of the
    same player do not count.
    """
    left = list(gifts)
    found: list[GiftsOfPair] = []
    while True:
        judged = _judged(left, seatings)
        if not judged or not judged[0].is_found(rate):
            break
        first = judged[0]
        found.append(first)
        left = [gift for gift in left if not _may_be_of(gift, first, seatings)]
    known = {(each.giver, each.receiver) for each in found}
    return (*found, *(each for each in judged if (each.giver, each.receiver) not in known))


def _may_be_of(gift: Gift, pair: GiftsOfPair, seatings: Mapping[str, Sequence[Player]]) -> bool:
    players = seatings[gift.match]
    return players[gift.giver] == pair.giver and pair.receiver in players


def _judged(gifts: Iterable[Gift], seatings: Mapping[str, Sequence[Player]]) -> list[GiftsOfPair]:
    given: dict[Pair, list[Gift]] = defaultdict(list)
    tables: Counter[tuple[Player, tuple[Player, ...]]] = Counter()
    for gift in gifts:
        players = seatings[gift.match]
        giver, receiver = players[gift.giver], players[gift.receiver]
        if giver != receiver:
            given[giver, receiver].append(gift)
            tables[giver, tuple(sorted({*players} - {giver}))] += 1
    pull = _pulls(given, tables)
    parts: dict[Pair, list[float]] = defaultdict(list)
    for (giver, others), times in sorted(tables.items()):
        total = fsum(pull[other] for other in others)
        for other in others:
            parts[giver, other] += [pull[other] / total] * times
    chances = {pair: _at_least(len(found), parts[pair]) for pair, found in sorted(given.items())}
    rates = false_discovery_rates(chances)
    pairs = (_of_pair(pair, found, fsum(parts[pair]), chances[pair], rates[pair]) for pair, found in given.items())
    return sorted(pairs, key=lambda each: (each.rate, each.chance, each.giver, each.receiver))


def _of_pair(pair: Pair, found: Sequence[Gift], expected: float, chance: float, rate: float) -> GiftsOfPair:
    cost, gain = fsum(gift.cost for gift in found), fsum(gift.gain for gift in found)
    return GiftsOfPair(*pair, len(found), cost, gain, round(expected, DIGITS), chance, rate)


def _pulls(given: Mapping[Pair, Sequence[Gift]], tables: Mapping[tuple[Player, tuple[Player, ...]], int]) -> dict[Player, float]:
    """How often each player gets the gift, of those who could: worths that explain what everybody got from all others."""
    got: Counter[Player] = Counter()
    for (_, receiver), found in given.items():
        got[receiver] += len(found)
    # Half a gift more for everybody: nobody is out of the question.
    pulls = {player: 1.0 for _, others in tables for player in others}
    for _ in range(_STEPS):
        expected: dict[Player, list[float]] = defaultdict(list)
        for (_, others), times in tables.items():
            total = fsum(pulls[other] for other in others)
            for other in others:
                expected[other].append(times / total)
        pulls = {player: (got[player] + 0.5) / (fsum(expected[player]) + 0.5) for player in sorted(pulls)}
    return pulls


def _at_least(number: int, parts: Sequence[float]) -> float:
    """How often at least this many of independent events happen, each with its own chance."""
    exactly = [1.0]
    for part in parts:
        exactly = [
            (exactly[count] if count < len(exactly) else 0.0) * (1 - part) + (exactly[count - 1] * part if count else 0.0)
            for count in range(len(exactly) + 1)
        ]
    return min(1.0, fsum(exactly[number:]))
