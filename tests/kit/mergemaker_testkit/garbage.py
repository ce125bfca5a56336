"""Bytes that no client would send, or almost none, drawn from a seed."""

from collections.abc import Sequence
from random import Random
from typing import Final

_BYTES_MAX: Final = 200
_FIELDS_MAX: Final = 6
_NUMBERS: Final = (0, 1, 2, 3, 107, 108, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
_TEXTS: Final = (
    b"",
    b"\0",
    b"../../../etc/passwd",
    b"/etc/passwd",
    b"..\\..\\CON",
    b"NUL",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "ünï🎲".encode(),
    b"%s%n{0}",
    b"a" * 5_000,
    b"\x1b[31mred\n",
)


def garbage(chance: Random, valid: Sequence[bytes]) -> bytes:
    """Something wrong: random bytes, a nearly correct message, or random fields."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(chance.randrange(_BYTES_MAX))
    if kind == 1:
        return fields(chance, 3)
    base = bytearray(chance.choice(valid))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(base) + 1)
        match chance.randrange(5):
            case 0 if base:
                base[at % len(base)] ^= 1 << chance.randrange(8)
            case 1:
                del base[at : at + chance.randrange(1, 5)]
            case 2:
                base[at:at] = chance.randbytes(chance.randrange(1, 5))
            case 3:
                base += fields(chance, 2)
            case _:
                base[at:at] = chance.choice(valid)[: chance.randrange(1, 20)]
    return bytes(base)


def fields(chance: Random, depth: int) -> bytes:
    """A well-formed message with optional fields and any values."""
    return b"".join(_field(chance, depth) for _ in range(chance.randrange(_FIELDS_MAX)))


def _field(chance: Random, depth: int) -> bytes:
    number = chance.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 100))
    if chance.randrange(2):
        return _varint(number << 3) + _varint(chance.choice(_NUMBERS))
    inner = fields(chance, depth - 1) if depth and chance.randrange(2) else chance.choice(_TEXTS)
    return _varint(number << 3 | 2) + _varint(len(inner)) + inner


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])
