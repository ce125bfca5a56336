"""What is published before the first tile, so that the deal can be checked afterwards (SET-5).

Preimages are fixed to the byte: a name and a zero byte, then parts of fixed length. Only the match's id varies in length,
which comes before it.
"""

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from mergemaker_engine.deal import SEED_BYTES
from mergemaker_engine.errors import RecordError
from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN
from mergemaker_engine.shown import shown

NONCE_BYTES: Final = 32
CONTRIBUTION_BYTES: Final = 32
MATCH_ID_BYTES_MAX: Final = 64

_COMMITMENT: Final = b"mergemaker/commitment/1\x00"
_SEAT_COMMITMENT: Final = b"mergemaker/seat-commitment/1\x00"
_JOINT_DEAL: Final = b"mergemaker/joint-deal/1\x00"

WITHHELD: Final = bytes(CONTRIBUTION_BYTES)
"""Used for a seat that did not reveal what it had committed to."""


class DealMode(StrEnum):
    """The source of a deal's seed."""

    SERVER = "server"
    """From the server, which committed to it before the first tile."""
    JOINT = "joint"
    """From the server and all seats, each of which committed to its part."""
    PLAIN = "plain"
    """From outside, as when a deal is repeated; nothing is promised."""


def _check_bytes(what: str, value: bytes, length: int) -> None:
    if type(value) is not bytes or len(value) != length:
        raise RecordError("bad-length", f"{what} is {length} bytes, not {shown(value)}")


def check_match_id(match_id: str) -> None:
    """Refuses an id that a file system, an address or a shell could misread."""
    if (
        type(match_id) is not str
        or not 1 <= len(match_id) <= MATCH_ID_BYTES_MAX
        or not match_id.isascii()
        or not match_id.replace("-", "").isalnum()
        or match_id != match_id.lower()
    ):
        raise RecordError(
            "bad-match-id",
            f"a match's id is 1 to {MATCH_ID_BYTES_MAX} small letters, digits and hyphens, with a letter or digit, "
            f"not {shown(match_id)}",
        )


def commitment(match_id: str, nonce: bytes, server_seed: bytes) -> bytes:
    """What the server publishes before the first tile."""
    check_match_id(match_id)
    _check_bytes("a nonce", nonce, NONCE_BYTES)
    _check_bytes("a server's seed", server_seed, SEED_BYTES)
    name = match_id.encode("ascii")
    return hashlib.sha256(_COMMITMENT + bytes([len(name)]) + name + nonce + server_seed).digest()


def seat_commitment(server_commitment: bytes, seat: int, contribution: bytes) -> bytes:
    """What a seat publishes before anybody reveals. It contains the seat, so that no seat can copy another's."""
    _check_bytes("a commitment", server_commitment, hashlib.sha256().digest_size)
    _check_bytes("a seat's part of a seed", contribution, CONTRIBUTION_BYTES)
    if type(seat) is not int or not 0 <= seat < SEATS_MAX:
        raise RecordError("bad-seat", f"seats are numbered from 0 to {SEATS_MAX - 1}, not {shown(seat)}")
    return hashlib.sha256(_SEAT_COMMITMENT + server_commitment + bytes([seat]) + contribution).digest()


def joint_seed(server_seed: bytes, contributions: Sequence[bytes]) -> bytes:
    """The deal's seed in joint mode, from the server's seed and each seat's part, which is `WITHHELD` if not revealed."""
    _check_bytes("a server's seed", server_seed, SEED_BYTES)
    if not SEATS_MIN <= len(contributions) <= SEATS_MAX:
        raise RecordError("bad-seat", f"{SEATS_MIN} to {SEATS_MAX} seats have a part of a seed, not {len(contributions)}")
    for part in contributions:
        _check_bytes("a seat's part of a seed", part, CONTRIBUTION_BYTES)
    return hashlib.sha256(_JOINT_DEAL + server_seed + b"".join(contributions)).digest()
