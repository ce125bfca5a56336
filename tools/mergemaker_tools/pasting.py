"""Command lines that people are shown so that they can paste them into a shell."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def command_text(words: Sequence[str]) -> str:
    """A command line as this system's shells take it; no word leaves its line or gives a terminal orders."""
    return subprocess.list2cmdline(words) if os.name == "nt" else " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """A word for a POSIX shell."""
    if word.isprintable():
        return shlex.quote(word)
    return "$'" + "".join(map(_in_dollar_quotes, word)) + "'"


def _in_dollar_quotes(letter: str) -> str:
    if letter.isprintable():
        return f"\\{letter}" if letter in "\\'" else letter
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(letter))
