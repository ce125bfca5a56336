"""The bots of a tournament: from words and from a folder, each with a name and with what tells its versions apart."""

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mergemaker_engine.near_names import nearest_names
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, CommandBot, HumanPlayer, ModuleBot, RemoteBot, ScriptBot
from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.play.modules import factory_in
from mergemaker_tools.play.planning import spec_of
from mergemaker_tools.problems import WrongUse

BOTS_MAX: Final = 1_000
NAME_CHARACTERS_MAX: Final = 40
HASH_DIGITS: Final = 12
"""Of a bot's hash: how much is shown as its version."""
FILES_MAX: Final = 5_000
"""The most files of one project that are hashed."""
_NAMED: Final = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)=(?P<word>.+)", re.DOTALL)
_NAME: Final = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._:=,+-]{{0,{NAME_CHARACTERS_MAX - 1}}}")
_BUILT: Final = frozenset({"node_modules", "target", "build", "dist", "__pycache__", "venv"})
"""Folders of a project that tools make; their contents follow from the rest."""
_TEXTS: Final = frozenset({".md", ".txt", ".toml", ".json", ".html", ".csv", ".log", ".png", ".svg"})
"""Files beside bots that are no bots."""


@dataclass(frozen=True, slots=True)
class TournamentBot:
    """A bot that takes part."""

    name: str
    word: str
    """As it was given."""
    shown: str
    """The same, without the folder of the bots."""
    spec: BotSpec
    sha256: str
    """Of its files, or of what is known of it."""
    given: int | None = None
    """Which of the words it was, from 0; None for one of the folder."""

    @property
    def version(self) -> str:
        """What tells it from the same bot with other files."""
        return self.sha256[:HASH_DIGITS]

    @property
    def is_process(self) -> bool:
        """Whether it is started as a process that may think on a processor of its own."""
        return not isinstance(self.spec, BuiltInBot | ModuleBot)


def bots_from(folder: Path | None, words: Sequence[str]) -> tuple[tuple[TournamentBot, ...], tuple[str, ...]]:
    """All bots, in the order of their names, and notes on what was found."""
    found, notes = ([], []) if folder is None else _in_folder(folder)
    found += [replace(_bot(*_name_and_word(word)), given=number) for number, word in enumerate(words)]
    if not found:
        raise WrongUse("there are no bots: name a folder with --bots FOLDER, or bots with --bot BOT")
    if len(found) > BOTS_MAX:
        raise WrongUse(f"a tournament has at most {BOTS_MAX:,} bots, not {len(found):,}")
    _check_names(found)
    return tuple(sorted(found, key=lambda bot: bot.name)), (*notes, *_same_bots(found))


def _name_and_word(word: str) -> tuple[str | None, str]:
    named = _NAMED.fullmatch(word)
    return (named["name"], named["word"]) if named else (None, word)


def _bot(name: str | None, word: str, shown: str | None = None) -> TournamentBot:
    spec = spec_of(word)
    if isinstance(spec, HumanPlayer | RemoteBot):
        raise WrongUse(f"the bot {word}: a tournament starts its bots itself, so it takes neither remote nor human")
    usual = spec.word if isinstance(spec, BuiltInBot) else spec.name
    called = name if name is not None else usual
    if not _NAME.fullmatch(called):
        text = f"a bot's name has 1 to {NAME_CHARACTERS_MAX} of letters, digits and ._:=,+-, not {shown_path(called)!r}"
        raise WrongUse(f"{text}: give it one, as in --bot NAME={shlex.quote(word)}")
    try:
        return TournamentBot(called, word, word if shown is None else shown, spec, hash_of(spec))
    except OSError as error:
        raise WrongUse(f"the bot {word}: {shown_path(error.filename or word)} cannot be read: {reason_of(error)}") from error


def _check_names(bots: Sequence[TournamentBot]) -> None:
    by_name: dict[str, TournamentBot] = {}
    for bot in bots:
        other = by_name.setdefault(bot.name, bot)
        if other is not bot:
            raise WrongUse(
                f"two bots are called {bot.name}: {shown_path(other.word)} and {shown_path(bot.word)}; "
                "rename one, or give it another name with --bot NAME=BOT"
            )


def _same_bots(bots: Sequence[TournamentBot]) -> list[str]:
    by_hash: dict[str, list[str]] = {}
    for bot in bots:
        by_hash.setdefault(bot.sha256, []).append(bot.name)
    same = [sorted(names) for names in by_hash.values() if len(names) > 1]
    return [f"{', '.join(names[:-1])} and {names[-1]} are one and the same bot" for names in same]


# --- a folder -----------------------------------------------------------------------------------------------------------


def _in_folder(folder: Path) -> tuple[list[TournamentBot], list[str]]:
    """The bots in a folder, and notes on what else is in it."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise WrongUse(f"the folder of the bots, {shown_path(folder)}, cannot be read: {reason_of(error)}") from error
    bots, notes = [], []
    for entry in entries:
        if entry.name.startswith((".", "_")) or entry.name in _BUILT:
            continue
        word = _word_for(entry)
        if word is not None:
            bots.append(_bot(entry.stem if entry.is_file() else entry.name, word, entry.name))
        elif entry.suffix not in _TEXTS:
            notes.append(f"{shown_path(entry)} is no bot: {_why_not(entry)}")
    if not bots:
        raise WrongUse(
            f"there is no bot in {shown_path(folder)}: a bot is a project of `mergemaker new` (a folder with `run`), "
            "a Python file, or a program"
        )
    return bots, notes


def _word_for(entry: Path) -> str | None:
    """The word of a bot in a folder; None for what is no bot."""
    if entry.is_dir():
        run, script = entry / "run", entry / "bot.py"
        if _is_program(run):
            return shlex.quote(str(run.absolute()))
        return str(script) if script.is_file() else None
    if entry.suffix == ".py":
        return str(entry)
    return shlex.quote(str(entry.absolute())) if _is_program(entry) else None


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _why_not(entry: Path) -> str:
    if entry.is_dir():
        return "it has neither a program `run` nor a file `bot.py`"
    return "it is not executable: `chmod +x` makes it so"


# --- hashes -------------------------------------------------------------------------------------------------------------


def hash_of(spec: BotSpec) -> str:
    """SHA-256 of all that is known to make the bot what it is."""
    digest = hashlib.sha256()
    match spec:
        case BuiltInBot():
            digest.update(f"built-in {spec.word}".encode())
        case ModuleBot():
            factory_in(spec)
            file = getattr(sys.modules[spec.module], "__file__", None)
            digest.update(f"module {spec.attribute}\n".encode())
            digest.update(Path(file).read_bytes() if file else b"")
        case ScriptBot():
            digest.update(spec.path.read_bytes())
        case CommandBot():
            for argument in spec.arguments:
                path = Path(argument)
                for name, content in _files_of(path) if path.is_file() else [(argument, b"")]:
                    digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
        case _:
            raise AssertionError(f"a {type(spec).__name__} takes no part")
    return digest.hexdigest()


def _files_of(program: Path) -> Iterator[tuple[str, bytes]]:
    """A program's file; for `run`, which starts a project, all files of the project that its author wrote."""
    if program.name != "run":
        yield program.name, program.read_bytes()
        return
    project = program.absolute().parent
    count = 0
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(name for name in folders if name not in _BUILT and not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                path = Path(folder, name)
                count += 1
                if count > FILES_MAX:
                    raise WrongUse(f"{shown_path(project)} has more than {FILES_MAX:,} files: move what is no source elsewhere")
                yield path.relative_to(project).as_posix(), path.read_bytes()


def named_bots(names: Sequence[str], bots: Sequence[TournamentBot], what: str) -> tuple[str, ...]:
    """These names, which must be those of bots."""
    known = [bot.name for bot in bots]
    for name in names:
        if name not in known:
            raise WrongUse(f"{what}: there is no bot {name!r}{nearest_names(name, known)}\nThe bots are {', '.join(known)}.")
    return tuple(names)
