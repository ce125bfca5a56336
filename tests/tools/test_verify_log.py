"""`mergemaker verify --log`: a public log, heads that somebody kept, and records that differ from it."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import Ending, Header
from mergemaker_engine.rules import preset
from mergemaker_testkit.logged import begin, end, entries_of, heads_of, log_of
from mergemaker_testkit.recorded import MATCH, of_kind, opened, recorded_match, sealed

from tests.tools.conftest import Run

RULES = preset("renegade-classic")
RECORD = recorded_match(RULES, 3, bytes(32))
OTHER = recorded_match(RULES, 3, bytes([1] * 32))
"""Another record of the match with the same id."""
ENTRIES = [begin("m-0"), *entries_of(RECORD), begin("m-2", None), end("m-0", Ending.VOIDED, None, None)]
HEADS = heads_of(ENTRIES)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A log and a record of it."""
    (tmp_path / "log.jsonl").write_bytes(b"".join(log_of(ENTRIES)))
    (tmp_path / "a.jsonl").write_bytes(b"".join(RECORD))
    return tmp_path


@pytest.mark.usefixtures("house")
def test_a_record_and_kept_heads_agree_with_the_log(run: Callable[..., Run]) -> None:
    heads = [argument for head in HEADS for argument in ("--head", str(head))]
    checked = run("verify", "a.jsonl", "--log", "log.jsonl", *heads)
    assert (checked.status, checked.err) == (0, "")
    assert checked.out.splitlines() == [
        "1 record: 1 good",
        f"log: 5 entries; matches: 3 begun, 2 ended, 1 without an end yet; head {HEADS[-1]}",
        "log: 6 kept heads agree",
        "log: 1 of 1 good records agree with it",
    ]


@pytest.mark.usefixtures("house")
def test_a_log_can_be_checked_alone(run: Callable[..., Run]) -> None:
    checked = run("verify", "--log", "log.jsonl", "--head", str(HEADS[2]))
    assert (checked.status, checked.err) == (0, "")
    assert [line.partition(":")[0] for line in checked.out.splitlines()] == ["log", "log"]
    assert "1 kept head agrees" in checked.out


def _without_promise() -> list[bytes]:
    return log_of(entries_of(RECORD)[1:])


LOGS: dict[str, tuple[list[bytes], str, str]] = {
    "another promise": (
        log_of(entries_of(OTHER)),
        "before the match m-1, the public log promised the commitment",
        "other-promise",
    ),
    "another version": (
        log_of([entries_of(RECORD)[0], end(MATCH)]),
        "the public log says that the record of the match m-1 ends with the hashes",
        "other-end",
    ),
    "no promise": (_without_promise(), "but nothing from before its deal", "not-begun"),
    "no end": (log_of(entries_of(RECORD)[:1]), "has no end there", "not-ended"),
    "nothing": (log_of(ENTRIES[:1]), "the public log does not know the match m-1", "not-in-log"),
}


@pytest.mark.parametrize("what", LOGS)
def test_a_record_that_differs_from_the_log_is_bad(run: Callable[..., Run], house: Path, what: str) -> None:
    lines, said, reason = LOGS[what]
    (house / "log.jsonl").write_bytes(b"".join(lines))
    checked = run("verify", "a.jsonl", "--log", "log.jsonl")
    assert (checked.status, checked.err) == (1, "")
    first, *_, last = checked.out.splitlines()
    assert first.startswith("a.jsonl: ")
    assert said in first
    assert first.endswith(f"({reason})")
    assert last == "log: 0 of 1 good records agree with it"


def test_of_two_versions_of_a_record_one_agrees(run: Callable[..., Run], house: Path) -> None:
    renamed = opened(RECORD)
    renamed[0] = replace(of_kind(renamed[0], Header), software="another")
    (house / "b.jsonl").write_bytes(b"".join(sealed(renamed)))
    checked = run("verify", "a.jsonl", "b.jsonl", "--log", "log.jsonl", "--jobs", "2")
    assert checked.status == 1
    first, second = checked.out.splitlines()[:2]
    assert first.startswith("b.jsonl: a.jsonl is a record of this match, too")
    assert second.startswith("b.jsonl: the public log says that the record of the match m-1 ends with the hashes 'game'")
    assert checked.out.endswith("log: 1 of 2 good records agree with it\n")


def test_a_plain_record_agrees_with_a_log_that_promised_nothing(run: Callable[..., Run], house: Path) -> None:
    plain = recorded_match(RULES, 3, bytes(32), DealMode.PLAIN)
    (house / "a.jsonl").write_bytes(b"".join(plain))
    (house / "log.jsonl").write_bytes(b"".join(log_of(entries_of(plain))))
    assert run("verify", "a.jsonl", "--log", "log.jsonl").status == 0


BAD_LOGS: dict[str, tuple[bytes, str, str]] = {
    "changed": (b"".join(log_of(ENTRIES)).replace(b'"m-2"', b'"m-3"'), "line 4: the hash of this line is", "log-chain"),
    "cut in a line": (b"".join(log_of(ENTRIES))[:-3], "line 5: the last line is torn off", "torn"),
    "a line missing": (b"".join(log_of(ENTRIES)[1:]), "line 1: this is line 1 of the log, and its number is 2", "log-number"),
    "a record": (b"".join(RECORD), "line 1: a line of a public log ends with its hash", "bad-tail"),
    "two versions": (b"".join(log_of([*ENTRIES, *entries_of(OTHER)])), "line 6: the match m-1 begins here", "begun-twice"),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00\x00", "line 1: a line is UTF-8 text", "not-json"),
}


@pytest.mark.parametrize("what", BAD_LOGS)
def test_a_bad_log_is_reported_with_its_line_and_compared_with_nothing(run: Callable[..., Run], house: Path, what: str) -> None:
    content, said, reason = BAD_LOGS[what]
    (house / "log.jsonl").write_bytes(content)
    checked = run("verify", "a.jsonl", "--log", "log.jsonl")
    assert (checked.status, checked.err) == (1, "")
    first, second, third = checked.out.splitlines()
    assert first.startswith(f"log.jsonl: {said}")
    assert first.endswith(f"({reason})")
    assert second == "1 record: 1 good"
    assert third.startswith("log: bad, so no record was compared with it; the ")


def test_a_head_that_differs_is_reported(run: Callable[..., Run], house: Path) -> None:
    (house / "log.jsonl").write_bytes(b"".join(log_of([*ENTRIES[:3], begin("m-3")])))
    checked = run("verify", "--log", "log.jsonl", "--head", str(HEADS[3]), "--head", str(HEADS[4]))
    assert checked.status == 1
    assert checked.out.splitlines()[0].endswith("something up to it was changed (head-differs)")
    cut = run("verify", "--log", "log.jsonl", "--head", str(HEADS[5]))
    assert cut.out.startswith("log.jsonl: a head of 5 entries was kept of this log, which has 4: it was cut (head-beyond)\n")


def test_one_json_document(run: Callable[..., Run], house: Path) -> None:
    (house / "b.jsonl").write_bytes(b"".join(OTHER))
    (house / "c.jsonl").write_bytes(b"")
    checked = run("verify", "a.jsonl", "b.jsonl", "c.jsonl", "--log", "log.jsonl", "--head", str(HEADS[1]), "--json")
    assert (checked.status, checked.err) == (1, "")
    document = json.loads(checked.out)
    logged = document["log"]
    (finding,) = logged.pop("not_good")
    assert logged == {
        "path": "log.jsonl",
        "good": True,
        "entries": 5,
        "head": str(HEADS[-1]),
        "begun": 3,
        "ended": 2,
        "open": 1,
        "kept_heads": 1,
        "agree": 1,
    }
    assert (finding["path"], finding["reason"]) == ("b.jsonl", "other-promise")
    assert [(found["path"], found["reason"]) for found in document["not_good"]] == [
        ("b.jsonl", "two-records"),
        ("c.jsonl", "empty"),
    ]
    assert "log" not in json.loads(run("verify", "a.jsonl", "--json").out)


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "the following arguments are required: RECORD, or --log FILE"),
        (("a.jsonl", "--head", str(HEADS[0])), "--head is about a public log: give that, too, with --log FILE"),
        (("--log", "log.jsonl", "--head", "17"), "--head: a head is a number, a colon and the 43 characters of a hash, not '17'"),
    ],
)
def test_wrong_use_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("verify", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_an_unreadable_log_is_reported(run: Callable[..., Run], house: Path) -> None:
    missing = run("verify", "a.jsonl", "--log", "nowhere.jsonl")
    assert missing.status == 1
    assert missing.out.startswith("nowhere.jsonl: this file cannot be read: No such file or directory (unreadable)\n")
    if os.name == "posix":
        os.mkfifo(house / "pipe")
        assert "no regular file" in run("verify", "--log", "pipe").out
