"""The full-screen view without a terminal: the picture of the value that keys change, and the loop that draws it."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from mergemaker_engine.board import CHAINS, SQUARES, squares_of
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Incident
from mergemaker_engine.rules import PRESETS
from mergemaker_engine.wording import square_name
from mergemaker_testkit.tiny_terminal import TinyTerminal
from mergemaker_testkit.watched_replay import SCREEN, after, rows_of, story_of
from mergemaker_tools.replaying.frame import HEIGHT_MIN, WIDTH_MIN, frame, settled
from mergemaker_tools.replaying.player import HELP, Page, Player, begin, press
from mergemaker_tools.replaying.story import Story
from mergemaker_tools.replaying.theatre import Theatre, escapes

# --- the picture --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("seats", [3, 6])
def test_every_frame_fits_the_smallest_screen(name: str, seats: int) -> None:
    # The longest note that a record takes, in the widest characters.
    story = story_of(name, seats, note="\N{CJK UNIFIED IDEOGRAPH-4E00}" * 340)
    for position in range(0, story.last + 1, 13):
        for knower in (None, 1):
            for keys in ((), ("d",), ("?",), ("g", "1")):
                drawn = frame(after(begin(story, position, knower), *keys), *SCREEN)
                lines = drawn.split("\n", allow_blank=True)
                assert len(lines) == HEIGHT_MIN
                assert max(line.cell_len for line in lines) <= WIDTH_MIN


def test_the_table_shows_board_chains_seats_question_and_answer(player: Player) -> None:
    story = player.story
    at = next(position for position in range(1, story.last) if sum(map(bool, story.game_at(position).sizes)) >= 4)
    rows = rows_of(begin(story, at, None))
    game, line = story.game_at(at), story.moments[at - 1].line
    assert rows[0].startswith(f"decision {at} of {story.last} · turn {story.turn_at(at)} · m-1 · renegade-classic")
    assert rows[0].endswith("  all is shown")
    board = "".join(row[3:39].replace(" ", "") for row in rows[2:11])
    assert [len(board), board.count(".")] == [SQUARES, SQUARES - sum(map(bool, game.view(0).board))]
    for chain, name in enumerate(story.rules.chain_names):
        row = next(row for row in rows if f"   {name} " in row)
        size, price = game.sizes[chain], game.prices[chain]
        told = [str(size or "-"), f"${price:,}" if size else "-", str(game.market[chain])]
        assert row.split(name)[1].split()[:3] == told
    for seat in range(4):
        row = next(row for row in rows if re.match(rf"[> ] {seat} random", row))
        shares = [game.shares[chain * 4 + seat] for chain in range(CHAINS)]
        worth = game.cash[seat] + sum(count * price for count, price in zip(shares, game.prices, strict=True))
        told = [f"${game.cash[seat]:,}", *(str(count or ".") for count in shares), f"${worth:,}"]
        assert row.split()[row.split().index(told[0]) :][:9] == told
        assert row.endswith("  " + " ".join(map(square_name, squares_of(game.hands[seat]))))
    asked = f"asked     seat {line.seat} (random {line.seat}): {line.asked} → {line.answer} [{line.by}]"
    assert asked in rows


def test_the_table_of_a_seat_shows_its_tiles_and_how_many_others_have() -> None:
    story = story_of("avalon-hill", 3)
    game = story.game_at(30)
    rows = {found[1]: row for row in rows_of(begin(story, 30, 1)) if (found := re.match(r"[> ] (\d) random", row))}
    assert rows["1"].endswith("  " + " ".join(map(square_name, squares_of(game.hands[1]))))
    assert f"${game.cash[1]:,}" in rows["1"]
    for seat in "02":
        assert re.fullmatch(rf"[> ] {seat} random {seat} +- +hidden +-  \d tiles", rows[seat])


def test_the_tile_just_placed_stands_out(player: Player) -> None:
    placed = next(moment for moment in player.story.moments if moment.line.asked == "ChooseTile")
    square = placed.line.answer
    drawn = frame(begin(player.story, placed.line.number, None), *SCREEN)
    row = drawn.split("\n")[2 + "ABCDEFGHI".index(square[-1])]
    (span,) = (span for span in row.spans if "reverse" in str(span.style))
    assert (span.start, span.end) == (3 * int(square[:-1]), 3 * int(square[:-1]) + 3)


def changed_line(story: Story, number: int, line: DecisionLine, *incidents: Incident) -> Story:
    moments = [
        replace(moment, line=line, incidents=incidents) if moment.line.number == number else moment for moment in story.moments
    ]
    return replace(story, moments=tuple(moments))


def test_defaults_notes_and_incidents_are_shown(player: Player) -> None:
    line = replace(player.story.moments[4].line, by=AnsweredBy.TIMEOUT, note="two\nlines \x1b[31mred")
    story = changed_line(player.story, 5, line, Incident(what="autopilot", seat=line.seat, why="3 faults"))
    rows = rows_of(begin(story, 5, None))
    assert f"incident  seat {line.seat}: autopilot (3 faults)" in rows
    assert any(row.endswith("[default: timeout]") for row in rows)
    assert "note      two lines \N{REPLACEMENT CHARACTER}[31mred" in rows


def test_the_end_shows_the_result_first_and_all_of_it_word_for_word() -> None:
    story = story_of(seats=6)
    last = begin(story, story.last, None)
    rows = rows_of(last)
    assert any(row.startswith("result    declared · 1. seat ") for row in rows)
    assert rows[-2] == "… d shows all of it"
    details = press(last, "d")
    seen: list[str] = []
    for _ in range(100):
        seen += rows_of(details)
        details = settled(press(details, "down"), *SCREEN)
    assert any("ResultReached cash=" in row for row in seen)
    bottom = details.scrolled
    assert 0 < bottom < 100
    assert settled(press(details, "page-down"), *SCREEN).scrolled == bottom
    assert press(details, "up").scrolled == bottom - 1
    assert press(details, "d").page is Page.TABLE


def test_help_names_every_key(player: Player) -> None:
    helped = press(player, "?")
    text = "\n".join(rows_of(helped))
    for keys, does in HELP:
        assert keys in text
        assert does in text
    assert press(helped, "x").page is Page.TABLE


@pytest.mark.parametrize("size", [(79, 24), (80, 23), (20, 5), (1, 1)])
def test_a_screen_that_is_too_small_says_what_it_needs(player: Player, size: tuple[int, int]) -> None:
    lines = rows_of(player, size)
    assert len(lines) == size[1]
    assert max(map(len, lines)) <= size[0]
    if size[0] >= 20:
        assert lines[:2] == [f"Too small: {size[0]}x{size[1]}.", "Needed: 80x24."]


def test_a_larger_screen_shows_what_happened_before(player: Player) -> None:
    there = begin(player.story, 40, None)
    small, large = rows_of(there), rows_of(there, (120, 50))
    assert len(large) == 50
    assert large[: len(small) - 4] != small
    numbers = [int(found[1]) for row in large if (found := re.match(r" +(\d+)  seat \d: ", row))]
    assert numbers[:20] == list(range(39, 19, -1))


# --- the loop -----------------------------------------------------------------------------------------------


class _Stage:
    """A terminal with a script: keys, seconds that pass, or a new size."""

    def __init__(self, script: Sequence[str | float | tuple[int, int]]) -> None:
        self._script = list(script)
        self.now_s = 0.0
        self.shown: tuple[int, int] = SCREEN
        self.drawings: list[str] = []
        self.suspended = 0
        self.waits: list[float | None] = []

    def read(self, wait_s: float | None) -> list[str]:
        self.waits.append(wait_s)
        step = self._script.pop(0)
        if isinstance(step, str):
            return [step]
        if isinstance(step, tuple):
            self.shown = step
        else:
            self.now_s += step
        return []

    def suspend(self) -> None:
        self.suspended += 1

    def play(self, player: Player) -> Player:
        return Theatre(self, lambda: self.shown, self.drawings.append, lambda: self.now_s).run(player)


def test_the_loop_plays_by_the_clock(player: Player) -> None:
    stage = _Stage([" ", 1.0, 0.4, 0.6, 1.0, "q"])
    assert stage.play(player).position == 3
    assert stage.waits[0] is None
    assert stage.waits[1:] == pytest.approx([1.0, 1.0, 0.6, 1.0, 1.0])


def test_a_key_restarts_the_time_for_which_a_decision_stays(player: Player) -> None:
    stage = _Stage([" ", 0.9, "right", 0.9, "q"])
    assert stage.play(player).position == 1


def test_only_what_changed_is_drawn(player: Player) -> None:
    stage = _Stage(["x", "right", "left", "home", "redraw", (100, 30), 5.0, "q"])
    stage.play(player)
    cleared = [drawing.startswith("\x1b[2J") for drawing in stage.drawings]
    # The beginning; right; left; redraw; the new size. The other keys change nothing.
    assert cleared == [True, False, False, True, True]
    assert len(stage.drawings[-1].split("\x1b[K")) == 31


def test_ctrl_z_gives_the_terminal_back_and_draws_anew(player: Player) -> None:
    stage = _Stage(["suspend", "q"])
    stage.play(player)
    assert stage.suspended == 1
    assert len(stage.drawings) == 2


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_the_drawing_is_the_frame(
    player: Player, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], coloured: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (variables | {"TERM": "xterm-256color"}).items():
        monkeypatch.setenv(name, value)
    there = begin(player.story, player.story.last, None)
    terminal = TinyTerminal(*SCREEN)
    terminal.feed(escapes(frame(there, *SCREEN), *SCREEN))
    assert terminal.rows() == [row.rstrip() for row in rows_of(there)]
    assert any(re.search(r"\b[34]\d\b", style) for style in terminal.styles) is coloured
