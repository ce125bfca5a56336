"""Under the virtual clock: a reply one millisecond late never counts, and the referee acts at once for a silent bot."""

from pathlib import Path

from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Incident
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_referee.records.files import record_chunks
from mergemaker_table.evidence import MomentKind, evidence_in
from mergemaker_table.terms import ClockTerms
from mergemaker_testkit.far_bots import Far, play_far, watch_far

CLASSIC = preset("renegade-classic")
CLOCK = ClockTerms(name="test", allowance_ms=100, startup_ms=30_000)
MATCHES = 100
ACTED_WITHIN_US = 50_000
NEVER_MS = 100_000_000


def test_a_reply_that_is_a_millisecond_late_never_counts_and_is_written_with_its_overrun(tmp_path: Path) -> None:
    path, (punctual, late) = play_far(tmp_path, CLASSIC, CLOCK, (Far(thinks_ms=100), Far(thinks_ms=101)), 1)
    record = verify(record_chunks(path)).record
    put = [line for line in record.decisions if line.by is not AnsweredBy.AUTOMATIC]
    assert {line.by for line in put if line.seat == 0} == {AnsweredBy.BOT}
    assert [line.by for line in put if line.seat == 1][:5] == [AnsweredBy.TIMEOUT] * 5
    assert {line.by for line in put if line.seat == 1} == {AnsweredBy.TIMEOUT, AnsweredBy.AUTOPILOT}
    found = [line for _, line in record.entries if isinstance(line, Incident) and line.what == "late"]
    assert [(line.seat, line.run["overrun_ms"]) for line in found] == [(1, 1)] * 5
    assert len(punctual.thought_ms) > 20
    assert len(late.thought_ms) == 5


def test_whoever_says_nothing_is_acted_for_at_the_end_of_his_time_in_a_hundred_matches_at_once(tmp_path: Path) -> None:
    silent = Far(thinks_ms=NEVER_MS)
    records = watch_far(tmp_path, CLASSIC, CLOCK, [(silent, silent)] * MATCHES, 250)
    assert len(records) == MATCHES
    for path in records:
        taken = [line for line in read_record(record_chunks(path), torn_end=True).decisions if line.by is AnsweredBy.TIMEOUT]
        assert len(taken) == 2
        for line in taken:
            assert _acted_after_us(line) <= ACTED_WITHIN_US


def _acted_after_us(line: DecisionLine) -> int:
    evidence = evidence_in(line.run)
    assert evidence is not None
    deadline, default = evidence.at_us(MomentKind.DEADLINE), evidence.at_us(MomentKind.DEFAULT)
    assert deadline is not None
    assert default is not None
    assert default >= deadline
    return default - deadline
