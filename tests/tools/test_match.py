"""`mergemaker match`: what is shown, what repeats, and what bots are asked."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest
from mergemaker_engine.actions import DECLINE, Action
from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.events import audience
from mergemaker_engine.notation import parse_position
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_tools.board_picture import board_picture, board_rows
from mergemaker_tools.bots import BOTS, RandomBot
from mergemaker_tools.commands import match as match_command
from mergemaker_tools.matches import Match, play_match_game
from mergemaker_tools.narration import Narrator, phrase_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mergemaker_engine.events import Event
    from mergemaker_engine.game import Game
    from mergemaker_engine.views import View
    from mergemaker_tools.bots import Bot
    from mergemaker_tools.recording import Recorder

    from tests.tools.conftest import Run

COLUMNS = 80
LINES = 24
FOUR = ("random", "random", "random", "random")


def _document(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    played = run("match", *arguments, "--json")
    assert (played.status, played.err) == (0, "")
    document: dict[str, object] = json.loads(played.out)
    return document


def test_the_end_of_a_match_fits_the_screen(run: Callable[..., Run]) -> None:
    shown = run("match", *FOUR, "random", "random", "--seed", "01")
    assert (shown.status, shown.err) == (0, "")
    *page, last = shown.out.splitlines()
    assert max(map(len, page)) <= COLUMNS
    # The last line is wrapped by the terminal, and the prompt needs one.
    assert len(page) + -(-len(last) // COLUMNS) < LINES
    assert page[0].startswith("renegade-classic: turn ")
    assert [line.split()[0] for line in page[2:11]] == list("ABCDEFGHI")


def test_the_standings_are_in_the_order_of_the_places(run: Callable[..., Run]) -> None:
    document = _document(run, *FOUR, "--seed", "2")
    assert isinstance(document["games"], list)
    (game,) = document["games"]
    shown = run("match", *FOUR, "--seed", "2", "--quiet").out
    rows = re.findall(r"^ +(\d) +(\d) +random +\$([\d,]+) ", shown, re.MULTILINE)
    assert [int(place) for place, _, _ in rows] == sorted(game["places"])
    assert {int(seat): int(money.replace(",", "")) for _, seat, money in rows} == dict(enumerate(game["money"]))


def test_a_match_as_json(run: Callable[..., Run]) -> None:
    document = _document(run, *FOUR, "--seed", "2", "--rules", "avalon-hill")
    assert document["rules"] == "avalon-hill"
    assert document["fingerprint"] == preset("avalon-hill").fingerprint()
    assert document["bots"] == list(FOUR)
    assert document["seed"] == "2".rjust(64, "0")
    assert isinstance(document["games"], list)
    (game,) = document["games"]
    assert set(game) == {"game", "seed", "turns", "ended", "money", "places", "board", "record"}
    assert [len(row) for row in game["board"]] == [12] * 9
    assert game["ended"] in ("declared", "stuck")


def test_the_last_line_repeats_the_match(run: Callable[..., Run]) -> None:
    first = run("match", "random", "random", "--rules", "renegade-tycoon", "--set", "bonus_chart=two-holders", "--quiet")
    again = shlex.split(first.out.splitlines()[-1].removeprefix("repeat with: "))
    assert again[:2] == ["mergemaker", "match"]
    assert _without_record(run(*again[1:], "--quiet").out) == _without_record(first.out)
    other = run("match", "random", "random", "--quiet")
    assert other.out.splitlines()[:-1] != first.out.splitlines()[:-1]


def _without_record(page: str) -> list[str]:
    return [line for line in page.splitlines() if not line.startswith("record: ")]


def test_several_games_are_counted_and_all_in_the_document(run: Callable[..., Run]) -> None:
    arguments = ("random", "random", "random", "--games", "5", "--seed", "3")
    document = _document(run, *arguments)
    games = document["games"]
    assert isinstance(games, list)
    assert len({game["seed"] for game in games}) == len({tuple(game["board"]) for game in games}) == 5
    shown = run("match", *arguments).out
    wins = [int(row) for row in re.findall(r"^ +\d +random +(\d) ", shown, re.MULTILINE)]
    assert wins == [sum(game["places"][seat] == 1 for game in games) for seat in range(3)]
    assert "--games 5" in shown.splitlines()[-1]


def test_a_game_of_a_match_is_the_same_alone_and_among_others() -> None:
    match = Match(FOUR, preset("renegade-classic"), bytes(32))
    assert play_match_game(match, 3).result == play_match_game(match, 3).result
    assert play_match_game(match, 3).result != play_match_game(match, 2).result


@pytest.mark.parametrize("name", PRESETS)
def test_told_matches_have_a_line_for_each_turn(run: Callable[..., Run], name: str) -> None:
    told = run("match", "random", "random", "random", "--rules", name, "--seed", "5", "--verbose").out.splitlines()
    document = _document(run, "random", "random", "random", "--rules", name, "--seed", "5")
    assert isinstance(document["games"], list)
    turns = document["games"][0]["turns"]
    assert told[0].startswith("set-up: seat 0 starts with ")
    assert [line.split(",")[0] for line in told[1 : turns + 1]] == [f"turn {turn}" for turn in range(1, turns + 1)]
    assert "the game is over" in told[turns]


def test_no_line_tells_what_one_seat_alone_may_know() -> None:
    heard: list[Event] = []
    play_match_game(Match(FOUR, preset("reference"), bytes(32)), 0, heard.extend)
    private = [event for event in heard if audience(event) is not None]
    assert private
    assert {phrase_of(event, preset("reference")) for event in private} == {""}


def test_the_narrator_gives_the_last_line_when_the_game_is_over() -> None:
    narrator = Narrator(preset("renegade-classic"))
    lines: list[str] = []

    def hear(events: Sequence[Event]) -> None:
        lines.extend(narrator.hear(events))

    game = play_match_game(Match(FOUR, preset("renegade-classic"), bytes(32)), 0, hear)
    assert lines[-1].startswith(f"turn {game.turn}, seat {game.seat}: ")
    assert len(lines) == game.turn + 1


BOARD = """
seats 2
turn 9 seat 0
board
  A TT.o........
  I .........AAA
seat 0 tiles 5E
"""


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


# --- bots ---------------------------------------------------------------------------------------------------


class _Spy:
    """Notes what it is asked, and answers at random."""

    def __init__(self, bot: Bot, asked: list[tuple[View, int]]) -> None:
        self._bot = bot
        self._asked = asked

    def observe(self, events: Sequence[Event]) -> None:
        self._bot.observe(events)

    def answer(self, view: View, answers: Sequence[Action]) -> Action:
        self._asked.append((view, len(answers)))
        return self._bot.answer(view, answers)


def _spied(monkeypatch: pytest.MonkeyPatch, name: str) -> tuple[list[tuple[View, int]], Game]:
    asked: list[tuple[View, int]] = []
    make = BOTS["random"]
    monkeypatch.setattr("mergemaker_tools.matches.BOTS", {"spy": lambda seed, seat: _Spy(make(seed, seat), asked)})
    return asked, play_match_game(Match(("spy",) * 3, preset(name), bytes(32)), 0)


@pytest.mark.rule("TBL-3")
def test_a_bot_is_not_asked_what_has_one_answer_but_for_a_trade(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, _ = _spied(monkeypatch, "reference-trading")
    sole = [view.decision for view, count in asked if count == 1]
    assert sole
    assert {type(decision) for decision in sole} == {ChooseReply}


def test_a_bot_is_shown_its_own_view(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, game = _spied(monkeypatch, "avalon-hill")
    assert game.result is not None
    for view, _ in asked:
        assert view.decision is not None
        assert view.seat == view.decision.seat
        assert view.cash.count(None) == 2


def test_a_random_bot_declares_the_end_as_soon_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, game = _spied(monkeypatch, "renegade-classic")
    may = [view for view, _ in asked if view.end_allowed and not view.declared]
    assert len(may) == 1
    assert may[0].turn == game.turn


def test_a_random_bot_takes_each_answer() -> None:
    view = parse_position("seats 2\nturn 1 seat 0\nboard\n A TT..........\nseat 0 tiles 5E 9I").view(0)
    bot = BOTS["random"](bytes(32), 0)
    assert isinstance(bot, RandomBot)
    answers = parse_position("seats 2\nturn 1 seat 0\nboard\n A TT..........\nseat 0 tiles 5E 9I").legal()
    assert {bot.answer(view, answers) for _ in range(64)} == set(answers)
    assert bot.answer(view, [DECLINE]) is DECLINE


# --- what goes wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("random",), "one bot for each seat, as in `mergemaker match random random`: 2 to 6 seats"),
        (("random",) * 7, "not 7"),
        (("random", "randm"), "there is no bot 'randm'; did you mean random?\nThe bots are: random."),
        (("random", "random", "--rules", "renegade-tycoon"), "SET-6"),
        (("random", "random", "--games", "0"), "takes a whole number from 1 to 100,000, not '0'"),
        (("random", "random", "--seed", "g"), "hexadecimal digits"),
        (("random", "random", "--quiet", "--verbose"), "not allowed with argument --quiet"),
        (("random", "random", "--json", "--verbose"), "leave out --verbose"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("match", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_ctrl_c_says_how_far_it_got(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(match: Match, number: int, listener: None, recorder: Recorder) -> Game:
        if number == 2:
            raise KeyboardInterrupt
        return play_match_game(match, number, listener, recorder)

    monkeypatch.setattr(match_command, "play_match_game", interrupted)
    stopped = run("match", "random", "random", "--games", "9", "--seed", "1")
    assert (stopped.status, stopped.out) == (130, "")
    assert "interrupted after 2 of 9 games; again with: mergemaker match random random " in stopped.err
