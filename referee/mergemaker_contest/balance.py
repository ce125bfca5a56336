"""Which bots meet at which tables, so that all meet equally often.

A cycle is a list of tables after which all bots have played equally often, and the pairs have met equally often, give or take
one. As long as there are not too many, it has all tables that there can be. Otherwise the bots stand in a circle, and a few base
tables are turned through it: a table turned through all places gives each bot the same number of tables, and how often two bots
meet depends on their distance alone. So only the distances have to be balanced, and there are few of them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, count, islice
from math import comb
from typing import Final, TypeAlias

from mergemaker_contest.errors import ContestError
from mergemaker_contest.shuffling import numbers_below, shuffled

Table: TypeAlias = tuple[int, ...]
"""The numbers of its bots, from 0."""
Pair: TypeAlias = tuple[int, int]

TABLES_MAX: Final = 150
"""Up to this many, a cycle has all tables that there can be."""
ALL_TABLES_MAX: Final = 2_000
"""More than this many tables are never put into one cycle."""
SPREAD_MAX: Final = 2
"""At every moment, no pair has met more than this much more often than another."""
_CHANGES_EACH: Final = 4_000
"""Changes of base tables that are tried before another base table is taken."""
_LOOKED_AT_MAX: Final = 400
"""Tables among which the next one is chosen."""
_ORDERED_MAX: Final = 2_000_000
"""If tables times pairs are more than this, as with 80 bots, their order is left as it is: that is nearly as even there."""
_ORDERS_MAX: Final = 20
"""Orders of all tables that are tried."""
_BASES_MAX: Final = 8
_ORDERS_EACH: Final = 5
"""Choices of base tables that are tried, and orders for each."""


def cycle(bots: int, seats: int, number: int, tables_max: int = TABLES_MAX) -> tuple[Table, ...]:
    """The tables of a cycle. Cycles are counted from 0, and what is played stays balanced from one to the next."""
    if tables_max > ALL_TABLES_MAX:
        text = f"a cycle has at most {ALL_TABLES_MAX} tables if it has all, so tables_max is at most this, not {tables_max}"
        raise ContestError("too-many-tables", text)
    return _all_tables(bots, seats) if comb(bots, seats) <= tables_max else _balanced_tables(bots, seats, number)


def table_at(bots: int, seats: int, number: int, tables_max: int = TABLES_MAX) -> Table:
    """A table by its number, counted from 0 through all cycles."""
    for each in count():
        tables = cycle(bots, seats, each, tables_max)
        if number < len(tables):
            return tables[number]
        number -= len(tables)
    raise AssertionError("there is always another cycle")


@lru_cache(maxsize=64)
def _all_tables(bots: int, seats: int) -> tuple[Table, ...]:
    tables = tuple(combinations(range(bots), seats))
    return _narrowest(_one_order(bots, shuffled(tables, "order", attempt), {}) for attempt in range(_ORDERS_MAX))


@lru_cache(maxsize=256)
def _balanced_tables(bots: int, seats: int, cycle: int) -> tuple[Table, ...]:
    met = Counter[Pair]()
    for earlier in range(cycle):
        for table in _balanced_tables(bots, seats, earlier):
            met.update(combinations(table, 2))
    by_distance = [met[0, distance] for distance in range(bots // 2 + 1)]
    choices = _turned_tables(bots, seats, by_distance)
    first = next(choices)
    if len(first) * comb(bots, 2) > _ORDERED_MAX:
        return first
    return _narrowest(_one_order(bots, tables, met) for tables in chain([first], choices))


def _turned_tables(bots: int, seats: int, met: Sequence[int]) -> Iterator[tuple[Table, ...]]:
    """Base tables, turned through all places: several choices, each in several orders."""
    for choice in range(_BASES_MAX):
        base_tables = _base_tables(bots, seats, met, choice)
        turned = [tuple(sorted((bot + turn) % bots for bot in table)) for table in base_tables for turn in range(bots)]
        for attempt in range(_ORDERS_EACH):
            yield shuffled(turned, "order", choice, attempt)


def _base_tables(bots: int, seats: int, met: Sequence[int], attempt: int) -> list[Table]:
    """The fewest base tables found after which all distances are balanced. `met` says how often each distance has met so far."""
    number = -(-(bots - 1) // (2 * comb(seats, 2)))  # as many as let each pair meet once
    while True:
        search = _Search(bots, seats, met, f"{bots}/{seats}/{sum(met)}/{number}/{attempt}", number)
        if search.succeeds():
            return search.tables
        number += 1


class _Search:
    """Changes base tables until the distances are balanced, or gives up."""

    def __init__(self, bots: int, seats: int, met: Sequence[int], label: str, number: int) -> None:
        self._bots = bots
        self._label = label
        self._met = list(met)
        self.tables: list[Table] = [shuffled(range(bots), self._label, index)[:seats] for index in range(number)]
        for table in self.tables:
            self._count(table, 1)
        pairs = sum(times if 2 * distance == bots else 2 * times for distance, times in enumerate(self._met))
        self._low = pairs // (bots - 1)
        """How often each pair meets at least, if all is balanced."""

    def _count(self, table: Table, step: int) -> None:
        for one, other in combinations(table, 2):
            distance = abs(one - other)
            distance = min(distance, self._bots - distance)
            # Bots that face each other meet twice while a table is turned once around.
            self._met[distance] += 2 * step if 2 * distance == self._bots else step

    def _badness(self) -> int:
        low, high = self._low, self._low + 1
        return sum(max(low - times, 0) ** 2 + max(times - high, 0) ** 2 for times in self._met[1:])

    def succeeds(self) -> bool:
        """Tries changes that make nothing worse."""
        badness, seats = self._badness(), len(self.tables[0])
        changes = _CHANGES_EACH * len(self.tables)
        which = numbers_below(len(self.tables), changes, self._label, "table")
        seat = numbers_below(seats, changes, self._label, "seat")
        bot = numbers_below(self._bots, changes, self._label, "bot")
        for index in range(changes):
            if not badness:
                break
            table = self.tables[which[index]]
            if bot[index] in table:
                continue
            changed = (*table[: seat[index]], bot[index], *table[seat[index] + 1 :])
            self._count(table, -1)
            self._count(changed, 1)
            after = self._badness()
            if after <= badness:
                badness, self.tables[which[index]] = after, changed
            else:
                self._count(changed, -1)
                self._count(table, 1)
        return not badness


_Order: TypeAlias = tuple[int, tuple[Table, ...]]
"""How much more often a pair has met than another at the worst moment, and the tables."""


def _narrowest(orders: Iterable[_Order]) -> tuple[Table, ...]:
    """The first order that is narrow enough, or else the narrowest."""
    best: _Order | None = None
    for order in orders:
        best = order if best is None or order[0] < best[0] else best
        if best[0] <= SPREAD_MAX:
            break
    assert best is not None, "there is at least one order"
    return best[1]


def _one_order(bots: int, tables: Sequence[Table], before: Mapping[Pair, int]) -> _Order:
    """Always takes the table whose pairs have met least, for how often they are to meet in all."""
    met = {pair: before.get(pair, 0) for pair in combinations(range(bots), 2)}
    gains = Counter(pair for table in tables for pair in combinations(table, 2))
    ahead = dict.fromkeys(met, 0)
    """How much each pair has met more than its part, times the number of tables."""
    left = {index: tuple(combinations(table, 2)) for index, table in enumerate(tables)}
    order, widest = [], 0

    for _ in tables:
        low = min(met.values(), default=0)

        def unfairness(index: int, low: int = low) -> tuple[int, int]:
            pairs = left[index]
            return max(SPREAD_MAX, max((met[pair] for pair in pairs), default=0) + 1 - low), sum(
                ahead[pair] ** 3 for pair in pairs
            )

        best = min(islice(left, _LOOKED_AT_MAX), key=unfairness)
        for pair in left.pop(best):
            met[pair] += 1
            ahead[pair] += len(tables)
        for pair in ahead:
            ahead[pair] -= gains[pair]
        order.append(tables[best])
        widest = max(widest, max(met.values(), default=0) - min(met.values(), default=0))
    return widest, tuple(order)
