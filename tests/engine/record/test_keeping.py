"""What a reader keeps of a record: little of what the format does not know, and never more than a limit."""

import tracemalloc
from functools import cache
from typing import Any, Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record import reading
from mergemaker_engine.record.canonical import decoded
from mergemaker_engine.record.keeping import KEPT_BYTES_MAX, Budget, kept_bytes
from mergemaker_engine.record.lines import DecisionLine, Incident
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_testkit.recorded import forged, parts_in, recorded_match

CLASSIC: Final = preset("renegade-classic")
SEED: Final = bytes(range(32))
KIB: Final = 1024


@cache
def _parts() -> tuple[tuple[dict[str, Any], dict[str, Any]], ...]:
    return tuple(parts_in(text) for text in recorded_match(CLASSIC, 3, SEED, decisions=30))


def _with_incidents(run: dict[str, Any], count: int) -> list[bytes]:
    """A record with this many incidents of the run after its deal."""
    return forged([*_parts()[:2], *[({"kind": "incident"}, {"what": "x", **run})] * count, *_parts()[2:]])


def _traced(texts: list[bytes]) -> tuple[Record, int, int]:
    """A record, the memory that it takes, and the most that reading it took."""
    tracemalloc.start()
    try:
        record = read_record(iter(texts))
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return record, kept, peak


def test_lists_and_objects_that_the_format_does_not_know_are_not_kept() -> None:
    _, plain, _ = _traced(_with_incidents({}, 30))
    record, kept, peak = _traced(_with_incidents({"weather": [[]] * 20_000, "wind": {"north": [1]}, "at_ms": 7}, 30))
    assert kept < plain + 64 * KIB
    assert peak < plain + 4 * KIB * KIB
    assert {tuple(line.run) for _, line in record.entries if isinstance(line, Incident)} == {("at_ms",), ()}


def test_decisions_lose_them_too_and_keep_everything_else() -> None:
    parts = [({**told}, {**run}) for told, run in _parts()]
    for told, run in parts:
        if told["kind"] == "decision":
            run |= {
                "weather": {"rain": [1, None]},
                "evidence": {"moments": [["asked", 0]]},
                "note": "n",
                "mood": "x",
                "odd": None,
            }
    record = verify(forged(parts)).record
    for line in record.decisions:
        assert set(line.run) == {"at_ms", "used_ms", "evidence", "mood", "odd"}
        assert (line.note, line.run["evidence"]) == ("n", {"moments": [["asked", 0]]})


def test_what_is_not_kept_is_still_checked() -> None:
    text = b"".join(_with_incidents({"weather": [1]}, 1)).replace(b'"weather":[1]', b'"weather":[1.5]')
    with pytest.raises(RecordError, match="whole") as refusal:
        read_record([text])
    assert (refusal.value.reason, refusal.value.line) == ("bad-number", 3)


def test_an_honest_record_keeps_its_evidence_and_is_far_from_the_limit() -> None:
    record, kept, _ = _traced(recorded_match(CLASSIC, 6, SEED, note="x" * 1_000))
    assert kept < KEPT_BYTES_MAX // 10
    assert len(record.decisions) > 100


LARGE: Final[dict[str, dict[str, Any]]] = {
    "lists": {"evidence": {"moments": [[]] * 5_000}},
    "objects": {"evidence": [{}] * 5_000},
    "members": {"evidence": [{"a": 1_000, "b": 2_000}] * 2_000},
    "numbers": {"evidence": list(range(1_000, 9_000))},
    "texts": {"evidence": ["ab", "cd"] * 3_000},
    "names": {f"x{at}": at for at in range(3_000)},
    "characters of four bytes": {"why": "\U0001f3b2" + "x" * 30_000},
    "nothing but lines": {},
}


@pytest.mark.pure
@pytest.mark.parametrize("what", LARGE)
def test_the_count_is_at_least_the_memory_taken(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = 0

    class Counting(Budget):
        def take(self, line: DecisionLine | Incident) -> None:
            nonlocal counted
            super().take(line)
            counted = self._taken

    monkeypatch.setattr(reading, "Budget", Counting)
    texts = _with_incidents(LARGE[what], 8 if LARGE[what] else 3_000)
    _, kept, _ = _traced(texts)
    assert kept > 64 * KIB
    # The header and the deal are not counted.
    assert kept < counted + 64 * KIB


def test_a_record_with_too_much_to_keep_is_refused_at_that_line() -> None:
    texts = _with_incidents(LARGE["lists"], 20)
    each = kept_bytes({"what": "x", **LARGE["lists"]})
    with pytest.raises(RecordError, match="at most 2,000,000 bytes are kept") as refusal:
        read_record(iter(texts), kept_bytes_max=2_000_000)
    assert refusal.value.reason == "too-much"
    assert refusal.value.line == 3 + 2_000_000 // each
    assert read_record(iter(texts), kept_bytes_max=None).lines == len(texts)


def test_a_value_is_counted_as_it_was_read() -> None:
    assert kept_bytes(decoded(b'{"a":[1,"b",null,true,{}]}')) > kept_bytes(decoded(b'{"a":[1,"b",null,true]}'))
