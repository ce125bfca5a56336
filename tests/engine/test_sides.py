"""A tile touches its neighbours on all four sides: each side, and each pair of sides, has its own case."""

from itertools import combinations
from typing import Final

import pytest
from mergemaker_engine.actions import BUY, Place
from mergemaker_engine.decisions import ChooseExchange, ChooseFounded, ChoosePurchase, ChooseTile
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, parse_square

SAFE_SIZE: Final = 11
Spot = tuple[int, int]
"""Row and column, from 0."""

TILE: Final[Spot] = (4, 5)
TILE_NAME: Final = "6E"
FAR_NAME: Final = "12I"
SIDES: Final[dict[str, Spot]] = {"above": (3, 5), "left": (4, 4), "right": (4, 6), "below": (5, 5)}
PAIRS: Final = tuple(combinations(SIDES, 2))
# Seven chains of two, far from the tile.
SEVEN: Final = {
    "T": ((0, 0), (0, 1)), "S": ((0, 3), (0, 4)), "A": ((0, 6), (0, 7)), "F": ((0, 9), (0, 10)),
    "W": ((8, 0), (8, 1)), "C": ((8, 3), (8, 4)), "I": ((8, 6), (8, 7)),
}  # fmt: skip


def _beside(spot: Spot) -> list[Spot]:
    row, column = spot
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [(r, c) for r, c in around if 0 <= r < 9 and 0 <= c < 12]


def _grown(start: Spot, forbidden: set[Spot]) -> list[Spot]:
    """A connected group of `SAFE_SIZE` squares, where only the first touches the tile."""
    found = [start]
    for spot in found:
        for beside in _beside(spot):
            if len(found) < SAFE_SIZE and beside not in {*found, *forbidden, TILE, *_beside(TILE)}:
                found.append(beside)
    assert len(found) == SAFE_SIZE
    return found


def _two_safe_chains(one: str, other: str) -> dict[Spot, str]:
    start, next_start = SIDES[one], SIDES[other]
    first = _grown(start, {next_start, *_beside(next_start)})
    second = _grown(next_start, {*first, *(beside for spot in first for beside in _beside(spot))})
    return dict.fromkeys(first, "T") | dict.fromkeys(second, "S")


def _position(marks: dict[Spot, str], *tiles: str, more: str = "") -> Game:
    rows = ["".join(marks.get((row, column), ".") for column in range(12)) for row in range(9)]
    board = "\n".join(f"  {letter} {row}" for letter, row in zip("ABCDEFGHI", rows, strict=True))
    return parse_position(f"rules renegade-classic\nseats 3\nboard\n{board}\nseat 0 cash 0 tiles {' '.join(tiles)}\n{more}")


@pytest.mark.rule("PLC-7")
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_tile_between_two_safe_chains_is_dead_on_whichever_sides_they_are(one: str, other: str) -> None:
    game = _position(_two_safe_chains(one, other), TILE_NAME, FAR_NAME)
    assert [action for action in game.legal() if isinstance(action, Place) and not action.declare] == [
        Place(parse_square(FAR_NAME))
    ]
    with pytest.raises(IllegalAction) as refusal:
        game.apply(Place(parse_square(TILE_NAME)))
    assert (refusal.value.reason, refusal.value.rule) == ("dead-tile", "PLC-7")


@pytest.mark.rule("PLC-9", "DRW-2")
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_hand_of_a_dead_tile_is_passed_over_and_exchanged_on_whichever_sides_the_chains_are(one: str, other: str) -> None:
    game = _position(_two_safe_chains(one, other), TILE_NAME, more=f"pile {FAR_NAME} rest")
    assert isinstance(game.decision, ChoosePurchase)
    game.apply(BUY[0])
    assert isinstance(game.decision, ChooseExchange)


@pytest.mark.rule("PLC-6")
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_one_chain_that_is_not_safe_makes_it_a_merger_on_whichever_sides_they_are(one: str, other: str) -> None:
    marks = _two_safe_chains(one, other)
    last = [spot for spot, mark in marks.items() if mark == "S"][-1]
    del marks[last]
    game = _position(marks, TILE_NAME)
    assert isinstance(game.decision, ChooseTile)
    game.apply(Place(parse_square(TILE_NAME)))
    assert game.sizes[:2] == [2 * SAFE_SIZE, 0]


@pytest.mark.rule("PLC-5")
@pytest.mark.parametrize("side", SIDES)
def test_a_chain_grows_on_whichever_side_it_is(side: str) -> None:
    game = _position(dict.fromkeys(_grown(SIDES[side], set()), "T"), TILE_NAME)
    game.apply(Place(parse_square(TILE_NAME)))
    assert game.sizes[0] == SAFE_SIZE + 1


@pytest.mark.rule("PLC-4", "PLC-8")
@pytest.mark.parametrize("side", SIDES)
def test_an_independent_tile_founds_or_has_to_wait_on_whichever_side_it_is(side: str) -> None:
    founding = _position({SIDES[side]: "o"}, TILE_NAME)
    founding.apply(Place(parse_square(TILE_NAME)))
    assert isinstance(founding.decision, ChooseFounded)
    seven = {spot: mark for mark, spots in SEVEN.items() for spot in spots}
    assert isinstance(_position(seven | {SIDES[side]: "o"}, TILE_NAME).decision, ChoosePurchase)
    waiting = _position(seven | {SIDES[side]: "o"}, TILE_NAME, FAR_NAME)
    assert list(waiting.legal()) == [Place(parse_square(FAR_NAME))]
    with pytest.raises(IllegalAction) as refusal:
        waiting.apply(Place(parse_square(TILE_NAME)))
    assert (refusal.value.reason, refusal.value.rule) == ("eighth-chain", "PLC-8")
