"""The keys of the full-screen view: what each one does, and how terminals send them."""

import pytest
from mergemaker_testkit.watched_replay import after, rows_of, story_of
from mergemaker_tools.replaying.keys import KeyDecoder, windows_key
from mergemaker_tools.replaying.player import PACES_S, Player, begin, press, tick
from mergemaker_tools.replaying.windows_terminal import WAIT_MAX_S, WindowsKeys

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


def test_stepping_by_turns_stops_at_first_decisions(player: Player) -> None:
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


def test_what_a_key_cannot_do_is_shown_until_the_next_key(player: Player) -> None:
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


def test_a_key_backwards_pauses_as_space_does(player: Player) -> None:
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


def test_what_a_seat_knew_nothing_of_is_skipped() -> None:
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
        # Byte by byte, it is the same.
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
    """A console whose keys are pressed when the clock reaches their times."""

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


def test_a_windows_console_is_asked_until_a_key_comes_or_time_is_up() -> None:
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
