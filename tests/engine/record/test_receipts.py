"""Receipts: the hashes of a record's end, written as text and read back, and records that differ from them."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.lines import DecisionLine, Header
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.receipts import Receipt, receipts_in
from mergemaker_engine.rules import preset
from mergemaker_testkit.recorded import of_kind, opened, recorded_match, sealed

LINES: Final = recorded_match(preset("renegade-classic"), 3, bytes(range(32)))
RECORDS: Final = Path(__file__).resolve().parents[3] / "engine" / "RECORDS.md"
LOG: Final = "2026-11-19 mergemaker: match {0} is over: declared; place 1 of 2 with $57,900, finished; receipt {1}\n"


def receipt_in(lines: list[bytes]) -> Receipt:
    found = read_record(lines).receipt
    assert found is not None
    return found


def test_a_receipt_has_the_hashes_of_the_last_line() -> None:
    receipt = receipt_in(LINES)
    _, line, game = str(receipt).split(":")
    assert f'"game":"{game}"'.encode() in LINES[-1]
    assert LINES[-1].endswith(f'"line":"{line}"}}\n'.encode())
    assert (receipt.match, len(receipt.line), len(receipt.game)) == ("m-1", 32, 32)


def test_a_record_without_an_end_has_none() -> None:
    assert read_record(LINES[:-1]).receipt is None


def test_the_text_is_found_wherever_it_stands() -> None:
    receipt = receipt_in(LINES)
    other = replace(receipt, match="20261118-7b382ec45c28")
    for text in (str(receipt), f" {receipt}\n", LOG.format(receipt.match, receipt), f'{{"receipt":"{receipt}"}}'):
        assert [*receipts_in(text)] == [receipt]
    assert [*receipts_in(LOG.format("m-1", receipt) + LOG.format(other.match, other))] == [receipt, other]


@pytest.mark.parametrize("cut", [1, 44, 46])
def test_what_was_not_copied_whole_is_no_receipt(cut: int) -> None:
    assert [*receipts_in(str(receipt_in(LINES))[:-cut])] == []
    assert [*receipts_in(f"{receipt_in(LINES)}x")] == []


def test_bits_that_no_hash_has_are_refused() -> None:
    receipt = receipt_in(LINES)
    spoilt = str(receipt)[:-1] + chr(ord(str(receipt)[-1]) + 1)  # in the last of 43 characters two bits are always 0
    with pytest.raises(RecordError, match="was not copied whole") as refused:
        tuple(receipts_in(spoilt))
    assert refused.value.reason == "bad-receipt"


@pytest.mark.checkout
def test_the_documented_receipt_is_that_of_the_documented_record() -> None:
    page = RECORDS.read_text("utf-8")
    (receipt,) = receipts_in(page)
    _, line, game = str(receipt).split(":")
    (end,) = [text for text in page.splitlines() if text.startswith('{"kind":"end"')]
    assert f'"game":"{game}"' in end
    assert f'"line":"{line}"' in end


def test_its_own_record_agrees_and_others_are_refused_for_the_difference() -> None:
    receipt = receipt_in(LINES)
    receipt.check(receipt_in([*LINES]))
    named = opened(LINES)
    named[0] = replace(of_kind(named[0], Header), bots=("somebody", "else", "played"))
    with pytest.raises(RecordError) as refused:
        receipt.check(receipt_in(sealed(named)))
    assert refused.value.reason == "receipt-line"
    played = opened(LINES)
    played[5] = replace(of_kind(played[5], DecisionLine), digest="A" * 22)
    with pytest.raises(RecordError) as refused:
        receipt.check(receipt_in(sealed(played)))
    assert refused.value.reason == "receipt-game"
    with pytest.raises(RecordError) as refused:
        receipt.check(replace(receipt, match="m-2"))
    assert refused.value.reason == "receipt-match"
