"""Which bot a word of the command line means.

The rules, in this order; the first that fits counts:

1. `remote` waits for a bot that is started by hand; `human` is a person at the terminal.
2. The name of a built-in bot, alone or with options after a colon: `random`, `planner:playouts=200`.
3. A word that ends in `.py` and has no blank, or is the path of a file: a script, run by the command's own Python.
4. Names with dots, a colon and a name, as in `my_bots.clever:Bot`: a class or function in that module, in the same process.
5. Anything else is a command line, split as a shell splits it, but nothing in it is expanded; its first word is a program,
   by its path or on the PATH. `"./my bot --fast"` has the program `./my`; `"'./my bot' --fast"` has `./my bot`.

A program or module with the name of a built-in bot is therefore named by its path.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_engine.near_names import nearest_names

from mergemaker_processes.problems import WrongUse
from mergemaker_processes.texts import shown_path

REMOTE: Final = "remote"
HUMAN: Final = "human"
RUN: Final = "run"
"""What many bots call their program, so it does not tell bots apart."""
WORD_CHARACTERS_MAX: Final = 4_096
_MODULE_AND_NAME: Final = re.compile(r"((?!\d)\w+(?:\.(?!\d)\w+)*):((?!\d)\w+)")
_BLANK: Final = re.compile(r"\s")


class BotNameProblem(WrongUse):
    """A word does not name an available bot."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason: Final = reason


@dataclass(frozen=True, slots=True)
class BuiltInBot:
    """A bot that comes with the command, with options as they were written."""

    name: str
    options: str = ""

    @property
    def word(self) -> str:
        """Name and options, as they are written."""
        return f"{self.name}:{self.options}" if self.options else self.name


@dataclass(frozen=True, slots=True)
class ScriptBot:
    """A Python file, run by the command's own interpreter in a process."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem

    @property
    def arguments(self) -> tuple[str, ...]:
        """What starts it."""
        return sys.executable, str(self.path)


@dataclass(frozen=True, slots=True)
class CommandBot:
    """A program and its arguments; the program has been found."""

    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """The program's name without its suffix; for `run`, the usual name in a bot's project, the name of its folder."""
        program = Path(self.arguments[0])
        return program.absolute().parent.name or RUN if program.stem == RUN else program.stem


@dataclass(frozen=True, slots=True)
class ModuleBot:
    """A class or function of a module that is imported into this process: it is trusted."""

    module: str
    attribute: str

    @property
    def name(self) -> str:
        """The name of the class or function."""
        return self.attribute


@dataclass(frozen=True, slots=True)
class RemoteBot:
    """A bot that is started by hand and connects."""

    name: str = REMOTE


@dataclass(frozen=True, slots=True)
class HumanPlayer:
    """A person at the terminal."""

    name: str = HUMAN


BotSpec = BuiltInBot | ScriptBot | CommandBot | ModuleBot | RemoteBot | HumanPlayer


def bot_spec(word: str, built_in: Iterable[str]) -> BotSpec:
    """The bot that a word means, by the rules of this module. An error says what is missing."""
    names = tuple(built_in)
    if not word.strip() or "\0" in word or len(word) > WORD_CHARACTERS_MAX:
        raise BotNameProblem("bot-word", f"{_shown(word)} names no bot: {_expected(names)}")
    if word == REMOTE:
        return RemoteBot()
    if word == HUMAN:
        return HumanPlayer()
    name, _, options = word.partition(":")
    if name in names:
        return BuiltInBot(name, options)
    if word.endswith(".py") and (not _BLANK.search(word) or _is_there(word)):
        return _script(word)
    if named := _MODULE_AND_NAME.fullmatch(word):
        return ModuleBot(named[1], named[2])
    return _command(word, names)


def _script(word: str) -> ScriptBot:
    path = Path(word)
    try:
        # Opened now, so that an unreadable file is reported now.
        with path.open("rb"):
            return ScriptBot(path)
    except OSError as error:
        raise BotNameProblem("bot-script", f"the bot {_shown(word)} cannot be read: {error.strerror}") from error


def _command(word: str, names: tuple[str, ...]) -> CommandBot:
    try:
        program, *arguments = split_windows(word) if os.name == "nt" else shlex.split(word)
    except ValueError as error:
        message = f"the command line {_shown(word)} cannot be split ({error}): close each quote, or put a backslash before it"
        raise BotNameProblem("bot-command-line", message) from error
    if found := shutil.which(program):
        return CommandBot((found, *arguments))
    is_path = any(separator in program for separator in (os.sep, os.altsep) if separator)
    if is_path and _is_there(program):
        what = "is a folder" if Path(program).is_dir() else "is not executable: `chmod +x` makes it so, or name what runs it"
        raise BotNameProblem("bot-not-executable", f"the bot's program {_shown(program)} {what}")
    if is_path:
        # A path with blanks is often meant to be one word.
        hint = f": quote it within the quotes, as in \"'{word}'\"" if program != word and _is_there(word) else ""
        raise BotNameProblem("bot-not-found", f"there is no program {_shown(program)}{hint}")
    near = nearest_names(word.partition(":")[0], (*names, REMOTE, HUMAN))
    raise BotNameProblem("bot-unknown", f"there is no bot and no program {_shown(program)}{near}\n{_expected(names)}")


def _is_there(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - pathlib's fails for a name that is too long


def _expected(names: tuple[str, ...]) -> str:
    kinds = "a command line in quotes, a path ending in .py, module:Class, remote or human"
    return f"A bot is one of {', '.join(names)} (with options as in name:option=value), {kinds}."


def _shown(word: str) -> str:
    text = word if len(word) <= WORD_CHARACTERS_MAX else f"{word[:WORD_CHARACTERS_MAX]}…"
    return ascii(text) if shown_path(text) != text else repr(text)


def split_windows(line: str) -> list[str]:
    """Splits a command line as programs on Windows do: a backslash is special only before a quote."""
    words: list[str] = []
    word: str | None = None
    quoted = False
    for backslashes, quote, letter in re.findall(r'(\\*)(?:(")|([^\\"])|$)', line):
        if backslashes:
            word = (word or "") + backslashes[: len(backslashes) // 2 if quote else None]
        if quote and len(backslashes) % 2:
            word = (word or "") + quote
        elif quote:
            quoted = not quoted
            word = word or ""
        elif letter and not quoted and letter in " \t":
            words += [word] if word is not None else []
            word = None
        elif letter:
            word = (word or "") + letter
    if quoted:
        raise ValueError("No closing quotation")
    return words + ([word] if word is not None else [])
