"""The picture of a board, and games described in lines."""

from collections.abc import Iterator, Sequence

import pytest
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.events import Event, TurnBegan, audience
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.playout import draw_answer
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_tools.board_picture import board_picture, board_rows
from mergemaker_tools.narration import Narrator

SEED = bytes(range(32))
BOARD = """
seats 2
turn 9 seat 0
board
  A TT.o........
  I .........AAA
seat 0 tiles 5E
"""


def _happened(name: str) -> Iterator[Sequence[Event]]:
    """A random game's events, decision by decision."""
    game = Game(preset(name), 3, Deal.from_seed(SEED))
    chances = Chances(SEED, "play")
    yield game.start_events
    while game.decision is not None:
        yield game.apply(draw_answer(game, chances))


def test_the_board_shows_every_tile_and_every_chain() -> None:
    view = parse_position(BOARD).public_view()
    assert board_rows(view) == ["TT.o........", *["............"] * 7, ".........AAA"]
    picture = board_picture(view).plain.splitlines()
    assert picture[0].split() == [str(number) for number in range(1, 13)]
    assert picture[1].split() == ["A", *"TT.o........"]
    assert picture[2].split() == ["B", *"............", "Tower", "2", "tiles", "$200"]
    assert picture[3].split() == ["C", *"............", "Sackson", "-"]
    assert picture[4].split() == ["D", *"............", "American", "3", "tiles", "$400"]


def test_chains_differ_in_colour() -> None:
    picture = board_picture(parse_position(BOARD).public_view())
    styles = {picture.plain[span.start + 1]: span.style for span in picture.spans if span.end - span.start == 3}
    assert len({styles[mark] for mark in "TA."}) == 3


@pytest.mark.parametrize("name", PRESETS)
def test_a_told_game_has_a_line_for_each_turn(name: str) -> None:
    narrator = Narrator(preset(name))
    told: list[str] = []
    for events in _happened(name):
        told += narrator.hear(events)
    assert told[0].startswith("set-up: seat 0 starts with ")
    assert [line.split(",")[0] for line in told[1:]] == [f"turn {turn}" for turn in range(1, len(told))]
    assert "the game is over" in told[-1]


def test_no_phrase_tells_what_one_seat_alone_may_know() -> None:
    private = [event for events in _happened("reference") for event in events if audience(event) is not None]
    assert private
    narrator = Narrator(preset("reference"))
    assert narrator.hear(private) == []
    assert narrator.hear([TurnBegan(0, 1)]) == ["set-up: nothing"]
