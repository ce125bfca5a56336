"""What is promised before the first tile, to the byte (SET-5)."""

import hashlib
from collections.abc import Callable
from typing import Any, Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.commitments import (
    CONTRIBUTION_BYTES,
    WITHHELD,
    check_match_id,
    commitment,
    joint_seed,
    seat_commitment,
)

NONCE: Final = bytes(range(32))
SEED: Final = bytes(range(100, 132))
PART: Final = bytes(range(200, 232))


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize("match", ["a", "2026-11-18-final", "x" * 64])
def test_the_server_commits_to_match_nonce_and_seed(match: str) -> None:
    preimage = b"mergemaker/commitment/1" + b"\0" + bytes([len(match)]) + match.encode() + NONCE + SEED
    assert len(preimage) == 23 + 1 + 1 + len(match) + 32 + 32
    assert commitment(match, NONCE, SEED) == hashlib.sha256(preimage).digest()


def test_a_commitment_is_the_same_in_every_version() -> None:
    assert commitment("m-1", NONCE, SEED).hex() == "976c8f8ba8effea2d751493a93dea21ababc32071ec884ee3e285807e49f25a9"


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize("seat", range(6))
def test_a_seat_commits_to_its_part_under_the_servers_commitment(seat: int) -> None:
    promised = commitment("m-1", NONCE, SEED)
    preimage = b"mergemaker/seat-commitment/1" + b"\0" + promised + bytes([seat]) + PART
    assert seat_commitment(promised, seat, PART) == hashlib.sha256(preimage).digest()


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize("seats", range(2, 7))
def test_the_joint_seed_is_of_the_servers_and_every_seats_part(seats: int) -> None:
    parts = [bytes([seat]) * 32 for seat in range(seats)]
    preimage = b"mergemaker/joint-deal/1" + b"\0" + SEED + b"".join(parts)
    assert joint_seed(SEED, parts) == hashlib.sha256(preimage).digest()


def test_a_withheld_part_counts_as_zeros() -> None:
    assert bytes(32) == WITHHELD
    assert len(WITHHELD) == CONTRIBUTION_BYTES


@pytest.mark.parametrize("match", ["m", "0", "a-b", "-a", "a-", "x" * 64])
def test_an_id_is_small_letters_digits_and_hyphens(match: str) -> None:
    check_match_id(match)


class Text(str):
    """A subclass of str that lies about itself."""

    __slots__ = ()


NO_IDS: Final[tuple[object, ...]] = (
    "", "-", "--", "A", "aB", "x" * 65, "a b", "a/b", "..", "a.b", "a_b", "é", "\uff41", "²", "a\n", "a\0", None, 1, b"a", ["a"],
    Text("a"),
)  # fmt: skip


@pytest.mark.parametrize("match", NO_IDS, ids=repr)
def test_other_ids_are_refused(match: Any) -> None:  # whatever it is
    for attempt in (lambda: check_match_id(match), lambda: commitment(match, NONCE, SEED)):
        with pytest.raises(RecordError, match="small letters") as refusal:
            attempt()
        assert refusal.value.reason == "bad-match-id"


NO_32_BYTES: Final[tuple[Any, ...]] = (b"", bytes(31), bytes(33), bytearray(32), "00" * 32, 32, None)

LENGTHS: Final[dict[str, Callable[[Any], object]]] = {
    "a nonce": lambda value: commitment("m", value, SEED),
    "a server's seed": lambda value: commitment("m", NONCE, value),
    "a commitment": lambda value: seat_commitment(value, 0, PART),
    "a seat's part of a seed": lambda value: seat_commitment(bytes(32), 0, value),
    "a server's seed of a joint one": lambda value: joint_seed(value, [PART, PART]),
    "a seat's part of a joint seed": lambda value: joint_seed(SEED, [PART, value]),
}


@pytest.mark.parametrize("make", LENGTHS.values(), ids=LENGTHS)
def test_every_part_of_a_preimage_is_32_bytes(make: Callable[[Any], object]) -> None:
    for value in NO_32_BYTES:
        with pytest.raises(RecordError, match="is 32 bytes, not") as refusal:
            make(value)
        assert refusal.value.reason == "bad-length"


@pytest.mark.parametrize("seat", [-1, 6, 256, True, 1.0, "1", None], ids=repr)
def test_only_a_seat_commits(seat: Any) -> None:  # whatever it is
    with pytest.raises(RecordError) as refusal:
        seat_commitment(bytes(32), seat, PART)
    assert refusal.value.reason == "bad-seat"


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_two_to_six_seats_make_a_joint_seed(seats: int) -> None:
    with pytest.raises(RecordError) as refusal:
        joint_seed(SEED, [PART] * seats)
    assert refusal.value.reason == "bad-seat"
