"""Runs a player on a terminal: draws its frames, and gives it keys and ticks until the user leaves."""

import io
import time
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from mergemaker_tools.replaying.frame import frame, settled
from mergemaker_tools.replaying.knowledge import Knower
from mergemaker_tools.replaying.player import Page, Player, begin, press, tick
from mergemaker_tools.replaying.screens import screen_taken
from mergemaker_tools.replaying.story import Story
from mergemaker_tools.replaying.terminal import Keys, size_of_terminal, spelled
from mergemaker_tools.screen import write


def perform(story: Story, at: int | None, knower: Knower) -> None:
    """Shows a story on the terminal until the user leaves: from its beginning, or a decision as it was asked."""
    player = begin(story, 0, knower) if at is None else begin(story, at, knower, Page.ASKED)
    with screen_taken() as keys:
        Theatre(keys, size_of_terminal, write, time.monotonic).run(player)


class Theatre:
    """The loop. All its I/O is given as parameters."""

    def __init__(
        self,
        keys: Keys,
        size: Callable[[], tuple[int, int]],
        draw: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._keys = keys
        self._size = size
        self._draw = draw
        self._clock = clock
        self._drawn: tuple[Text | None, tuple[int, int]] = (None, (0, 0))

    def run(self, player: Player) -> Player:
        """Runs until the user leaves; returns the final player."""
        shown_since = self._clock()
        while not player.leaving:
            before = player = settled(player, *self._size())
            self._show(player)
            wait_s = None if player.wait_s is None else max(shown_since + player.wait_s - self._clock(), 0)
            for key in self._keys.read(wait_s):
                if key == "suspend":
                    self._keys.suspend()
                if key in ("suspend", "redraw"):
                    self._drawn = (None, (0, 0))
                player = press(player, key)
            now = self._clock()
            if player.wait_s is not None and before.playing and now >= shown_since + player.wait_s:
                player = tick(player)
            if player.position != before.position or player.playing != before.playing:
                shown_since = now
        return player

    def _show(self, player: Player) -> None:
        """Draws what changed, if anything did."""
        size = self._size()
        text = frame(player, *size)
        if (text, size) != self._drawn or self._drawn[0] is None or text.spans != self._drawn[0].spans:
            begin_anew = "\x1b[2J" if self._drawn[1] != size else ""
            self._draw(begin_anew + spelled(escapes(text, *size)))
            self._drawn = (text, size)


def escapes(text: Text, width: int, height: int) -> str:
    """A frame as text and escape sequences: each line at its place, in colour if there is any."""
    console = Console(
        file=io.StringIO(),
        width=max(width, 1),
        height=max(height, 1),
        force_terminal=True,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    parts: list[str] = []
    for number, line in enumerate(text.split("\n", allow_blank=True)[:height], 1):
        with console.capture() as captured:
            console.print(line, end="", no_wrap=True, overflow="crop", crop=False)
        # The line is cleared before it is written: clearing after a full line would remove its last character.
        parts.append(f"\x1b[{number};1H\x1b[K{captured.get()}\x1b[0m")
    return "".join(parts)
