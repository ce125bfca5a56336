"""What the view needs of a terminal, and the escape sequences that all terminals share."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, Protocol

from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.screen import write

# A screen of its own, no cursor, no wrapping at the right edge; and all of it back.
ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
LEAVE: Final = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
USUAL_SIZE: Final = (80, 24)
"""For a terminal that does not report its own."""
_CANNOT_DRAW: Final = frozenset({"", "dumb", "unknown"})
# For encodings without these characters; each is replaced by one, so that columns stay in line.
_PLAINER: Final = str.maketrans("·→…←↑↓", "->~<^v")


class Keys(Protocol):
    """A source of keys."""

    def read(self, wait_s: float | None) -> list[str]:
        """The next keys; none if the time is over, or perhaps if the size has changed."""

    def suspend(self) -> None:
        """Gives the terminal back until the shell continues the process."""


def check_terminal(instead: str) -> None:
    """Refuses to begin where single keys cannot be read or a screen cannot be drawn; `instead` says what to do."""
    term = os.environ.get("TERM", "")
    lacking = ""
    if sys.stdin is None or not sys.stdin.isatty():
        lacking = "standard input is no terminal"
    elif sys.stdout is None or not sys.stdout.isatty():
        lacking = "standard output is no terminal"
    elif os.name == "posix" and term in _CANNOT_DRAW:
        lacking = f"on a terminal of kind {term!r} (TERM) nothing can be drawn"
    if lacking:
        raise WrongUse(f"the full-screen view needs a terminal with single keys, and {lacking}:\n{instead}.")


@contextmanager
def drawn_on() -> Iterator[None]:
    """A screen of its own while the block runs."""
    try:
        write(ENTER)
        yield
    finally:
        # A closed terminal needs no restoring.
        with suppress(BrokenPipeError, CommandFailed):
            write(LEAVE)


def size_of_terminal() -> tuple[int, int]:
    """Columns and lines."""
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return USUAL_SIZE
    return (size.columns, size.lines) if size.columns and size.lines else USUAL_SIZE


def spelled(text: str) -> str:
    """A text in the characters of standard output's encoding."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAINER)
    return text
