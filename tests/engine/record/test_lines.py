"""The five kinds of lines, at random and all in one record. Each is read back as it was written, or refused."""

import copy
from functools import cache
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import INTEGER_MAX, hash_text
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import (
    DEFAULTS,
    NOTE_BYTES_MAX,
    AnsweredBy,
    DealLine,
    DecisionLine,
    Ending,
    EndLine,
    Header,
    Incident,
    Line,
    Parent,
    PlayIncident,
    Promise,
    Status,
)
from mergemaker_engine.record.plain import line_of, parts_of
from mergemaker_testkit.all_lines import LINES, SEATS, first_refusal, parts_of_all, texts_of_all
from mergemaker_testkit.recorded import forged, opened, parts_in, sealed
from mergemaker_testkit.strategies import STEADY, Table, tables

NAMES_IN_RUN: Final = {
    "match", "bots", "promise", "parent", "software", "started", "seat_commitments", "contributions", "note", "what", "seat",
    "why", "server_seed", "nonce",
}  # fmt: skip
PLAIN: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-INTEGER_MAX, INTEGER_MAX) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
RUNS: Final = st.dictionaries(st.text(max_size=6).filter(lambda name: name not in NAMES_IN_RUN), PLAIN, max_size=3)
IDS: Final = st.from_regex(r"[a-z0-9-]{0,20}[a-z0-9]", fullmatch=True)
OCTETS: Final = st.binary(min_size=32, max_size=32)
HASHES: Final = st.binary(min_size=16, max_size=16).map(hash_text)
TEXTS: Final = st.text(max_size=10)


@cache
def _headers(table: Table) -> st.SearchStrategy[Header]:
    promises = st.builds(Promise, IDS, OCTETS)
    modes = st.one_of(
        st.tuples(st.just(DealMode.PLAIN), st.none()), st.tuples(st.sampled_from([DealMode.SERVER, DealMode.JOINT]), promises)
    )
    return st.builds(
        lambda mode, **others: Header(rules=table.rules, seats=table.seats, mode=mode[0], promise=mode[1], **others),
        mode=modes,
        clock=st.dictionaries(TEXTS, PLAIN, max_size=3),
        match=IDS,
        bots=st.tuples(*[TEXTS] * table.seats),
        parent=st.none() | st.builds(Parent, IDS, st.integers(1, INTEGER_MAX), HASHES),
        software=TEXTS,
        started=TEXTS,
        more=RUNS,
    )


@cache
def _other_lines(seats: int) -> st.SearchStrategy[Line]:
    seat = st.integers(0, seats - 1)
    by_seat = st.tuples(*[st.none() | OCTETS] * seats)
    numbers = st.tuples(*[st.integers(0, INTEGER_MAX)] * seats)
    causes = st.dictionaries(st.sampled_from(sorted(DEFAULTS)).map(str), st.integers(1, INTEGER_MAX))
    deals = st.builds(DealLine, digest=HASHES) | st.builds(
        DealLine, digest=HASHES, seat_commitments=by_seat, contributions=by_seat
    )
    decisions = st.builds(
        DecisionLine,
        number=st.integers(1, INTEGER_MAX),
        seat=seat,
        asked=TEXTS,
        answer=TEXTS,
        by=st.sampled_from(AnsweredBy),
        digest=HASHES,
        note=st.none() | st.text(max_size=NOTE_BYTES_MAX // 4),
        run=RUNS,
    )
    incidents = st.builds(
        Incident, what=st.sampled_from(PlayIncident).map(str) | TEXTS, seat=st.none() | seat, why=st.none() | TEXTS, run=RUNS
    )
    ends = st.builds(
        lambda ended, **others: EndLine(why=ended[0], cash=ended[1], places=ended[2], **others),
        ended=st.just((Ending.VOIDED, None, None))
        | st.tuples(st.sampled_from([Ending.DECLARED, Ending.STUCK]), numbers, numbers),
        statuses=st.tuples(*[st.sampled_from(Status)] * seats),
        faults=st.tuples(*[causes] * seats),
        seed=OCTETS,
        server_seed=st.none() | OCTETS,
        nonce=st.none() | OCTETS,
        run=RUNS,
    )
    return st.one_of(deals, decisions, incidents, ends)


@st.composite
def _records(draw: st.DrawFn) -> list[Line]:
    table = draw(tables())
    return [draw(_headers(table)), *draw(st.lists(_other_lines(table.seats), max_size=4))]


@settings(STEADY, max_examples=40)
@given(_records())
def test_lines_are_read_back_as_they_were_written(lines: list[Line]) -> None:
    texts = sealed(lines)
    assert opened(texts) == lines
    assert sealed(opened(texts)) == texts
    assert all(text.endswith(b"}\n") and text.count(b"\n") == 1 for text in texts)
    assert forged(map(parts_in, texts)) == texts


@settings(STEADY, max_examples=40)
@given(_records(), st.data())
def test_a_line_with_a_changed_member_is_read_as_it_stands_or_refused(lines: list[Line], data: st.DataObject) -> None:
    parts = [parts_in(text) for text in sealed(lines)]
    part = data.draw(st.sampled_from([part for pair in parts for part in pair if part]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(PLAIN)
    texts = forged(parts)
    try:
        read = opened(texts)
    except RecordError:
        return
    assert [parts_in(text)[0] for text in sealed(read)] == [told for told, _ in parts]


def test_the_record_of_all_kinds_is_read() -> None:
    assert opened(texts_of_all()) == list(LINES.values())
    assert first_refusal(parts_of_all()) == ("read", -1)


def test_a_line_has_only_its_parts() -> None:
    for kind, line in LINES.items():
        told, run = parts_of(line)
        seats = None if kind == "header" else SEATS
        assert line_of(copy.deepcopy(told), copy.deepcopy(run), seats) == line
