"""Where a bot's output goes: two files for each bot, their names and their last lines."""

import os
import re
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from mergemaker_processes.problems import CommandFailed
from mergemaker_processes.texts import harmless, reason_of, shown_path

LOG_BYTES_MAX: Final = 16 * 1_048_576
"""How much of a bot's output each file keeps: the beginning and the end. The file says how much is left out."""
NAME_CHARACTERS_MAX: Final = 60
"""How much of a match's or a bot's name is in the name of a file."""
LAST_LINES: Final = 20
LAST_BYTES_MAX: Final = 65_536
"""How far from a log's end its last lines are searched."""
LINE_CHARACTERS_MAX: Final = 400
"""How much of a line is shown."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class LogFiles:
    """Where a bot's standard output and its standard error go."""

    out: Path
    err: Path


def new_log_files(folder: Path, match: str, seat: int, bot: str) -> LogFiles:
    """Makes two empty files, `<match>-seat<N>-<bot>.out` and `.err`, with a number after the name if they exist already."""
    stem = f"{_safe(match)}-seat{seat}-{_safe(bot)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            ending = f"-{number}" if number > 1 else ""
            files = LogFiles(folder / f"{stem}{ending}.out", folder / f"{stem}{ending}.err")
            if _made(files.out) and _made(files.err):
                return files
    except OSError as error:
        raise CommandFailed(
            f"logs of bots cannot be written in {shown_path(folder)} ({reason_of(error)}): choose another folder"
        ) from error
    raise AssertionError("there is always a next number")


def _made(path: Path) -> bool:
    """Makes the file; False if it exists, so that each file has one owner."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _safe(name: str) -> str:
    """A name as all file systems take it."""
    return _UNSAFE.sub("_", name).strip("._-")[:NAME_CHARACTERS_MAX] or "bot"


def log_lines(err: Path) -> list[str]:
    """The names of a bot's log files: standard error, and standard output if it is not empty."""
    lines = [f"its log: {shown_path(err)}"]
    out = err.with_suffix(".out")
    try:
        return [*lines, f"its output: {shown_path(out)}"] if out.stat().st_size else lines
    except OSError:
        return lines


def holds_words(path: Path, words: str) -> bool:
    """Whether a log contains these words; False for an unreadable one."""
    try:
        return words.encode() in path.read_bytes()
    except OSError:
        return False


def last_lines(path: Path, most: int = LAST_LINES) -> list[str]:
    """The last lines of a log, without anything that a terminal would obey."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LAST_BYTES_MAX))
            text = file.read(LAST_BYTES_MAX).decode("utf-8", "replace")
    except OSError as error:
        return [f"({shown_path(path)} cannot be read: {reason_of(error)})"]
    return _shown_lines(text)[-most:]


def lines_from(path: Path, words: str) -> list[str]:
    """The lines of a log from the first one with these words on, likewise; none if there is none, or the log is unreadable."""
    try:
        content = path.read_bytes()
    except OSError:
        return []
    found = content.find(words.encode())
    if found < 0:
        return []
    start = content.rfind(b"\n", 0, found) + 1
    return _shown_lines(content[start : start + LAST_BYTES_MAX].decode("utf-8", "replace"))


def _shown_lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    return [_shown(line) for line in lines]


def _shown(line: str) -> str:
    shown = harmless(line.expandtabs())
    return shown if len(shown) <= LINE_CHARACTERS_MAX else f"{shown[:LINE_CHARACTERS_MAX]}…"
