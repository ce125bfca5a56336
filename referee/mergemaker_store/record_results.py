"""What a finished record says of a result."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Incident, PlayIncident
from mergemaker_engine.record.reading import Record
from mergemaker_table.desk import JOINED
from mergemaker_table.evidence import AtFault
from mergemaker_table.run_members import host_in, versions_in

from mergemaker_store.errors import StoreError
from mergemaker_store.values import BotVersion, MatchResult, Place, SeatFault, SeatResult

REJECTED: Final = "rejected"
"""The incident of an answer that was refused."""
FAILED: Final = "failed"
"""A bot failed, and its library answered the default for it."""
MS_MAX: Final = 2**31 - 1
"""No time in a result is longer: databases have no room for it."""
_LEFT_PLAY: Final = frozenset({PlayIncident.AUTOPILOT, PlayIncident.NEVER_JOINED, PlayIncident.RESIGNED})
_AT_ITS_TURN: Final = frozenset({AnsweredBy.TIMEOUT, AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL, AnsweredBy.DISCONNECTED})
"""Defaults for a question that the bot was asked. All others follow from an incident, which counts once."""


def result_of(
    record: Record,
    place: Place | None = None,
    bots: Sequence[BotVersion] = (),
    *,
    failure_note: str | None = None,
) -> MatchResult:
    """The result in a finished record. `bots` are those of its seats; by default what the record says of them.

    Notes that begin with `failure_note` are those of bots' libraries after a failure of the bot.
    """
    header, end = record.header, record.end
    host = host_in(header.more)
    if end is None:
        raise StoreError("unfinished", f"the match {header.match} has not ended, so it has no result")
    versions = versions_in(end.run, header.seats) or ("",) * header.seats
    named = bots or tuple(map(BotVersion, header.bots, versions))
    times, joined = _times(record), _joined(record)
    faults = _faults(record, failure_note)
    seats = tuple(
        SeatResult(
            bot=bot,
            cash=end.cash[seat] if end.cash is not None else None,
            place=end.places[seat] if end.places is not None else None,
            status=str(end.statuses[seat]),
            faults=tuple(SeatFault(*fault, times) for fault, times in sorted(faults[seat].items())),
            decisions=len(times[seat]),
            total_ms=sum(times[seat]),
            longest_ms=max(times[seat], default=0),
            joined_ms=joined[seat],
        )
        for seat, bot in enumerate(named)
    )
    return MatchResult(
        match=header.match,
        rules=header.rules.fingerprint(),
        ended=str(end.why),
        game=hash_text(record.chains.game),
        line=hash_text(record.chains.line),
        started=header.started,
        host="" if host is None else host.name,
        host_speed=0 if host is None else host.speed,
        place=place,
        seats=seats,
    )


def _times(record: Record) -> list[list[int]]:
    """By seat: how long it took over each decision that it was asked."""
    times: list[list[int]] = [[] for _ in range(record.header.seats)]
    for line in record.decisions:
        if line.by is AnsweredBy.BOT or line.by in _AT_ITS_TURN:
            used = line.run.get("used_ms")
            times[line.seat].append(used if isinstance(used, int) else 0)
    return times


def _joined(record: Record) -> list[int]:
    """By seat: how long the match waited until its bot was there for the first time."""
    joined = [0] * record.header.seats
    seen = set()
    for _, line in record.entries:
        if isinstance(line, Incident) and line.what == JOINED and line.seat is not None and line.seat not in seen:
            seen.add(line.seat)
            at = line.run.get("at_ms")
            joined[line.seat] = at if type(at) is int and 0 <= at <= MS_MAX else 0
    return joined


def _faults(record: Record, failure_note: str | None) -> list[Counter[tuple[str, str]]]:
    """By seat: whose fault it was and what, and how often."""
    faults: list[Counter[tuple[str, str]]] = [Counter() for _ in range(record.header.seats)]
    for _, line in record.entries:
        kind = _kind(line, failure_note)
        if kind is not None and line.seat is not None:
            faults[line.seat][_blamed(line.run), kind] += 1
    return faults


def _kind(line: DecisionLine | Incident, failure_note: str | None) -> str | None:
    """What went wrong on this line; None for all that is well."""
    if isinstance(line, DecisionLine):
        if failure_note is not None and line.by is AnsweredBy.BOT and (line.note or "").startswith(failure_note):
            return FAILED
        return str(line.by).removeprefix("default: ") if line.by in _AT_ITS_TURN else None
    return line.what if line.what == REJECTED or line.what in _LEFT_PLAY else None


def _blamed(run: Mapping[str, object]) -> str:
    """Whose fault it was, by the evidence; the bot's where nothing says otherwise."""
    evidence = run.get("evidence")
    told = evidence.get("fault") if isinstance(evidence, Mapping) else None
    return str(told) if told in list(AtFault) else str(AtFault.BOT)
