"""Badly written or impossible positions and actions are refused, and the error says what is wrong."""

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.audit import audit
from mergemaker_engine.errors import EngineError, NotationError, SetupError
from mergemaker_engine.notation import (
    parse_action,
    parse_position,
    position_text,
)
from mergemaker_engine.rules import preset
from mergemaker_testkit.strategies import STEADY, Played, played_games

CLASSIC: Final = preset("renegade-classic")


# --- refusals ---

BAD_POSITIONS: Final = (
    ("weather fine", "bad-position", "line 1: 'weather fine'"),
    ("seats 3\nboard now\n", "bad-position", "line 2"),
    ("A TT..........", "bad-position", "line 1"),
    ("board\n  A TT.........", "bad-position", "line 2"),
    ("board\n  J TT..........", "bad-position", "line 2"),
    ("seats 3\nseats 3", "bad-position", "line 2: a second line 'seats'"),
    ("seat 0 cash 100\nseat 0 cash 200", "bad-position", "line 2: a second line 'seat 0'"),
    ("board\n  A TT..........\n  A ...SS.......", "bad-position", "line 3: a second row A"),
    ("board\n  A TT..........\nboard\n  B ...SS.......", "bad-position", "line 3: a second line 'board'"),
    ("seat 0 shares T3 S1 T4", "bad-position", "'seat 0 shares T3 S1 T4': T stands twice"),
    ("rules", "bad-rules", "rules begin with a preset"),
    ("rules renegade-classic assets=open assets=hidden", "bad-rules", "each knob once"),
    ("rules renegade-classic trade_offers=\N{ARABIC-INDIC DIGIT THREE}", "bad-knob", "0 to 10"),
    ("seats \N{ARABIC-INDIC DIGIT THREE}", "bad-position", "seats is followed by a whole number"),
    ("seat \N{ARABIC-INDIC DIGIT ONE} cash 100", "bad-position", "a seat is written as in"),
    ("seats three", "bad-position", "seats is followed by a whole number"),
    ("seats -3", "bad-position", "seats is followed by a whole number"),
    ("seats 1234567", "bad-position", "seats is followed by a whole number"),
    ("idle 1.0", "bad-position", "idle is followed by a whole number"),
    ("market-tiles 9F x", "bad-square", "as in 9F, not 'x'"),
    ("seat 0 tiles 9F\nmarket-tiles 9F", "bad-market-tiles", "a tile of the pile"),
    ("market-draws x", "bad-position", "market-draws is followed by a whole number"),
    ("declared maybe", "bad-position", "declared is followed by yes or no"),
    ("moved", "bad-position", "moved is followed by yes or no"),
    ("power-used 1", "bad-position", "power-used is followed by yes or no"),
    ("turn 5", "bad-position", "the line turn is written as in"),
    ("turn seat 0", "bad-position", "the line turn is written as in"),
    ("seats 3\nturn 5 seat 3", "bad-position", "it is the turn of seat 3"),
    ("seat 2 cash 100", "bad-position", "a seat is written as in"),
    ("seat 0 cash -100", "bad-position", "a seat is written as in"),
    ("seat 0 cash 12345678", "bad-position", "a seat is written as in"),
    ("seat 0 tiles 1A 2", "bad-position", "a seat is written as in"),
    ("seat 0 shares T", "bad-position", "a seat is written as in"),
    ("seat 0 shares T3 cash 100", "bad-position", "a seat is written as in"),
    ("seat", "bad-position", "a seat is written as in"),
    ("rules avalon-hill-powers\nseat 0 powers take-six", "bad-position", "there is no power 'take-six'"),
    ("market-seed 00", "bad-position", "64 hexadecimal digits"),
    ("market-seed " + "G" * 64, "bad-position", "64 hexadecimal digits"),
    ("over bored", "bad-position", "a game is over by declared or stuck"),
    ("seat 0 tiles 13A", "bad-square", "13A"),
    ("seat 0 tiles 0A", "bad-square", "0A"),
    ("pile 1A,2A", "bad-square", "1A,2A"),
    ("pile rest 1A", "bad-square", "rest"),
    ("aside 1J", "bad-square", "1J"),
    ("board\n  A XX..........", "bad-chain", "not 'X'"),
    ("seat 0 shares X1", "bad-chain", "not 'X'"),
    ("rules avalon-hill\nboard\n  A SS..........", "bad-chain", "Luxor"),
    ("rules chess", "unknown-preset", "the presets are"),
    ("rules renegade-classic weather=fine", "unknown-knob", "the knobs are"),
    ("rules renegade-classic assets=shut", "bad-knob", "open, hidden"),
    ("rules renegade-classic trade_offers=11", "bad-knob", "0 to 10"),
    ("rules renegade-classic special_powers=1", "bad-knob", "special_powers"),
    ("rules renegade-classic assets", "bad-rules", "a preset and knob=value"),
    ("seats 7", "bad-seats", "2 to 6"),
    ("rules renegade-tycoon\nseats 2", "bad-seats", "two-holder chart"),
    ("pile 1A 1A", "bad-order", "different squares"),
    ("agenda ChooseWeather seat=0", "bad-step", "there is no step 'ChooseWeather'"),
    ("agenda ChooseTile seat=0", "bad-step", "number"),
    ("agenda ChooseTile number=1 seat=0 most=1", "bad-step", "seat, number, most"),
    ("agenda ChooseTile seat=0 number=1 most=1 left=2", "bad-step", "seat, number, most"),
    ("agenda ChooseTile seat=0 seat=0 number=1 most=1", "bad-step", "seat, number, most"),
    ("agenda", "bad-step", "there is no step ''"),
    ("agenda PassTurn;; PassTurn", "bad-step", "there is no step ''"),
    ("agenda ChooseTile seat=start number=1 most=1", "bad-step", "seat cannot be 'start'"),
    ("agenda ChooseTile seat=0 number=1 most=" + "1" * 5_000, "bad-step", "most cannot be '111"),
    ("agenda ChoosePower seat=0 phase=3", "bad-step", "phase cannot be '3'; it is one of start, placing, buying"),
    ("agenda ChoosePurchase seat=0 terms=start", "bad-step", "terms cannot be 'start'; it is one of usual"),
    ("agenda SettleNext square=5E survivor=Tower acquired=-,Sackson waiting=-", "bad-chain", "not '-'"),
    ("agenda PassTurn seat=0", "bad-step", "the fields none"),
    ("agenda ChooseTile seat=first number=1 most=1", "bad-step", "seat cannot be 'first'"),
    ("agenda ChooseTile seat=-1 number=1 most=1", "bad-step", "seat cannot be '-1'"),
    ("agenda ChooseFounded seat=0 square=13A", "bad-square", "13A"),
    ("agenda ChooseAcquired seat=0 survivor=Luxor", "bad-chain", "Luxor"),
)


@pytest.mark.parametrize(("text", "reason", "message"), BAD_POSITIONS)
def test_a_position_that_is_badly_written_is_refused_with_what_was_expected(text: str, reason: str, message: str) -> None:
    with pytest.raises((NotationError, SetupError)) as refusal:
        parse_position(text)
    assert refusal.value.reason == reason
    assert message in str(refusal.value)


IMPOSSIBLE: Final = (
    ("seat 0 tiles 1A\nseat 1 tiles 1A", "tile 1A is in 2 places: the hand of seat 0, the hand of seat 1"),
    ("seat 0 tiles 1A 1A", "tile 1A is in 2 places"),
    ("board\n  A o...........\nseat 0 tiles 1A", "tile 1A is in 2 places: the board, the hand of seat 0"),
    ("aside 1A 1A", "tile 1A is in 2 places"),
    ("pile 1A", "tile 2A is in 0 places: nowhere"),
    ("seat 0 shares T20\nseat 1 shares T6", "the seats have 26 shares of Tower (20 + 6), and there are 25: take away 1"),
    ("seat 0 shares T99", "the seats have 99 shares of Tower (99 + 0), and there are 25: take away 74"),
    ("seat 0 cash 150", "seat 0 has $150"),
    ("board\n  A T...........", "Tower is a chain of one tile"),
    ("board\n  A TT..TT......", "Tower is not connected"),
    ("board\n  A TTSS........", "2A and 3A touch and belong to different chains"),
    ("board\n  A TT..........\n  B o...........", "1A and 1B touch and belong to different chains"),
    ("turn 0 seat 1", "it is turn 0, and the first turn is 1"),
    ("idle 2", "2 turns in a row did nothing, and 2 end the game"),
    ("seat 0 powers take-five", "a power was used, and these rules have none"),
    ("power-used yes", "a power was used, and these rules have none"),
    ("over stuck\nagenda PassTurn", "the game is over and goes on"),
    ("over stuck\nagenda PassTurn\nseat 0 cash 50", "seat 0 has $50"),
)


@pytest.mark.parametrize(("text", "message"), IMPOSSIBLE)
def test_a_position_that_cannot_be_is_refused_with_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(NotationError) as refusal:
        parse_position(text)
    assert refusal.value.reason == "impossible-position"
    assert message in str(refusal.value)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(NotationError) as refusal:
        parse_position("seat 0 cash 150\nseat 1 cash 50\nboard\n  A T...........")
    for message in ("seat 0 has $150", "seat 1 has $50", "Tower is a chain of one tile"):
        assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5", "bad-action"),
        ("13A", "bad-square"),
        ("0A", "bad-square"),
        ("05A", "bad-square"),
        ("5a", "bad-action"),
        ("5A  end", "bad-action"),
        ("5A end ", "bad-action"),
        ("5A end\n", "bad-action"),
        ("5A declare", "bad-action"),
        ("STOP", "bad-action"),
        ("found", "bad-action"),
        ("found tower", "bad-chain"),
        ("found Luxor", "bad-chain"),
        ("survivor 5", "bad-action"),
        ("acquire Tower end", "bad-action"),
        ("buy", "bad-action"),
        ("buy 1", "bad-action"),
        ("buy Tower", "bad-action"),
        ("buy -1 Tower", "bad-action"),
        ("buy 1.0 Tower", "bad-action"),
        ("buy 1 Tower 1 Tower", "bad-action"),
        ("buy 1 Tower, 1 Sackson", "bad-action"),
        ("buy 1 Zeta", "bad-chain"),
        ("buy 6 Tower", "malformed"),
        ("buy 999999 Tower", "malformed"),
        ("buy 1000000 Tower", "bad-action"),
        ("sell 1", "bad-action"),
        ("sell 26 trade 0", "malformed"),
        ("sell 0 trade 3", "odd-trade"),
        ("sell -1 trade 0", "bad-action"),
        ("swap 2 Tower for 1 Tower", "same-chain"),
        ("swap 3 Tower for 1 Sackson", "bad-action"),
        ("power take-six", "bad-action"),
        ("power", "bad-action"),
        ("offer seat 6: 1 Tower for $100", "malformed"),
        ("offer seat 10: 1 Tower for $100", "bad-action"),
        ("offer seat 1: for $100", "bad-action"),
        ("offer seat 1: 0 Tower for $100", "empty-side"),
        ("offer seat 1: 1 Tower for 1 Tower", "both-sides"),
        ("offer seat 1: $100 for $200", "both-sides"),
        ("offer seat 1: $150 for 1 Tower", "malformed"),
        ("offer seat 1: $100 1 Tower for 1 Sackson", "bad-action"),
        ("x" * 100_000, "bad-action"),
    ],
)
def test_a_text_that_is_no_action_is_refused(text: str, reason: str) -> None:
    with pytest.raises(EngineError) as refusal:
        parse_action(text, CLASSIC)
    assert refusal.value.reason == reason


# --- damaged texts ---


@settings(STEADY, max_examples=300)
@given(
    played=played_games(max_answers=200),
    at=st.integers(0, 10_000),
    word_at=st.integers(0, 10_000),
    other=st.sampled_from(["", "1A", "12I", "seat", "cash", "T9", "yes", "-1", "2", "99", "oo..TT......", "rest", "#", "hidden"]),
)
def test_a_damaged_position_is_refused_or_sound(played: Played, at: int, word_at: int, other: str) -> None:
    lines = position_text(played.game).splitlines()
    # Agendas have their own tests.
    damaged = at % (len(lines) - 1)
    words = lines[damaged].split()
    words[word_at % len(words)] = other
    lines[damaged] = " ".join(words)
    try:
        game = parse_position("\n".join(lines))
    except EngineError:
        return
    assert audit(game) == ()
    assert bool(game.legal()) == (game.result is None)
    assert position_text(parse_position(position_text(game))) == position_text(game)
