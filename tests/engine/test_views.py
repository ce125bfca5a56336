"""What a view contains: nothing that is hidden from its seat, and everything that is not."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.board import CELL, SQUARES
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseOffer, ChooseSurvivor
from mergemaker_engine.errors import SetupError
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_action, parse_position, position_text
from mergemaker_engine.rules import preset
from mergemaker_engine.views import EMPTY_SQUARE, FIRST_CHAIN_SQUARE, INDEPENDENT_SQUARE, View, chain_at, labels_of
from mergemaker_testkit.strategies import STEADY, Played, another_world, played_games

DEAL_OF_ZEROS = Deal.from_seed(bytes(32))


def _view(game: Game, seat: int | None) -> View:
    return game.public_view() if seat is None else game.view(seat)


def _facts(view: View) -> dict[str, object]:
    return {part.name: getattr(view, part.name) for part in fields(View)}


@pytest.mark.rule("VIS-1", "VIS-3")
@settings(STEADY, max_examples=250)
@given(played=played_games(), world=st.integers(0, 255))
def test_a_view_is_the_same_in_every_world_that_its_seat_cannot_tell_apart(played: Played, world: int) -> None:
    game = played.game
    for seat in (None, *range(game.seats)):
        twin = another_world(game, seat, Chances(bytes([world]) * 32, "world"))
        assert _facts(_view(twin, seat)) == _facts(_view(game, seat))
        decision = game.decision
        if decision is not None and decision.seat == seat and not isinstance(decision, ChooseOffer):
            assert list(twin.legal()) == list(game.legal())


@settings(STEADY, max_examples=60)
@given(played=played_games(max_answers=60, of=lambda table: table.is_hidden and table.seats > 2))
def test_other_worlds_are_different_indeed(played: Played) -> None:
    # Otherwise the test above would show nothing.
    game = played.game
    twin = another_world(game, 0, Chances(bytes(32), "world"))
    assert twin.hands[1:] != game.hands[1:]
    assert twin.deal.order != game.deal.order[game.drawn :]
    assert twin.cash[1:] != game.cash[1:]
    assert position_text(twin) != position_text(game)
    assert twin.view(1) != game.view(1)


@pytest.mark.rule("VIS-1", "VIS-3")
@settings(STEADY, max_examples=150)
@given(played=played_games())
def test_a_view_holds_its_own_hand_and_nothing_of_the_others(played: Played) -> None:
    game = played.game
    cells = [set(hand) for hand in game.hands]
    for seat in range(game.seats):
        view = game.view(seat)
        assert {CELL[square] for square in view.hand} == cells[seat]
        assert list(view.hand) == sorted(view.hand)
        shown = played.table.is_hidden and game.result is None
        for other in range(game.seats):
            own = game.shares[other :: game.seats]
            hidden = shown and other != seat
            assert view.cash[other] == (None if hidden else game.cash[other])
            assert view.shares[other] == (None if hidden else tuple(own))
        asked = game.decision if game.decision is not None and game.decision.seat == seat else None
        assert view.decision == asked
        assert view.agenda == (tuple(game.agenda) if asked is not None else ())


@settings(STEADY, max_examples=60)
@given(played=played_games())
def test_the_board_of_a_view_is_that_of_the_game(played: Played) -> None:
    game, view = played.game, played.game.public_view()
    assert len(view.board) == SQUARES
    assert labels_of(view.board) == bytes(game.board[cell] for cell in CELL)
    for chain in range(7):
        assert [chain_at(view, square) for square in range(SQUARES)].count(chain) == view.sizes[chain]


def test_a_view_says_which_chain_is_on_a_square() -> None:
    view = parse_position("rules renegade-classic\nseats 3\nboard\n  A o.TT........\n").view(0)
    assert view.board[:5] == bytes((INDEPENDENT_SQUARE, EMPTY_SQUARE, FIRST_CHAIN_SQUARE, FIRST_CHAIN_SQUARE, EMPTY_SQUARE))
    assert [chain_at(view, square) for square in range(5)] == [None, None, 0, 0, None]


@pytest.mark.rule("MRG-9")
def test_a_merger_is_in_every_view_from_its_tile_to_its_end() -> None:
    game = parse_position(
        "rules avalon-hill\nseats 3\nturn 9 seat 0\nboard\n  E ..LL.TT.....\nseat 0 tiles 5E shares L2 T1\nseat 2 shares T5\n"
    )
    assert game.view(1).merger is None
    game.apply(parse_action("5E", game.rules))
    assert isinstance(game.decision, ChooseSurvivor)
    for view in (game.public_view(), game.view(0), game.view(2)):
        assert view.merger is not None
        assert (view.merger.square, view.merger.survivor, view.merger.chains) == (52, None, (0, 1))
        assert (view.merger.acquired, view.merger.holdings) == (None, ())
    game.apply(parse_action("survivor Tower", game.rules))
    for view in (game.public_view(), game.view(1)):
        assert view.merger is not None
        assert (view.merger.survivor, view.merger.acquired, view.merger.holdings) == (1, 0, (2, 0, 0))
        assert view.merger.chains == ()
    game.apply(parse_action("sell 2 trade 0", game.rules))
    assert game.public_view().merger is None


@pytest.mark.rule("MRG-4", "MRG-9")
def test_while_the_next_of_equal_chains_is_being_named_a_merger_shows_no_holdings() -> None:
    game = parse_position(
        """
        rules avalon-hill
        seats 3
        turn 9 seat 0
        board
          C ....F.......
          D ....F.......
          E ..LL.TTT....
          F ....A.......
          G ....A.......
        seat 0 tiles 5E shares L2 F2 A1
        """
    )
    game.apply(parse_action("5E", game.rules))
    view = game.public_view()
    assert view.merger is not None
    assert (view.merger.survivor, view.merger.acquired, view.merger.holdings) == (1, None, ())
    assert view.merger.chains == (0, 2, 3)
    assert game.view(0).decision == game.decision


@pytest.mark.parametrize("seat", [-1, 3, 1.0, True, None, "0", [0]], ids=repr)
def test_only_seats_of_the_table_have_a_view(seat: int) -> None:
    game = Game(preset("renegade-classic"), 3, DEAL_OF_ZEROS)
    with pytest.raises(SetupError, match="the seats are 0 to 2") as refusal:
        game.view(seat)
    assert refusal.value.reason == "no-such-seat"
