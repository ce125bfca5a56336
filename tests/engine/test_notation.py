"""Positions, rules and events as text: read back completely; missing parts are accepted, everything else is strict."""

from typing import Final

import pytest
from hypothesis import given, settings
from mergemaker_engine.audit import audit
from mergemaker_engine.board import CELL, INDEPENDENT, LABEL
from mergemaker_engine.decisions import ChooseTile, PassTurn
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


# --- optional parts ---


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
