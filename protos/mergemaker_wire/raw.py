"""Messages as the bytes that protobuf makes of them. It serves messages that are written very often, and is faster.

The fields of a message may come in any order and in pieces: the joined bytes of several parts are the message
that has them all.
"""

from collections.abc import Mapping
from typing import Final

from google.protobuf.message import Message

VARINT: Final = 0
LENGTH_DELIMITED: Final = 2
"""Kinds of fields on the wire: whole numbers and booleans; bytes, strings, messages and packed lists."""
ONE_BYTE: Final = 0x80
"""Whole numbers below this are written as one byte, so a list of such numbers is its own packed form."""
_VARINTS_KEPT: Final = 2_048
"""More than the events of a match, and more than the bytes of most parts."""


def varint(value: int) -> bytes:
    """A whole number from 0, as protobuf writes it: seven bits per byte, the lowest first."""
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
    """A field with bytes, a message or a list of numbers, including the tag and the length."""
    return tag + varint(len(data)) + data


def number_tags(kind: type[Message]) -> Mapping[str, bytes]:
    """By field name: the tag of a field with one whole number."""
    return _tags(kind, VARINT)


def part_tags(kind: type[Message]) -> Mapping[str, bytes]:
    """By field name: the tag of a field with bytes, a message or a list of numbers. The length follows it."""
    return _tags(kind, LENGTH_DELIMITED)


def _tags(kind: type[Message], wire_kind: int) -> Mapping[str, bytes]:
    return {field.name: varint(field.number << 3 | wire_kind) for field in kind.DESCRIPTOR.fields}
