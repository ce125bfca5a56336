"""The members of each kind of line: each has its type, range and place, and there are no others."""

from dataclasses import replace
from typing import Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import INTEGER_MAX
from mergemaker_engine.record.lines import PlayIncident
from mergemaker_engine.record.members import Members
from mergemaker_engine.rules import KNOB_NAMES, preset
from mergemaker_testkit.all_lines import HASH, HEADER, HEX, LINES, SEATS, first_refusal, parts_of_all
from mergemaker_testkit.recorded import Parts, forged, opened, parts_in, sealed

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
# Most lines are decisions without a note. A shorter path reads them, and it must not accept more.
BAD_MEMBERS: Final = (
    *_ROWS,
    *(("decision without a note", *row[1:]) for row in _ROWS if row[0] == "decision"),
)
PART: Final = {"told": 0, "run": 1}


@pytest.mark.parametrize(
    ("kind", "part", "name", "values", "reason"), BAD_MEMBERS, ids=[f"{row[0]}-{row[2]}-{row[4]}" for row in BAD_MEMBERS]
)
def test_a_member_of_another_type_or_range_is_refused(
    kind: str, part: str, name: str, values: tuple[object, ...], reason: str
) -> None:
    for value in values:
        parts = parts_of_all()
        parts[kind][PART[part]][name] = value
        assert first_refusal(parts) == (reason, list(LINES).index(kind)), value


def test_every_member_is_tried() -> None:
    tried = {(kind, part, name) for kind, part, name, _, _ in BAD_MEMBERS}
    skipped = {(kind, "told", "kind") for kind in LINES}
    skipped |= {("decision without a note", "run", name) for name in ("at_ms", "used_ms")}
    skipped |= {("voided end", "told", name) for name in ("statuses", "faults", "seed")}
    there = {(kind, part, name) for kind, parts in parts_of_all().items() for part, at in PART.items() for name in parts[at]}
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
        for name in parts_of_all()[kind][at]:
            parts = parts_of_all()
            del parts[kind][at][name]
            reason, line = first_refusal(parts)
            expected = "read" if (kind, name) in MAY_BE_ABSENT else OTHER_REASONS.get((kind, name), "missing-member")
            assert reason == expected, (part, name)
            assert line in (-1, list(LINES).index(kind))


@pytest.mark.parametrize("kind", LINES)
def test_unknown_members_are_refused_but_in_run(kind: str) -> None:
    parts = parts_of_all()
    parts[kind][1].update({"weather": {"rain": [1, None, "much"]}, "": None})
    assert first_refusal(parts) == ("read", -1)
    for name in ("weather", "", "line", "game", "run", "x" * 500):
        parts = parts_of_all()
        parts[kind][0][name] = 1
        reason, line = first_refusal(parts)
        assert reason in ("unknown-member", "twice"), name
        assert line == list(LINES).index(kind)


@pytest.mark.parametrize("kind", LINES)
def test_run_has_one_depth_in_every_kind_of_line(kind: str) -> None:
    for levels, expected in ((10, "read"), (11, "too-deep"), (12, "too-deep"), (40, "too-deep")):
        parts = parts_of_all()
        value: object = 1
        for _ in range(levels - 1):
            value = [value]
        parts[kind][1]["weather"] = value
        assert first_refusal(parts)[0] == expected, levels


@pytest.mark.parametrize("kind", LINES)
def test_members_stand_in_the_order_of_the_format(kind: str) -> None:
    told = parts_of_all()[kind][0]
    for name in list(told)[:-1]:
        parts = parts_of_all()
        parts[kind][0][name] = parts[kind][0].pop(name)
        reason, line = first_refusal(parts)
        assert (reason, line) == ("not-canonical", list(LINES).index(kind)), name


@pytest.mark.parametrize("kind", LINES)
def test_members_of_run_stand_in_any_order(kind: str) -> None:
    parts = parts_of_all()
    run = parts[kind][1]
    reordered = dict(reversed(run.items()))
    run.clear()
    run.update(reordered)
    assert first_refusal(parts) == ("read", -1)


def _rules_with(knob: str, value: object) -> dict[str, Parts]:
    parts = parts_of_all()
    parts["header"][0]["rules"][knob] = value
    return parts


@pytest.mark.parametrize("knob", KNOB_NAMES)
def test_rules_are_refused_for_each_knob_that_is_wrong(knob: str) -> None:
    wrong: tuple[object, ...] = (
        None, "weather", -1, 11, "", [], [[], [], []], [1], {}, [["A"] * 2, ["B"] * 3, ["C"] * 2], [[[]], [], []],
    )  # fmt: skip
    for value in wrong:
        assert first_refusal(_rules_with(knob, value)) == ("bad-rules", 0), value
    parts = parts_of_all()
    del parts["header"][0]["rules"][knob]
    assert first_refusal(parts) == ("bad-rules", 0)


def test_knobs_stand_in_their_order() -> None:
    parts = parts_of_all()
    rules = parts["header"][0]["rules"]
    rules["chains"] = rules.pop("chains")
    assert first_refusal(parts) == ("bad-rules", 0)


def test_rules_have_the_fingerprint_in_the_header() -> None:
    assert first_refusal(_rules_with("trade_offers", 2)) == ("bad-rules", 0)


def test_a_knob_that_is_not_known_is_named() -> None:
    assert first_refusal(_rules_with("weather", 2)) == ("newer-rules", 0)
    told, run = _rules_with("weather", 2)["header"]
    with pytest.raises(RecordError, match="played with the knob 'weather', which this program does not know: it knows the knobs"):
        opened(forged([(told, run)]))


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


def test_a_line_is_an_object() -> None:
    for value in NO_OBJECTS:
        with pytest.raises(RecordError, match="it is an object, not") as refusal:
            Members(value, "it")
        assert refusal.value.reason == "bad-member"
