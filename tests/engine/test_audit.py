"""The auditor: a sound game has no faults, and each kind of damage is named."""

from collections.abc import Callable
from typing import Final

import pytest
from mergemaker_engine.audit import audit
from mergemaker_engine.board import CELL, INDEPENDENT, LABEL
from mergemaker_engine.decisions import DrawTiles
from mergemaker_engine.events import EndReason
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, parse_square

TEXT: Final = """
rules renegade-classic
seats 3
board
  A TTTTTTTTTTTT
  C SS..AA......
  E ....o.......
  I {last}
seat 0 cash 3000 tiles 1G 3G 5G shares T3
seat 1 tiles 7G shares T2 S1
aside 12H
"""


def _game(last: str = "............") -> Game:
    return parse_position(TEXT.format(last=last))


def _cell(name: str) -> int:
    return CELL[parse_square(name)]


def _set_board(name: str, label: int) -> Callable[[Game], None]:
    def damage(game: Game) -> None:
        game.board[_cell(name)] = label

    return damage


def _set(name: str, value: object) -> Callable[[Game], None]:
    return lambda game: setattr(game, name, value)


def _put(name: str, at: int, value: object) -> Callable[[Game], None]:
    def damage(game: Game) -> None:
        getattr(game, name)[at] = value

    return damage


def _take_tile(game: Game) -> None:
    game.drawn += 1


DAMAGES: Final[tuple[tuple[str, Callable[[Game], None], str], ...]] = (
    ("a tile is gone", _put("hands", 1, b""), "tile 7G is in 0 places: nowhere"),
    ("a tile left the pile", _take_tile, "is in 0 places: nowhere"),
    (
        "a tile is in two hands",
        _put("hands", 2, bytes([_cell("1G")])),
        "tile 1G is in 2 places: the hand of seat 0, the hand of seat 2",
    ),
    ("a tile is twice in a hand", _put("hands", 1, bytes([_cell("7G")] * 2)), "tile 7G is in 2 places"),
    ("a tile in hand lies on the board", _set_board("7G", INDEPENDENT), "the board, the hand of seat 1"),
    (
        "a tile set aside is in a hand",
        _put("hands", 2, bytes([_cell("12H")])),
        "the hand of seat 2, the tiles set aside",
    ),
    (
        "a tile set aside is in the pile",
        _set("aside", bytes([_cell("12H"), _cell("1H")])),
        "the pile, the tiles set aside",
    ),
    (
        "a hand is out of order",
        _put("hands", 0, bytes(_cell(name) for name in ("3G", "1G", "5G"))),
        "the hand of seat 0 is out of order",
    ),
    ("a share is gone", _put("shares", 0, 2), "there are 24 shares of Tower, not 25"),
    ("a share too many", _put("market", 6, 26), "there are 26 shares of Imperial, not 25"),
    ("a holding below zero", _put("shares", 20, -1), "seat 2 has -1 shares of Imperial; 0 are the fewest"),
    (
        "a market below zero",
        _put("market", 0, -1),
        "there are 4 shares of Tower, not 25: the seats have 5, the market has -1",
    ),
    (
        "more shares held than there are",
        _put("shares", 2, 30),
        "the seats have 35 shares of Tower (3 + 2 + 30), and there are 25: take away 10",
    ),
    ("a debt", _put("cash", 2, -100), "seat 2 has $-100"),
    ("small change", _put("cash", 0, 50), "seat 0 has $50"),
    ("a wrong size", _put("sizes", 1, 3), "Sackson has 2 tiles on the board and the size 3"),
    ("a wrong price", _put("prices", 1, 300), "Sackson has 2 tiles and costs $300"),
    ("a price of a chain that is not there", _put("prices", 6, 400), "Imperial has 0 tiles and costs $400"),
    ("an active chain is forgotten", _set("active", LABEL[0] | LABEL[1]), "American has 2 tiles, and active is False"),
    ("a chain is active that is not there", _set("active", 255 & ~1), "Imperial has 0 tiles, and active is True"),
    ("a safe chain is forgotten", _set("safe", 0), "Tower has 12 tiles, and safe is False"),
    ("a chain is safe that is not", _set("safe", LABEL[0] | LABEL[1]), "Sackson has 2 tiles, and safe is True"),
    ("an end too soon", _set("giant", True), "the largest chain has 12 tiles, and giant is True"),
    ("a chain of one tile", _set_board("2C", INDEPENDENT), "Sackson is a chain of one tile"),
    ("a chain in two parts", _set_board("12I", LABEL[1]), "Sackson is not connected"),
    ("two chains that touch", _set_board("1B", LABEL[0]), "1B and 1C touch and belong to different chains"),
    ("a lone tile beside a chain", _set_board("1B", INDEPENDENT), "1A and 1B touch and belong to different chains"),
    (
        "a lone tile on the right of a chain",
        _set_board("3C", INDEPENDENT),
        "2C and 3C touch and belong to different chains",
    ),
    ("nothing is asked", _set("agenda", []), "the game is not over and asks nothing"),
    ("an automatic step is on top", _set("agenda", [DrawTiles()]), "the game is not over and asks nothing"),
    ("over and goes on", _set("reason", EndReason.STUCK), "the game is over and goes on"),
)


def test_a_sound_game_has_no_faults() -> None:
    assert audit(_game()) == ()


@pytest.mark.parametrize(("damage", "message"), [row[1:] for row in DAMAGES], ids=[row[0] for row in DAMAGES])
def test_every_damage_is_named(damage: Callable[[Game], None], message: str) -> None:
    game = _game()
    twin = game.copy()
    damage(game)
    found = audit(game)
    assert any(message in fault for fault in found), found
    assert audit(twin) == ()


def test_all_damages_are_named_together() -> None:
    game = _game()
    for _, damage, _ in DAMAGES:
        damage(game)
    assert len(audit(game)) > 10


def test_a_chain_of_forty_one_that_does_not_let_the_game_end_is_named() -> None:
    rows = "\n".join(f"  {letter} TTTTTTTTTTTT" for letter in "ABCD")
    game = parse_position(f"rules renegade-classic\nseats 3\nboard\n{rows}\n")
    assert audit(game) == ()
    game.giant = False
    assert audit(game) == ("the largest chain has 48 tiles, and giant is False",)


@pytest.mark.rule("MRG-1")
def test_the_tile_of_a_merger_may_touch_its_chains_until_all_is_settled() -> None:
    game = parse_position("rules renegade-classic\nseats 3\nboard\n  A TT.SS.......\nseat 0 tiles 3A\n")
    game.apply(game.legal()[0])
    assert game.board[_cell("3A")] == INDEPENDENT
    assert audit(game) == ()
    game.agenda.pop()
    assert "2A and 3A touch and belong to different chains" in audit(game)
