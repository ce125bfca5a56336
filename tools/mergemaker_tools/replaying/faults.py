"""What went wrong in a recorded match, and whose fault each problem was, as its lines say.

This does not play the game, so it works for a voided or interrupted match, too. Nothing in `run` of a line is
trusted, since anybody may have written it, and older records have no timelines.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Header, Incident, PlayIncident
from mergemaker_engine.record.reading import Record
from mergemaker_table.desk import DISCONNECTED
from mergemaker_table.evidence import AtFault, Evidence, evidence_in
from mergemaker_table.refusals import LATE, REJECTED
from mergemaker_table.run_notes import WHY
from mergemaker_table.seats import was_put
from mergemaker_table.table import RECOVERED

HELD_UP: Final = "held up"
"""The name for a decision during which the referee was held up."""
_TOLD: Final = frozenset({REJECTED, LATE, DISCONNECTED, RECOVERED, *PlayIncident} - {PlayIncident.PLAYS_AGAIN})
_LAGS: Final = ("transport_lag_ms", "referee_lag_ms")
_NOTHING: Final[Mapping[str, object]] = {}
_USED: Final = ("used_ms", "overrun_ms", *_LAGS)
"""Numbers of `run` that describe a fault, even without a timeline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultOf:
    """Something that went wrong."""

    what: str
    """An incident's name, why a default was taken, or `HELD_UP`."""
    seat: int | None
    """None if it was no seat's."""
    decision: int | None
    """The match's decision that was open for this seat, or None."""
    asked: str | None
    """The kind of that decision, if the record says it."""
    at_ms: int | None
    """Since the match's start."""
    why: str | None
    """The text of the record; for a default, the text that the bot received."""
    reason: str | None
    """For a refused answer: the stable name of its error."""
    answer: str | None
    """The refused answer, or the default that was taken."""
    numbers: Mapping[str, int]
    """Numbers of the line, in milliseconds, that describe it."""
    allowance_ms: int | None
    bank_ms: int | None
    """The seat's clock when the decision was asked; None without a limit, or if it is not known."""
    evidence: Evidence | None

    @property
    def at_fault(self) -> AtFault | None:
        """Who caused it; None if the record does not say."""
        if self.evidence is not None:
            return self.evidence.verdict.at_fault
        return AtFault.REFEREE if self.what in (HELD_UP, RECOVERED) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """All that went wrong in a match."""

    found: tuple[FaultOf, ...]
    unasked: tuple[int, ...]
    """By seat: how many defaults were taken after it was no longer asked."""


def faults_of(record: Record) -> Faults:
    """All faults in a record."""
    return _Search(record).run()


class _Search:
    """Reads a record once, and keeps which decision was open at each incident."""

    def __init__(self, record: Record) -> None:
        header = record.header
        self._record: Final = record
        self._allowance_ms, bank_ms = _clock_of(header)
        self._bank_ms: Final = [bank_ms] * header.seats
        self._put: Final[list[list[DecisionLine]]] = [[] for _ in range(header.seats)]
        for line in record.decisions:
            if was_put(line):
                self._put[line.seat].append(line)
        self._unasked: Final = [0] * header.seats

    def run(self) -> Faults:
        found = tuple(self._all())
        return Faults(found=found, unasked=tuple(self._unasked))

    def _all(self) -> Iterator[FaultOf]:
        lines = [line for _, line in self._record.entries]
        following = self._following(lines)
        for line, next_decision in zip(lines, following, strict=True):
            if isinstance(line, Incident):
                if line.what in _TOLD:
                    yield self._incident(line, next_decision)
            else:
                yield from self._decision(line)

    def _following(self, lines: Sequence[DecisionLine | Incident]) -> list[DecisionLine | None]:
        """For each line, the decision that was open then: the next answered one."""
        found: list[DecisionLine | None] = []
        later: DecisionLine | None = None
        for line in reversed(lines):
            if isinstance(line, DecisionLine):
                later = line
            found.append(later)
        return found[::-1]

    def _decision(self, line: DecisionLine) -> Iterator[FaultOf]:
        lag = any(_number(line.run, name) for name in _LAGS)
        if line.by is not AnsweredBy.BOT and was_put(line):
            yield self._made(str(line.by), line.seat, line, line.run, why=_text(line.run, WHY), answer=line.answer)
        elif line.by is AnsweredBy.BOT and lag:
            yield self._made(HELD_UP, line.seat, line, line.run)
        elif line.by is not AnsweredBy.BOT and line.by is not AnsweredBy.AUTOMATIC:
            self._unasked[line.seat] += 1
        bank = _number(line.run, "bank_ms")
        if bank is not None:
            self._bank_ms[line.seat] = bank

    def _incident(self, line: Incident, later: DecisionLine | None) -> FaultOf:
        decision = later if later is not None and later.seat == line.seat and was_put(later) else None
        number = _number(line.run, "id")
        if line.what == LATE and line.seat is not None and number is not None:
            put = self._put[line.seat]
            decision = put[number - 1] if 1 <= number <= len(put) else decision
        return self._made(
            line.what,
            line.seat,
            decision,
            line.run,
            why=line.why,
            reason=_text(line.run, "reason"),
            answer=_text(line.run, "answer"),
        )

    def _made(
        self,
        what: str,
        seat: int | None,
        decision: DecisionLine | None,
        run: Mapping[str, object],
        *,
        why: str | None = None,
        reason: str | None = None,
        answer: str | None = None,
    ) -> FaultOf:
        evidence = evidence_in(run)
        numbers = {name: number for name in _USED if (number := _number(run, name))}
        bank = None if seat is None else self._bank_ms[seat]
        if evidence is not None and evidence.bank_ms is not None:
            bank = evidence.bank_ms
        return FaultOf(
            what=what,
            seat=seat,
            decision=None if decision is None else decision.number,
            asked=None if decision is None else decision.asked,
            at_ms=_number(run, "at_ms"),
            why=why,
            reason=reason,
            answer=answer,
            numbers=numbers,
            allowance_ms=None if seat is None else self._allowance_ms,
            bank_ms=bank,
            evidence=evidence,
        )


def _clock_of(header: Header) -> tuple[int | None, int | None]:
    """Allowance and bank of the match's clock, or of a fork's own clock."""
    own = header.more.get("clock")
    terms = own.get("terms") if isinstance(own, dict) else None
    clock = terms if isinstance(terms, dict) else header.clock
    return _number(clock, "allowance_ms"), _number(clock, "bank_ms")


def _number(run: Mapping[str, object], name: str) -> int | None:
    value = run.get(name)
    return value if type(value) is int and value >= 0 else None


def _text(run: Mapping[str, object], name: str) -> str | None:
    value = run.get(name)
    return value if isinstance(value, str) else None
