"""What is played, and in which order: a schedule is a list of blocks without an end.

A schedule follows from its format, its bots, the seats and a seed, and from nothing else. So a tournament that is continued
elsewhere goes on with the same blocks. Blocks are made when they are asked for.

All tables of a block are played on one deal, in the block's order. In round-robin and gauntlet, each bot of a table has each seat
once. `swiss` and `knockout` make their blocks round by round, because they depend on results.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import TypeAlias

from mergemaker_contest.balance import TABLES_MAX, cycle, table_at
from mergemaker_contest.designs import SEATS_MAX, SEATS_MIN, Design, block_seatings
from mergemaker_contest.errors import ContestError
from mergemaker_contest.shuffling import shuffled

Seating: TypeAlias = tuple[str, ...]
"""By seat: the bot's id."""


class Format(StrEnum):
    """How it is decided who plays whom."""

    ROUND_ROBIN = "round-robin"
    """All bots meet all others equally often."""
    GAUNTLET = "gauntlet"
    """Challengers meet a field, and the field's bots do not meet without a challenger."""
    DUEL = "duel"
    """Two bots are compared."""
    SWISS = "swiss"
    """In each round, bots meet others of their strength."""
    KNOCKOUT = "knockout"
    """The best of each table go on to the next round."""


@dataclass(frozen=True, slots=True)
class Block:
    """Tables that are played on one deal."""

    number: int
    """Counted from 0 in its tournament."""
    deal: int
    """Which of the tournament's deals."""
    tables: tuple[Seating, ...]
    """One for each match, in the order of play."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The blocks of a round-robin, a gauntlet or a duel, by number. Functions of this module make it."""

    format: Format
    bots: tuple[str, ...]
    seats: int
    cycle: int
    """After this many blocks, all is balanced for the first time."""
    tables_in_block: int
    _seatings: Callable[[int], tuple[Seating, ...]] = field(repr=False)

    def block(self, number: int) -> Block:
        """A block by its number."""
        if number < 0:
            raise ContestError("bad-block", f"blocks are counted from 0; there is no block {number}")
        return Block(number, number, self._seatings(number))

    def blocks(self, first: int = 0) -> Iterator[Block]:
        """All blocks from this one on, without an end."""
        return map(self.block, count(first))


def round_robin(bots: Sequence[str], seats: int, *, seed: int = 0, tables_max: int = TABLES_MAX) -> Schedule:
    """All bots against all. If there are more than `tables_max` tables, balanced ones of them are taken."""
    _check(bots, seats)
    order = shuffled(sorted(bots), "round-robin", seed)

    def seatings(number: int) -> tuple[Seating, ...]:
        table = table_at(len(order), seats, number, tables_max)
        return rotated([order[bot] for bot in table], seed, number)

    length = len(cycle(len(order), seats, 0, tables_max))
    return Schedule(Format.ROUND_ROBIN, tuple(sorted(bots)), seats, length, seats, seatings)


def gauntlet(
    challengers: Sequence[str], others: Sequence[str], seats: int, *, seed: int = 0, tables_max: int = TABLES_MAX
) -> Schedule:
    """The challengers take turns: each block has one of them, at a balanced table of the others."""
    if not challengers:
        raise ContestError("no-challenger", "a gauntlet has one challenger or more: name those that meet all others")
    _check([*challengers, *others], seats)
    _check_others(len(others), seats)
    first, against = sorted(challengers), shuffled(sorted(others), "gauntlet", seed)

    def seatings(number: int) -> tuple[Seating, ...]:
        table = table_at(len(against), seats - 1, number // len(first), tables_max)
        return rotated([first[number % len(first)], *(against[bot] for bot in table)], seed, number)

    length = len(cycle(len(against), seats - 1, 0, tables_max)) * len(first)
    return Schedule(Format.GAUNTLET, (*first, *sorted(others)), seats, length, seats, seatings)


def duel(a: str, b: str, seats: int, *, design: Design = Design.MIRROR, others: Sequence[str] = (), seed: int = 0) -> Schedule:
    """A against B, by a design of `designs`. The seats that they take change from one block to the next."""
    _check_names([a, b, *others])
    in_block = len(block_seatings(design, seats, 0, len(others)))
    names = (a, b, *shuffled(sorted(others), "duel", seed))

    def seatings(number: int) -> tuple[Seating, ...]:
        # `A`, `B` and `FIELD` count the names.
        return tuple(tuple(names[bot] for bot in seating) for seating in block_seatings(design, seats, number, len(others)))

    length = _duel_cycle(design, seats, len(others))
    return Schedule(Format.DUEL, (a, b, *sorted(others)), seats, length, in_block, seatings)


def rotated(bots: Sequence[str], seed: int, number: int) -> tuple[Seating, ...]:
    """The tables of a block in which each bot has each seat once. Who follows whom depends on seed and number."""
    seating = shuffled(bots, "seats", seed, number)
    return tuple(seating[turn:] + seating[:turn] for turn in range(len(seating)))


def _duel_cycle(design: Design, seats: int, others: int) -> int:
    """The blocks after which all seats, and all orders of the field, have been taken equally often."""
    pairs = seats * (seats - 1) // 2
    match design:
        case Design.MIRROR:
            return seats
        case Design.EXCHANGE:
            return pairs * max(1, others)
        case Design.UNDIVIDED:
            return 2 * pairs * max(1, others)


def _check(bots: Sequence[str], seats: int) -> None:
    if not SEATS_MIN <= seats <= SEATS_MAX:
        raise ContestError("bad-seats", f"a match has {SEATS_MIN} to {SEATS_MAX} seats, not {seats}")
    _check_names(bots)
    if len(bots) < seats:
        raise ContestError(
            "too-few-bots", f"{seats} seats need {seats} bots or more, and there are {len(bots)}: add bots, or take fewer seats"
        )


def _check_names(bots: Sequence[str]) -> None:
    twice = sorted({bot for bot in bots if list(bots).count(bot) > 1})
    if twice:
        raise ContestError("same-bot", f"each bot is named once; {', '.join(twice)} is named several times")


def _check_others(others: int, seats: int) -> None:
    if others < seats - 1:
        text = f"a challenger meets {seats - 1} others at a time, and there are {others}: add bots, or take fewer seats"
        raise ContestError("too-few-bots", text)
