"""The full-screen view without a terminal: keys change a value, and the value has a picture."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import pytest
from mergemaker_engine.board import CHAINS, SQUARES, cells_of, squares_of
from mergemaker_engine.deal import Deal
from mergemaker_engine.events import TilesReceived
from mergemaker_engine.record.lines import By, DecisionLine, Incident
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.rules import PRESETS, Assets, preset
from mergemaker_engine.wording import square_name
from mergemaker_testkit.recorded import recorded_match
from mergemaker_testkit.tiny_terminal import TinyTerminal
from mergemaker_tools.replaying.document import document_of
from mergemaker_tools.replaying.frame import HEIGHT_MIN, WIDTH_MIN, frame, settled
from mergemaker_tools.replaying.keys import KeyDecoder, windows_key
from mergemaker_tools.replaying.player import HELP, PACES_S, Page, Player, begin, press, tick
from mergemaker_tools.replaying.score import score_of
from mergemaker_tools.replaying.story import Moment, Story, tell
from mergemaker_tools.replaying.theatre import Theatre, escapes
from mergemaker_tools.replaying.windows_terminal import WAIT_MAX_S, WindowsKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergemaker_engine.events import Event
    from mergemaker_engine.game import Game

SEED = hashlib.sha256(b"replay").digest()
SCREEN = (WIDTH_MIN, HEIGHT_MIN)


@lru_cache(maxsize=16)
def story_of(name: str = "renegade-classic", seats: int = 4, note: str | None = None) -> Story:
    return tell(read_record(recorded_match(preset(name), seats, SEED, note=note)))


@pytest.fixture
def player() -> Player:
    return begin(story_of(), 0, None)


def after(player: Player, *keys: str) -> Player:
    for key in keys:
        player = press(player, key)
    return player


def rows_of(player: Player, size: tuple[int, int] = SCREEN) -> list[str]:
    return frame(player, *size).plain.split("\n")


# --- keys change the player ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "position"),
    [
        (("right",), 1),
        (("l", "n", "right"), 3),
        (("right", "right", "left"), 1),
        (("right", "right", "h", "p"), 0),
        (("left",), 0),
        (("end", "left"), -2),
        (("end", "right"), -1),
        (("end", "home"), 0),
        (("g", "1", "7", "enter"), 17),
        ((":", "1", "7", "backspace", "enter"), 1),
        (("g", "1", "7", "escape"), 0),
        (("g", "backspace", "right"), 1),
        (("g", "enter"), 0),
        (("g", "0", "5", "enter"), 5),
        (("g", *"999999999", "enter"), 0),
        (("x", "\t", "F", "redraw"), 0),
    ],
)
def test_where_keys_lead(player: Player, keys: tuple[str, ...], position: int) -> None:
    assert after(player, *keys).position == (position if position >= 0 else player.story.last + 1 + position)


def test_turns_are_gone_through_by_their_first_decisions(player: Player) -> None:
    story = player.story
    firsts = [at for at in range(1, story.last + 1) if story.turn_at(at) != story.turn_at(at - 1)]
    there = []
    for _ in firsts:
        player = press(player, "down")
        there.append(player.position)
    assert there == firsts
    assert press(player, "page-down").position == story.last
    back = []
    for _ in firsts[1:]:
        player = press(player, "page-up")
        back.append(player.position)
    assert back == firsts[-2::-1]
    assert press(player, "up").position == 0
    between = next(at for at in range(2, story.last) if at not in firsts)
    assert press(begin(story, between, None), "up").position == max(first for first in firsts if first < between)


def test_what_a_key_cannot_do_is_said_until_the_next_one(player: Player) -> None:
    assert press(player, "left").message == "this is the beginning"
    assert after(player, "end", "right").message == "this is the end"
    assert after(player, "end", "right", "left").message == ""
    assert after(player, "g", *"9999", "enter").message == f"there is no decision 9999: the last one is {player.story.last}"
    assert after(player, "left").message in rows_of(after(player, "left"))[-1]


def test_it_plays_to_the_end_and_stops_there(player: Player) -> None:
    playing = press(player, " ")
    assert (player.wait_s, playing.wait_s) == (None, 1.0)
    for position in range(1, player.story.last + 1):
        playing = tick(playing)
        assert (playing.position, playing.playing) == (position, True)
    playing = tick(playing)
    assert (playing.position, playing.playing) == (player.story.last, False)
    assert tick(playing) == playing
    again = press(playing, " ")
    assert (again.position, again.playing) == (0, True)


def test_a_key_backwards_pauses_and_space_does(player: Player) -> None:
    playing = after(player, " ", "right", "right")
    assert playing.playing
    assert not press(playing, " ").playing
    for key in ("left", "up", "home", "end", "g", "?"):
        assert not press(playing, key).playing, key


def test_the_pace_has_limits(player: Player) -> None:
    assert after(player, *"+" * 20, " ").wait_s == PACES_S[-1]
    assert after(player, *"-" * 20, " ").wait_s == PACES_S[0]
    assert after(player, "=").message == "0.5 s for each decision"


def test_knowledge_goes_round(player: Player) -> None:
    shown = [player.knower]
    for _ in range(5):
        player = press(player, "s")
        shown.append(player.knower)
    assert shown == [None, 0, 1, 2, 3, None]


def test_a_chosen_seat_stays(player: Player) -> None:
    chosen = press(begin(player.story, 3, 2), "s")
    assert chosen.knower == 2
    assert chosen.message == "--seat 2 shows what this seat knew, and nothing else"


def test_what_a_seat_knew_nothing_of_is_passed_over() -> None:
    story = story_of("avalon-hill-powers", 3)
    silent = [moment.line for moment in story.moments if not moment.events]
    theirs = next(line.number for line in silent if line.seat != 1)
    mine = next(line.number for line in silent if line.seat == 1)
    known = begin(story, theirs, 1)
    assert known.position < theirs
    assert press(known, "right").position > theirs
    assert after(known, "home", "g", *str(theirs), "enter").message == f"seat 1 knew nothing of decision {theirs}"
    assert begin(story, mine, 1).position == mine
    assert after(begin(story, theirs, None), "s", "s").position == known.position


@pytest.mark.parametrize("key", ["q", "escape", "interrupt"])
def test_leaving(player: Player, key: str) -> None:
    assert press(player, key).leaving
    assert not press(press(player, "?"), key).leaving or key == "interrupt"
    assert not press(press(player, "d"), key).leaving or key == "interrupt"
    assert not press(press(player, "g"), key).leaving or key == "interrupt"


# --- the picture --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("seats", [3, 6])
def test_every_frame_fits_the_smallest_screen(name: str, seats: int) -> None:
    # A note of the widest characters there are, and the longest that a record takes.
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
    line = replace(player.story.moments[4].line, by=By.TIMEOUT, note="two\nlines \x1b[31mred")
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


# --- what a seat cannot know is not shown -------------------------------------------------------------------


def _otherwise(game: Game, seat: int) -> Game:
    """A game that looks the same to a seat, with everything changed that it cannot know."""
    other = game.copy()
    seats = game.seats
    others = [one for one in range(seats) if one != seat]
    sizes = [len(game.hands[one]) for one in others]
    # All tiles that the seat cannot see change places: each takes that of the next one.
    hidden = [cell for one in others for cell in game.hands[one]] + list(game.deal.cells[game.drawn :])
    hidden = hidden[1:] + hidden[:1]
    for one, size in zip(others, sizes, strict=True):
        other.hands[one], hidden = bytes(sorted(hidden[:size])), hidden[size:]
    drawn = [cell for cell in game.deal.cells if cell not in hidden]
    other.deal = Deal(squares_of(bytes((*drawn, *hidden))))
    if game.rules.assets is Assets.HIDDEN and game.reason is None:
        for one in others:
            other.cash[one] += 100 * (one + 1)
        merger = game.view(seat).merger
        for chain in set(range(CHAINS)) - ({merger.acquired} if merger else set()):  # which is shown to all (MRG-9)
            held = [other.shares[chain * seats + one] for one in others]
            for one, count in zip(others, held[1:] + held[:1], strict=True):
                other.shares[chain * seats + one] = count
    assert other.view(seat) == game.view(seat)
    return other


def _seen_otherwise(events: Sequence[Event], seat: int) -> tuple[Event, ...]:
    return tuple(
        replace(event, squares=tuple(107 - square for square in event.squares))
        if isinstance(event, TilesReceived) and event.seat != seat
        else event
        for event in events
    )


def _moment_otherwise(moment: Moment, seat: int) -> Moment:
    line = replace(moment.line, digest="B" * 22)
    if line.seat != seat:
        line = replace(line, asked="ChooseSecret", answer="a secret", by=By.ILLEGAL, note="secret", run={"secret": 1})
    slow = Incident(what="slow", seat=(seat + 1) % 3, why="a secret")
    events = _seen_otherwise(moment.events, seat)
    return replace(moment, line=line, incidents=(slow,), events=events, game=_otherwise(moment.game, seat))


@pytest.mark.parametrize("name", ["avalon-hill-powers", "reference", "reference-trading"])
def test_what_a_seat_cannot_know_changes_nothing_that_is_shown_to_it(name: str) -> None:
    story = story_of(name, 3)
    seat = 1
    start = _otherwise(story.start, seat)
    start.begin_in_position(_seen_otherwise(story.start.start_events, seat))
    other = replace(
        story,
        start=start,
        moments=tuple(_moment_otherwise(moment, seat) for moment in story.moments),
        last_incidents=(Incident(what="slow", seat=0),),
        end=replace(story.end, seed=bytes(32), faults=({"default: illegal": 9}, story.end.faults[1], {})),
    )
    assert document_of(story, seat) == document_of(other, seat)
    assert list(score_of(story, seat, 80)) == list(score_of(other, seat, 80))
    assert document_of(story, None) != document_of(other, None)
    differ = 0
    positions = range(0, story.last + 1, 9)
    for position in positions:
        for keys in ((), ("d",)):
            one, two = (after(begin(told, position, seat), *keys) for told in (story, other))
            assert frame(one, 100, 60) == frame(two, 100, 60)
            one, two = (after(begin(told, position, None), *keys) for told in (story, other))
            differ += frame(one, 100, 60) != frame(two, 100, 60)
    assert differ == 2 * len(positions)


def test_the_changes_of_that_test_are_changes() -> None:
    game = story_of("avalon-hill", 3).game_at(30)
    other = _otherwise(game, 1)
    assert other.hands[0] != game.hands[0]
    assert squares_of(other.hands[1]) == squares_of(game.hands[1])
    assert cells_of(squares_of(other.hands[2])) == other.hands[2]


# --- keys as terminals send them ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"\x1b[C\x1b[D\x1b[A\x1b[B", ["right", "left", "up", "down"]),
        (b"\x1bOC\x1bOH\x1bOF", ["right", "home", "end"]),
        (b"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", ["home", "end"] * 3),
        (b"\x1b[5~\x1b[6~\x1b[1;5C\x1b[5;2~", ["page-up", "page-down", "right", "page-up"]),
        (b"q?:57\r\n\x7f\x08", [*"q?:57", "enter", "enter", "backspace", "backspace"]),
        (b"\x03\x1a\x0c", ["interrupt", "suspend", "redraw"]),
        ("äl\u4e00".encode(), ["l"]),
        (b"\x00\x01\xff", []),
        (b"\x1b[3~\x1b[?25h\x1b[99zx", ["x"]),
        (b"\x1b\x1b[C", ["escape", "right"]),
        (b"\x1bq", ["escape", "q"]),
        (b"\x1b[" + b"1" * 100 + b"Cq", ["right", "q"]),
    ],
)
def test_keys_by_their_bytes(sent: bytes, keys: list[str]) -> None:
    assert KeyDecoder().feed(sent) == keys
    if b"1" * 100 not in sent:
        # In pieces of a byte each, it is the same.
        decoder = KeyDecoder()
        assert [key for byte in sent for key in decoder.feed(bytes([byte]))] == keys


def test_a_lone_escape_is_a_key_when_nothing_follows() -> None:
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.is_waiting
    assert decoder.flush() == ["escape"]
    assert decoder.feed(b"\x1b[") == decoder.flush() == []
    assert not decoder.is_waiting
    assert "q" in decoder.feed(b"\x1b[" + b";" * 1000 + b"\x00q")


@pytest.mark.parametrize(
    ("first", "second", "keys"),
    [
        ("\xe0", "M", ["right"]),
        ("\x00", "I", ["page-up"]),
        ("\xe0", "?", []),
        ("\x1b", "", ["escape"]),
        ("\x03", "", ["interrupt"]),
        ("\r", "", ["enter"]),
        ("q", "", ["q"]),
        ("\u4e00", "", []),
    ],
)
def test_keys_of_a_windows_console(first: str, second: str, keys: list[str]) -> None:
    assert windows_key(first, second) == keys


class _Console:
    """A console on which keys are pressed as the clock comes to their time."""

    def __init__(self, pressed: list[tuple[float, str]]) -> None:
        self.now_s = 0.0
        self._pressed = pressed

    def kbhit(self) -> bool:
        return bool(self._pressed) and self._pressed[0][0] <= self.now_s

    def getwch(self) -> str:
        return self._pressed.pop(0)[1]

    def pause(self, seconds: float) -> None:
        assert seconds > 0
        self.now_s += seconds


def test_a_windows_console_is_asked_until_a_key_comes_or_the_time_is_over() -> None:
    console = _Console([(0.1, "\xe0"), (0.1, "K"), (9.0, "q")])
    keys = WindowsKeys(console, lambda: console.now_s, console.pause)
    assert keys.read(None) == ["left"]
    before = console.now_s
    assert keys.read(0.2) == []
    assert console.now_s == pytest.approx(before + 0.2)
    before = console.now_s
    assert keys.read(None) == []
    assert console.now_s == pytest.approx(before + WAIT_MAX_S)
    console.now_s = 9.0
    assert keys.read(0) == ["q"]


# --- the loop -----------------------------------------------------------------------------------------------


class _Stage:
    """A terminal with a script: keys, or seconds that go by, or a new size."""

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


def test_a_key_restarts_the_time_that_a_decision_stays(player: Player) -> None:
    stage = _Stage([" ", 0.9, "right", 0.9, "q"])
    assert stage.play(player).position == 1


def test_only_what_changed_is_drawn(player: Player) -> None:
    stage = _Stage(["x", "right", "left", "home", "redraw", (100, 30), 5.0, "q"])
    stage.play(player)
    cleared = [drawing.startswith("\x1b[2J") for drawing in stage.drawings]
    # The beginning; right; left; the message of none; redraw; the new size.
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
