"""What a record says of a result."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Incident
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_store.errors import StoreError
from mergemaker_store.record_results import result_of
from mergemaker_store.values import BotVersion, Place, SeatFault
from mergemaker_testkit.recorded import of_kind, opened, sealed

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def golden(name: str) -> Record:
    return read_record([gzip.decompress((GOLDEN / f"{name}.jsonl.gz").read_bytes())])


def test_a_record_becomes_a_result() -> None:
    record = golden("reference-5-faults")
    end = record.end
    assert end is not None
    assert end.cash is not None
    result = result_of(record, Place("cup", 3, 1))
    assert (result.match, result.place) == (record.header.match, Place("cup", 3, 1))
    assert (result.host, result.host_speed) == ("", 0)
    assert [seat.cash for seat in result.seats] == [*end.cash]
    assert [seat.bot for seat in result.seats] == [BotVersion(bot) for bot in record.header.bots]
    assert not result.is_void
    # What follows from an autopilot or a resignation counts once, with the incident.
    told = [{(fault.kind, fault.times) for fault in seat.faults} for seat in result.seats]
    for seat, faults in enumerate(told):
        causes = {str(cause).removeprefix("default: "): count for cause, count in end.faults[seat].items()}
        for kind in ("timeout", "illegal", "protocol", "disconnected"):
            assert (kind in causes) == any(kind == found for found, _ in faults)
        for kind in ("autopilot", "never joined", "resigned"):
            assert (kind in causes) == ((kind, 1) in faults)
    assert any(told)


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ({"name": "lab", "speed": 250}, ("lab", 250)),
        ({"name": "lab"}, ("lab", 0)),
        ({"name": "lab", "speed": 2**40}, ("lab", 0)),
        ({"name": "x" * 300, "speed": 250}, ("", 0)),
        ("lab", ("", 0)),
    ],
)
def test_a_result_says_where_it_was_played(told: object, known: tuple[str, int]) -> None:
    record = golden("reference-5-faults")
    header = replace(record.header, more={**record.header.more, "host": told})
    result = result_of(replace(record, header=header))
    assert (result.host, result.host_speed) == known


def test_waiting_for_a_bot_is_told_apart_from_its_thinking() -> None:
    record = golden("reference-5-faults")
    joined = {line.seat: line.run["at_ms"] for _, line in reversed(record.entries) if getattr(line, "what", "") == "joined"}
    assert joined
    result = result_of(record)
    assert {seat: result.seats[seat].joined_ms for seat in joined if seat is not None} == joined


def test_a_void_match_counts_for_nobody() -> None:
    result = result_of(golden("reference-2-voided"), bots=(BotVersion("a", "1"), BotVersion("b")))
    assert result.is_void
    assert [(seat.bot.version, seat.cash, seat.place) for seat in result.seats] == [("1", None, None), ("", None, None)]


@pytest.mark.parametrize(("told", "of"), [({"fault": "network"}, "network"), ({"fault": "ghost"}, "bot"), ([], "bot")])
def test_evidence_says_whose_fault_it_was(told: object, of: str) -> None:
    texts = gzip.decompress((GOLDEN / "reference-5-faults.jsonl.gz").read_bytes()).splitlines()
    lines = opened(texts)
    blamed = [
        replace(line, run={**line.run, "evidence": told}) if isinstance(line, DecisionLine | Incident) else line for line in lines
    ]
    result = result_of(read_record(sealed(blamed)))
    assert {fault.of for seat in result.seats for fault in seat.faults} == {of}


def test_a_match_that_runs_has_no_result() -> None:
    texts = gzip.decompress((GOLDEN / "reference-5-faults.jsonl.gz").read_bytes()).splitlines(keepends=True)
    with pytest.raises(StoreError, match="has not ended") as refused:
        result_of(read_record(texts[:-1]))
    assert refused.value.reason == "unfinished"


def test_a_failure_that_a_library_answered_counts() -> None:
    texts = gzip.decompress((GOLDEN / "reference-5-faults.jsonl.gz").read_bytes()).splitlines()
    lines = opened(texts)
    first = next(number for number, line in enumerate(lines) if isinstance(line, DecisionLine) and line.by is AnsweredBy.BOT)
    line = of_kind(lines[first], DecisionLine)
    lines[first] = replace(line, note="default, after KeyError")
    record = read_record(sealed(lines))
    assert SeatFault("bot", "failed", 1) in result_of(record, failure_note="default, after").seats[line.seat].faults
    assert all(fault.kind != "failed" for seat in result_of(record).seats for fault in seat.faults)
