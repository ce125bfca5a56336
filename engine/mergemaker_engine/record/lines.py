"""The five kinds of lines, as values.

A line has two parts: what every run of the same play repeats, and `run`. Everything in `run` may differ between two runs of
the same play: times, ids, names, versions. Readers ignore unknown members there, and refuse them everywhere else.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import Rules
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.values import dataclass

FORMAT: Final = 1
"""The format that this engine writes. It reads all formats up to this one."""

NOTE_BYTES_MAX: Final = 1_024

NO_TERMS: Final[Mapping[str, object]] = MappingProxyType({})
"""The terms of a match without a clock."""


class AnsweredBy(StrEnum):
    """Who or what gave an answer, and for a default, why nobody did."""

    BOT = "bot"
    AUTOMATIC = "automatic"
    """Nobody was asked, because only one answer was possible (TBL-3)."""
    TIMEOUT = "default: timeout"
    ILLEGAL = "default: illegal"
    PROTOCOL = "default: protocol"
    DISCONNECTED = "default: disconnected"
    NEVER_JOINED = "default: never joined"
    AUTOPILOT = "default: autopilot"
    RESIGNED = "default: resigned"


DEFAULTS: Final = frozenset(AnsweredBy) - {AnsweredBy.BOT, AnsweredBy.AUTOMATIC}


class Ending(StrEnum):
    """How a match ended."""

    DECLARED = "declared"
    STUCK = "stuck"
    VOIDED = "voided"
    """By a fault of the referee or by its operator. It counts against nobody."""


class Status(StrEnum):
    """How a seat came to the end."""

    FINISHED = "finished"
    AUTOPILOT = "autopilot"
    NEVER_JOINED = "never joined"
    RESIGNED = "resigned"


class PlayIncident(StrEnum):
    """Incidents that decide how the play continues. These are of the game; all others are of the run."""

    AUTOPILOT = "autopilot"
    NEVER_JOINED = "never joined"
    RESIGNED = "resigned"
    PLAYS_AGAIN = "plays again"
    """Only where a fork begins: a seat that one of the three above took out of the play is asked again."""
    VOIDED = "voided"


_OF_PLAY: Final = frozenset(PlayIncident)

FORKED: Final = "forked"
"""The incident of the run after the lines that a fork repeats from its parent."""

STATUS_OF: Final[Mapping[str, Status]] = MappingProxyType(
    {
        PlayIncident.AUTOPILOT: Status.AUTOPILOT,
        PlayIncident.NEVER_JOINED: Status.NEVER_JOINED,
        PlayIncident.RESIGNED: Status.RESIGNED,
        PlayIncident.PLAYS_AGAIN: Status.FINISHED,
    }
)
"""By incident: the seat's status from then on."""

DEFAULT_OF: Final[Mapping[str, AnsweredBy]] = MappingProxyType(
    {
        PlayIncident.AUTOPILOT: AnsweredBy.AUTOPILOT,
        PlayIncident.NEVER_JOINED: AnsweredBy.NEVER_JOINED,
        PlayIncident.RESIGNED: AnsweredBy.RESIGNED,
    }
)
"""By incident: the default that answers all decisions of its seat from then on. A status has the incident's text."""


@dataclass(frozen=True, slots=True)
class Promise:
    """A commitment, and the match that it was made for. A fork keeps its parent's promise."""

    match: str
    commitment: bytes


@dataclass(frozen=True, slots=True)
class Parent:
    """The origin of a fork: a match, and the number of the first decision that was asked again."""

    match: str
    decision: int
    game: str
    """The parent's `game` hash on the last line that the fork repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line: what is played."""

    format: int = FORMAT
    """The format of all lines."""
    rules: Rules
    seats: int
    mode: DealMode
    clock: Mapping[str, object] = field(default_factory=lambda: NO_TERMS)
    """The terms of the clock and the fault policy, as plain data."""
    match: str
    """The match's id. This and all fields below are in `run`."""
    bots: tuple[str, ...]
    promise: Promise | None
    """None in plain mode."""
    parent: Parent | None = None
    software: str = ""
    started: str = ""
    """The time of the start, as `2026-11-18T15:38:32Z`."""
    more: Mapping[str, object] = field(default_factory=lambda: NO_TERMS)
    """All other members of `run`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealLine:
    """The deal is made, and the first question is open. Only incidents may come between the header and this line."""

    digest: str
    seat_commitments: tuple[bytes | None, ...] = ()
    """In joint mode, by seat; None for one that did not commit."""
    contributions: tuple[bytes | None, ...] = ()
    """In joint mode, by seat; None for one that did not reveal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLine:
    """One decision: what was asked, what was answered, by whom, and a digest of the state after it."""

    number: Unchecked[int]
    """Counted from 1."""
    seat: Unchecked[int]
    asked: str
    answer: str
    by: AnsweredBy
    digest: str
    note: str | None = None
    """The bot's note on its answer, at most `NOTE_BYTES_MAX`. This and the field below are in `run`."""
    run: Mapping[str, object] = field(default_factory=lambda: NO_TERMS)
    """Times, bank and evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """Something other than a decision that happened in a match."""

    what: str
    seat: int | None = None
    why: str | None = None
    run: Mapping[str, object] = field(default_factory=lambda: NO_TERMS)

    @property
    def of_play(self) -> bool:
        """Whether the `game` chain covers it."""
        return self.what in _OF_PLAY


@dataclass(frozen=True, slots=True, kw_only=True)
class EndLine:
    """The last line: result, statuses, faults and seed."""

    why: Ending
    cash: tuple[int, ...] | None
    """By seat; None for a voided match."""
    places: tuple[int, ...] | None
    statuses: tuple[Status, ...]
    faults: tuple[Mapping[str, int], ...]
    """By seat: the number of defaults for each cause."""
    seed: bytes
    """The seed of the deal."""
    server_seed: bytes | None = None
    """The commitment was made of this and the nonce; None in plain mode. This and all fields below are in `run`."""
    nonce: bytes | None = None
    run: Mapping[str, object] = field(default_factory=lambda: NO_TERMS)


Line: TypeAlias = Header | DealLine | DecisionLine | Incident | EndLine
