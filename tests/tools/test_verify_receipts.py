"""`mergemaker verify --receipt`: records compared with what bots kept of their matches."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from mergemaker_engine.record.commitments import commitment
from mergemaker_engine.record.lines import Header, Promise
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.rules import preset
from mergemaker_testkit.recorded import NONCE, of_kind, opened, recorded_match, sealed

from tests.tools.conftest import Run

LINES: Final = recorded_match(preset("renegade-classic"), 3, bytes(32))
OVER: Final = "mergemaker: match m-1 is over: declared; place 1 of 3 with $57,900, finished; receipt "


def _receipt(lines: list[bytes]) -> Receipt:
    found = read_record(lines).receipt
    assert found is not None
    return found


def _changed(**changes: object) -> list[bytes]:
    """The same play with another header, and all hashes made again."""
    lines = opened(LINES)
    lines[0] = replace(of_kind(lines[0], Header), **changes)  # type: ignore[arg-type]  # whatever the members are
    return sealed(lines)


RECEIPT: Final = _receipt(LINES)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(LINES))
    return path


def test_a_record_agrees_with_its_receipt_as_text_and_in_a_log(run: Callable[..., Run], record: Path) -> None:
    record.with_name("bot.log").write_text(f"mergemaker: trying again in 5 ms\n{OVER}{RECEIPT}\n", "utf-8")
    for given in (str(RECEIPT), f"{OVER}{RECEIPT}", "bot.log"):
        checked = run("verify", "--receipt", given, "a.jsonl")
        assert (checked.status, checked.out, checked.err) == (0, "1 record: 1 good\n", "")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (_changed(bots=("x", "y", "z")), "receipt-line"),
        (recorded_match(preset("renegade-classic"), 3, bytes([1]) * 32), "receipt-game"),
        (_changed(match="m-2", promise=Promise("m-2", commitment("m-2", NONCE, bytes(32)))), "receipt-match"),
    ],
    ids=["names", "play", "match"],
)
def test_a_record_that_was_remade_is_bad(run: Callable[..., Run], record: Path, lines: list[bytes], reason: str) -> None:
    record.write_bytes(b"".join(lines))
    assert run("verify", "a.jsonl").status == 0, "by itself it is good"
    checked = run("verify", "--receipt", str(RECEIPT), "a.jsonl")
    assert checked.status == 1
    assert checked.out.splitlines()[0].endswith(f"({reason})")
    assert checked.out.splitlines()[1:] == ["1 record: 0 good, 1 bad", f"no good record here for the receipt {RECEIPT}"]


def test_each_record_is_compared_with_the_receipt_of_its_match(run: Callable[..., Run], record: Path) -> None:
    other = replace(RECEIPT, match="m-9")
    record.with_name("bot.log").write_text(f"{OVER}{other}\n{OVER}{RECEIPT}\n{OVER}{RECEIPT}\n", "utf-8")
    checked = run("verify", "--receipt", "bot.log", "--json", "a.jsonl")
    assert (checked.status, json.loads(checked.out)["receipts_without_record"]) == (0, [str(other)])


def test_two_receipts_of_a_match_that_differ_are_a_failure(run: Callable[..., Run], record: Path) -> None:
    other = replace(RECEIPT, line=bytes(32))
    checked = run("verify", "--receipt", str(RECEIPT), "--receipt", str(other), str(record))
    assert (checked.status, "two receipts of the match m-1 differ" in checked.err, checked.out) == (1, True, "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (str(RECEIPT)[:-1], "is neither"),
        (".", "is neither"),
        ("empty.log", "there is no receipt in"),
        (f"{str(RECEIPT)[:-1]}_", "it was not copied whole"),
    ],
)
def test_what_is_no_receipt_is_refused(run: Callable[..., Run], record: Path, given: str, said: str) -> None:
    record.with_name("empty.log").write_text("mergemaker: nothing\n", "utf-8")
    checked = run("verify", "--receipt", given, "a.jsonl")
    assert (checked.status, said in checked.err) == (2, True)
