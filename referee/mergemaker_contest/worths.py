"""How often each bot comes before another: a second opinion beside the table, from places alone.

The model of Davidson and Luce: at each table the bots are drawn for the places one after the other, each with a chance in
proportion to its worth, and there are chances of equal places, too. Each bot also meets a ghost: half a win, half a loss. So a
bot that won or lost everything has a finite worth, and the others hardly change.

The worths that make the results most likely are found by an MM algorithm: every step makes them more likely. It has no intervals;
`ratings` has.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

from mergemaker_contest.errors import ContestError
from mergemaker_contest.meetings import groups
from mergemaker_contest.results import BlockResult, Forfeits, MatchResult, Player
from mergemaker_contest.scores import Score

GHOST: Final = Player("")
"""No bot has an empty name."""
DIGITS: Final = 6
_CLOSE_ENOUGH: Final = 1e-9
"""Steps end when no logarithm of a worth changes by more than this."""
_STEPS_MAX: Final = 2_000
"""Steps end after this many, too. Only bots that never lose, or never win, are then still on their way."""

Choice: TypeAlias = tuple[tuple[Player, ...], tuple[Player, ...]]
"""Who took a place, and who could have; both sorted. A bot stands there once for each of its seats."""


@dataclass(frozen=True, slots=True)
class Worth:
    """How a player does by places alone."""

    player: Player
    group: int
    """As in `ratings`: only players of one group are compared."""
    strength: float
    """The logarithm of its worth above that of the anchor; without one, above the group's mean."""

    def chance_before(self, other: "Worth") -> float:
        """How often it comes before the other, of the matches in which their places differ."""
        if self.group != other.group:
            raise ContestError("not-compared", f"{self.player} and {other.player} never met, not even through others")
        return 1 / (1 + math.exp(other.strength - self.strength))


def davidson_luce(
    blocks: Iterable[BlockResult], *, anchor: Player | None = None, forfeits: Forfeits = Forfeits.AS_PLAYED
) -> tuple[Worth, ...]:
    """The worths of all players, by group and strength."""
    listed = tuple(blocks)
    found = groups(listed)
    if not found:
        return ()
    choices = Counter(choice for block in listed for match in block.matches for choice in _choices(match, forfeits))
    logarithms = _Fit(choices, [player for players in found for player in players]).logarithms()
    worths = []
    for number, players in enumerate(found):
        zero = logarithms[anchor] if anchor in players else math.fsum(logarithms[each] for each in players) / len(players)
        worths += [Worth(player, number, round(logarithms[player] - zero, DIGITS)) for player in players]
    return tuple(sorted(worths, key=lambda worth: (worth.group, -worth.strength, worth.player)))


def _choices(match: MatchResult, forfeits: Forfeits) -> Iterable[Choice]:
    """Place by place: who took it, of those who did not have one before. The last place is no choice."""
    at_place: dict[float, list[Player]] = defaultdict(list)
    for seat, worth in zip(match.seats, match.scores(Score.PLACE, forfeits), strict=True):
        at_place[-worth].append(seat.player)
    left = sorted(seat.player for seat in match.seats)
    for place in sorted(at_place):
        if len({*left}) > 1:
            yield tuple(sorted(at_place[place])), tuple(left)
        for player in at_place[place]:
            left.remove(player)


class _Fit:
    """The most likely worths."""

    def __init__(self, choices: Mapping[Choice, int], players: list[Player]) -> None:
        self._players = sorted(players)
        weights = {choice: float(times) for choice, times in choices.items()}
        for player in self._players:
            pair = tuple(sorted((GHOST, player)))
            weights[(player,), pair] = weights[(GHOST,), pair] = 0.5
        ties = Counter[int]()
        wins: dict[Player, list[float]] = defaultdict(list)
        self._from: dict[tuple[Player, ...], float] = defaultdict(float)
        """How often there was a choice among these. The sums are of halves, so they are exact."""
        for (chosen, among), weight in weights.items():
            self._from[among] += weight
            ties[len(chosen)] += 0 if GHOST in among else int(weight)
            for player in chosen:
                wins[player].append(weight / len(chosen))
        self._ties = {size: times for size, times in sorted(ties.items()) if times and size > 1}
        self._wins = {player: math.fsum(wins[player]) for player in [GHOST, *self._players]}
        self._worth = dict.fromkeys([GHOST, *self._players], 1.0)
        self._tie_worth = dict.fromkeys(self._ties, 0.1)

    def logarithms(self) -> dict[Player, float]:
        """Steps until hardly anything changes."""
        for _ in range(_STEPS_MAX):
            before = dict(self._worth)
            self._step()
            if all(abs(math.log(self._worth[player] / before[player])) < _CLOSE_ENOUGH for player in before):
                break
        return {player: math.log(worth) for player, worth in self._worth.items()}

    def _step(self) -> None:
        demand: dict[Player, list[float]] = defaultdict(list)
        tie_demand: dict[int, list[float]] = defaultdict(list)
        for among, weight in self._from.items():
            parts = self._parts(among)
            share = weight / math.fsum(value for _, value in parts)
            for chosen, value in parts:
                for player in chosen:
                    demand[player].append(share * value / len(chosen))
                if len(chosen) > 1:
                    tie_demand[len(chosen)].append(share * value / self._tie_worth[len(chosen)])
        for player, worth in self._worth.items():
            self._worth[player] = worth * self._wins[player] / math.fsum(demand[player])
        for size, times in self._ties.items():
            self._tie_worth[size] = times / math.fsum(tie_demand[size])
        # Worths have no scale of their own.
        mean = math.fsum(math.log(worth) for worth in self._worth.values()) / len(self._worth)
        self._worth = {player: worth / math.exp(mean) for player, worth in self._worth.items()}

    def _parts(self, among: tuple[Player, ...]) -> list[tuple[tuple[Player, ...], float]]:
        """Who may be chosen, and in proportion to what."""
        parts: list[tuple[tuple[Player, ...], float]] = [((player,), self._worth[player]) for player in among]
        if GHOST not in among:
            parts += [
                (chosen, worth * math.prod(self._worth[player] for player in chosen) ** (1 / size))
                for size, worth in self._tie_worth.items()
                for chosen in combinations(among, size)
            ]
        return parts
