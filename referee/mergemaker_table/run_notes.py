"""What a decision's line says beside the game: how long it took, and why the answer was not the bot's own."""

from typing import Final, TypeAlias

from mergemaker_engine.values import dataclass

from mergemaker_table.asking import OpenDecision
from mergemaker_table.clock import Charge, whole_ms
from mergemaker_table.evidence import EVIDENCE, NOT_HELD_UP, Evidence, HeldUp, MomentKind
from mergemaker_table.inputs import Answered

WHY: Final = "why"
"""In `run` of a decision's line: what the bot learned about its default."""

Moments: TypeAlias = tuple[tuple[MomentKind, int], ...]


@dataclass(frozen=True, slots=True)
class Put:
    """What the line says about a decision that its bot was asked."""

    waiting: OpenDecision
    charge: Charge | None
    """None for a seat that resigned over it."""
    note: str | None = None
    evidence: Evidence | None = None
    """If a default was taken; likewise what follows."""
    why: str = ""


def run_of(put: Put | None, at_ms: int, held_up: HeldUp) -> dict[str, object]:
    """The `run` of a decision's line; `put` is None if nobody was asked."""
    run: dict[str, object] = {"at_ms": at_ms}
    if put is None:
        return run
    if put.charge is not None:
        _add_times(run, put.charge)
    lag = put.waiting.timeline.lag_ns(held_up)
    if lag is not NOT_HELD_UP:
        run |= _delays(lag)
    if put.evidence is not None:
        run |= {WHY: put.why, EVIDENCE: put.evidence.plain()}
    return run


def moments_of(given: Answered, now_ns: int) -> Moments:
    """What is known about the times of an answer that is judged now."""
    parsed = given.at_ns if given.parsed_at_ns is None else given.parsed_at_ns
    return (MomentKind.RECEIVED, given.at_ns), (MomentKind.PARSED, parsed), (MomentKind.JUDGED, now_ns)


def _delays(lag: HeldUp) -> dict[str, object]:
    """How long the loops around the table were held up, in whole milliseconds: nobody's time."""
    found = {"transport_lag_ms": whole_ms(lag.transport_ns), "referee_lag_ms": whole_ms(lag.referee_ns)}
    return {name: lag_ms for name, lag_ms in found.items() if lag_ms}


def _add_times(run: dict[str, object], charge: Charge) -> None:
    run["used_ms"] = charge.used_ms
    if charge.bank_ms is not None:
        run["bank_ms"] = charge.bank_ms
    if charge.credit_ms:
        run["credit_ms"] = charge.credit_ms
