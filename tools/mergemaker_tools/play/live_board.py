"""A running match on the terminal: a board that changes in place, at a pace that can be followed.

Each step is shown and held before any bot receives it, so the pace is charged to no bot. After the match the last board
stays, and the standings come below it.
"""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import trio
from mergemaker_processes.texts import harmless
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_table.outputs import Ask, Output, Publish
from rich.console import Console
from rich.live import Live
from rich.text import Text

from mergemaker_tools.narration import Narrator
from mergemaker_tools.play.audience import Audience
from mergemaker_tools.play.keyboard import Keyboard, NoKeyboard, keyboard
from mergemaker_tools.play.live_frame import Scene, frame
from mergemaker_tools.play.pace import Pace, pressed
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.play.standings import show_standings

DRAW_S: Final = 0.05
"""The least time between two drawings: nobody can follow more while it runs to the end."""
LOOK_S: Final = 0.5
"""And the longest: the time that a seat thinks is shown."""
CLOCKS_KEY: Final = "c"
LINES_KEPT: Final = 6
"""How many lines of events are kept: no screen has room for more."""


class LiveBoard(Audience):
    """Shows one match while it is played."""

    def __init__(self, plan: MatchPlan, stay_s: float) -> None:
        super().__init__()
        self._plan: Final = plan
        self._pace = Pace(stay_s)
        self._match: HostedMatch | None = None
        self._narrator: Final = Narrator(plan.rules)
        self._happened: list[str] = []
        self._joined = [False] * plan.seats
        self._banks: list[int | None] = [plan.clock.bank_ms if plan.clock.allowance_ms is not None else None] * plan.seats
        self._asked: tuple[int, float] | None = None
        """The asked seat, and since when."""
        self._waits: trio.Event | None = None
        """Set when the match may go on."""
        self._since = 0.0
        """When the match went on last."""
        self._drawn = 0.0
        self._is_stale = True
        """Whether something happened since the last drawing."""
        self._is_over = False
        self._changed = trio.Event()
        self._drawing: trio.Nursery | None = None
        """What draws and takes keys; None while a debugger has the terminal."""
        self._is_off = trio.Event()
        self._is_back = trio.Event()
        self._with_keys = False
        self._shows_clocks = False
        console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
        self._console: Final = console
        self._live: Final = Live(console=console, auto_refresh=False, vertical_overflow="crop", redirect_stderr=True)

    # --- what it hears ---

    def begin(self, match: HostedMatch) -> None:
        """Sets the pace of a match."""
        self._match = match
        match.pace = self._waited_for
        self._wake()

    def hear(self, match: HostedMatch, outputs: Sequence[Output]) -> None:
        """Notes what happened."""
        self._joined = list(match.table.connected)
        self._asked = None
        for output in outputs:
            if type(output) is Publish:
                self._happened = [*self._happened, *self._narrator.hear(output.events)][-LINES_KEPT:]
            elif type(output) is Ask:
                self._banks[output.seat] = output.request.bank_ms
                self._asked = (output.seat, trio.current_time())
        self._wake()

    def end(self, report: GameReport) -> None:
        """Leaves the last board where it is, and shows the standings below."""
        self._is_over = True
        self._draw()
        self._match = None  # so that nothing is drawn any more
        self._live.stop()
        show_standings(report)

    def note(self, text: str) -> None:
        """Shows something above the board."""
        self._console.print(Text(harmless(text, "\n")), soft_wrap=True)  # so that lines can be copied

    # --- the pace ---

    def _waited_for(self, _match: HostedMatch, outputs: Sequence[Output]) -> trio.Event | None:
        """Holds the match before the step is sent to anybody."""
        if self._pace.to_the_end or not any(type(output) is Publish for output in outputs):
            return None
        self._waits = trio.Event()
        self._wake()
        return self._waits

    def _wake(self) -> None:
        self._is_stale = True
        self._changed.set()

    async def look_on(self) -> None:
        """Draws, lets the match go on, and takes keys; makes room for debuggers."""
        while True:
            with keyboard() as keys:
                self._with_keys = not isinstance(keys, NoKeyboard)
                with self._live:
                    async with trio.open_nursery() as self._drawing:
                        self._drawing.start_soon(self._take_keys, keys)
                        while True:
                            await self._step()
            # Only `lent` cancels that nursery by itself.
            self._drawing = None
            back = self._is_back
            self._is_off.set()
            await back.wait()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Stops drawing while a debugger has the terminal."""
        async with self._lending:
            self._is_off, self._is_back = trio.Event(), trio.Event()
            if self._drawing is not None:
                self._drawing.cancel_scope.cancel()
                await self._is_off.wait()
            try:
                yield
            finally:
                self._is_back.set()

    async def _step(self) -> None:
        """Draws what is new, lets the match continue if it is time, and waits for the next of both."""
        now = trio.current_time()
        if now - self._drawn >= (DRAW_S if self._is_stale else LOOK_S):
            self._drawn = now
            self._is_stale = False
            self._draw()
        due = self._pace.due_s
        if self._waits is not None and due is not None and now - self._since >= due:
            self._since = now
            self._waits.set()
            self._waits = None
        waits = [self._drawn + (DRAW_S if self._is_stale else LOOK_S) - now]
        if self._waits is not None and due is not None:
            waits.append(self._since + due - now)
        with trio.move_on_after(max(min(waits), 0)):
            await self._changed.wait()
        self._changed = trio.Event()

    async def _take_keys(self, keys: Keyboard) -> None:
        while True:
            for key in await keys.read():
                self._pace = pressed(self._pace, key)
                self._shows_clocks ^= key == CLOCKS_KEY
            self._wake()

    def _draw(self) -> None:
        match = self._match
        if match is None:
            return
        shown = match.table.public_snapshot()
        scene = Scene(
            rules=self._plan.rules,
            bots=self._plan.names,
            view=shown.view if shown else None,
            joined=self._joined,
            thinking=self._asked[0] if self._asked else None,
            thinks_s=trio.current_time() - self._asked[1] if self._asked else 0.0,
            banks_ms=self._banks,
            happened=self._happened,
            pace=self._pace.in_words,
            is_over=self._is_over,
            with_keys=self._with_keys,
            shows_clocks=self._shows_clocks,
        )
        width, height = self._console.size
        # The terminal's last line is where the cursor stands.
        self._live.update(frame(scene, width, height - 1), refresh=True)
