"""`mergemaker replay` with incomplete records, and what it refuses."""

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker_engine.record.lines import AnsweredBy, EndLine
from mergemaker_testkit.recorded import opened, sealed
from mergemaker_testkit.replayed import altered, decisions_of, match_of

from tests.tools.conftest import Run


def test_a_match_that_has_not_ended_is_shown_as_far_as_it_goes(
    run: Callable[..., Run], written: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    whole = match_of("avalon-hill-powers", 3)
    lines = altered(whole, 2, by=AnsweredBy.TIMEOUT)[:40]
    for torn in (b"", lines[-1][:20]):
        path = written([*lines, torn])
        shown = run("replay", path, "--text")
        assert shown.status == 1
        assert "has no end line: the match is running, or was broken off" in shown.err
        told = re.findall(r"^ +(\d+)\. seat (\d) \(random \d\)  (.+?): (.+?)(  \[.*\])?$", shown.out, re.MULTILINE)
        assert [(int(number), int(seat), asked, answer) for number, seat, asked, answer, _ in told] == [
            (line.number, line.seat, line.asked, line.answer) for line in decisions_of(opened(lines))
        ]
        assert [mark for *_, mark in told if mark] == ["  [default: timeout]"]
        for arguments in ((), ("--json",), ("--stats",)):
            if not arguments:
                continue  # the screen needs a terminal first
            refused = run("replay", path, *arguments)
            assert (refused.status, refused.out) == (1, "")
            assert "--text shows its header and the answers so far" in refused.err


def test_a_seat_of_a_running_match_is_shown_what_was_announced(run: Callable[..., Run], written: Callable[..., str]) -> None:
    lines = match_of("avalon-hill-powers", 3)
    recorded = decisions_of(opened(lines[:-1]))
    out = run("replay", written(lines[:-1]), "--text", "--seat", "0").out
    assert any(line.answer == "no power" and line.seat != 0 for line in recorded)
    assert not re.search(r"seat [12] \(random [12]\)  (no power|Choose)", out)
    assert "seat 0 (random 0)  ChoosePower phase=buying: no power" in out


def test_a_voided_match_is_shown_as_far_as_it_went(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of(decisions=20))
    for arguments in (("--text",), ("--stats",), ("@20", "--text"), ("--stats", "--json")):
        shown = run("replay", path, *arguments)
        assert (shown.status, shown.err) == (0, "")
        assert "voided" in shown.out
    assert len(json.loads(run("replay", path, "--json").out)["decisions"]) == 20


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--text", "--json"), "--text and --json are two ways to show a record: leave one out"),
        (("--text", "--stats"), "--text and --stats"),
        (("--stats", "--seat", "0"), "--stats counts what no single seat knows"),
        (("--text", "--seat", "4"), "--seat takes a seat of this match, 0 to 3, not 4"),
        (("--text", "--seat", "x"), "takes a whole number from 0 to 5, not 'x'"),
        (("@99999", "--text"), "@N takes a decision of this match, 0 (before the first) to "),
        (("57", "--text"), "after the record comes @ and the number of a decision, as in @57 or @seat0:12, not '57'"),
        (("@x", "--text"), "not '@x'"),
        (("@12345678", "--text"), "not '@12345678'"),
        ((), "the full-screen view needs a terminal with single keys, and standard input is no terminal:\n`mergemaker replay "),
    ],
)
def test_what_is_refused(
    run: Callable[..., Run], written: Callable[..., str], arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    refused = run("replay", written(match_of()), *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_paths_that_are_no_files_are_refused(run: Callable[..., Run], written: Callable[..., str], tmp_path: Path) -> None:
    missing = str(tmp_path / "none.jsonl")
    for path in (missing, f"{missing}@3", str(tmp_path), f"{written(match_of())}/x", "a\0b"):
        refused = run("replay", path, "--text")
        assert (refused.status, refused.out) == (2, ""), path
        assert "RECORD takes the path of a record's file" in refused.err
    twice = run("replay", f"{missing}@3", "@4", "--text")
    assert twice.status == 2
    assert "two decisions are named" in twice.err


def test_a_name_with_an_at_sign_is_a_name_if_that_file_exists(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of(), name="match@3")
    assert "result: " in run("replay", path, "--text").out
    assert run("replay", f"{path}@2", "--text").out.startswith("decision 2 of ")


def bad_records() -> dict[str, list[bytes]]:
    whole = match_of()
    digest = "A" * 22
    return {
        "empty": [],
        "no record": [b"{}\n"],
        "not text": [b"\xff\xfe\n"],
        "a bit": [*whole[:9], whole[9].replace(b'"n":', b'"m":'), *whole[10:]],
        "after the end": [*whole, b"x"],
        "another state": altered(whole, 9, digest=digest),
        "another answer": altered(whole, 9, answer="buy 25 Tower"),
        "another deal": sealed([replace(line, seed=bytes(32)) if isinstance(line, EndLine) else line for line in opened(whole)]),
        "packing": [gzip.compress(b"".join(whole))[:-20]],
    }


@pytest.mark.parametrize("name", bad_records())
def test_a_bad_record_is_reported_as_bad(run: Callable[..., Run], written: Callable[..., str], name: str) -> None:
    path = written(bad_records()[name])
    for way in ("--text", "--json", "--stats"):
        refused = run("replay", path, way)
        assert (refused.status, refused.out) == (1, "")
        assert path in refused.err
        assert "record" in refused.err or "game" in refused.err
