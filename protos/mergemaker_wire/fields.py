"""How the fields of messages are read: the values that each may have, and the error that names the field otherwise.

A list's length is checked before the list is copied: a stranger's message may hold thousands of numbers where seven belong.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from mergemaker_engine.board import CHAINS, SQUARES
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_engine.values import dataclass

from mergemaker_wire.enums import EnumTable, Named, Number
from mergemaker_wire.errors import out_of_range, wrong_length

Read: TypeAlias = Callable[[Any, str], Any]
"""Takes a field's content in the message and the field's name. Returns the engine's value, or raises a WireError."""
Write: TypeAlias = Callable[[Any], Any]
"""Takes the engine's value, and returns the field's content in the message."""

ALL_COUNTS_ZERO: Final = (0,) * CHAINS


def number(low: int, high: int) -> Callable[[int, str], int]:
    """Reads whole numbers in a range."""

    def read(value: int, where: str) -> int:
        if not low <= value <= high:
            raise out_of_range(where, f"a whole number from {low} to {high}", value)
        return value

    return read


def at_least_one(value: int) -> int:
    """Reads a version or a limit. These begin with 1; 0, which is also the value of an unset field, means 1."""
    return value or 1


def any_value(value: Any, where: str) -> Any:  # noqa: ANN401, ARG001 - accepts whatever the field's type allows
    """Reads values that cannot be wrong: booleans, amounts of money."""
    return value


def any_count(value: int, where: str) -> int:  # noqa: ARG001 - as above
    """Reads a count of shares that the action checks by itself when it is made."""
    return value


seat: Final = number(0, SEATS_MAX - 1)
chain: Final = number(0, CHAINS - 1)
square: Final = number(0, SQUARES - 1)


def ascending(values: Sequence[int], where: str, end: int) -> tuple[int, ...]:
    """Reads a list of different numbers below an end, the smallest first."""
    if len(values) > end:
        raise wrong_length(where, f"at most {end} different numbers", len(values))
    read = tuple(values)
    last = -1
    for value in read:
        if not last < value < end:
            raise out_of_range(where, f"a list of numbers below {end}, each greater than the one before", read)
        last = value
    return read


def squares(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Reads squares, ascending."""
    return ascending(values, where, SQUARES)


def chains(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Reads chains, ascending."""
    return ascending(values, where, CHAINS)


def by_chain(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Reads seven numbers, one for each chain."""
    if len(values) != CHAINS:
        raise wrong_length(where, f"{CHAINS} numbers, one for each chain", len(values))
    return tuple(values)


def shares(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Reads seven counts of shares, one for each chain."""
    read = by_chain(values, where)
    if max(read) > SHARES_PER_CHAIN:
        raise out_of_range(where, f"{CHAINS} counts from 0 to {SHARES_PER_CHAIN}", read)
    return read


def shares_or_none(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Reads seven counts of shares, or an empty list, which means seven zeros."""
    return shares(values, where) if len(values) else ALL_COUNTS_ZERO


def by_seat(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Reads one number for each seat."""
    if not 2 <= len(values) <= SEATS_MAX:
        raise wrong_length(where, f"2 to {SEATS_MAX} numbers, one for each seat", len(values))
    return tuple(values)


def holdings(values: Sequence[int], where: str) -> tuple[int, ...]:
    """Reads each seat's number of shares of one chain."""
    read = by_seat(values, where)
    if sum(read) > SHARES_PER_CHAIN:
        raise out_of_range(where, f"counts that come to {SHARES_PER_CHAIN} at most", read)
    return read


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a kind."""

    name: str
    read: Read
    write: Write | None = None
    """None if the message takes the value as it is."""
    optional: bool = False
    """Whether it may be left out, which means None."""


def named(name: str, names: EnumTable[Named, Number]) -> Field:
    """A field with a named value."""
    return Field(name, names.read, names.numbers.__getitem__)
