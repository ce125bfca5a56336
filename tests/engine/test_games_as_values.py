"""A game as Python's own tools take it: copied, pickled, compared, printed."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields
from typing import Final

import pytest
from hypothesis import given, settings
from mergemaker_engine import Deal, Game, action_of_code, parse_position, position_text, preset
from mergemaker_engine.actions import CODES, Action, OfferTrade
from mergemaker_engine.deal import Chances
from mergemaker_engine.errors import MalformedAction
from mergemaker_engine.rules import Rules
from mergemaker_engine.wording import action_text, parse_action
from mergemaker_testkit.strategies import STEADY, Played, played_games

SEED: Final = bytes(32)
RULES: Final = preset("reference-trading")


def _pickled(game: Game) -> Game:
    again = pickle.loads(pickle.dumps(game))  # noqa: S301 - made here
    assert isinstance(again, Game)
    return again


COPIES: Final[tuple[Callable[[Game], Game], ...]] = (
    Game.copy,
    copy.copy,
    copy.deepcopy,
    _pickled,
    lambda game: parse_position(str(game)),
)
HOW: Final = ("copy()", "copied", "copied deeply", "pickled", "printed and read")


@pytest.mark.parametrize("copied", COPIES, ids=HOW)
@settings(STEADY, max_examples=15)
@given(played=played_games())
def test_a_copy_is_equal_goes_on_the_same_and_shares_nothing(copied: Callable[[Game], Game], played: Played) -> None:
    game = played.game
    before = position_text(game)
    twin = copied(game)
    assert twin is not game
    assert twin == game
    if game.decision is not None:
        action = game.legal()[-1]
        happened = twin.apply(action)
        assert position_text(game) == before
        assert twin != game
        assert game.copy().apply(action) == happened


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_shares_what_never_changes_and_knows_what_happened_before(copied: Callable[[Game], Game]) -> None:
    game = Game(preset("renegade-classic"), 3, Deal.from_seed(SEED))
    twin = copied(game)
    assert twin.tables is game.tables
    assert twin.deal is game.deal
    assert twin.start_events == game.start_events


def test_a_pickled_game_goes_on_as_the_first_one() -> None:
    game = Game(RULES, 3, Deal.from_seed(SEED))
    twin = _pickled(game)
    assert (twin, twin.start_events, twin.deal) == (game, game.start_events, game.deal)
    while game.decision is not None:
        action = game.legal()[0]
        assert twin.apply(action) == game.apply(action)
    assert twin == game


def test_pickled_chances_go_on_where_they_were() -> None:
    chances = Chances(SEED, "a test")
    chances.below(10)
    twin = pickle.loads(pickle.dumps(chances))  # noqa: S301 - made here
    assert [twin.below(1_000) for _ in range(40)] == [chances.below(1_000) for _ in range(40)]


POSITION: Final = """
rules avalon-hill-powers
seats 2
turn 9 seat 0
board
  A TT.LL.......
seat 0 cash 5000 tiles 5E shares T2 powers buy-five
seat 1 cash 6000 tiles 9I
pile rest
aside 12A
agenda ChoosePurchase seat=0 terms=usual; DrawTiles; ChooseExchange seat=0; PassTurn
"""

CHANGES: Final = (
    ("avalon-hill-powers", "avalon-hill-powers assets=open"),
    ("seats 2", "seats 3"),
    ("turn 9", "turn 10"),
    ("LL.......", "LLL......"),
    ("TT.LL", "TT.FF"),
    ("cash 5000", "cash 5100"),
    ("tiles 9I", "tiles 8I"),
    ("shares T2", "shares T3"),
    ("powers buy-five", "powers take-five"),
    ("pile rest", "pile 7I rest"),
    ("aside 12A", "aside 12B"),
    ("aside 12A", "aside 12A\ndeclared yes"),
    ("aside 12A", "aside 12A\npower-used yes"),
    ("aside 12A", "aside 12A\nmoved yes"),
    ("aside 12A", "aside 12A\nidle 1"),
    ("aside 12A", f"aside 12A\nmarket-seed {'0f' * 32}"),
    ("aside 12A", "aside 12A\nmarket-draws 1"),
    ("aside 12A", "aside 12A\nmarket-tiles 7I"),
    ("ChooseExchange seat=0; ", ""),
    ("turn 9 seat 0", "turn 9 seat 1"),
)


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=[new for _, new in CHANGES])
def test_games_that_differ_in_one_thing_are_not_equal(old: str, new: str) -> None:
    assert old in POSITION
    changed = POSITION.replace(old, new)
    if new == "turn 9 seat 1":
        changed = changed.replace("seat=0", "seat=1")
    assert parse_position(POSITION) == parse_position(POSITION)
    assert parse_position(POSITION) != parse_position(changed)


def test_games_that_are_over_for_different_reasons_are_not_equal() -> None:
    declared, stuck = (parse_position(f"seats 2\nover {reason}") for reason in ("declared", "stuck"))
    assert declared != stuck
    assert repr(stuck) == "<Game renegade-classic, 2 seats, turn 1: over: stuck>"


def test_what_lies_behind_two_games_does_not_make_them_differ() -> None:
    game = Game(preset("renegade-classic"), 2, Deal(range(108), market_tiles=[50]))
    read = parse_position(position_text(game))
    assert game.drawn != read.drawn
    assert game.start_events != read.start_events
    assert game == read


def test_a_game_is_compared_with_games_only_and_has_no_hash() -> None:
    game = Game(preset("renegade-classic"), 3, Deal.from_seed(SEED))
    assert game != position_text(game)
    assert game.__eq__(None) is NotImplemented
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_a_game_is_printed_as_its_position_and_shown_in_a_line() -> None:
    game = Game(preset("renegade-tycoon"), 4, Deal.from_seed(SEED))
    assert str(game) == position_text(game)
    assert repr(game) == "<Game renegade-tycoon, 4 seats, turn 1: ChooseTile seat=1 number=1 most=1>"


# --- actions ---


def _named_by_number(text: str, rules: Rules) -> str:
    for chain, name in enumerate(rules.chain_names):
        text = text.replace(name, f"chain-{chain}")
    return text


def _all_actions() -> list[Action]:
    offer = OfferTrade(2, (3, 0, 0, 0, 0, 0, 0), 500, (0, 1, 0, 0, 0, 0, 2), 0)
    actions: list[Action] = [offer, *(parse_action(text, RULES) for text in ("no offer", "accept", "decline"))]
    for code in range(CODES):
        try:
            actions.append(action_of_code(code))
        except MalformedAction:  # a code that no action has
            continue
    return actions


def test_an_action_shows_itself_in_the_words_of_the_vocabulary() -> None:
    actions = _all_actions()
    for action in actions:
        assert repr(action) == f"<{_named_by_number(action_text(action, RULES), RULES)}>"
    assert len({repr(action) for action in actions}) == len(actions)
    kinds = {type(action) for action in actions}
    assert kinds == set(Action.__args__)
    assert not any(part.repr for kind in kinds for part in fields(kind) if part.name == "code")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("8A end", "<8A end>"),
        ("buy 2 Luxor 1 Imperial", "<buy 2 chain-0 1 chain-5>"),
        ("found Tower", "<found chain-1>"),
        ("offer seat 2: 3 Tower $500 for 1 Luxor", "<offer seat 2: 3 chain-1 $500 for 1 chain-0>"),
    ],
)
def test_chains_are_shown_by_their_numbers_where_no_rules_name_them(text: str, shown: str) -> None:
    assert repr(parse_action(text, RULES)) == shown
