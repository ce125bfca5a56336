"""The cases: one TOML file each, in `cases/`. What there is to say in them is in the guide, `clients/README.md`."""

import shlex
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).with_name("cases")


class Claim(StrEnum):
    """What a client says of its bot."""

    ANY = "any"
    """A bot that answers legally, whatever it plays."""
    RANDOM = "random"
    GREEDY = "greedy"
    """The example bots of an SDK, with the answers that are written down for them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a script: a word, what stands behind it, and settings."""

    text: str
    word: str
    values: tuple[str, ...]
    settings: dict[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One case."""

    id: str
    shows: str
    """In a sentence."""
    steps: tuple[Step, ...]
    matches: tuple[str, ...] = ()
    """The dialogues that are played; the first is meant where a step names none."""
    bots: tuple[Claim, ...] = (Claim.ANY, Claim.RANDOM, Claim.GREEDY)
    """For whom it holds."""
    arguments: tuple[str, ...] = ()
    """Put behind the client's command line: what every SDK's example bots take."""
    tls: str = ""
    """`private`: the client is told of the authority that signed the referee's certificate; `unknown`: it is not; `empty`,
    `missing`: it is told of a file without certificates, and of one that is not there."""
    host: str = "127.0.0.1"
    """How the referee's host is written."""
    server: str = ""
    """Another address that the client is told, at which nobody is."""
    proxy: bool = False
    """Whether variables lead to a proxy that lets nothing through."""
    slow: bool = False
    """Whether what the referee sends comes slowly, in small pieces."""
    trace: bool = False
    """Whether the client is to write a trace."""
    without: tuple[str, ...] = ()
    """Variables that are left out."""
    posix: bool = False
    """Whether it needs signals as POSIX has them."""

    def holds_for(self, claim: Claim) -> bool:
        """Whether a client that claims this has to pass it."""
        return claim in self.bots


class CaseProblem(Exception):
    """A case's file says what cannot be understood."""


_NAMES: Final = frozenset(Case.__dataclass_fields__) - {"id"}


def step_of(text: str) -> Step:
    """Reads a step: a word, values, and settings as `name=value`."""
    word, *rest = shlex.split(text)
    settings = dict(part.split("=", 1) for part in rest if "=" in part)
    return Step(text, word, tuple(part for part in rest if "=" not in part), settings)


def case_of(name: str, content: dict[str, Any]) -> Case:
    """The case that a file's content says."""
    unknown = content.keys() - _NAMES
    if unknown or not content.get("shows") or not content.get("steps"):
        raise CaseProblem(f"case {name} needs shows and steps, and has unknown entries: {sorted(unknown)}")
    given = dict(content)
    given["steps"] = tuple(map(step_of, given["steps"]))
    for each in ("matches", "arguments", "without"):
        given[each] = tuple(given.get(each, ()))
    if "bots" in given:
        given["bots"] = tuple(map(Claim, given["bots"]))
    return Case(name, **given)


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case, by id."""
    return tuple(case_of(path.stem, tomllib.loads(path.read_text("utf-8"))) for path in sorted(FOLDER.glob("*.toml")))
