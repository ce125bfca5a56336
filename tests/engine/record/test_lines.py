"""The five kinds of lines: each is read back as it was written, and each member has its type and range."""

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import INTEGER_MAX, decoded, encoded, hash_text
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import (
    DEFAULTS,
    NOTE_BYTES_MAX,
    By,
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
from mergemaker_engine.record.members import Members
from mergemaker_engine.record.plain import line_of, parts_of
from mergemaker_engine.rules import KNOB_NAMES, preset
from mergemaker_testkit.recorded import Parts, forged, opened, parts_in, sealed
from mergemaker_testkit.strategies import STEADY, Table, tables

# --- lines at random ---

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
        by=st.sampled_from(By),
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
def test_a_line_with_any_member_changed_is_read_as_it_stands_or_refused(lines: list[Line], data: st.DataObject) -> None:
    parts = [parts_in(text) for text in sealed(lines)]
    part = data.draw(st.sampled_from([part for pair in parts for part in pair if part]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(PLAIN)
    texts = forged(parts)
    try:
        read = opened(texts)
    except RecordError:
        return
    assert [parts_in(text)[0] for text in sealed(read)] == [told for told, _ in parts]


# --- one record with every kind of line, and what is refused of it ---

HASH: Final = "A" * 22
HEX: Final = "5e" * 32
SEATS: Final = 3
HEADER: Final = Header(
    rules=preset("reference-trading"),
    seats=SEATS,
    mode=DealMode.JOINT,
    clock={"bank_ms": 60_000},
    match="m-1",
    bots=("random", "random", "greedy"),
    promise=Promise("m-0", bytes(32)),
    parent=Parent("m-0", 17, HASH),
    software="mergemaker",
    started="2026-11-18T15:38:32Z",
)
DECISION: Final = DecisionLine(number=1, seat=2, asked="ChooseTile", answer="5E", by=By.BOT, digest=HASH, note="a note")
END: Final = EndLine(
    why=Ending.DECLARED,
    cash=(100, 300, 200),
    places=(3, 1, 2),
    statuses=(Status.FINISHED, Status.AUTOPILOT, Status.RESIGNED),
    faults=({}, {"default: timeout": 2}, {}),
    seed=bytes(32),
    server_seed=bytes(32),
    nonce=bytes(32),
)
LINES: Final[dict[str, Line]] = {
    "header": HEADER,
    "deal": DealLine(digest=HASH, seat_commitments=(bytes(32),) * 3, contributions=(bytes(32), None, bytes(32))),
    "decision": DECISION,
    "decision without a note": replace(DECISION, note=None, run={"at_ms": 17, "used_ms": 3}),
    "incident of the play": Incident(what="autopilot", seat=1, why="three faults"),
    "incident of the run": Incident(what="paused", seat=1, why="asked for"),
    "end": END,
    "voided end": EndLine(
        why=Ending.VOIDED, cash=None, places=None, statuses=(Status.FINISHED,) * 3, faults=({},) * 3, seed=bytes(32)
    ),
}


@cache
def _texts() -> list[bytes]:
    return sealed(LINES.values())


def _parts() -> dict[str, Parts]:
    return {name: parts_in(text) for name, text in zip(LINES, _texts(), strict=True)}


def _reason(parts: dict[str, Parts]) -> tuple[str, int]:
    """Why the first line that is wrong is refused, and which one it is."""
    chains = Chains()
    for name, text in zip(parts, forged(parts.values()), strict=True):
        before = (chains.game, chains.line, chains.lines)
        try:
            chains.open(text.removesuffix(b"\n"))
        except RecordError as error:
            assert (chains.game, chains.line, chains.lines) == before
            return error.reason, list(LINES).index(name)
    return "read", -1


NO_TEXTS: Final[tuple[object, ...]] = (None, 1, True, [], {}, ["a"])
NO_NUMBERS: Final[tuple[object, ...]] = (None, "1", True, False, [], {}, -1)
NO_SEATS: Final[tuple[object, ...]] = (*NO_NUMBERS, SEATS)
NO_HASHES: Final[tuple[object, ...]] = (*NO_TEXTS, "", "A" * 21, "A" * 23, "A" * 21 + "=", "A" * 21 + "+", "é" * 22)
NO_OCTETS: Final[tuple[object, ...]] = (*NO_TEXTS, "", "5e" * 31, "5e" * 33, "5E" * 32, "5g" * 32, " " * 64, "é" * 64, "٣" * 64)
NO_OBJECTS: Final[tuple[object, ...]] = (None, 1, True, "", [], [1])
NO_IDS: Final = ("", "A", "a b", "x" * 65, "a/b")
NO_LISTS: Final[tuple[object, ...]] = (None, 1, "abc", {}, [], [1] * 2, [1] * 4)

_ROWS: Final[tuple[tuple[str, str, str, tuple[object, ...], str], ...]] = (
    ("header", "told", "kind", NO_TEXTS, "bad-member"),
    ("header", "told", "kind", ("deal", "decision", "incident", "end", "weather", ""), "misplaced"),
    ("header", "told", "format", (*NO_NUMBERS, 0), "bad-member"),
    ("header", "told", "format", (2, INTEGER_MAX), "newer-format"),
    ("header", "told", "rules_version", (*NO_NUMBERS, 0), "bad-member"),
    ("header", "told", "rules_version", (2, INTEGER_MAX), "newer-rules"),
    ("header", "told", "rules", NO_OBJECTS, "bad-member"),
    ("header", "told", "rules", ({}, {"chains": []}, dict.fromkeys(KNOB_NAMES)), "bad-rules"),
    ("header", "told", "fingerprint", NO_TEXTS, "bad-member"),
    ("header", "told", "fingerprint", ("", "00" * 16), "bad-rules"),
    ("header", "told", "seats", (*NO_NUMBERS, 0, 1, 7), "bad-member"),
    ("header", "told", "clock", NO_OBJECTS, "bad-member"),
    ("header", "told", "deal", (*NO_TEXTS, "", "weather"), "bad-member"),
    ("header", "told", "deal", ("plain",), "bad-promise"),
    ("header", "run", "match", NO_TEXTS, "bad-member"),
    ("header", "run", "match", NO_IDS, "bad-match-id"),
    ("header", "run", "bots", (*NO_LISTS, ["a", "b", 3], ["a", "b", None], [1] * 3), "bad-member"),
    ("header", "run", "promise", NO_OBJECTS, "bad-member"),
    ("header", "run", "promise", ({}, {"match": "m"}, {"commitment": HEX}), "missing-member"),
    ("header", "run", "promise", tuple({"match": value, "commitment": HEX} for value in NO_TEXTS), "bad-member"),
    ("header", "run", "promise", tuple({"match": value, "commitment": HEX} for value in NO_IDS), "bad-match-id"),
    ("header", "run", "promise", tuple({"match": "m", "commitment": value} for value in NO_OCTETS), "bad-member"),
    ("header", "run", "parent", NO_OBJECTS, "bad-member"),
    ("header", "run", "parent", ({}, {"match": "m"}, {"match": "m", "decision": 1}), "missing-member"),
    ("header", "run", "parent", tuple({"match": value, "decision": 1, "game": HASH} for value in NO_IDS), "bad-match-id"),
    ("header", "run", "parent", tuple({"match": "m", "decision": value, "game": HASH} for value in NO_NUMBERS), "bad-member"),
    ("header", "run", "parent", tuple({"match": "m", "decision": 1, "game": value} for value in NO_HASHES), "bad-member"),
    ("header", "run", "parent", ({"match": "m", "decision": 0, "game": HASH},), "bad-member"),
    ("header", "run", "software", NO_TEXTS, "bad-member"),
    ("header", "run", "started", NO_TEXTS, "bad-member"),
    ("deal", "told", "kind", ("weather", "", "Deal"), "unknown-kind"),
    ("deal", "told", "kind", ("header",), "misplaced"),
    ("deal", "told", "kind", NO_TEXTS, "bad-member"),
    ("deal", "told", "digest", NO_HASHES, "bad-member"),
    ("deal", "run", "seat_commitments", (*NO_LISTS, [HEX, HEX, 1], [HEX, HEX, "5e"], ["5E" * 32] * 3), "bad-member"),
    ("deal", "run", "contributions", (*NO_LISTS, [HEX, HEX, 1], [HEX, HEX, "5e"], ["5E" * 32] * 3), "bad-member"),
    ("decision", "told", "n", (*NO_NUMBERS, 0), "bad-member"),
    ("decision", "told", "seat", NO_SEATS, "bad-member"),
    ("decision", "told", "asked", NO_TEXTS, "bad-member"),
    ("decision", "told", "answer", NO_TEXTS, "bad-member"),
    ("decision", "told", "by", (*NO_TEXTS, "", "Bot", "default"), "bad-member"),
    ("decision", "told", "digest", NO_HASHES, "bad-member"),
    ("decision", "run", "note", NO_TEXTS, "bad-member"),
    ("decision", "run", "note", ("x" * 1_025, "é" * 513, "\0" * 1_025), "long-note"),
    ("incident of the play", "told", "what", NO_TEXTS, "bad-member"),
    ("incident of the play", "told", "what", ("", "paused", "Autopilot"), "bad-incident"),
    ("incident of the play", "told", "seat", NO_SEATS, "bad-member"),
    ("incident of the play", "told", "why", NO_TEXTS, "bad-member"),
    ("incident of the run", "run", "what", NO_TEXTS, "bad-member"),
    ("incident of the run", "run", "what", tuple(map(str, PlayIncident)), "bad-incident"),
    ("incident of the run", "run", "seat", NO_SEATS, "bad-member"),
    ("incident of the run", "run", "why", NO_TEXTS, "bad-member"),
    ("end", "told", "why", (*NO_TEXTS, "", "resigned"), "bad-member"),
    ("end", "told", "why", ("voided",), "bad-member"),
    ("end", "told", "cash", (*NO_LISTS, [1, 2, -1], [1, 2, True], [1, 2, "3"], [1, 2, None]), "bad-member"),
    ("end", "told", "places", (*NO_LISTS, [1, 2, -1], [1, 2, True], [1, 2, "3"], [1, 2, None]), "bad-member"),
    ("end", "told", "statuses", (*NO_LISTS, ["finished", "finished", ""], ["finished"] * 2 + [None]), "bad-member"),
    ("end", "told", "faults", (*NO_LISTS, [{}, {}, []], [{}, {}, None], [{}, {}, {"default: timeout": 0}]), "bad-member"),
    ("end", "told", "faults", ([{}, {}, {"default: timeout": True}], [{}, {}, {"default: illegal": "1"}]), "bad-member"),
    ("end", "told", "faults", ([{}, {}, {"bot": 1}], [{}, {}, {"automatic": 1}], [{}, {}, {"timeout": 1}]), "unknown-member"),
    ("end", "told", "faults", ([{}, {}, {"default: illegal": 1, "default: timeout": 1}],), "not-canonical"),
    ("end", "told", "seed", NO_OCTETS, "bad-member"),
    ("end", "run", "server_seed", NO_OCTETS, "bad-member"),
    ("end", "run", "nonce", NO_OCTETS, "bad-member"),
    ("voided end", "told", "why", ("declared", "stuck"), "bad-member"),
    ("voided end", "told", "cash", ([0, 0, 0], [], 0, False), "bad-member"),
    ("voided end", "told", "places", ([1, 1, 1], [], 0, False), "bad-member"),
)
# A decision without a note is what most lines of a record are: it is read by a shorter way, which must not let more in.
BAD_MEMBERS: Final = (
    *_ROWS,
    *(("decision without a note", *row[1:]) for row in _ROWS if row[0] == "decision"),
)
PART: Final = {"told": 0, "run": 1}


def test_the_record_of_all_kinds_is_read() -> None:
    assert opened(_texts()) == list(LINES.values())
    assert _reason(_parts()) == ("read", -1)


@pytest.mark.parametrize(
    ("kind", "part", "name", "values", "reason"), BAD_MEMBERS, ids=[f"{row[0]}-{row[2]}-{row[4]}" for row in BAD_MEMBERS]
)
def test_a_member_of_another_type_or_range_is_refused(
    kind: str, part: str, name: str, values: tuple[object, ...], reason: str
) -> None:
    for value in values:
        parts = _parts()
        parts[kind][PART[part]][name] = value
        assert _reason(parts) == (reason, list(LINES).index(kind)), value


def test_every_member_is_tried() -> None:
    tried = {(kind, part, name) for kind, part, name, _, _ in BAD_MEMBERS}
    skipped = {(kind, "told", "kind") for kind in LINES}
    skipped |= {("decision without a note", "run", name) for name in ("at_ms", "used_ms")}
    skipped |= {("voided end", "told", name) for name in ("statuses", "faults", "seed")}
    there = {(kind, part, name) for kind, parts in _parts().items() for part, at in PART.items() for name in parts[at]}
    assert there - skipped <= tried <= there | {("decision without a note", "run", "note")}


MAY_BE_ABSENT: Final = {
    ("header", "parent"), ("header", "software"), ("header", "started"),
    ("deal", "seat_commitments"),
    ("decision", "note"),
    ("decision without a note", "at_ms"), ("decision without a note", "used_ms"),
    ("incident of the play", "seat"), ("incident of the play", "why"),
    ("incident of the run", "seat"), ("incident of the run", "why"),
    ("end", "server_seed"), ("end", "nonce"),
}  # fmt: skip
OTHER_REASONS: Final = {("header", "promise"): "bad-promise"}


@pytest.mark.parametrize("kind", LINES)
def test_a_member_that_is_missing_is_named(kind: str) -> None:
    for part, at in PART.items():
        for name in _parts()[kind][at]:
            parts = _parts()
            del parts[kind][at][name]
            reason, line = _reason(parts)
            expected = "read" if (kind, name) in MAY_BE_ABSENT else OTHER_REASONS.get((kind, name), "missing-member")
            assert reason == expected, (part, name)
            assert line in (-1, list(LINES).index(kind))


@pytest.mark.parametrize("kind", LINES)
def test_unknown_members_are_refused_but_in_run(kind: str) -> None:
    parts = _parts()
    parts[kind][1].update({"weather": {"rain": [1, None, "much"]}, "": None})
    assert _reason(parts) == ("read", -1)
    for name in ("weather", "", "line", "game", "run", "x" * 500):
        parts = _parts()
        parts[kind][0][name] = 1
        reason, line = _reason(parts)
        assert reason in ("unknown-member", "twice"), name
        assert line == list(LINES).index(kind)


@pytest.mark.parametrize("kind", LINES)
def test_run_has_one_depth_in_every_kind_of_line(kind: str) -> None:
    for levels, expected in ((10, "read"), (11, "too-deep"), (12, "too-deep"), (40, "too-deep")):
        parts = _parts()
        value: object = 1
        for _ in range(levels - 1):
            value = [value]
        parts[kind][1]["weather"] = value
        assert _reason(parts)[0] == expected, levels


@pytest.mark.parametrize("kind", LINES)
def test_members_stand_in_the_order_of_the_format(kind: str) -> None:
    told = _parts()[kind][0]
    for name in list(told)[:-1]:
        parts = _parts()
        parts[kind][0][name] = parts[kind][0].pop(name)
        reason, line = _reason(parts)
        assert (reason, line) == ("not-canonical", list(LINES).index(kind)), name


@pytest.mark.parametrize("kind", LINES)
def test_members_of_run_stand_in_any_order(kind: str) -> None:
    parts = _parts()
    run = parts[kind][1]
    reordered = dict(reversed(run.items()))
    run.clear()
    run.update(reordered)
    assert _reason(parts) == ("read", -1)


def _rules_with(knob: str, value: object) -> dict[str, Parts]:
    parts = _parts()
    parts["header"][0]["rules"][knob] = value
    return parts


@pytest.mark.parametrize("knob", KNOB_NAMES)
def test_rules_are_refused_for_each_knob_that_is_wrong(knob: str) -> None:
    wrong: tuple[object, ...] = (
        None, "weather", -1, 11, "", [], [[], [], []], [1], {}, [["A"] * 2, ["B"] * 3, ["C"] * 2], [[[]], [], []],
    )  # fmt: skip
    for value in wrong:
        assert _reason(_rules_with(knob, value)) == ("bad-rules", 0), value
    parts = _parts()
    del parts["header"][0]["rules"][knob]
    assert _reason(parts) == ("bad-rules", 0)


def test_knobs_stand_in_their_order() -> None:
    parts = _parts()
    rules = parts["header"][0]["rules"]
    rules["chains"] = rules.pop("chains")
    assert _reason(parts) == ("bad-rules", 0)


def test_rules_have_the_fingerprint_that_is_said() -> None:
    assert _reason(_rules_with("trade_offers", 2)) == ("bad-rules", 0)
    assert _reason(_rules_with("weather", 2)) == ("bad-rules", 0)


@pytest.mark.rule("SET-6")
def test_rules_and_seats_are_ones_that_can_play() -> None:
    line = replace(HEADER, rules=preset("renegade-tycoon"))
    told, run = parts_in(sealed([line])[0])
    told["seats"] = 2
    run["bots"] = ["a", "b"]
    with pytest.raises(RecordError, match="SET-6") as refusal:
        opened(forged([(told, run)]))
    assert refusal.value.reason == "bad-rules"


def test_there_is_one_header_and_it_is_the_first_line() -> None:
    lines = list(LINES.values())
    with pytest.raises(RecordError, match="the first line is a header") as refusal:
        sealed(lines[1:])
    assert refusal.value.reason == "misplaced"
    with pytest.raises(RecordError, match="one line is the header") as refusal:
        sealed([lines[0], lines[0]])
    assert refusal.value.reason == "misplaced"


TAILS: Final[tuple[tuple[str, Callable[[dict[str, Any]], object], str], ...]] = (
    ("no line hash", lambda members: members.pop("line"), "bad-tail"),
    ("no game hash", lambda members: members.pop("game"), "bad-tail"),
    ("no run", lambda members: members.pop("run"), "bad-tail"),
    ("run behind line", lambda members: members.update(run=members.pop("run")), "bad-tail"),
    ("something behind line", lambda members: members.update(weather=1), "bad-tail"),
    ("nothing at all", lambda members: members.clear(), "bad-tail"),
    ("run is a list", lambda members: members.update(run=[]), "bad-member"),
    ("run is nothing", lambda members: members.update(run=None), "bad-member"),
    ("another game hash", lambda members: members.update(game=HASH), "game-chain"),
    ("a number as game hash", lambda members: members.update(game=1), "game-chain"),
    ("no game hash but its name", lambda members: members.update(game=None), "game-chain"),
    ("another line hash", lambda members: members.update(line=HASH), "line-chain"),
    ("a list as line hash", lambda members: members.update(line=[HASH]), "line-chain"),
    ("a longer line hash", lambda members: members.update(line=members["line"] + "A"), "line-chain"),
)


@pytest.mark.parametrize(("change", "reason"), [row[1:] for row in TAILS], ids=[row[0] for row in TAILS])
def test_a_line_ends_with_both_hashes_and_run_between_them(change: Callable[[dict[str, Any]], object], reason: str) -> None:
    for number, text in enumerate(_texts()):
        chains = Chains()
        for before in _texts()[:number]:
            chains.open(before.removesuffix(b"\n"))
        members = decoded(text.removesuffix(b"\n"))
        change(members)
        with pytest.raises(RecordError) as refusal:
            chains.open(encoded(members).encode())
        assert refusal.value.reason == reason
        chains.open(text.removesuffix(b"\n"))


# --- what cannot be sealed ---

UNSEALED: Final[tuple[tuple[str, Line, str], ...]] = (
    ("a seat beyond the table", Incident(what="paused", seat=3), "bad-member"),
    ("a note that is too long", replace(DECISION, note="x" * 1_025), "long-note"),
    ("a text without UTF-8", Incident(what="\ud800"), "bad-text"),
    ("a number with a point", Incident(what="paused", run={"at_ms": 1.5}), "bad-value"),
    ("a long line", Incident(what="paused", run={"evidence": "x" * 65_536}), "long-line"),
    ("a run of many levels", Incident(what="paused", run={"a": [[[[[[[[[[1]]]]]]]]]]}), "too-deep"),
    ("a note in run that is no text", replace(DECISION, note=None, run={"note": 5}), "bad-member"),
    ("a note in run that is too long", replace(DECISION, note=None, run={"note": "x" * 1_025}), "long-note"),
    ("a number with a point in a decision", replace(DECISION, note=None, run={"at_ms": 1.5}), "bad-value"),
    ("a truth value as a name in a decision's run", replace(DECISION, note=None, run={True: 1}), "bad-value"),  # type: ignore[dict-item]  # wrong on purpose
    ("a long number in a decision's run", replace(DECISION, note=None, run={"at_ms": 2**53}), "bad-number"),
    ("a decision's run of many levels", replace(DECISION, note=None, run={"a": [[[[[[[[[[1]]]]]]]]]]}), "too-deep"),
    ("a decision's long line", replace(DECISION, note=None, run={"evidence": "x" * 65_536}), "long-line"),
    ("a text in a decision without UTF-8", replace(DECISION, note=None, answer="\ud800"), "bad-text"),
    ("a decision of a seat beyond the table", replace(DECISION, note=None, seat=3), "bad-member"),
    ("a decision's number too large", replace(DECISION, note=None, number=INTEGER_MAX + 1), "bad-member"),
    ("a decision's number that is none", replace(DECISION, note=None, number=True), "bad-member"),
    ("a decision's number below one", replace(DECISION, note=None, number=0), "bad-member"),
    ("a digest that is none", replace(DECISION, note=None, digest="A" * 21), "bad-member"),
    ("a note in run as well", replace(DECISION, run={"note": "other"}), "twice"),
    ("an incident in run as well", Incident(what="paused", run={"what": "other"}), "twice"),
    ("a nonce in run as well", replace(END, run={"nonce": HEX}), "twice"),
    ("parts without commitments", DealLine(digest=HASH, contributions=(None,) * 3), "bad-member"),
    ("commitments without parts", DealLine(digest=HASH, seat_commitments=(None,) * 3), "bad-member"),
    ("a fault that is none", replace(END, faults=({}, {"weather": 1}, {})), "unknown-member"),
)


ANY_TEXTS: Final = (
    "", "é", "雪", '"', "\\", "\n", "\0", "\x1f", "\x7f", "\x80", "\u2028", "/", "},{", '","by":"bot', "\U0001f600",
)  # fmt: skip


@pytest.mark.parametrize("text", ANY_TEXTS, ids=repr)
def test_any_text_in_a_decision_is_written_canonically_and_read_back(text: str) -> None:
    for line in (replace(DECISION, asked=text, answer=text), replace(DECISION, asked=text, answer=text, note=None)):
        texts = sealed([HEADER, line])
        assert forged(map(parts_in, texts)) == texts
        assert opened(texts)[1] == line


NO_RUNS: Final = ('{"a": 1}', '{"a":1.0}', '{"a":"\\u0041"}', '{"a":1,"a":1}', "{}}", '{"a":1},"b":{}', "{}{}", "[]", "null", "{")


@pytest.mark.parametrize("run", NO_RUNS)
def test_run_is_canonical_in_every_kind_of_line(run: str) -> None:
    for number, text in enumerate(_texts()):
        chains = Chains()
        for before in _texts()[:number]:
            chains.open(before.removesuffix(b"\n"))
        start, end = text.index(b'"run":') + 6, text.rindex(b',"line":')
        with pytest.raises(RecordError) as refusal:
            chains.open(text[:start] + run.encode() + text[end:-1])
        assert refusal.value.reason in {
            "not-canonical",
            "bad-number",
            "twice",
            "not-json",
            "bad-tail",
            "bad-member",
            "missing-member",
        }


@pytest.mark.parametrize(("line", "reason"), [row[1:] for row in UNSEALED], ids=[row[0] for row in UNSEALED])
def test_what_could_not_be_read_back_is_not_written(line: Line, reason: str) -> None:
    chains = Chains()
    chains.seal(HEADER)
    before = (chains.game, chains.line, chains.lines)
    with pytest.raises(RecordError) as refusal:
        chains.seal(line)
    assert refusal.value.reason == reason
    assert (chains.game, chains.line, chains.lines) == before


def test_the_header_gives_nothing_twice() -> None:
    for name in ("match", "bots", "promise", "parent", "software", "started"):
        with pytest.raises(RecordError) as refusal:
            Chains().seal(replace(HEADER, more={name: "x"}))
        assert refusal.value.reason == "twice"


def test_the_longest_line_that_is_written_is_read() -> None:
    room = 65_536 - len(sealed([HEADER, Incident(what="paused", run={"evidence": ""})])[1]) + 1
    texts = sealed([HEADER, Incident(what="paused", run={"evidence": "x" * room})])
    assert len(texts[1]) == 65_536 + 1
    opened(texts)
    with pytest.raises(RecordError, match="at most 65,536") as refusal:
        sealed([HEADER, Incident(what="paused", run={"evidence": "x" * (room + 1)})])
    assert (refusal.value.reason, refusal.value.line) == ("long-line", 2)


def test_the_deepest_run_that_is_written_is_read() -> None:
    deepest = Incident(what="paused", run={"a": [[[[[[[[[1]]]]]]]]]})
    assert opened(sealed([HEADER, deepest]))[1] == deepest


def test_faults_stand_in_the_order_of_their_causes_whichever_came_first() -> None:
    one, other = {"default: timeout": 1, "default: illegal": 2}, {"default: illegal": 2, "default: timeout": 1}
    texts = [sealed([HEADER, replace(END, faults=({}, faults, {}))]) for faults in (one, other)]
    assert texts[0] == texts[1]
    opened(texts[1])


def test_a_line_says_nothing_but_its_parts() -> None:
    for kind, line in LINES.items():
        told, run = parts_of(line)
        seats = None if kind == "header" else SEATS
        assert line_of(copy.deepcopy(told), copy.deepcopy(run), seats) == line


def test_members_are_of_an_object() -> None:
    for value in NO_OBJECTS:
        with pytest.raises(RecordError, match="it is an object, not") as refusal:
            Members(value, "it")
        assert refusal.value.reason == "bad-member"
