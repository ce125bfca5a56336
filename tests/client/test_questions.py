"""Turns from games, without a match."""

import re
from pathlib import Path
from typing import Any

import pytest
from mergemaker_client import MatchInfo, turn_from
from mergemaker_client.bots import make
from mergemaker_client.errors import BotError
from mergemaker_client.testing import play_match, turns_of
from mergemaker_engine.deal import Deal
from mergemaker_engine.events import seen_by
from mergemaker_engine.game import Game
from mergemaker_engine.rules import preset

README = Path(__file__).parents[2] / "clients" / "python" / "README.md"
RULES = preset("renegade-classic")


def opening() -> Game:
    return Game(RULES, 3, Deal.from_seed(bytes(range(32))))


def test_a_turn_from_each_game_of_a_match_is_the_turn_that_its_bot_had() -> None:
    record = play_match(["random"] * 3).record
    for seat in range(3):
        recorded = {each.number: each.turn for each in turns_of(record, seat)}
        seen = 0
        told = list(seen_by(seat, record.start().start_events))
        for step in record.steps():
            if step.number in recorded:
                turn = recorded[step.number]
                made = turn_from(step.before, match=turn.match, number=turn.number, events=told, events_seen=seen + len(told))
                assert made == turn
                assert made.chance.below(1_000) == turn.chance.below(1_000)
                seen, told = seen + len(told), []
            told += seen_by(seat, step.events)
        assert seen


def test_without_more_it_is_the_turn_of_the_asked_seat_after_the_start() -> None:
    game = opening()
    assert game.decision is not None
    turn = turn_from(game, nonce=bytes(range(32)))
    assert (turn.seat, turn.decision, turn.view) == (game.decision.seat, game.decision, game.view(game.decision.seat))
    assert list(turn.answers) == list(game.legal())
    assert turn.events == seen_by(turn.seat, game.start_events)
    assert turn.events_seen == len(turn.events)
    assert turn.match.nonce == bytes(range(32))
    assert turn.time_left_ms is None


def test_a_turn_stays_as_it_is_when_its_game_goes_on() -> None:
    game = opening()
    turn, same = turn_from(game), turn_from(game)
    game.apply(game.legal()[0])
    assert turn == same
    assert turn != turn_from(game)


def test_the_example_of_the_readme_plays_a_game() -> None:
    pattern = r"^```python\n(from mergemaker_client import turn_from\n.*?)^```"
    example = re.search(pattern, README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert example
    there: dict[str, Any] = {}
    exec(example[1], there)  # noqa: S102 - our own text
    assert there["game"].result.places[0]
    played = play_match(["greedy"] * 4, seed=bytes(32))
    assert there["game"].result.cash == tuple(standing.cash for standing in played.result.standings)


def test_a_game_that_is_over_has_no_question() -> None:
    game = opening()
    while game.decision is not None:
        game.apply(game.legal()[0])
    with pytest.raises(BotError) as caught:
        turn_from(game)
    assert caught.value.reason == "game-over"


@pytest.mark.parametrize("wrong", [{"seat": 2}, {"seats": 4}, {"rules": preset("renegade-tycoon")}], ids=str)
def test_a_match_of_another_seat_or_game_is_refused(wrong: dict[str, Any]) -> None:
    game = opening()
    assert game.decision is not None
    right: dict[str, Any] = {"rules": RULES, "seats": 3, "seat": game.decision.seat}
    if right["seat"] == wrong.get("seat"):
        wrong = {"seat": 1}
    for what, refused in ((right, False), ({**right, **wrong}, True)):
        match = MatchInfo("m", bots=("a", "b", "c"), nonce=bytes(32), **what)
        if refused:
            with pytest.raises(BotError) as caught:
                turn_from(game, match=match)
            assert caught.value.reason == "wrong-match"
        else:
            assert turn_from(game, match=match).match is match


def test_bots_answer_the_same_as_at_a_table() -> None:
    game = opening()
    turn = turn_from(game)
    answer = make("greedy").answer(turn)
    assert isinstance(answer, int)
    assert turn.answers[answer] in game.legal()
