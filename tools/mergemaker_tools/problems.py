"""What can stop a command: each problem becomes one message on standard error and an exit status.

Any other exception is a fault of the command itself, and shows where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

DONE: Final = 0
FAILED: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""
PIPE_CLOSED: Final = 141
"""The exit status when the reader of a pipe has gone, likewise."""

_NEAREST_NAMES_MAX: Final = 3
_PART_CHARACTERS_MIN: Final = 4
"""From this length on, a part of a known name counts as like it."""


class WrongUse(Exception):
    """The command cannot serve the way it was called: the message says what was expected and what to do."""


class CommandFailed(Exception):
    """The command was understood, and what it was to do failed."""


class Interrupted(Exception):
    """Ctrl-C came in the middle of long work: the message says how far it got."""


def nearest_names(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: `; did you mean a or b?`, or nothing if none is like it."""
    import difflib  # noqa: PLC0415 - only after a mistake: it would slow every start of the command

    by_small_letters = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), by_small_letters, n=_NEAREST_NAMES_MAX)
    if len(name) >= _PART_CHARACTERS_MIN:
        close += [other for other in by_small_letters if name.lower() in other and other not in close]
    return f"; did you mean {' or '.join(by_small_letters[found] for found in close)}?" if close else ""
