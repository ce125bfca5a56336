"""Messages as the bytes that protobuf makes of them, for what is written so often that making messages first takes too long.

The fields of a message may follow each other in any order and in pieces: the bytes of several parts, joined, are the message
that has them all.
"""

from collections.abc import Mapping
from typing import Final

from google.protobuf.message import Message

VARINT: Final = 0
LENGTH_DELIMITED: Final = 2
"""Kinds of fields on the wire: whole numbers and truth values; bytes, text, messages and packed lists."""
ONE_BYTE: Final = 0x80
"""Whole numbers below it are written as one byte, so a list of such numbers is its own packed form."""
_VARINTS_KEPT: Final = 2_048
"""More than a match has events, and than most parts have bytes."""


def varint(value: int) -> bytes:
    """A whole number from 0, as protobuf writes it: seven bits a byte, the lowest first."""
    return _VARINTS[value] if value < _VARINTS_KEPT else _made_varint(value)


def _made_varint(value: int) -> bytes:
    out = bytearray()
    while value >= ONE_BYTE:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_VARINTS: Final = tuple(map(_made_varint, range(_VARINTS_KEPT)))


def packed(values: tuple[int, ...]) -> bytes:
    """A list of whole numbers, as protobuf writes it."""
    return bytes(values) if not values or max(values) < ONE_BYTE else b"".join(map(varint, values))


def part_bytes(tag: bytes, data: bytes) -> bytes:
    """A field with bytes, a message or a list of numbers, with what stands before its length."""
    return tag + varint(len(data)) + data


def number_tags(kind: type[Message]) -> Mapping[str, bytes]:
    """By name: what stands before a field with one whole number."""
    return _tags(kind, VARINT)


def part_tags(kind: type[Message]) -> Mapping[str, bytes]:
    """By name: what stands before the length of a field with bytes, a message or a list of numbers."""
    return _tags(kind, LENGTH_DELIMITED)


def _tags(kind: type[Message], wire_kind: int) -> Mapping[str, bytes]:
    return {field.name: varint(field.number << 3 | wire_kind) for field in kind.DESCRIPTOR.fields}
