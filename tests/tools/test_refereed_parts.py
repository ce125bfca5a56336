"""The parts of `mergemaker match` that need no match: clocks, tokens, the pace, and the live board's content."""

import argparse
import math
from dataclasses import replace

import pytest
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.playout import draw_answer
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_engine.views import View
from mergemaker_referee.tokens import TokenKind
from mergemaker_table.terms import CLOCKS, ClockTerms
from mergemaker_tools.cli import Parser
from mergemaker_tools.commands import match as match_command
from mergemaker_tools.play.clocks import STARTUP_MS_MIN, clock_from, with_time_to_start
from mergemaker_tools.play.live_frame import Scene, frame
from mergemaker_tools.play.pace import PACE_S_MAX, Pace, pressed
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.planning import plan_from
from mergemaker_tools.play.seating import known_name, tokens_of

WIDTH, HEIGHT = 80, 23
NAMES = ("greedy", "planner:playouts=20000", "my_bot_with_a_name_that_is_long", "random", "ü" * 30, "human")


def _plan(*arguments: str) -> MatchPlan:
    parser = Parser()
    match_command.configure(parser)
    options: argparse.Namespace = parser.parse_all(["random", "greedy", *arguments])
    return plan_from(options)


# --- clocks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLOCKS)
def test_a_clock_is_known_by_its_name(name: str) -> None:
    assert clock_from(name) == CLOCKS[name]


def test_a_clock_can_have_terms_of_ones_own() -> None:
    expected = ClockTerms(name="mine", allowance_ms=500, bank_ms=30_000, increment_ms=10, startup_ms=9_000)
    assert clock_from("mine:allowance=500,bank=30000,increment=10,startup=9000") == expected
    assert clock_from("fast:bank=5") == replace(CLOCKS["fast"], name="fast-own", bank_ms=5)


def test_bots_have_time_to_start_and_who_starts_one_by_hand_has_all_there_is() -> None:
    fast = CLOCKS["fast"]
    assert with_time_to_start(fast, by_hand=False) == replace(fast, startup_ms=STARTUP_MS_MIN)
    assert with_time_to_start(fast, by_hand=True).startup_ms is None
    assert with_time_to_start(CLOCKS["none"], by_hand=False) == CLOCKS["none"]
    assert _plan("remote").clock.startup_ms is None


def test_a_person_has_all_the_time_there_is_unless_a_clock_is_named() -> None:
    assert _plan("human").clock.allowance_ms is None
    assert _plan("human", "--clock", "slow").clock.allowance_ms == CLOCKS["slow"].allowance_ms
    assert _plan().clock.name == "standard"


# --- tokens and seeds ---------------------------------------------------------------------------------------


def test_tokens_from_a_text_are_the_same_each_time_and_differ_by_seat_and_table() -> None:
    many = _plan("--token", "debug", "--games", "4", "--jobs", "2")
    all_of_them = [*tokens_of(_plan("--token", "debug"), 0), *tokens_of(many, 0), *tokens_of(many, 1)]
    assert len(set(all_of_them)) == len(all_of_them) == 6
    assert tokens_of(many, 1) == tokens_of(many, 1) != tokens_of(_plan("--token", "other", "--games", "4", "--jobs", "2"), 1)
    assert [token[:4] for token in all_of_them] == [TokenKind.SEAT] * 2 + [TokenKind.BOT] * 4


def test_other_tokens_are_fresh() -> None:
    assert not set(tokens_of(_plan(), 0)) & set(tokens_of(_plan(), 0))


def test_each_seat_of_each_table_has_a_name_of_its_own() -> None:
    assert len({known_name(table, seat) for table in range(12) for seat in range(6)}) == 72


def test_games_have_seeds_of_their_own_from_the_matchs() -> None:
    plan = _plan("--seed", "5", "--games", "9")
    assert len({plan.game_seed(number) for number in range(9)}) == 9
    assert plan.game_seed(3) == _plan("--seed", "5").game_seed(3)
    assert (plan.promised, _plan().promised) == (False, True)


def test_no_more_games_are_played_at_once_than_there_are() -> None:
    assert _plan("--games", "3", "--jobs", "8").jobs == 3


# --- the pace -----------------------------------------------------------------------------------------------


def test_keys_change_the_pace() -> None:
    pace = Pace(1.0)
    assert pressed(pace, "+").due_s == 0.5
    assert pressed(pace, "-").due_s == 2.0
    assert pressed(pace, "x") == pace
    paused = pressed(pace, " ")
    assert paused.due_s is None
    assert pressed(paused, " ") == pace
    to_the_end = pressed(paused, "enter")
    assert to_the_end.due_s == 0.0
    assert pressed(to_the_end, " ").due_s is None


def test_the_pace_stays_within_reason() -> None:
    pace = Pace(1.0)
    for key, bound in (("-", PACE_S_MAX), ("+", 0.01)):
        for _ in range(50):
            pace = pressed(pace, key)
        assert pace.due_s is not None
        assert math.isclose(pace.due_s, bound)


# --- the live board -----------------------------------------------------------------------------------------


def _scene(view: View | None, seats: int) -> Scene:
    return Scene(
        rules=preset("renegade-classic") if view is None else view.rules,
        bots=NAMES[:seats],
        view=view,
        joined=[seat != 0 for seat in range(seats)],
        thinking=1,
        thinks_s=12.4,
        banks_ms=[600_000, None] * 3,
        happened=[f"turn {turn}, seat 0: {'9F, Tower grows to 4, ' * 9}" for turn in range(6)],
        pace="0.2 s a decision",
        is_over=False,
        with_keys=True,
    )


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("name", PRESETS)
def test_the_live_board_fits_the_screen_at_every_moment(name: str, seats: int) -> None:
    rules = preset(name)
    if seats not in (3, 6) and name == "renegade-tycoon":
        rules = preset("renegade-classic")
    game = Game(rules, seats, Deal.from_seed(bytes(32)))
    chances = Chances(bytes(32), "play")
    number = 0
    while game.decision is not None:
        if number % 20 == 0:
            _check_lines(frame(_scene(game.public_view(), seats), WIDTH, HEIGHT).plain.split("\n"), seats)
        game.apply(draw_answer(game, chances))
        number += 1
    _check_lines(frame(_scene(game.public_view(), seats), WIDTH, HEIGHT).plain.split("\n"), seats)


def _check_lines(lines: list[str], seats: int) -> None:
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) <= HEIGHT
    assert [line[0] for line in lines[2:11]] == list("ABCDEFGHI")
    assert [line[2] for line in lines[12 : 12 + seats]] == [str(seat) for seat in range(seats)]
    assert "thinks 12 s" in lines[13]
    assert lines[12].endswith(" gone")
    assert lines[-1].startswith("space pauses")


def test_the_live_board_says_who_is_waited_for() -> None:
    scene = _scene(None, 3)
    assert frame(scene, WIDTH, HEIGHT).plain == "waiting for seat 0 (greedy)"
    assert frame(replace(scene, joined=[True] * 3), WIDTH, HEIGHT).plain == "the tiles are dealt"


def test_the_live_board_shows_shares_left_and_clocks_on_request() -> None:
    view = parse_position("seats 3\nturn 2 seat 1\nseat 0 tiles 1A shares T3").public_view()
    scene = _scene(view, 3)
    lines = frame(scene, WIDTH, HEIGHT).plain.split("\n")
    assert lines[15].split() == ["shares", "left", *(["22"] + ["25"] * 6)]
    assert "bank" not in lines[11]
    assert "600.0 s" not in lines[12]
    with_clocks = frame(replace(scene, shows_clocks=True), WIDTH, HEIGHT).plain.split("\n")
    assert with_clocks[11].endswith(" bank")
    assert "600.0 s" in with_clocks[12]


def test_what_is_hidden_from_all_is_hidden_from_who_looks_on() -> None:
    view = parse_position("rules avalon-hill\nseats 3\nturn 2 seat 1\nseat 0 tiles 1A").public_view()
    assert frame(_scene(view, 3), WIDTH, HEIGHT).plain.count("hidden") == 3


@pytest.mark.parametrize(("width", "height"), [(20, 5), (1, 1), (80, 12), (200, 60)])
def test_on_any_screen_there_are_no_more_lines_than_it_has(width: int, height: int) -> None:
    view = parse_position("seats 3\nturn 2 seat 1\nseat 0 tiles 1A").public_view()
    lines = frame(_scene(view, 3), width, height).plain.split("\n")
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
