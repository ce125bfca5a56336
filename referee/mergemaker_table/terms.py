"""The terms of a match: the clock, and what happens after faults. They are in the record's header, so all of it is data.

A limit that is None does not hold; plain data leave it out.
"""

import re
from collections.abc import Mapping
from dataclasses import field, fields
from types import MappingProxyType
from typing import Final

from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass

from mergemaker_table.errors import TableError

TERM_MS_MAX: Final = 604_800_000
"""A week: no time of a clock is longer."""
FAULTS_MAX: Final = 100
"""No count of refusals or defaults is higher: each of them writes a line of the record."""

_TIMES: Final = ("bank_ms", "increment_ms", "credit_decision_ms_max", "credit_match_ms_max", "credit_refill_ms")
_LEFT_OUT_AT_ZERO: Final = "credit_refill_ms"
"""A later term: plain data without a refill are as before, so that old ones come out as they went in."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_CLOCK_NAME: Final = "name"
_FAULTS: Final = "faults"


def _check_ms(what: str, value: object, low: int = 0) -> None:
    if type(value) is not int or not low <= value <= TERM_MS_MAX:
        raise TableError("bad-terms", f"{what} is a whole number of milliseconds from {low} to {TERM_MS_MAX}, not {shown(value)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTerms:
    """How long a seat may think: an allowance for each decision, then a bank for the match."""

    name: str
    allowance_ms: int | None
    """Free for each decision; None: there is no limit, and therefore no bank."""
    bank_ms: int = 0
    """For the whole match, used when the allowance is over."""
    increment_ms: int = 0
    """Added to the bank for each decision that the bot itself answered."""
    startup_ms: int | None = None
    """The time to join; in joint mode also to commit and to reveal, each with the whole time."""
    credit_decision_ms_max: int = 0
    """How much of a round trip is credited at one decision."""
    credit_match_ms_max: int = 0
    """The quota: the credit of the whole match, beside the refill. A bot that delays on purpose gains no more than both."""
    credit_refill_ms: int = 0
    """How much the quota gets back with each decision that the bot itself answered, up to its first value."""

    def __post_init__(self) -> None:
        """Checks every term, and that they fit together."""
        if type(self.name) is not str or not _NAME.fullmatch(self.name):
            raise TableError("bad-terms", f"a clock's name is 1 to 40 of a-z 0-9 -, not {shown(self.name)}")
        for name in _TIMES:
            _check_ms(name, getattr(self, name))
        if self.startup_ms is not None:
            _check_ms("startup_ms", self.startup_ms, 1)
        if self.allowance_ms is None:
            if any(getattr(self, name) for name in _TIMES):
                raise TableError("bad-terms", "a clock without an allowance has no limit, and so neither bank nor credit")
            return
        _check_ms("allowance_ms", self.allowance_ms)
        if not self.allowance_ms + self.bank_ms:
            raise TableError("bad-terms", "a clock has an allowance or a bank; this one gives no time at all")


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultTerms:
    """What happens if answers are wrong or do not come."""

    refusals_max: int = 3
    """After this many refused answers to one decision its default is taken."""
    defaults_max: int = 5
    """After this many defaults in a match the seat is on autopilot to the end."""
    recovery_grace_ms: int = 60_000
    """How long clocks wait for bots to come back after the referee itself was gone."""

    def __post_init__(self) -> None:
        """Checks every term."""
        for name in ("refusals_max", "defaults_max"):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= FAULTS_MAX:
                raise TableError("bad-terms", f"{name} is a whole number from 1 to {FAULTS_MAX}, not {shown(value)}")
        _check_ms("recovery_grace_ms", self.recovery_grace_ms)


@dataclass(frozen=True, slots=True)
class Terms:
    """The clock and the fault policy of a match."""

    clock: ClockTerms
    faults: FaultTerms = field(default_factory=FaultTerms)

    def plain(self) -> dict[str, object]:
        """The terms as in the record's header: whole numbers and texts, in the order of the fields."""
        return {**_members(self.clock), _FAULTS: _members(self.faults)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, object]) -> "Terms":
        """The terms in plain data; an empty object means that there is no clock."""
        if not isinstance(plain, Mapping):
            raise TableError("bad-terms", f"the terms of a clock are an object, not {shown(plain)}")
        if not plain:
            return cls(CLOCKS["none"])
        clock = dict(plain)
        faults = clock.pop(_FAULTS, {})
        if not isinstance(faults, Mapping):
            raise TableError("bad-terms", f"'{_FAULTS}' is an object, not {shown(faults)}")
        if _CLOCK_NAME not in clock:
            raise TableError("bad-terms", f"the terms of a clock have a member '{_CLOCK_NAME}'")
        _check_names("a clock", clock, ClockTerms)
        _check_names(f"'{_FAULTS}'", faults, FaultTerms)
        # A limit that is left out does not hold; the constructors check all that is there.
        return cls(ClockTerms(**{"allowance_ms": None, **clock}), FaultTerms(**faults))  # type: ignore[arg-type]  # they check


def _members(terms: ClockTerms | FaultTerms) -> dict[str, object]:
    values = ((member.name, getattr(terms, member.name)) for member in fields(terms))
    return {name: value for name, value in values if value is not None and (value or name != _LEFT_OUT_AT_ZERO)}


def _check_names(what: str, members: Mapping[str, object], kind: type[ClockTerms | FaultTerms]) -> None:
    known = [member.name for member in fields(kind)]
    for name, value in members.items():
        if name not in known:
            raise TableError("bad-terms", f"{what} has the members {', '.join(known)}, and no {shown(name)}")
        if value is None:
            raise TableError("bad-terms", f"{shown(name)} has a value or is left out, where there is no limit")


CLOCKS: Final[Mapping[str, ClockTerms]] = MappingProxyType(
    {
        clock.name: clock
        for clock in (
            ClockTerms(
                name="fast",
                allowance_ms=100,
                bank_ms=10_000,
                startup_ms=30_000,
                credit_decision_ms_max=250,
                credit_match_ms_max=2_500,
                credit_refill_ms=75,
            ),
            ClockTerms(
                name="standard",
                allowance_ms=1_000,
                bank_ms=60_000,
                startup_ms=30_000,
                credit_decision_ms_max=500,
                credit_match_ms_max=10_000,
                credit_refill_ms=200,
            ),
            ClockTerms(
                name="slow",
                allowance_ms=10_000,
                bank_ms=600_000,
                startup_ms=120_000,
                credit_decision_ms_max=1_000,
                credit_match_ms_max=30_000,
                credit_refill_ms=300,
            ),
            ClockTerms(name="none", allowance_ms=None),
        )
    }
)
"""The clocks that have a name.

On `fast`, a round trip of 150 ms, give or take 50, takes on average 50 ms more than the allowance at a decision: less than the
refill. So a bot that does not think loses nothing on it, however long the match is. On the others the allowance alone is
longer.
"""
