"""The audience of games. The base class shows nothing but what people must know."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import trio
from mergemaker_referee.beside import Beside, nothing_beside
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_table.outputs import Output, Publish

from mergemaker_tools.narration import Narrator
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.play.standings import show_board, show_standings
from mergemaker_tools.screen import complain, show_line


class Audience:
    """Hears of all games. Subclasses override what they need."""

    def __init__(self) -> None:
        self._lending: Final = trio.Lock()
        """One debugger at a time has the terminal."""

    def beside(self, settings: Settings) -> Beside:  # noqa: ARG002 - for those who serve something
        """What runs beside the games' referee."""
        return nothing_beside

    async def linger(self) -> None:
        """Runs after the last game, until it is cancelled."""

    async def look_on(self) -> None:
        """Runs beside the games, until it is cancelled."""

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Keeps off the terminal while a debugger has it."""
        async with self._lending:
            yield

    def begin(self, match: HostedMatch) -> None:
        """A game was made; its bots have not come yet."""

    def hear(self, match: HostedMatch, outputs: Sequence[Output]) -> None:
        """Something happened in a game; its lines are written, and not sent to anybody yet."""

    def end(self, report: GameReport) -> None:
        """A game is over."""

    def note(self, text: str) -> None:
        """Shows people what they should know at once."""
        complain(text)


class Counter(Audience):
    """Counts the games that are over."""

    def __init__(self, done: Callable[[int], None]) -> None:
        super().__init__()
        self._done: Final = done
        self._over = 0

    def end(self, report: GameReport) -> None:  # noqa: ARG002 - the base class's
        """Reports how many are over."""
        self._over += 1
        self._done(self._over)


class Teller(Audience):
    """Shows how each game ended; with `verbose` also what happened in each turn."""

    def __init__(self, plan: MatchPlan, *, verbose: bool, with_board: bool) -> None:
        super().__init__()
        self._plan: Final = plan
        self._verbose: Final = verbose
        self._with_board: Final = with_board
        self._narrators: Final[dict[str, Narrator]] = {}
        """By match."""

    def begin(self, match: HostedMatch) -> None:
        """Prepares to describe a game."""
        if self._verbose:
            self._narrators[match.id] = Narrator(self._plan.rules)

    def hear(self, match: HostedMatch, outputs: Sequence[Output]) -> None:
        """Tells what happened, turn by turn."""
        if self._verbose:
            for output in outputs:
                if type(output) is Publish:
                    for line in self._narrators[match.id].hear(output.events):
                        show_line(line)

    def end(self, report: GameReport) -> None:
        """Shows the last board, and the standings."""
        if self._plan.games > 1:
            show_line(f"game {report.number}:")
        if self._with_board:
            show_board(self._plan, report)
        show_standings(report, for_person=self._plan.has_human)
