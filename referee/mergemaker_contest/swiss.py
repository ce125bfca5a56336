"""Swiss: in each round, bots meet others of their strength that they have met least.

A bot that joins late begins in the middle and soon finds its place. A bot that drops out is simply not present any more. If the
bots do not fill all tables, those rest that have rested least and played most. So nobody has to be asked what to do.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Final

from mergemaker_contest.designs import SEATS_MAX, SEATS_MIN
from mergemaker_contest.errors import ContestError
from mergemaker_contest.meetings import without_versions
from mergemaker_contest.results import BlockResult, Forfeits
from mergemaker_contest.rounds import Round, make_round
from mergemaker_contest.running import START, running_numbers
from mergemaker_contest.scores import Score
from mergemaker_contest.shuffling import shuffled

_PASSES_MAX: Final = 20
"""How often all exchanges between tables are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissTerms:
    """How a Swiss tournament is played."""

    seats: int
    blocks_each: int = 1
    """How many blocks a table plays in a round."""
    score: Score = Score.SHARE
    forfeits: Forfeits = Forfeits.AS_PLAYED
    seed: int = 0

    def __post_init__(self) -> None:
        if not SEATS_MIN <= self.seats <= SEATS_MAX:
            raise ContestError("bad-seats", f"a match has {SEATS_MIN} to {SEATS_MAX} seats, not {self.seats}")
        if self.blocks_each < 1:
            raise ContestError("bad-blocks", f"a table plays 1 block or more, not {self.blocks_each}")


def swiss(present: Sequence[Iterable[str]], terms: SwissTerms, results: Iterable[BlockResult] = ()) -> tuple[Round, ...]:
    """The rounds that can be made by now. `present` has the bots of each round; there are no more rounds than that.

    The last round is being played, or was the last of all. If all of its blocks have results, the tournament is over.
    """
    played = {result.block: result for result in without_versions(results)}
    rounds: list[Round] = []
    for bots in present:
        if rounds and not rounds[-1].is_played(played):
            break
        rounds.append(_round(sorted({*bots}), terms, rounds, played))
    return tuple(rounds)


def _round(bots: list[str], terms: SwissTerms, earlier: Sequence[Round], played: Mapping[int, BlockResult]) -> Round:
    number = len(earlier)
    if len(bots) < terms.seats:
        text = f"round {number} has {len(bots)} bots, and {terms.seats} seats need as many: add bots, or take fewer seats"
        raise ContestError("too-few-bots", text)
    ranked = _ranked(bots, terms, earlier, played)
    rested = Counter(bot for each in earlier for bot in each.resting)
    tables_of = Counter(bot for each in earlier for table in each.tables for bot in table)
    # Of equal ones the weakest rests.
    by_rest = sorted(ranked, key=lambda bot: (rested[bot], -tables_of[bot], -ranked.index(bot)))
    resting = {*by_rest[: len(bots) % terms.seats]}
    met = Counter(frozenset(pair) for each in earlier for table in each.tables for pair in combinations(table, 2))
    tables = _tables([bot for bot in ranked if bot not in resting], terms.seats, met)
    first = sum(len(each.blocks) for each in earlier)
    resting_bots = [bot for bot in ranked if bot in resting]
    return make_round(number, tables, resting_bots, blocks_each=terms.blocks_each, first=first, seed=terms.seed)


def _ranked(bots: list[str], terms: SwissTerms, earlier: Sequence[Round], played: Mapping[int, BlockResult]) -> list[str]:
    """The strongest first; equal ones, as all in the first round, in an order that follows from the seed."""
    blocks = [played[block.number] for each in earlier for block in each.blocks]
    known = {player.bot: number for player, number in running_numbers(blocks, terms.score, forfeits=terms.forfeits).items()}
    middle = median([known[bot] for bot in bots if bot in known] or [START])
    order = shuffled(bots, "swiss", terms.seed, len(earlier))
    return sorted(order, key=lambda bot: -known.get(bot, middle))


def _tables(ranked: list[str], seats: int, met: "Counter[frozenset[str]]") -> list[list[str]]:
    """Neighbours in the ranking sit together, but for exchanges that save meetings."""
    rank = {bot: place for place, bot in enumerate(ranked)}
    tables = [ranked[start : start + seats] for start in range(0, len(ranked), seats)]

    def cost(table: Sequence[str]) -> int:
        # To meet again costs as much as to meet from one end of the ranking to the other.
        again = sum(met[frozenset(pair)] for pair in combinations(table, 2))
        return again * len(ranked) + sum(abs(rank[one] - rank[other]) for one, other in combinations(table, 2))

    for _ in range(_PASSES_MAX):
        if not [pair for pair in combinations(tables, 2) if _exchange(*pair, cost)]:
            break
    return [sorted(table, key=rank.__getitem__) for table in tables]


def _exchange(one: list[str], other: list[str], cost: Callable[[Sequence[str]], int]) -> bool:
    """Exchanges two bots of two tables if that costs less, and says whether it did."""
    exchanged = False
    for here in range(len(one)):
        for there in range(len(other)):
            before = cost(one) + cost(other)
            one[here], other[there] = other[there], one[here]
            if cost(one) + cost(other) < before:
                exchanged = True
            else:
                one[here], other[there] = other[there], one[here]
    return exchanged
