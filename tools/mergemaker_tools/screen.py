"""What a command writes: text for people, one JSON document for programs. `tables` has what needs rich, which is slow to import.

All standard output passes through `write`, which handles a closed pipe and a full disk in one place.
"""

import json
import os
import sys
from collections.abc import Iterable
from typing import Final

from mergemaker_processes.texts import harmless

from mergemaker_tools.problems import CommandFailed

_KEPT: Final = "\n\t"
"""Control characters that lines keep."""


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
    """Writes a message to standard error, if there is one. It may contain others' texts, so it is made harmless for terminals."""
    if sys.stderr is not None:
        print(harmless(message, _KEPT), file=sys.stderr)


def _silence_standard_output() -> None:
    """Discards the rest of standard output; otherwise Python would try again when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write_document(document: object) -> None:
    """Writes the one JSON document of a command with `--json`."""
    write(json.dumps(document, indent=2) + "\n")


def show_line(line: str) -> None:
    """Shows a line that must not be wrapped, such as a command to copy, made harmless for terminals."""
    write(harmless(line, _KEPT) + "\n")


def show_notes(command: str, notes: Iterable[str]) -> None:
    """Writes notes to standard error: what a command allows, but its user may not have intended."""
    for note in notes:
        complain(f"mergemaker {command}: note: {note}")
