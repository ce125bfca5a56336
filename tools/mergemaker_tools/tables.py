"""What a command shows with rich: tables for people, and progress on a terminal."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from mergemaker_processes.texts import harmless
from rich import box
from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.table import Table

from mergemaker_tools.screen import write


def show(*parts: RenderableType) -> None:
    """Shows tables and texts to people, with an empty line between them.

    They are in colour on a terminal that has it, and as wide as there is room. Their texts are made harmless for terminals.
    """
    # Into memory first, because rich handles a full disk in its own way.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with io.TextIOWrapper(io.BytesIO(), encoding, errors="replace", newline="\n") as page:
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        console = Console(file=page, force_terminal=on_terminal or None, markup=False, emoji=False, highlight=False)
        for number, part in enumerate(parts):
            if number:
                console.print()
            laid_out = [Segment(harmless(text, "\n"), style) for text, style, _ in console.render(part)]
            console.print(Segments(laid_out), end="")
        page.seek(0)
        text = page.read()
    write("".join(line.rstrip(" ") + "\n" for line in text.splitlines()))


def can_draw() -> bool:
    """Whether standard output is a terminal that can redraw what it shows."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    return not Console(file=sys.stdout).is_dumb_terminal


def table(title: str | None = None) -> Table:
    """An empty table in this command's style: columns in line, and a rule under the heads."""
    return Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Gives a function to call with the number done; if standard error is a terminal, it shows the progress."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _show_nothing
        return
    from rich.progress import (  # noqa: PLC0415 - slow to import, and only a terminal needs it
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if console.is_dumb_terminal:  # it cannot redraw what it shows
        yield _show_nothing
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Other output goes to its own place, and on a terminal above the bar.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as shown:
        task = shown.add_task(what, total=total)
        yield lambda done: shown.update(task, completed=done)


Telling: TypeAlias = Callable[[int, int | None, str], None]
"""Takes how much is done, how much may be left (None: nobody knows), and a text that stands beside it."""


@contextmanager
def open_progress(what: str) -> Iterator[Telling]:
    """Gives a function to call while something is done whose end is not known; shows it if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _tell_nothing
        return
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415 - as above

    console = Console(stderr=True)
    if console.is_dumb_terminal:
        yield _tell_nothing
        return
    columns = (TextColumn("{task.completed:,} {task.description}"), BarColumn(20), TextColumn("{task.fields[text]}"))
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as shown:
        task = shown.add_task(what, total=None, text="")

        def tell(done: int, left: int | None, text: str) -> None:
            shown.update(task, completed=done, total=None if left is None else done + left, text=harmless(text))

        yield tell


def _show_nothing(_done: int) -> None:
    """Progress that nobody watches."""


def _tell_nothing(_done: int, _left: int | None, _text: str) -> None:
    """Likewise."""
