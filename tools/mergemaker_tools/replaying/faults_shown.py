"""The faults of a match: for people as a table with a timeline for each, for programs as one document."""

from collections.abc import Iterator, Sequence
from typing import Final

from mergemaker_engine.record.lines import Header
from mergemaker_engine.record.reading import Record
from mergemaker_processes.texts import harmless
from mergemaker_table.evidence import AtFault
from rich.console import RenderableType

from mergemaker_tools.replaying.faults import HELD_UP, FaultOf, Faults
from mergemaker_tools.tables import table

NO_FAULTS: Final = "no faults: every question was answered by its own bot, in time and at once"
NO_TIMELINE: Final = "no timeline, as in records from before there were any"
_WHOSE: Final = {
    AtFault.BOT: "the bot's",
    AtFault.NETWORK: "the way's",
    AtFault.REFEREE: "the referee's",
    AtFault.NOBODY: "nobody's",
    None: "not said",
}
_US_PER_MS: Final = 1_000
_INDENT: Final = 3


def faults_tables(record: Record, faults: Faults, chosen: Sequence[FaultOf]) -> Iterator[RenderableType]:
    """The view for people: a line for each fault, and its timeline below it."""
    from rich.console import Group  # noqa: PLC0415 - rich is slow to import, and JSON needs none of it
    from rich.padding import Padding  # noqa: PLC0415 - as above

    header = record.header
    ending = "running, or broken off" if record.end is None else str(record.end.why)
    count = "1 entry" if len(chosen) == 1 else f"{len(chosen)} entries"
    yield f"match {harmless(header.match)} ({ending}): {count}"
    if not chosen:
        yield NO_FAULTS
        return
    overview = table()
    overview.add_column("#", justify="right")
    overview.add_column("decision", justify="right")
    overview.add_column("seat")
    overview.add_column("asked")
    overview.add_column("what")
    overview.add_column("whose fault")
    for number, fault in enumerate(chosen, 1):
        decision = "-" if fault.decision is None else str(fault.decision)
        asked = "-" if fault.asked is None else fault.asked.partition(" ")[0]
        overview.add_row(str(number), decision, _seat(fault, header), asked, harmless(fault.what), _WHOSE[fault.at_fault])
    yield overview
    for number, fault in enumerate(chosen, 1):
        head, *rest = _details(number, fault, header)
        yield Group(head, Padding("\n".join(rest), (0, 0, 0, _INDENT)))
    for seat, unasked in enumerate(faults.unasked):
        if unasked and any(fault.seat == seat for fault in chosen):
            yield f"seat {seat} was no longer asked after that: {unasked} defaults were taken for it"


def _seat(fault: FaultOf, header: Header) -> str:
    return "-" if fault.seat is None else f"{fault.seat} {harmless(header.bots[fault.seat])}"


def _details(number: int, fault: FaultOf, header: Header) -> Iterator[str]:
    place = "" if fault.seat is None else f", seat {_seat(fault, header)}"
    at = "" if fault.at_ms is None else f", {fault.at_ms:,} ms after the match's start"
    yield f"{number}. {harmless(fault.what)}{place}{at}"
    if fault.decision is not None:
        yield f"decision {fault.decision}: {harmless(fault.asked or '')}; {_clock(fault)}"
    if fault.reason or fault.answer:
        reason = f" ({harmless(fault.reason)})" if fault.reason else ""
        which = "taken in its name" if fault.what.startswith("default") else "answered"
        yield f"{which}: {harmless(fault.answer or 'nothing')}{reason}"
    if fault.why and (fault.evidence is None or fault.why not in fault.evidence.verdict.text):
        yield harmless(fault.why)
    yield from _timeline(fault)


def _timeline(fault: FaultOf) -> Iterator[str]:
    evidence = fault.evidence
    if evidence is None:
        if fault.what == HELD_UP:
            lags = [f"{name.partition('_')[0]} {ms:,} ms" for name, ms in fault.numbers.items() if name.endswith("lag_ms")]
            yield f"{_WHOSE[AtFault.REFEREE]}: it was held up ({', '.join(lags)}), and nobody was charged"
        elif fault.at_fault is None:
            known = ", ".join(f"{name.removesuffix('_ms')} {ms:,} ms" for name, ms in fault.numbers.items())
            yield f"{NO_TIMELINE}" + (f"; {known}" if known else "")
        else:
            yield f"{_WHOSE[fault.at_fault]}: it had been gone and went on; nobody was charged"
        return
    if evidence.moments:
        yield f"ms: {' · '.join(f'{moment.kind} {_ms(moment.at_us)}' for moment in evidence.moments)}"
        way = "" if evidence.round_trip_us is None else f"; way there and back: {_ms(evidence.round_trip_us)}"
        if evidence.stood_us:
            way += f"; clock stood for the referee: {_ms(evidence.stood_us)}"
        yield f"held up: transport {_ms(evidence.transport_lag_us)}, referee {_ms(evidence.referee_lag_us)}{way}"
    yield f"{_WHOSE[evidence.verdict.at_fault]} ({harmless(evidence.verdict.reason)}): {harmless(evidence.verdict.text)}"
    yield f"trace {harmless(evidence.trace)}"


def _clock(fault: FaultOf) -> str:
    if fault.allowance_ms is None:
        return "no limit of time"
    bank = "not known" if fault.bank_ms is None else f"{fault.bank_ms:,} ms"
    return f"allowance {fault.allowance_ms:,} ms, bank {bank}"


def _ms(microseconds: int) -> str:
    return f"{microseconds / _US_PER_MS:,.1f}"


def faults_document(record: Record, faults: Faults, chosen: Sequence[FaultOf]) -> dict[str, object]:
    """The same for programs."""
    header = record.header
    return {
        "match": header.match,
        "bots": list(header.bots),
        "ended": None if record.end is None else str(record.end.why),
        "faults": [_document(fault) for fault in chosen],
        "unasked": list(faults.unasked),
    }


def _document(fault: FaultOf) -> dict[str, object]:
    return {
        "what": fault.what,
        "seat": fault.seat,
        "decision": fault.decision,
        "asked": fault.asked,
        "answer": fault.answer,
        "at_ms": fault.at_ms,
        "why": fault.why,
        "reason": fault.reason,
        "at_fault": None if fault.at_fault is None else str(fault.at_fault),
        "allowance_ms": fault.allowance_ms,
        "bank_ms": fault.bank_ms,
        **{name: fault.numbers.get(name) for name in ("used_ms", "overrun_ms", "transport_lag_ms", "referee_lag_ms")},
        "evidence": None if fault.evidence is None else fault.evidence.plain(),
    }
