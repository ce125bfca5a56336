"""What was measured when something went wrong, and whose fault it was: as a value, and as in a record."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from mergemaker_engine.values import dataclass

EVIDENCE: Final = "evidence"
"""The member of a line's `run` that has it."""


class AtFault(StrEnum):
    """Whose fault something was."""

    BOT = "bot"
    """Its answer, its silence, or the loss of its connection."""
    NETWORK = "network"
    """The round trip is longer than its credit."""
    REFEREE = "referee"
    """Nobody is charged for it."""
    NOBODY = "nobody"


class MomentKind(StrEnum):
    """What evidence may say about a decision's time."""

    ASKED = "asked"
    HANDED = "handed"
    RECEIVED = "received"
    PARSED = "parsed"
    JUDGED = "judged"
    DEADLINE = "deadline"
    LEFT = "left"
    BACK = "back"
    DEFAULT = "default"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class HeldUp:
    """How long the loops of transport and referee have been held up so far, in all: the difference of two values was a delay."""

    transport_ns: int = 0
    referee_ns: int = 0
    stood_ns: int = 0
    """How long one of them was, or had perhaps not found yet what came meanwhile: that time is nobody's."""
    stood_until_ns: int = 0
    """When that was last the case."""
    breaks_until_ns: int = 0
    """Until then we may have caused a connection's break: we were away longer than connections survive."""


NOT_HELD_UP: Final = HeldUp()


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened while a decision was open."""

    kind: MomentKind
    at_us: int
    """Since the question was asked, in whole microseconds, rounded down."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whose fault it was: as a value, as a stable name, and in words."""

    at_fault: AtFault
    reason: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A verdict, and what it rests on."""

    verdict: Verdict
    trace: str
    """Its name in the record, in the log and for the bot."""
    moments: tuple[Moment, ...] = ()
    """In the order of time."""
    transport_lag_us: int = 0
    """How long the transport's loop was held up, from the question to the verdict."""
    referee_lag_us: int = 0
    """How long the referee's own loop was held up, likewise."""
    stood_us: int = 0
    """How long its clock was stopped meanwhile: for the disk, or until its bot was heard or had its question again."""
    round_trip_us: int | None = None
    """The round trip as known when the clock started; None if it was not known."""
    bank_ms: int | None = None
    """What the bank had when the question was asked; None without a limit."""

    def at_us(self, kind: MomentKind) -> int | None:
        """When something happened last."""
        return next((moment.at_us for moment in reversed(self.moments) if moment.kind is kind), None)

    def plain(self) -> dict[str, object]:
        """As it is in `run` of a line."""
        found: dict[str, object] = {
            "fault": str(self.verdict.at_fault),
            "reason": self.verdict.reason,
            "text": self.verdict.text,
            "trace": self.trace,
            "moments": [[str(moment.kind), moment.at_us] for moment in self.moments],
            "transport_lag_us": self.transport_lag_us,
            "referee_lag_us": self.referee_lag_us,
        }
        if self.stood_us:
            found["stood_us"] = self.stood_us
        if self.round_trip_us is not None:
            found["round_trip_us"] = self.round_trip_us
        if self.bank_ms is not None:
            found["bank_ms"] = self.bank_ms
        return found


def trace_of(match: str, seat: int, decision_id: int | None = None) -> str:
    """The name of a match's seat, or of one of its decisions, for anyone who asks about it."""
    return f"{match}.{seat}" if decision_id is None else f"{match}.{seat}.{decision_id}"


def evidence_in(run: Mapping[str, object]) -> Evidence | None:
    """What `run` of a line says; None if it says no verdict. Everything in it may be missing or of another type."""
    plain = run.get(EVIDENCE)
    if not isinstance(plain, Mapping) or plain.get("fault") not in list(AtFault):
        return None
    moments = plain.get("moments")
    read = [_moment(each) for each in moments] if isinstance(moments, list) else []
    return Evidence(
        verdict=Verdict(AtFault(plain["fault"]), _text(plain, "reason"), _text(plain, "text")),
        trace=_text(plain, "trace"),
        moments=tuple(moment for moment in read if moment is not None),
        transport_lag_us=_number(plain, "transport_lag_us") or 0,
        referee_lag_us=_number(plain, "referee_lag_us") or 0,
        stood_us=_number(plain, "stood_us") or 0,
        round_trip_us=_number(plain, "round_trip_us"),
        bank_ms=_number(plain, "bank_ms"),
    )


def _moment(plain: object) -> Moment | None:
    match plain:
        case [str(kind), int(at_us)] if kind in list(MomentKind) and type(at_us) is int:
            return Moment(MomentKind(kind), at_us)
        case _:
            return None


def _text(plain: Mapping[str, object], name: str) -> str:
    value = plain.get(name)
    return value if isinstance(value, str) else ""


def _number(plain: Mapping[str, object], name: str) -> int | None:
    value = plain.get(name)
    return value if type(value) is int and value >= 0 else None
