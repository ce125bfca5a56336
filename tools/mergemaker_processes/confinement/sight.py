"""What a confined bot sees of the machine's files: what programs need to run, and its own folders, all of it read-only.

A bot's own folders are those of its program, of each file that its command line names, and each folder that it names.
Without any (`npm start`), it is the current folder. `--confine-see` adds what a program needs elsewhere.
All bots see the system's programs. For a program in a `bin` folder of its own, that folder and the libraries beside it are shown.

The bot's author also made the links in its folder and the first lines of its scripts. So neither shows a folder that the bot
would not see anyway: a link that leads out of its folder is refused, and so is an interpreter that is not on the PATH.
"""

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Final

from mergemaker_processes.bot_names import BotSpec, CommandBot, ScriptBot
from mergemaker_processes.problems import WrongUse
from mergemaker_processes.texts import command_text, shown_path

SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"),
    *("/etc/alternatives", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/fonts", "/etc/ld.so.cache"),
    *("/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/pki", "/etc/ssl/certs"),
    *("/etc/ssl/openssl.cnf", "/etc/timezone"),
)
"""Runtimes and what they read, where it exists; none of it is secret."""
_SYSTEM_PATTERNS: Final = ("/etc/java*", "/etc/jvm*", "/etc/.java", "/etc/python3*", "/etc/dotnet*")
_OURS: Final = (
    *("mergemaker", "mergemaker_wire", "mergemaker_engine", "mergemaker_table", "mergemaker_client"),
    *("mergemaker_processes", "mergemaker_referee", "mergemaker_tools"),
)
_BIN: Final = "bin"
_BESIDE_BIN: Final = ("lib", "lib64", "libexec", "conf", "include", "jmods", "release", "pkg", "src", "pyvenv.cfg")
"""Where a program in a `bin` folder finds its libraries. Not `share` or `etc`: in a home folder they hold more than that."""
_MADE: Final = ("/dev", "/proc", "/sys")
_LINKS_MAX: Final = 40
"""On one path; the system has the same limit."""
_FIRST_LINE_BYTES_MAX: Final = 512


@dataclass(frozen=True, slots=True)
class Sight:
    """What one bot sees."""

    own: tuple[str, ...]
    """The bot's folders, without links in their paths."""
    shown: tuple[str, ...]
    """All files and folders that are shown, likewise, none within another."""
    links: tuple[tuple[str, str], ...]
    """Links that lead to them."""
    folder: str
    """Where its program starts."""

    def sees(self, path: Path) -> bool:
        """Whether a place is in what is shown."""
        return is_below(str(path.resolve()), self.shown)


def sight_of(spec: BotSpec, more: Sequence[Path]) -> Sight:
    """What a bot sees that is a process; `more` are folders that the user allows."""
    named, own, runtime = _places_of(spec)
    paths = [*SYSTEM, *(path for pattern in _SYSTEM_PATTERNS for path in glob(pattern)), *_python_places()]  # noqa: PTH207 - absolute patterns
    links: dict[str, str] = {}
    shown = {
        *(real for path in [*paths, *runtime, *own] if os.path.exists(real := real_path(path, links))),  # noqa: PTH110 - as text
        *(chosen := [_chosen(path, links) for path in more]),
    }
    _refuse_strays(named, [*(real_path(path, {}) for path in paths), *chosen])
    owned = tuple(sorted({real_path(path, links) for path in own}))
    for path in owned:
        _refuse_broad(path, spec)
    kept = tuple(path for path in sorted(shown) if not is_below(os.path.dirname(path), shown))  # noqa: PTH120 - as text
    return Sight(
        own=owned,
        shown=kept,
        links=tuple((path, target) for path, target in sorted(links.items()) if not is_below(path, kept)),
        folder=str(Path.cwd().resolve()),
    )


def real_path(path: str, links: dict[str, str]) -> str:
    """An absolute path without links; `links` collects those on the way."""
    parts = [part for part in reversed(path.split("/")) if part]
    real, seen = "", 0
    while parts:
        part = parts.pop()
        if part == ".":
            continue
        if part == "..":
            real = os.path.dirname(real).rstrip("/")  # noqa: PTH120 - as text
            continue
        step = f"{real}/{part}"
        if os.path.islink(step) and seen < _LINKS_MAX:  # noqa: PTH114 - as text
            seen += 1
            target = os.readlink(step)  # noqa: PTH115 - as text
            links[step] = target
            real = "" if target.startswith("/") else real
            parts += [part for part in reversed(target.split("/")) if part]
        else:
            real = step
    return real or "/"


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these, or is within one."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def _places_of(spec: BotSpec) -> tuple[list[str], list[str], list[str]]:
    """The files and folders that a bot's command line names, its own folders, and the runtimes it needs besides the system's."""
    if isinstance(spec, ScriptBot):
        path = str(Path.cwd() / spec.path)
        return [path], sorted({_folder_of(path), _folder_of(real_path(path, {}))}), []
    if not isinstance(spec, CommandBot):
        return [], [], []  # a built-in bot lies with Python's packages
    program, *words = [str(Path.cwd() / spec.arguments[0]), *spec.arguments[1:]]
    own, runtime = _program_places(program)
    named = [path for word in words for path in _named_in(word)]
    own += [folder for path in named for folder in (_folder_of(path), _folder_of(real_path(path, {})))]
    if not _is_everybodys(os.path.realpath(program)):
        named.append(program)
    return named, own or [str(Path.cwd())], runtime


def _folder_of(path: str) -> str:
    """A folder itself, and the folder of anything else."""
    return path if os.path.isdir(path) else os.path.dirname(path)  # noqa: PTH112, PTH120 - as text


def _refuse_strays(named: Sequence[str], seen: Sequence[str]) -> None:
    """Refuses links on named paths that lead out of their folder, unless the bot sees the target's folder anyway."""
    strays = {path: _strays_on(path) for path in named}
    shown = [*seen, *(_folder_of(real_path(path, {})) for path, found in strays.items() if not found)]
    for link, target in (stray for found in strays.values() for stray in found):
        folder = _folder_of(target)
        if not is_below(folder, shown):
            raise WrongUse(
                f"--confine: {shown_path(link)} is a link to {shown_path(target)}, out of the bot's own folder. The bot "
                f"would see all that is in {shown_path(folder)}: put a copy in the link's place, or allow it with "
                f"{command_text(['--confine-see', folder])}"
            )


def _strays_on(path: str) -> list[tuple[str, str]]:
    """The links on a path that lead out of their folder, each with its target."""
    links: dict[str, str] = {}
    real_path(path, links)
    targets = {link: real_path(link, {}) for link in links}
    return [(link, target) for link, target in targets.items() if not is_below(target, [os.path.dirname(link)])]  # noqa: PTH120 - as text


def _named_in(word: str) -> list[str]:
    """The files and folders that a word of a command line names, other than the system's: `a.jar:lib`, `--book=x`."""
    pieces = dict.fromkeys([word, *word.split(":"), *word.partition("=")[2].split(":")])
    found = [str(Path.cwd() / piece) for piece in pieces if piece and not piece.startswith("-")]
    return [path for path in found if os.path.exists(path) and not _is_everybodys(os.path.realpath(path))]  # noqa: PTH110 - as text


def _is_everybodys(path: str) -> bool:
    """Whether every bot sees a place, or has its own form of it."""
    return is_below(path, [*SYSTEM, *_MADE]) or path == os.path.realpath(tempfile.gettempdir())


def _program_places(path: str, *, follows: bool = True) -> tuple[list[str], list[str]]:
    """A program's own folder, unless that is a folder for programs, and what else it needs."""
    own: list[str] = []
    runtime: list[str] = []
    real = real_path(path, {})
    for place in dict.fromkeys((path, real)):
        folder = os.path.dirname(place)  # noqa: PTH120 - as text
        above = os.path.dirname(folder)  # noqa: PTH120 - as text
        if is_below(os.path.realpath(place), SYSTEM):
            continue
        if os.path.exists(f"{above}/pyvenv.cfg"):  # noqa: PTH110 - as text
            runtime.append(above)
        elif os.path.basename(folder) == _BIN:  # noqa: PTH119 - as text
            runtime += [folder, *(f"{above}/{name}" for name in _BESIDE_BIN)]
        else:
            own.append(folder)
    if follows and (interpreter := _interpreter_of(real)):
        _refuse_interpreter(interpreter, real, [*own, *runtime])
        theirs = _program_places(interpreter, follows=False)
        runtime += [*theirs[0], *theirs[1]]
    return own, runtime


def _interpreter_of(program: str) -> str | None:
    """The interpreter that a script's first line names."""
    try:
        with open(program, "rb") as file:  # noqa: PTH123 - as text
            line = file.read(_FIRST_LINE_BYTES_MAX).partition(b"\n")[0]
    except OSError:
        return None
    if not line.startswith(b"#!"):
        return None
    words = [os.fsdecode(word) for word in line[2:].split()]
    if words and os.path.basename(words[0]) == "env":  # noqa: PTH119 - as text
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return shutil.which(words[0]) if words else None


def _refuse_interpreter(interpreter: str, script: str, seen: Sequence[str]) -> None:
    """Refuses an interpreter in a folder that only the script's author names."""
    folder = os.path.dirname(interpreter)  # noqa: PTH120 - as text
    known = [*SYSTEM, *_python_places(), *seen]
    if folder not in os.get_exec_path() and not is_below(os.path.realpath(interpreter), map(os.path.realpath, known)):
        raise WrongUse(
            f"--confine: {shown_path(script)} is to be run by {shown_path(interpreter)}, in a folder that is neither "
            "the bot's own nor on the PATH: put that folder on the PATH, or have the script begin with `#!/usr/bin/env NAME`"
        )


def _python_places() -> list[str]:
    """The command's own Python with its packages, which runs scripts and built-in bots."""
    places = [sys.prefix, sys.base_prefix]
    for name in _OURS:
        spec = importlib.util.find_spec(name)
        places += spec.submodule_search_locations or [] if spec else []
    return [str(Path(place).absolute()) for place in places]


def _chosen(path: Path, links: dict[str, str]) -> str:
    """A folder or file of `--confine-see`."""
    real = real_path(str(path.absolute()), links)
    if not os.path.exists(real):  # noqa: PTH110 - as text
        raise WrongUse(f"--confine-see: there is no {shown_path(path)}")
    if real == "/":
        raise WrongUse("--confine-see: all files of the machine are too much to see: name folders")
    return real


def _refuse_broad(path: str, spec: BotSpec) -> None:
    """Refuses a folder that holds more than bots: nobody means to show a bot all of that."""
    for place in (Path.home(), Path(tempfile.gettempdir())):
        real = str(place.resolve())
        if real != "/" and is_below(real, [path]):
            raise WrongUse(
                f"--confine: the bot {spec.name} lies in {shown_path(path)}, and would see all that is there: "
                "put it into a folder of its own"
            )
