"""Random games to the end: sound, repeatable, and with the promised chances."""

from collections import Counter
from math import sqrt
from statistics import mean, variance
from typing import Final

import pytest
from hypothesis import given, settings
from mergemaker_engine import playout
from mergemaker_engine.actions import Action, Buy, Place, StopPlay, action_of_code
from mergemaker_engine.audit import audit
from mergemaker_engine.board import CELL, SQUARE_NAMES
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_action, parse_position, parse_square, position_text
from mergemaker_engine.playout import declares_end, draw_answer, play_out
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_engine.trading import Offers
from mergemaker_testkit.strategies import STEADY, Played, Table, played_games, seeds, tables

SEED: Final = bytes(range(32))
DRAWS: Final = 6_000
DRAW_LIMIT: Final = 2_000
"""More answers than any game has."""


def _drawn_to_the_end(game: Game, chances: Chances) -> None:
    for _ in range(DRAW_LIMIT):
        if game.decision is None:
            return
        game.apply(draw_answer(game, chances))
    raise AssertionError("a game of random answers did not end")


@settings(STEADY, max_examples=80)
@given(played=played_games())
def test_a_game_played_out_is_over_and_sound(played: Played) -> None:
    game = played.game
    twin, before = game.copy(), position_text(game)
    play_out(twin, Chances(SEED, "play"))
    assert audit(twin) == ()
    assert twin.result is not None
    assert twin.decision is None
    assert sum(twin.sizes) + twin.board.count(1) == sum(map(bool, twin.board))
    assert position_text(parse_position(position_text(twin))) == position_text(twin)
    assert position_text(game) == before
    again = game.copy()
    play_out(again, Chances(SEED, "play"))
    assert position_text(again) == position_text(twin)


@pytest.mark.rule("TWO-1")
def test_the_market_plays_when_two_play_out_a_game() -> None:
    game = Game(preset("renegade-classic"), 2, Deal.from_seed(SEED))
    play_out(game, Chances(SEED, "play"))
    assert game.market_draws > 0
    assert audit(game) == ()


@settings(STEADY, max_examples=50)
@given(table=tables(), seed=seeds())
def test_a_game_of_drawn_answers_ends_and_declares_as_soon_as_it_may(table: Table, seed: bytes) -> None:
    game = Game(table.rules, table.seats, Deal.from_seed(seed))
    chances = Chances(seed, "play")
    for _ in range(DRAW_LIMIT):
        if game.decision is None:
            break
        legal = game.legal()
        could = len(legal) < DRAW_LIMIT and any(declares_end(action) for action in legal)
        answer = draw_answer(game, chances)
        assert answer in legal
        assert declares_end(answer) == could
        game.apply(answer)
    assert game.result is not None
    assert audit(game) == ()


@pytest.mark.parametrize(
    ("action", "declares"),
    [
        (Place(5), False),
        (Place(5, declare=True), True),
        (Buy((0,) * 7), False),
        (Buy((0,) * 7, declare=True), True),
        (StopPlay(), True),
        (action_of_code(817), False),
    ],
)
def test_which_answers_declare_the_end(action: Action, declares: bool) -> None:
    assert declares_end(action) is declares


@pytest.mark.pure
@pytest.mark.rule("TRD-1", "END-1")
def test_offers_are_never_walked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parse_position(
        "rules reference-trading\nseats 3\nboard\n  A TTTTTTTTTTTT\n  B TTTTTTTTTTTT\n"
        "  C TTTTTTTTTTTT\n  D TTTTTT......\n"
        "seat 0 tiles 5I\nseat 1 tiles 7I\nseat 2 tiles 9I\npile\naside 1I 2I 3I 4I rest\n"
    )
    read_one = Offers.__getitem__
    asked = 0

    def counting(offers: Offers, index: int) -> object:
        nonlocal asked
        asked += 1
        assert asked < DRAW_LIMIT, "the offers are listed one by one; there are more than a hundred thousand million"
        return read_one(offers, index)

    monkeypatch.setattr(Offers, "__getitem__", counting)
    assert game.public_view().end_allowed
    assert len(game.legal()) > 10**11
    draw_answer(game, Chances(SEED, "play"))
    play_out(game, Chances(SEED, "play"))
    assert game.result is not None


def test_a_single_answer_takes_no_number_from_the_stream() -> None:
    game = parse_position("rules renegade-classic\nseats 3\nseat 0 tiles 5E\n")
    chances, untouched = Chances(SEED, "play"), Chances(SEED, "play")
    assert draw_answer(game, chances) == parse_action("5E", game.rules)
    assert chances.below(10**6) == untouched.below(10**6)


@pytest.mark.rule("END-2")
@pytest.mark.parametrize("rest", ["", "found American", "found American; buy 1 American"])
def test_a_declared_game_ends_with_its_turn_though_a_chain_was_founded_that_is_not_safe(rest: str) -> None:
    game = parse_position(
        "rules renegade-classic\nseats 3\nturn 9 seat 0\nboard\n  A TTTTTTTTTTTT\n  I .o..........\n"
        "seat 0 tiles 1I 3C 5C 7C 9C 11C\nseat 1 tiles 3E\nseat 2 tiles 5E\n"
    )
    for text in ["1I end", *rest.split("; ")]:
        if game.decision is not None and text:
            game.apply(parse_action(text, game.rules))
    play_out(game, Chances(SEED, "play"))
    assert game.turn == 9
    assert game.result is not None
    assert game.result.reason == "declared"


@pytest.mark.rule("PLC-9")
def test_a_hand_that_cannot_be_placed_is_replaced_also_where_nobody_is_told() -> None:
    game = parse_position(
        "rules reference\nseats 3\nboard\n  A TTTTTTTTTTTT\n  C LLLLLLLLLLLL\n  I .....AA.....\n"
        "seat 0 tiles 5E 7E\nseat 1 tiles 3B 5B\nseat 2 tiles 9E\n"
    )
    play_out(game, Chances(SEED, "play"))
    assert {CELL[parse_square("3B")], CELL[parse_square("5B")]} <= set(game.aside)
    assert audit(game) == ()


@pytest.mark.rule("PLC-9")
def test_a_seat_without_a_tile_only_buys_and_draws() -> None:
    game = parse_position("rules renegade-classic\nseats 3\nseat 0 tiles 5E 1I 3I 5I 7I 9I\nseat 2 tiles 9A\nidle 1\n")
    play_out(game, Chances(SEED, "play"))
    assert game.turn > 3
    assert audit(game) == ()


@pytest.mark.rule("PLC-9")
def test_the_next_seat_without_a_playable_tile_keeps_its_tiles() -> None:
    # Seat 0 has a plain turn; then all tiles of seat 1 are dead, which is discovered only after a draw.
    pile = [f"12{letter}" for letter in "GFE"] + [f"{number}B" for number in (2, 4, 6, 8, 10, 12)]
    hands = "1E 3E 5E 7E 9E 11E", "1B 3B 5B 7B 9B 11B", "1G"
    placed = {f"{number}{letter}" for letter in "AC" for number in range(1, 13)} | {"6I", "7I"}
    aside = sorted(set(SQUARE_NAMES) - placed - set(pile) - set(" ".join(hands).split()), key=SQUARE_NAMES.index)
    game = parse_position(
        "rules renegade-classic\nseats 3\nboard\n  A TTTTTTTTTTTT\n  C SSSSSSSSSSSS\n  I .....AA.....\n"
        + "".join(f"seat {seat} tiles {tiles}\n" for seat, tiles in enumerate(hands))
        + f"pile {' '.join(pile)}\naside {' '.join(aside)}\n"
    )
    play_out(game, Chances(SEED, "play"))
    assert game.turn > 2
    assert all(not game.board[CELL[parse_square(f"{number}B")]] for number in (1, 3, 5, 7, 9, 11))
    assert audit(game) == ()


# --- chances ---


def _first_turns(text: str, monkeypatch: pytest.MonkeyPatch) -> list[Game]:
    """Games of a position with an empty pile after the first tile and purchase: the test cuts off the rest."""
    start = parse_position(text)
    chances = Chances(SEED, "play")
    monkeypatch.setattr(playout, "advance", lambda game, _: game.agenda.clear())
    games = []
    for _ in range(DRAWS):
        game = start.copy()
        play_out(game, chances)
        games.append(game)
    return games


def _even(counts: Counter[object], kinds: int, limit: float) -> bool:
    """Whether chances are even, by chi-square; `limit` is the 99.9 % point."""
    expected = counts.total() / kinds
    return len(counts) == kinds and sum((count - expected) ** 2 / expected for count in counts.values()) < limit


LATE: Final = """
rules renegade-classic
seats 3
board
  A TTTTTTTTTTTT
  B ............
  C SSSSSSSSSSSS
  I .....AA.....
seat 0 cash {cash} tiles 2B 5B 4E 7F 9G shares A23
pile
aside rest
"""


@pytest.mark.pure
@pytest.mark.rule("PLC-1", "PLC-7")
def test_every_tile_that_can_be_placed_is_as_likely_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    games = _first_turns(LATE.format(cash=0), monkeypatch)
    places = {name: CELL[parse_square(name)] for name in ("2B", "5B", "4E", "7F", "9G")}
    counts: Counter[object] = Counter(name for game in games for name, cell in places.items() if game.board[cell])
    assert set(counts) == {"4E", "7F", "9G"}
    assert _even(counts, 3, 13.82)


@pytest.mark.pure
@pytest.mark.rule("BUY-1", "BUY-3")
@pytest.mark.parametrize(("cash", "kinds", "limit"), [(900, 5, 18.47), (1_700, 15, 36.12), (6_000, 19, 42.31)])
def test_every_purchase_that_can_be_paid_is_as_likely_as_any_other(
    cash: int, kinds: int, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tower and Sackson cost $700, American $300, with two left.
    start = parse_position(LATE.format(cash=cash))
    start.apply(parse_action("4E", start.rules))
    assert len(start.legal()) == kinds
    games = _first_turns(position_text(start), monkeypatch)
    held: Counter[object] = Counter(tuple(game.shares[::3]) for game in games)
    assert _even(held, kinds, limit)
    for game in games:
        cost = cash - game.cash[0]
        assert cost == 700 * (game.shares[0] + game.shares[3]) + 300 * (game.shares[6] - 23)


@pytest.mark.parametrize("name", PRESETS)
def test_played_out_and_drawn_games_come_out_alike_on_average(name: str) -> None:
    games = 40
    start = Game(preset(name), 3, Deal.from_seed(SEED))
    turns: dict[str, list[int]] = {"played out": [], "drawn": []}
    for how, play in (("played out", play_out), ("drawn", _drawn_to_the_end)):
        chances = Chances(SEED, how)
        for _ in range(games):
            twin = start.copy()
            play(twin, chances)
            turns[how].append(twin.turn)
    error = sqrt(sum(variance(sample) / games for sample in turns.values()))
    assert abs(mean(turns["played out"]) - mean(turns["drawn"])) < 4 * error
