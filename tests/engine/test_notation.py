"""Positions, rules and events as text: read back completely; missing parts are accepted, everything else is strict."""

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.audit import audit
from mergemaker_engine.board import CELL, INDEPENDENT, LABEL
from mergemaker_engine.decisions import ChooseTile, PassTurn
from mergemaker_engine.errors import EngineError, NotationError, SetupError
from mergemaker_engine.events import HoldingsShown, MarketDrew, MergerBegan, TradeAnswered
from mergemaker_engine.notation import (
    decision_text,
    event_text,
    parse_action,
    parse_position,
    parse_rules,
    parse_square,
    position_text,
    rules_text,
    shares_text,
    square_name,
    step_text,
)
from mergemaker_engine.rules import PRESETS, Rules, preset
from mergemaker_engine.wording import parse_step
from mergemaker_testkit.strategies import STEADY, Played, played_games, rule_sets

CLASSIC: Final = preset("renegade-classic")


# --- both ways ---


@settings(STEADY, max_examples=150)
@given(played=played_games())
def test_a_position_read_back_is_the_same_and_goes_on_the_same(played: Played) -> None:
    game = played.game
    text = position_text(game)
    again = parse_position(text)
    assert position_text(again) == text
    assert again.start_events == ()
    for name in ("board", "sizes", "prices", "active", "safe", "giant", "market", "shares", "cash", "hands", "agenda"):
        assert getattr(again, name) == getattr(game, name), name
    assert sorted(again.aside) == sorted(game.aside)
    if game.decision is not None:
        action = game.legal()[-1]
        assert again.apply(action) == game.copy().apply(action)


@settings(STEADY, max_examples=60)
@given(played=played_games())
def test_every_step_of_an_agenda_is_read_back(played: Played) -> None:
    rules = played.table.rules
    for step in played.game.agenda:
        assert parse_step(step_text(step, rules), rules) == step


@settings(STEADY, max_examples=60)
@given(played=played_games())
def test_every_event_has_a_text_of_its_own(played: Played) -> None:
    rules = played.table.rules
    texts = {event_text(event, rules) for event in played.events}
    assert len(texts) == len(set(played.events))
    assert all("[" not in text and "(" not in text for text in texts)


@settings(STEADY, max_examples=200)
@given(rules=rule_sets())
def test_rules_are_read_back(rules: Rules) -> None:
    assert parse_rules(rules_text(rules)) == rules


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_written_by_its_name(name: str) -> None:
    assert rules_text(preset(name)) == name


def test_counts_of_shares_are_written_in_chain_order() -> None:
    assert shares_text((1, 2, 0, 0, 0, 0, 3), CLASSIC) == "1 Tower 2 Sackson 3 Imperial"
    assert shares_text((0,) * 7, CLASSIC) == ""


def test_squares_go_by_letter_then_number() -> None:
    names = [square_name(square) for square in range(108)]
    assert (names[0], names[11], names[12], names[107]) == ("1A", "12A", "1B", "12I")
    assert [parse_square(name) for name in names] == list(range(108))


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (HoldingsShown(0, (2, 0, 5)), "HoldingsShown chain=Tower holdings=2,0,5"),
        (MarketDrew(1, None, 0), "MarketDrew chain=Sackson square=none shares=0"),
        (MarketDrew(1, 107, 12), "MarketDrew chain=Sackson square=12I shares=12"),
        (MergerBegan(2, ()), "MergerBegan seat=2 chains=-"),
        (TradeAnswered(1, accepted=True), "TradeAnswered seat=1 accepted=yes"),
        (TradeAnswered(1, accepted=False), "TradeAnswered seat=1 accepted=no"),
    ],
)
def test_events_are_written_as_the_vocabulary_says(event: HoldingsShown, text: str) -> None:
    assert event_text(event, CLASSIC) == text


# --- what may be left out ---


def test_an_empty_text_is_the_beginning_of_two_players_without_tiles() -> None:
    game = parse_position("")
    assert (game.rules, game.seats, game.turn, game.seat) == (CLASSIC, 2, 1, 0)
    assert game.cash == [6000, 6000]
    assert game.market == [25] * 7
    assert [event_text(event, CLASSIC) for event in game.start_events] == [
        "TurnBegan seat=0 turn=1",
        "PlacingSkipped seat=0",
    ]


def test_a_position_may_have_comments_blank_lines_and_lines_in_any_order() -> None:
    game = parse_position(
        """
        # what a reader should know
        pile 1I rest
        seat 1 cash 100 shares S2   # poor

        seats 3
        board
          A TT..........
          C o...........
        turn 4 seat 2
        seat 2 tiles 5E 3E powers take-five,buy-five
        rules avalon-hill-powers chains=Tower,Sackson/American,Festival,Worldwide/Continental,Imperial
        aside 12A 12B
        idle 1
        """
    )
    assert (game.seat, game.turn, game.idle) == (2, 4, 1)
    assert game.cash == [6000, 100, 6000]
    assert game.market == [25, 23, 25, 25, 25, 25, 25]
    assert game.hands[2] == bytes((CELL[parse_square("3E")], CELL[parse_square("5E")]))
    assert game.board[CELL[0]] == LABEL[0]
    assert game.board[CELL[24]] == INDEPENDENT
    assert game.deal.order[0] == parse_square("1I")
    assert len(game.deal.order) == 108 - 3 - 2 - 2
    assert game.view(0).powers_used[2] == ("take-five", "buy-five")
    assert audit(game) == ()


def test_an_agenda_says_what_is_asked_and_what_comes_then() -> None:
    game = parse_position("seats 3\nseat 0 tiles 5E\nagenda ChooseTile seat=0 number=1 most=1; PassTurn")
    assert game.agenda == [PassTurn(), ChooseTile(0)]
    assert decision_text(ChooseTile(0), CLASSIC) == "ChooseTile seat=0 number=1 most=1"


def test_what_needs_no_answer_is_carried_out_when_a_position_is_read() -> None:
    game = parse_position("seats 3\nseat 1 tiles 5E\nmoved yes\nagenda PassTurn")
    assert [event_text(event, CLASSIC) for event in game.start_events] == ["TurnBegan seat=1 turn=2"]
    assert game.decision == ChooseTile(1)


@pytest.mark.parametrize(
    "line",
    [
        "idle 1",
        "idle 2",
        "declared yes",
        "moved yes",
        "power-used yes",
        "market-draws 1",
        f"market-seed {'0f' * 32}",
        "aside 1A",
        "market-tiles 9F",
        "market-tiles - 2B 9F",
    ],
)
def test_each_thing_that_is_usually_left_out_is_written_where_it_is_not_usual(line: str) -> None:
    start = "rules avalon-hill-powers\nseats 3\nseat 0 tiles 5E\nseat 1 powers buy-five\n"
    agenda = "agenda ChooseTile seat=0 number=1 most=1; PassTurn"
    text = position_text(parse_position(f"{start}{line}\n{agenda}"))
    assert line in text.splitlines()
    assert line.split(maxsplit=1)[0] not in {row.split()[0] for row in position_text(parse_position(start + agenda)).splitlines()}
    assert position_text(parse_position(text)) == text


@pytest.mark.rule("DRW-2")
def test_an_exchange_without_two_safe_chains_is_dropped_when_a_position_is_read() -> None:
    game = parse_position("seats 3\nseat 0 tiles 5E\nseat 1 tiles 7G\nmoved yes\nagenda ChooseExchange seat=0; PassTurn")
    assert game.decision == ChooseTile(1)
    assert game.aside == b""


@pytest.mark.rule("TWO-1")
def test_a_position_names_the_tiles_of_the_markets_next_draws() -> None:
    board = "seats 2\nboard\n  E AAAAAAA.CC..\n"
    game = parse_position(f"{board}seat 0 tiles 8E shares C3\nmarket-draws 4\nmarket-tiles 12I 2B")
    events = game.apply(parse_action("8E", game.rules))
    assert [event.square for event in events if isinstance(event, MarketDrew)] == [parse_square("12I")]
    assert "market-draws 5\nmarket-tiles 2B\n" in position_text(game)
    pile = parse_position(position_text(game)).deal
    assert pile.order[pile.market_index(5, len(pile.order))] == parse_square("2B")


def test_a_game_that_is_over_is_read_back_with_its_result() -> None:
    game = parse_position("seats 2\nseat 0 cash 100\nseat 1 cash 200\nturn 9 seat 1\nover stuck")
    assert game.decision is None
    assert game.result is not None
    assert (game.result.reason, game.result.cash, game.result.places) == ("stuck", (100, 200), (2, 1))


# --- what is refused ---

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


# --- texts that were damaged ---


@settings(STEADY, max_examples=300)
@given(
    played=played_games(max_answers=200),
    at=st.integers(0, 10_000),
    word_at=st.integers(0, 10_000),
    other=st.sampled_from(["", "1A", "12I", "seat", "cash", "T9", "yes", "-1", "2", "99", "oo..TT......", "rest", "#", "hidden"]),
)
def test_a_damaged_position_is_refused_or_sound(played: Played, at: int, word_at: int, other: str) -> None:
    lines = position_text(played.game).splitlines()
    # What stands in an agenda has tests of its own.
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
