"""Makes texts by others, such as names and paths, safe to show: they cannot control a terminal."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path


def harmless(text: str, kept: str = "") -> str:
    """A text from anybody, with control and invisible characters spelled out. Those in `kept` stay as they are."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in kept else ascii(letter)[1:-1] for letter in text)


def reason_of(error: OSError | ValueError) -> str:
    """The system's message about a file, without number and path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def shown_path(path: Path | str) -> str:
    """A path to be shown in a line: quoted if it contains control or invisible characters."""
    text = str(path)
    return text if text.isprintable() else ascii(text)


def command_text(words: Sequence[str]) -> str:
    """A command line for this system's shells; no word breaks the line or controls a terminal."""
    if os.name != "nt":
        return " ".join(map(_quoted, words))
    import subprocess  # noqa: PLC0415 - slow to import, and help comes without it

    return subprocess.list2cmdline(words)


def _quoted(word: str) -> str:
    """A word for a POSIX shell."""
    if word.isprintable():
        return shlex.quote(word)
    return "$'" + "".join(map(_in_dollar_quotes, word)) + "'"


def _in_dollar_quotes(letter: str) -> str:
    if letter.isprintable():
        return f"\\{letter}" if letter in "\\'" else letter
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(letter))
