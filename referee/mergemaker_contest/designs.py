"""Blocks of matches that compare two bots, A and B: who sits where in each match.

All matches of a block are played on one deal, and each seat has the same nonce in all of them. Luck that both bots meet then
cancels out. The block is the unit of every statistic: its matches are not independent of each other.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import combinations
from typing import Final, TypeAlias

from mergemaker_contest.errors import ContestError

A: Final = 0
B: Final = 1
FIELD: Final = 2
"""The first bot of the field. The others follow."""
SEATS_MIN: Final = 2
SEATS_MAX: Final = 6

Seating: TypeAlias = tuple[int, ...]
"""By seat: `A`, `B`, or a bot of the field, from `FIELD` on."""


class Design(StrEnum):
    """How A and B meet."""

    MIRROR = "mirror"
    """They take all seats in turn, and change all seats for the second match. Needs the fewest matches."""
    EXCHANGE = "exchange"
    """They have a seat each, among a field, and change these seats for the second match."""
    UNDIVIDED = "undivided"
    """They have a seat each, among a field, in a single match. This is what the others are compared with."""


def block_seatings(design: Design, seats: int, block: int, field: int = 0) -> tuple[Seating, ...]:
    """The matches of a block, which are counted from 0. `field` is how many other bots there are.

    Over the blocks, A and B take all places in turn, and so do the bots of the field.
    """
    _check(design, seats, block, field)
    match design:
        case Design.MIRROR:
            return _and_changed(_alternating(seats, block))
        case Design.EXCHANGE:
            return _and_changed(_among_field(seats, block, field))
        case Design.UNDIVIDED:
            # The order of A and B changes first, so that two blocks have both.
            seating = _among_field(seats, block // 2, field)
            return (_and_changed(seating)[block % 2],)


def _check(design: Design, seats: int, block: int, field: int) -> None:
    if not SEATS_MIN <= seats <= SEATS_MAX:
        raise ContestError("bad-seats", f"a match has {SEATS_MIN} to {SEATS_MAX} seats, not {seats}")
    if block < 0:
        raise ContestError("bad-block", f"blocks are counted from 0; there is no block {block}")
    if design is Design.MIRROR and field:
        raise ContestError("mirror-with-field", "in mirror tables A and B take all seats: leave out the field, or use exchange")
    if design is not Design.MIRROR and seats > SEATS_MIN and field < 1:
        raise ContestError("no-field", f"A and B have two of the {seats} seats: name at least one bot for the others")


def _alternating(seats: int, block: int) -> Seating:
    """A and B in turn. With an odd number of seats, each block gives the extra seat and the seats' order to another place."""
    return tuple((seat - block) % seats % 2 for seat in range(seats))


def _among_field(seats: int, block: int, field: int) -> Seating:
    """A before B, on each pair of seats in turn. The field's bots fill the others, and begin with another one each time."""
    pairs = tuple(combinations(range(seats), 2))
    round_, pair = divmod(block, len(pairs))
    first, second = pairs[pair]
    seating, others = [], 0
    for seat in range(seats):
        if seat == first:
            seating.append(A)
        elif seat == second:
            seating.append(B)
        else:
            seating.append(FIELD + (round_ + pair + others) % field)
            others += 1
    return tuple(seating)


def _and_changed(seating: Seating) -> tuple[Seating, Seating]:
    """A seating, and the same with A and B changed."""
    changed = {A: B, B: A}
    return seating, tuple(changed.get(bot, bot) for bot in seating)


def block_difference(seatings: Sequence[Seating], scores: Sequence[Sequence[float]]) -> float:
    """By how much a seat of A did better than a seat of B: the mean over the matches of a block."""
    if not seatings or len(seatings) != len(scores):
        raise ContestError("bad-block", f"a block of {len(seatings)} matches has as many lists of scores, not {len(scores)}")
    return sum(map(_match_difference, seatings, scores)) / len(seatings)


def _match_difference(seating: Seating, scores: Sequence[float]) -> float:
    means = []
    for bot in (A, B):
        own = [score for each, score in zip(seating, scores, strict=True) if each == bot]
        if not own:
            raise ContestError("not-seated", f"both bots have a seat in each match of a block; {'AB'[bot]} has none")
        means.append(sum(own) / len(own))
    return means[A] - means[B]
