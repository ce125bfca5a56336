"""How lines end, what is not written because nobody could read it back, and the longest and deepest lines."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import INTEGER_MAX, decoded, encoded
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.lines import DealLine, Incident, Line
from mergemaker_testkit.all_lines import DECISION, END, HASH, HEADER, HEX, texts_of_all
from mergemaker_testkit.recorded import forged, opened, parts_in, sealed

# --- how lines end ---

TAILS: Final[tuple[tuple[str, Callable[[dict[str, Any]], object], str], ...]] = (
    ("no line hash", lambda members: members.pop("line"), "bad-tail"),
    ("no game hash", lambda members: members.pop("game"), "bad-tail"),
    ("no run", lambda members: members.pop("run"), "bad-tail"),
    ("run after line", lambda members: members.update(run=members.pop("run")), "bad-tail"),
    ("something after line", lambda members: members.update(weather=1), "bad-tail"),
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
    for number, text in enumerate(texts_of_all()):
        chains = Chains()
        for before in texts_of_all()[:number]:
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
    for number, text in enumerate(texts_of_all()):
        chains = Chains()
        for before in texts_of_all()[:number]:
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
def test_what_nobody_could_read_back_is_not_written(line: Line, reason: str) -> None:
    chains = Chains()
    chains.seal(HEADER)
    before = (chains.game, chains.line, chains.lines)
    with pytest.raises(RecordError) as refusal:
        chains.seal(line)
    assert refusal.value.reason == reason
    assert (chains.game, chains.line, chains.lines) == before


def test_the_header_repeats_nothing() -> None:
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


def test_faults_are_in_the_order_of_their_causes_whichever_came_first() -> None:
    one, other = {"default: timeout": 1, "default: illegal": 2}, {"default: illegal": 2, "default: timeout": 1}
    texts = [sealed([HEADER, replace(END, faults=({}, faults, {}))]) for faults in (one, other)]
    assert texts[0] == texts[1]
    opened(texts[1])
