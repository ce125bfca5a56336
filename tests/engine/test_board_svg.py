"""The picture of a board: a valid document with everything on the board and nothing else."""

from collections import Counter
from typing import Final
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from mergemaker_engine import board_svg, parse_position, preset
from mergemaker_engine.board import SQUARE_NAMES
from mergemaker_engine.board_svg import PAINTS
from mergemaker_engine.errors import NotationError, ViewError
from mergemaker_engine.wording import parse_square
from mergemaker_testkit.strategies import STEADY, Played, played_games

SPACE: Final = "{http://www.w3.org/2000/svg}"
GAME: Final = parse_position(
    """
    rules avalon-hill
    seats 3
    turn 9 seat 1
    board
      A TTT.........
      B T..FFFFFFFFF
      C .....FF.....
      E ..o.........
    seat 0 tiles 1I shares T3
    seat 1 tiles 3I 5I
    """
)
NAMES: Final = GAME.rules.chain_names
TOWER, FESTIVAL = NAMES.index("Tower"), NAMES.index("Festival")


def _parts(svg: str, kind: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(f"{SPACE}{kind}"))  # noqa: S314 - made here


def _texts(svg: str) -> list[str]:
    return [part.text or "" for part in _parts(svg, "text")]


def _corner(square: str) -> tuple[int, int]:
    at = parse_square(square)
    return 26 + at % 12 * 40, 26 + at // 12 * 40


def _framed(svg: str) -> Counter[tuple[int, int]]:
    """The corners of outlined squares, and the number of outlines."""
    frames = [part for part in _parts(svg, "rect") if part.get("fill") == "none"]
    return Counter((int(part.get("x", "")) - 2, int(part.get("y", "")) - 2) for part in frames)


def test_chains_are_told_by_colour_and_letter_and_other_squares_by_name() -> None:
    svg = board_svg(GAME.public_view())
    fills = Counter(part.get("fill") for part in _parts(svg, "rect"))
    # The chain's tiles, and its place beside the board.
    assert fills[PAINTS[TOWER].fill] == 4 + 1
    assert fills[PAINTS[FESTIVAL].fill] == 11 + 1
    texts = Counter(_texts(svg))
    # Each tile, the chain's building, and its place beside the board.
    assert texts["T"] == 4 + 2
    # Festival's building and its place; F is a row, too.
    assert texts["F"] == 11 + 2 + 1
    lying = {name for name, held in zip(SQUARE_NAMES, GAME.public_view().board, strict=True) if held > 1}
    assert {name: texts[name] for name in SQUARE_NAMES} == {name: int(name not in lying) for name in SQUARE_NAMES}


def test_rows_columns_and_what_chains_are_worth_stand_beside_the_board() -> None:
    texts = _texts(board_svg(GAME.public_view()))
    assert texts[:21] == [*map(str, range(1, 13)), *"ABCDEFGHI"]
    at = texts.index("Tower")
    assert texts[at + 1 : at + 3] == ["4 tiles · $400", "22 shares left"]
    at = texts.index("Festival")
    assert texts[at + 1 : at + 3] == ["11 tiles · $800 · safe", "25 shares left"]
    at = texts.index("Luxor")
    assert texts[at + 1 : at + 3] == ["not on the board", "25 shares left"]
    assert [text for text in texts if text in NAMES] == list(NAMES)


def test_a_chain_has_its_building_on_the_tile_nearest_its_middle() -> None:
    houses = [part.get("d", "") for part in _parts(board_svg(GAME.public_view()), "path")]
    corners = [_corner(name) for name in ("2A", "8B")]
    assert houses[:2] == [f"M{x + 20 - 12} {y + 20 + 14}v-18l12 -11l12 11v18z" for x, y in corners]
    assert len(houses) == 2 + 7


def test_the_hand_of_a_seat_is_drawn_for_it_alone() -> None:
    assert _framed(board_svg(GAME.view(1))) == Counter([_corner("3I"), _corner("5I")])
    assert _framed(board_svg(GAME.view(0))) == Counter([_corner("1I")])
    assert _framed(board_svg(GAME.public_view())) == Counter()


def test_the_last_tile_is_framed_where_it_is_named() -> None:
    assert _framed(board_svg(GAME.public_view(), parse_square("3E"))) == Counter([_corner("3E")] * 2)


@settings(STEADY, max_examples=20)
@given(played=played_games())
def test_every_position_has_a_picture_that_can_be_read(played: Played) -> None:
    game = played.game
    svg = board_svg(game.public_view(), 107)
    assert svg == board_svg(game.copy().public_view(), 107)
    assert len(_parts(svg, "path")) == 7 + sum(size > 0 for size in game.sizes)
    assert len(svg) < 25_000


def test_a_notebook_shows_what_everybody_may_see() -> None:
    assert GAME._repr_svg_() == board_svg(GAME.public_view())


@pytest.mark.parametrize("paint", PAINTS)
def test_each_colour_is_another_one_and_is_written_on_legibly(paint: tuple[str, str]) -> None:
    assert len({fill for fill, _ in PAINTS}) == len(preset("renegade-classic").chain_names)
    dark, light = sorted(map(_luminance, paint))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def _luminance(colour: str) -> float:
    """How bright a colour is, by the formula of the Web Content Accessibility Guidelines."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("view", [None, GAME, "board"])
def test_only_a_view_is_drawn(view: object) -> None:
    with pytest.raises(ViewError, match=r"such as game\.public_view\(\), not") as refusal:
        board_svg(view)  # type: ignore[arg-type]  # tries what must be refused
    assert refusal.value.reason == "no-view"


@pytest.mark.parametrize("last", [-1, 108, "9F", True, 1.0])
def test_the_last_tile_lies_on_a_square(last: object) -> None:
    with pytest.raises(NotationError, match="0 to 107, or None, not") as refusal:
        board_svg(GAME.public_view(), last)  # type: ignore[arg-type]  # tries what must be refused
    assert refusal.value.reason == "bad-square"
