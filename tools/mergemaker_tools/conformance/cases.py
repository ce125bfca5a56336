"""The cases: one TOML file each, in `cases/`. The guide, `clients/README.md`, explains what a file can contain."""

import shlex
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).with_name("cases")


class Claim(StrEnum):
    """What a client claims its bot to be."""

    ANY = "any"
    """A bot that answers legally, whatever it plays."""
    RANDOM = "random"
    GREEDY = "greedy"
    """The example bots of an SDK, whose answers are written down."""


class Level(StrEnum):
    """How much a client does of what the guide asks for. Each level includes those before it."""

    CORE = "core"
    """What a bot needs to play a match correctly and fairly, and to take it up again when its stream breaks."""
    FULL = "full"
    """All of the guide: also what makes a bot easy to operate and hard to cheat."""


LIMIT_S: Final = 60
"""How long anything that must come may take, unless the case says otherwise."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a script: a word, the values after it, and settings."""

    text: str
    word: str
    values: tuple[str, ...]
    settings: dict[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One case."""

    id: str
    shows: str
    """What a client that passes it does, in a sentence."""
    steps: tuple[Step, ...]
    level: Level = Level.CORE
    matches: tuple[str, ...] = ()
    """The dialogues that are played. A step that names none is about the first."""
    bots: tuple[Claim, ...] = (Claim.ANY, Claim.RANDOM, Claim.GREEDY)
    """The claims with which a client has to pass it."""
    arguments: tuple[str, ...] = ()
    """Added to the client's command line: options that every SDK's example bots take."""
    tls: str = ""
    """With TLS, which file of certificates the client is given: `private`, that of the authority that signed the referee's
    certificate; `unknown`, none; `empty`, one without certificates; `missing`, one that does not exist."""
    host: str = "127.0.0.1"
    """How the referee's host is written in its address."""
    server: str = ""
    """Another address for the client, at which there is no referee."""
    proxy: bool = False
    """Whether the client's environment names a proxy that lets nothing through."""
    slow: bool = False
    """Whether the referee's messages arrive slowly, in small pieces."""
    trace: bool = False
    """Whether the client has to write a trace."""
    without: tuple[str, ...] = ()
    """Variables that are missing from the client's environment."""
    posix: bool = False
    """Whether it needs the signals of POSIX."""
    limit: int = LIMIT_S
    """How many seconds anything that must come may take: ten times what the guide allows, where that is long."""

    def holds_for(self, claim: Claim) -> bool:
        """Whether a client that claims this has to pass it."""
        return claim in self.bots


class CaseProblem(Exception):
    """A case's file cannot be understood."""


_NAMES: Final = frozenset(Case.__dataclass_fields__) - {"id"}


def step_of(text: str) -> Step:
    """Reads a step: a word, values, and settings as `name=value`."""
    word, *rest = shlex.split(text)
    settings = dict(part.split("=", 1) for part in rest if "=" in part)
    return Step(text, word, tuple(part for part in rest if "=" not in part), settings)


def case_of(name: str, content: dict[str, Any]) -> Case:
    """Makes a case of the content of its file."""
    unknown = content.keys() - _NAMES
    if unknown or not content.get("shows") or not content.get("steps"):
        raise CaseProblem(f"case {name} needs shows and steps, and has unknown entries: {sorted(unknown)}")
    given = dict(content)
    given["steps"] = tuple(map(step_of, given["steps"]))
    for each in ("matches", "arguments", "without"):
        given[each] = tuple(given.get(each, ()))
    given["level"] = Level(given.get("level", Level.CORE))
    if "bots" in given:
        given["bots"] = tuple(map(Claim, given["bots"]))
    return Case(name, **given)


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case, by id."""
    return tuple(case_of(path.stem, tomllib.loads(path.read_text("utf-8"))) for path in sorted(FOLDER.glob("*.toml")))
