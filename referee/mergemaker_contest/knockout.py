"""Knockout: the best of each table go on, until one table is left.

Of 2 or 3 seats one bot goes on, of 4 or 5 two, of 6 three, unless asked otherwise. The strong and the weak are spread over the
tables. If the bots do not fill all tables, the first of the seeding rest and go on. The last table has all who are left, and may
have fewer seats. `rounds.table_scores` says how ties are broken.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_contest.designs import SEATS_MAX, SEATS_MIN
from mergemaker_contest.errors import ContestError
from mergemaker_contest.results import BlockResult, Forfeits
from mergemaker_contest.rounds import Round, make_round, table_scores
from mergemaker_contest.scores import Score

ADVANCING: Final[Mapping[int, int]] = {2: 1, 3: 1, 4: 2, 5: 2, 6: 3}
"""By seats: how many of a table go on."""
BLOCKS_EACH: Final = 5
"""How many blocks a table plays, unless asked otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockoutTerms:
    """How a knockout is played."""

    seats: int
    advance: int | None = None
    """How many of each table go on; None: as `ADVANCING` says."""
    blocks_each: int = BLOCKS_EACH
    score: Score = Score.SHARE
    forfeits: Forfeits = Forfeits.AS_PLAYED
    seed: int = 0

    @property
    def advancing(self) -> int:
        """How many of each table go on."""
        return ADVANCING[self.seats] if self.advance is None else self.advance

    def __post_init__(self) -> None:
        if not SEATS_MIN <= self.seats <= SEATS_MAX:
            raise ContestError("bad-seats", f"a match has {SEATS_MIN} to {SEATS_MAX} seats, not {self.seats}")
        if not 1 <= self.advancing < self.seats:
            text = f"of {self.seats} seats, 1 to {self.seats - 1} go on, not {self.advancing}"
            raise ContestError("bad-advance", text)
        if self.blocks_each < 1:
            raise ContestError("bad-blocks", f"a table plays 1 block or more, not {self.blocks_each}")


@dataclass(frozen=True, slots=True)
class Knockout:
    """How far a knockout has come."""

    rounds: tuple[Round, ...]
    """All rounds that can be made by now. The last one is being played, or was the last of all."""
    places: tuple[tuple[str, ...], ...]
    """Who is out, the best first: the last table's places one by one, once it is played, then those who went out together."""
    champion: str | None
    """None until the last table is played."""


def knockout(bots: Sequence[str], terms: KnockoutTerms, results: Iterable[BlockResult] = ()) -> Knockout:
    """The rounds of a knockout. `bots` are in the order of the seeding, the strongest first."""
    if len({*bots}) < len(bots) or len(bots) < SEATS_MIN:
        raise ContestError("bad-bots", f"a knockout has {SEATS_MIN} bots or more, each named once")
    played = {result.block: result for result in results}
    alive, rounds, out = list(bots), list[Round](), list[tuple[str, ...]]()
    while True:
        first = sum(len(each.blocks) for each in rounds)
        current = _round(len(rounds), alive, terms, first)
        rounds.append(current)
        if not current.is_played(played):
            return Knockout(tuple(rounds), tuple(out), None)
        orders = [_order(current, table, terms, played) for table in range(len(current.tables))]
        if len(alive) <= terms.seats:
            return Knockout(tuple(rounds), (*((bot,) for bot in orders[0]), *out), orders[0][0])
        going_on = [*current.resting, *(bot for order in orders for bot in order[: terms.advancing])]
        out.insert(0, tuple(bot for bot in alive if bot not in going_on))
        alive = [bot for bot in alive if bot in going_on]


def _round(number: int, alive: Sequence[str], terms: KnockoutTerms, first: int) -> Round:
    if len(alive) <= terms.seats:
        return make_round(number, [alive], (), blocks_each=terms.blocks_each, first=first, seed=terms.seed)
    count, resting = divmod(len(alive), terms.seats)
    tables: list[list[str]] = [[] for _ in range(count)]
    # First table to last, then last to first: the sums of the seeds are nearly equal.
    there_and_back = [*range(count), *reversed(range(count))]
    for place, bot in enumerate(alive[resting:]):
        tables[there_and_back[place % len(there_and_back)]].append(bot)
    return make_round(number, tables, alive[:resting], blocks_each=terms.blocks_each, first=first, seed=terms.seed)


def _order(current: Round, table: int, terms: KnockoutTerms, played: Mapping[int, BlockResult]) -> tuple[str, ...]:
    blocks = [played[block.number] for block in current.blocks_of(table)]
    return tuple(each.bot for each in table_scores(current.tables[table], blocks, terms.score, terms.forfeits))
