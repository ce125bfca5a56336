"""The full-screen view as a value: a story, a position, and whose knowledge is shown. A key makes the next value."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

from mergemaker_tools.replaying.knowledge import Knower, positions_for
from mergemaker_tools.replaying.story import Story

PACES_S: Final = (5.0, 3.0, 2.0, 1.0, 0.5, 0.25, 0.1)
"""How long each decision is shown while it plays, slowest first."""
USUAL_PACE: Final = 3
JUMP_DIGITS_MAX: Final = 7
_PAGE_LINES: Final = 20


class Page(StrEnum):
    """The kind of view."""

    TABLE = "table"
    """The board, the chains, the seats, and what happened."""
    ASKED = "asked"
    """The decision as it was asked: the board before it, and the legal answers."""
    DETAILS = "details"
    """Everything that happened, word for word."""
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Player:
    """The view. Only keys and the clock's ticks change it."""

    story: Story
    positions: tuple[int, ...]
    """The positions with something new to show."""
    position: int
    knower: Knower
    locked: bool
    """Whether the command line has fixed the knowledge, so that no key shows more."""
    page: Page = Page.TABLE
    playing: bool = False
    pace: int = USUAL_PACE
    typed: str | None = None
    """The digits of a decision to jump to, while they are typed."""
    message: str = ""
    """A message about the last key."""
    scrolled: int = 0
    """How many lines of the details are scrolled off the top."""
    leaving: bool = False

    @property
    def wait_s(self) -> float | None:
        """How long to wait for a key before the next tick; None for as long as it takes."""
        return PACES_S[self.pace] if self.playing else None


def begin(story: Story, position: int, knower: Knower, page: Page = Page.TABLE) -> Player:
    """The view as it opens."""
    player = Player(story, positions_for(story, knower), 0, knower, locked=knower is not None, page=page)
    return _to(player, position)


def tick(player: Player) -> Player:
    """The next decision, while it plays."""
    return _forwards(player) if player.playing else player


def press(player: Player, key: str) -> Player:
    """The value after a key; unknown keys change nothing."""
    player = replace(player, message="")
    if key == "interrupt":
        return replace(player, leaving=True)
    if player.typed is not None:
        return _type(player, player.typed, key)
    action = _KEYS.get(key)
    if player.page is Page.HELP:
        return replace(player, page=Page.TABLE)
    if player.page in (Page.ASKED, Page.DETAILS) and key in _SCROLL_KEYS:
        return replace(player, scrolled=max(player.scrolled + _SCROLL_KEYS[key], 0))
    if player.page is Page.DETAILS and action is _leave:
        return replace(player, page=Page.TABLE)
    return action(player) if action else player


def _to(player: Player, position: int) -> Player:
    """The last position at or before this one with something to show."""
    known = player.positions
    return replace(player, position=known[max(bisect_right(known, position) - 1, 0)], scrolled=0)


def _forwards(player: Player) -> Player:
    after = bisect_right(player.positions, player.position)
    if after == len(player.positions):
        return replace(player, playing=False, message="this is the end")
    return _to(player, player.positions[after])


def _backwards(player: Player) -> Player:
    before = bisect_left(player.positions, player.position)
    if before == 0:
        return replace(player, playing=False, message="this is the beginning")
    return replace(_to(player, player.positions[before - 1]), playing=False)


def _turn_forwards(player: Player) -> Player:
    turn = player.story.turn_at(player.position)
    later = [position for position in player.positions if player.story.turn_at(position) > turn]
    return _to(player, later[0]) if later else _end(player)


def _turn_backwards(player: Player) -> Player:
    """To the turn's first decision, or from there to that of the turn before."""
    story = player.story
    earlier = [position for position in player.positions if position < player.position]
    if not earlier:
        return _backwards(player)
    turn = story.turn_at(earlier[-1])
    return replace(_to(player, next(position for position in earlier if story.turn_at(position) == turn)), playing=False)


def _start(player: Player) -> Player:
    return replace(_to(player, 0), playing=False)


def _end(player: Player) -> Player:
    return replace(_to(player, player.story.last), playing=False)


def _play(player: Player) -> Player:
    if not player.playing and player.position == player.positions[-1]:
        return replace(_to(player, 0), playing=True)
    return replace(player, playing=not player.playing)


def _pace(player: Player, change: int) -> Player:
    pace = min(max(player.pace + change, 0), len(PACES_S) - 1)
    return replace(player, pace=pace, message=f"{PACES_S[pace]:g} s for each decision")


def _next_knower(player: Player) -> Player:
    if player.locked:
        return replace(player, message=f"--seat {player.knower} shows what this seat knew, and nothing else")
    story = player.story
    knower = 0 if player.knower is None else player.knower + 1
    shown: Knower = knower if knower < story.header.seats else None
    return _to(replace(player, knower=shown, positions=positions_for(story, shown)), player.position)


def _ask_number(player: Player) -> Player:
    return replace(player, typed="", playing=False)


def _type(player: Player, typed: str, key: str) -> Player:
    """A key while the number of a decision is typed."""
    if key.isascii() and key.isdigit():
        return replace(player, typed=(typed + key)[:JUMP_DIGITS_MAX])
    if key == "backspace":
        return replace(player, typed=typed[:-1] if typed else None)
    player = replace(player, typed=None)
    if key != "enter" or not typed:
        return player
    if int(typed) > player.story.last:
        return replace(player, message=f"there is no decision {int(typed)}: the last one is {player.positions[-1]}")
    player = _to(player, int(typed))
    if player.position == int(typed):
        return player
    return replace(player, message=f"seat {player.knower} knew nothing of decision {int(typed)}")


def _help(player: Player) -> Player:
    return replace(player, page=Page.HELP, playing=False)


def _turn_to(page: Page, player: Player) -> Player:
    """That page, or from there back to the board."""
    return replace(player, page=Page.TABLE if player.page is page else page, scrolled=0)


def _leave(player: Player) -> Player:
    return replace(player, leaving=True)


_KEYS: Final[Mapping[str, Callable[[Player], Player]]] = {
    **dict.fromkeys(("right", "l", "n"), _forwards),
    **dict.fromkeys(("left", "h", "p"), _backwards),
    **dict.fromkeys(("down", "page-down", "j"), _turn_forwards),
    **dict.fromkeys(("up", "page-up", "k"), _turn_backwards),
    "home": _start,
    "end": _end,
    " ": _play,
    **dict.fromkeys(("+", "="), lambda player: _pace(player, 1)),
    **dict.fromkeys(("-", "_"), lambda player: _pace(player, -1)),
    "s": _next_knower,
    **dict.fromkeys(("g", ":"), _ask_number),
    "a": partial(_turn_to, Page.ASKED),
    **dict.fromkeys(("d", "enter"), partial(_turn_to, Page.DETAILS)),
    "?": _help,
    **dict.fromkeys(("q", "escape"), _leave),
}
_SCROLL_KEYS: Final[Mapping[str, int]] = {"up": -1, "down": 1, "page-up": -_PAGE_LINES, "page-down": _PAGE_LINES}
"""By key: how many lines it scrolls, on a page that may be longer than the screen."""

HELP: Final = (
    ("right, l, n", "one decision forwards"),
    ("left, h, p", "one decision backwards"),
    ("down, PgDn, j", "one turn forwards"),
    ("up, PgUp, k", "one turn backwards"),
    ("Home, End", "the beginning, the end"),
    ("g or :, a number, Enter", "that decision"),
    ("space", "play and pause"),
    ("+ and -", "faster and slower"),
    ("s", "what a seat knew: seat 0, seat 1 and so on, all"),
    ("a", "as it was asked, with the legal answers"),
    ("d or Enter", "what happened, word for word; up and down scroll"),
    ("?", "this page"),
    ("q, Esc, Ctrl-C", "leave"),
)
