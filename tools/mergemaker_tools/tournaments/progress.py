"""Shows how a tournament goes: matches, rate, time left, present standings. On a terminal in place, otherwise in lines."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from mergemaker_tools.screen import complain, show_line
from mergemaker_tools.tables import show, table
from mergemaker_tools.tournaments.page import bot_label, host_name, interval_text
from mergemaker_tools.tournaments.playing import TournamentRun

REDRAWN_S: Final = 1.0
"""How often the picture on a terminal changes, at most. Ratings take time to compute."""
TOLD_S: Final = 30.0
"""How often a line is written where there is no terminal."""
ROWS_MAX: Final = 16
"""How many bots the present standings show."""
BAR_CHARACTERS: Final = 60
LEADERS: Final = 3
"""How many bots a line names."""

RatingsOf: TypeAlias = Callable[[TournamentRun], Sequence[Mapping[str, Any]]]


class ProgressLines:
    """A line from time to time, on standard error."""

    def __init__(self, ratings_of: RatingsOf, now_s: Callable[[], float] = time.monotonic) -> None:
        self._ratings_of: Final = ratings_of
        self._now_s: Final = now_s
        self._told_s = now_s()

    def played(self, run: TournamentRun) -> None:
        """A block was played."""
        if self._now_s() - self._told_s >= TOLD_S:
            self._told_s = self._now_s()
            rows = self._ratings_of(run)
            leaders = ", ".join(f"{row['bot']} {interval_text(row)}" for row in rows[:LEADERS])
            complain(f"{state_text(run)}; {leaders}")

    def note(self, text: str) -> None:
        """Something that people should know."""
        complain(f"mergemaker tournament: note: {text}")


class ProgressPicture:
    """The present standings and a bar, redrawn in place."""

    def __init__(self, live: Live, ratings_of: RatingsOf, now_s: Callable[[], float] = time.monotonic) -> None:
        self._live: Final = live
        self._ratings_of: Final = ratings_of
        self._now_s: Final = now_s
        self._drawn_s = now_s() - REDRAWN_S

    def played(self, run: TournamentRun) -> None:
        """A block was played."""
        if self._now_s() - self._drawn_s < REDRAWN_S:
            return
        left, counted = run.left(), run.results.counted
        bar = ProgressBar(
            total=None if left is None else counted + left, completed=counted, pulse=left is None, width=BAR_CHARACTERS
        )
        self._live.update(Group(ratings_table(self._ratings_of(run), ROWS_MAX), Text(state_text(run)), bar), refresh=True)
        self._drawn_s = self._now_s()

    def note(self, text: str) -> None:
        """Something that people should know."""
        self._live.console.print(f"note: {text}", markup=False, highlight=False)


@contextmanager
def watching(ratings_of: RatingsOf, *, quiet: bool) -> Iterator[ProgressLines | ProgressPicture]:
    """What shows the progress here."""
    console = Console(stderr=True)
    if quiet or not sys.stderr.isatty() or console.is_dumb_terminal:
        yield ProgressLines(ratings_of)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield ProgressPicture(live, ratings_of)


def state_text(run: TournamentRun) -> str:
    """How much was played, how fast, and how long it will take."""
    left, counted = run.left(), run.results.counted
    text = f"{counted:,} matches" if left is None else f"{counted:,} of {counted + left:,} matches"
    if run.played_now and run.seconds > 0:
        rate = run.played_now / run.seconds
        text += f", {rate:.1f} a second"
        if left:
            text += f", {duration_text(left / rate)} left"
    return text


def duration_text(seconds: float) -> str:
    """A time that people can read: `45 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def show_hosts(hosts: Sequence[Mapping[str, Any]]) -> None:
    """The ratings of each host's blocks, for a terminal."""
    for row in hosts:
        speed = "" if row["speed"] is None else f", {row['speed']:,} games of random players a second of one processor"
        took = "" if row["decision_ms"] is None else f", {row['decision_ms']:.1f} ms a decision"
        show_line(f"{host_name(row)}: {row['blocks']:,} blocks{speed}{took}")
        show(ratings_table(row["ratings"]))


def ratings_table(rows: Sequence[Mapping[str, Any]], rows_max: int | None = None) -> Any:  # noqa: ANN401 - a table of rich
    """The ratings, for a terminal."""
    many = len({row["group"] for row in rows}) > 1
    shown = table()
    shown.add_column("bot", overflow="ellipsis", no_wrap=True, max_width=20)
    if many:
        shown.add_column("group", justify="right")
    for head in ("rating", "matches", "score", "wins", "gave up"):
        shown.add_column(head, justify="right", no_wrap=True)
    for row in rows[:rows_max]:
        shown.add_row(
            bot_label(row, rows),
            *([str(row["group"])] if many else []),
            interval_text(row),
            f"{row['matches']:,}",
            f"{100 * row['score']:.1f}",
            f"{row['wins']:,}",
            f"{row['given_up'] or '-'}",
        )
    return shown
