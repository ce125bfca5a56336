"""Orders that look random and follow from a seed alone, on every machine and in every version of Python."""

import hashlib
from array import array
from collections.abc import Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")
_WORD_BYTES: Final = 8


def shuffled(items: Sequence[Item], *labels: int | str) -> tuple[Item, ...]:
    """The items in an order that follows from the labels: a seed, and what the order is for."""
    words = _words(len(items), labels)
    return tuple(items[index] for index in sorted(range(len(items)), key=words.__getitem__))


def number_below(limit: int, *labels: int | str) -> int:
    """A number from 0 to below the limit that follows from the labels."""
    return _words(1, labels)[0] * limit >> 8 * _WORD_BYTES


def numbers_below(limit: int, count: int, *labels: int | str) -> tuple[int, ...]:
    """As many such numbers."""
    return tuple(word * limit >> 8 * _WORD_BYTES for word in _words(count, labels))


def _words(count: int, labels: tuple[int | str, ...]) -> "array[int]":
    """Evenly spread numbers of 64 bits."""
    text = "/".join(("mergemaker", *map(str, labels)))
    words = array("Q", hashlib.shake_128(text.encode()).digest(count * _WORD_BYTES))
    if _IS_BIG_ENDIAN:
        words.byteswap()
    return words


_IS_BIG_ENDIAN: Final = array("H", [1]).tobytes() == b"\x00\x01"
