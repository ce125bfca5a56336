"""What was measured where something went wrong, and whose fault it was: as a value, and as it stands in a record."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

EVIDENCE: Final = "evidence"
"""The member of a line's `run` in which it stands."""


class AtFault(StrEnum):
    """Whom something lay with."""

    BOT = "bot"
    """What it answered, that it did not, or that its connection went."""
    NETWORK = "network"
    """The way is longer than what is credited for it."""
    REFEREE = "referee"
    """Nothing is charged for it."""
    NOBODY = "nobody"


class MomentKind(StrEnum):
    """What may be told of a decision's time."""

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
    """For how long the loops of transport and referee were held up so far, in all: what lies between two looks was a delay."""

    transport_ns: int = 0
    referee_ns: int = 0
    stood_ns: int = 0
    """For how long one of them was, or what had come meanwhile may not have been found yet: that time is nobody's."""
    stood_until_ns: int = 0
    """When it was so last."""
    breaks_until_ns: int = 0
    """Until when a connection that breaks may have broken because of us: we were away for longer than connections bear."""


NOT_HELD_UP: Final = HeldUp()


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened while a decision was open."""

    kind: MomentKind
    at_us: int
    """Since the question was put, in whole microseconds, rounded down."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whose fault it was: as a value, by a stable name, and in words."""

    at_fault: AtFault
    reason: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A verdict, and what it rests on."""

    verdict: Verdict
    trace: str
    """Names it in the record, in the log and to the bot."""
    moments: tuple[Moment, ...] = ()
    """In the order of time."""
    transport_lag_us: int = 0
    """For how long the transport's loop was held up, from the putting of the question to the verdict."""
    referee_lag_us: int = 0
    """For how long the referee's own loop was, likewise."""
    stood_us: int = 0
    """For how long its clock stood meanwhile: for the disk, or until its bot was heard, or had its question again."""
    round_trip_us: int | None = None
    """The way there and back, as it was known when the clock began to run; None if it was not."""
    bank_ms: int | None = None
    """What the bank had when the question was put; None without a limit."""

    def at_us(self, kind: MomentKind) -> int | None:
        """When something happened last."""
        return next((moment.at_us for moment in reversed(self.moments) if moment.kind is kind), None)

    def plain(self) -> dict[str, object]:
        """As it stands in `run` of a line."""
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
    """What names a match's seat, or one of the decisions that were put to it, to whoever asks about it."""
    return f"{match}.{seat}" if decision_id is None else f"{match}.{seat}.{decision_id}"


def evidence_in(run: Mapping[str, object]) -> Evidence | None:
    """What `run` of a line says, in which everything may be missing or be something else; None where it says no verdict."""
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
