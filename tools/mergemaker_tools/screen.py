"""What a command writes: tables and text for people, one JSON document for programs, progress on a terminal.

Everything for standard output passes through `write`: a closed pipe and a full disk are met in one place.
"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from mergemaker_tools.problems import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType
    from rich.table import Table

_KEPT: Final = "\n\t"
"""What lines have besides letters."""


def write(text: str) -> None:
    """Writes text to standard output, at once."""
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        _silence_standard_output()
        raise
    except OSError as error:
        _silence_standard_output()
        raise CommandFailed(f"standard output takes no more ({error.strerror}): make room or send it elsewhere") from error


def complain(message: str) -> None:
    """Writes a message to standard error, if there is one. It may hold what others wrote, so it gives a terminal no orders."""
    if sys.stderr is not None:
        print(harmless(message, _KEPT), file=sys.stderr)


def harmless(text: str, kept: str = "") -> str:
    """A text that anybody may have written: what a terminal would obey, or hide, is spelled out. `kept` stays as it is."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in kept else ascii(letter)[1:-1] for letter in text)


def _silence_standard_output() -> None:
    """Leads the rest of standard output nowhere; otherwise Python would try again when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write_document(document: object) -> None:
    """Writes the one JSON document of a command with `--json`."""
    write(json.dumps(document, indent=2) + "\n")


def show(*parts: RenderableType) -> None:
    """Shows tables and texts to people, a line between them.

    They are in colour on a terminal that has it, and as wide as there is room. Their texts give a terminal no orders.
    """
    from rich.console import Console  # noqa: PLC0415 - rich is slow to import, and JSON needs none of it
    from rich.segment import Segment, Segments  # noqa: PLC0415 - as above

    # On a page of our own, because rich has its own ways with a file that takes no more.
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
    """Whether standard output is a terminal that can take back what it shows."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    from rich.console import Console  # noqa: PLC0415 - as in `show`

    return not Console(file=sys.stdout).is_dumb_terminal


def show_line(line: str) -> None:
    """Shows a line that must stay one, however long, such as a command to be copied. It gives a terminal no orders."""
    write(harmless(line, _KEPT) + "\n")


def table(title: str | None = None) -> Table:
    """An empty table in this command's look: columns are lined up, and a rule is under the heads."""
    from rich import box  # noqa: PLC0415 - as in `show`
    from rich.table import Table  # noqa: PLC0415 - as in `show`

    return Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Gives a function that is told how many are done; standard error shows it if that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _show_nothing
        return
    from rich.console import Console  # noqa: PLC0415 - as in `show`
    from rich.progress import (  # noqa: PLC0415 - as in `show`
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if console.is_dumb_terminal:  # it cannot take back what it shows
        yield _show_nothing
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # What is written beside it goes where it is meant to go, and on a terminal above the bar.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as shown:
        task = shown.add_task(what, total=total)
        yield lambda done: shown.update(task, completed=done)


def _show_nothing(_done: int) -> None:
    """Progress where nobody watches."""
