"""Texts that others wrote, such as names and paths, in what people are shown: they give a terminal no orders."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path


def harmless(text: str, kept: str = "") -> str:
    """A text that anybody may have written: what a terminal would obey, or hide, is spelled out. `kept` stays as it is."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in kept else ascii(letter)[1:-1] for letter in text)


def reason_of(error: OSError | ValueError) -> str:
    """What the system says of a file, without its number and path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def shown_path(path: Path | str) -> str:
    """A path as it is shown in a line: quoted if it has something in it that a line or a terminal would stumble over."""
    text = str(path)
    return text if text.isprintable() else ascii(text)


def command_text(words: Sequence[str]) -> str:
    """A command line as this system's shells take it; no word leaves its line or gives a terminal orders."""
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
