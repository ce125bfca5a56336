"""Blocks of matches: who sits where, and what a block says."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_contest.designs import FIELD, SEATS_MAX, SEATS_MIN, A, B, Design, block_difference, block_seatings
from mergemaker_contest.errors import ContestError

SEATS = range(SEATS_MIN, SEATS_MAX + 1)


def _letters(seatings: tuple[tuple[int, ...], ...]) -> str:
    return " ".join("".join("ABfghi"[bot] for bot in seating) for seating in seatings)


@pytest.mark.parametrize(
    ("design", "seats", "field", "blocks"),
    [
        (Design.MIRROR, 2, 0, ["AB BA", "BA AB"]),
        (Design.MIRROR, 3, 0, ["ABA BAB", "AAB BBA", "BAA ABB", "ABA BAB"]),
        (Design.MIRROR, 4, 0, ["ABAB BABA", "BABA ABAB"]),
        (Design.MIRROR, 5, 0, ["ABABA BABAB", "AABAB BBABA"]),
        (Design.EXCHANGE, 2, 0, ["AB BA", "AB BA"]),
        (Design.EXCHANGE, 3, 1, ["ABf BAf", "AfB BfA", "fAB fBA", "ABf BAf"]),
        (Design.EXCHANGE, 4, 2, ["ABfg BAfg", "AgBf BgAf", "AfgB BfgA"]),
        (Design.UNDIVIDED, 3, 1, ["ABf", "BAf", "AfB", "BfA", "fAB", "fBA", "ABf"]),
    ],
)
def test_who_sits_where(design: Design, seats: int, field: int, blocks: list[str]) -> None:
    assert [_letters(block_seatings(design, seats, block, field)) for block in range(len(blocks))] == blocks


@pytest.mark.parametrize("seats", SEATS)
def test_in_a_mirror_block_each_bot_has_each_seat_once(seats: int) -> None:
    for block in range(2 * seats):
        first, second = block_seatings(Design.MIRROR, seats, block)
        assert all({one, other} == {A, B} for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("field", [1, 2, 3, 5])
def test_over_a_cycle_seats_are_balanced_in_an_exchange(seats: int, field: int) -> None:
    cycle = len(tuple(combinations(range(seats), 2))) * field
    taken: Counter[tuple[int, int]] = Counter()
    of_field: Counter[int] = Counter()
    for block in range(cycle):
        for seating in block_seatings(Design.EXCHANGE, seats, block, field):
            taken.update((bot, seat) for seat, bot in enumerate(seating) if bot < FIELD)
            of_field.update(bot for bot in seating if bot >= FIELD)
    assert len(set(taken.values())) == 1, "A and B have each seat equally often"
    assert len(taken) == 2 * seats
    assert len(set(of_field.values())) <= 1, "and the field's bots play equally often"


@given(st.sampled_from(Design), st.integers(SEATS_MIN, SEATS_MAX), st.integers(0, 10_000), st.integers(1, 20))
def test_equal_bots_differ_by_nothing(design: Design, seats: int, block: int, field: int) -> None:
    seatings = block_seatings(design, seats, block, 0 if design is Design.MIRROR else field)
    by_seat = [seat / 10 for seat in range(seats)]
    if design is not Design.UNDIVIDED:
        assert block_difference(seatings, [by_seat] * len(seatings)) == pytest.approx(0)
    ahead = [[by_seat[seat] + (bot == A) for seat, bot in enumerate(seating)] for seating in seatings]
    behind = [[by_seat[seat] + (bot == B) for seat, bot in enumerate(seating)] for seating in seatings]
    assert block_difference(seatings, ahead) - block_difference(seatings, behind) == pytest.approx(2)


@pytest.mark.parametrize(
    ("design", "seats", "block", "field", "reason"),
    [
        (Design.MIRROR, 1, 0, 0, "bad-seats"),
        (Design.MIRROR, 7, 0, 0, "bad-seats"),
        (Design.MIRROR, 4, -1, 0, "bad-block"),
        (Design.MIRROR, 4, 0, 1, "mirror-with-field"),
        (Design.EXCHANGE, 4, 0, 0, "no-field"),
        (Design.UNDIVIDED, 3, 0, 0, "no-field"),
    ],
)
def test_what_cannot_be_seated_is_refused(design: Design, seats: int, block: int, field: int, reason: str) -> None:
    with pytest.raises(ContestError) as refused:
        block_seatings(design, seats, block, field)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("seatings", "scores", "reason"),
    [
        ([], [], "bad-block"),
        ([(A, B)], [], "bad-block"),
        ([(A, A)], [(0.5, 0.5)], "not-seated"),
        ([(B, FIELD)], [(0.5, 0.5)], "not-seated"),
    ],
)
def test_a_block_without_both_bots_says_nothing(
    seatings: list[tuple[int, ...]], scores: list[tuple[float, ...]], reason: str
) -> None:
    with pytest.raises(ContestError) as refused:
        block_difference(seatings, scores)
    assert refused.value.reason == reason
