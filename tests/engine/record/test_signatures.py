"""What a signature of a record's end covers, to the byte."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.receipts import Receipt, receipts_in
from mergemaker_engine.record.signatures import SignedEnd, key_id, read_signature
from mergemaker_referee.records.ed25519 import is_right

CHECKOUT: Final = Path(__file__).resolve().parents[3]
RECORDS: Final = CHECKOUT / "engine" / "RECORDS.md"
VECTORS: Final = CHECKOUT / "clients" / "vectors" / "signatures.jsonl"
KEY: Final = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC: Final = KEY.public_key().public_bytes_raw()
END: Final = SignedEnd(Receipt("m-1", bytes([1] * 32), bytes([2] * 32)), bytes([3] * 32), "2026-11-18T12:30:00Z", key_id(PUBLIC))


def line_of(end: SignedEnd) -> bytes:
    return end.line(KEY.sign(end.preimage))


@pytest.mark.checkout
def test_the_documented_example_is_what_is_made() -> None:
    page = RECORDS.read_text("utf-8").splitlines()
    (example,) = [line for line in page if line.startswith('{"match":') and '"signature":' in line]
    (header,) = [line for line in page if line.startswith('{"kind":"header"')]
    found = read_signature(example.encode() + b"\n")
    promised = bytes.fromhex(json.loads(header)["run"]["promise"]["commitment"])
    assert (found.signed.receipt.match, found.signed.commitment) == ("classic-2-market", promised)
    assert line_of(found.signed) == example.encode() + b"\n", "Ed25519 always makes the same signature"
    assert found.signed.preimage == b"mergemaker/end-signature/1\0" + example.partition(',"signature":')[0].encode()
    assert found.signed.key == key_id(PUBLIC)
    assert any("A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg" in line for line in page)


@pytest.mark.parametrize("commitment", [None, bytes(32)])
def test_a_line_is_read_as_it_was_written(commitment: bytes | None) -> None:
    end = replace(END, commitment=commitment)
    found = read_signature(line_of(end))
    assert found.signed == end
    assert found.signature == KEY.sign(end.preimage)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"commitment":', b'"promise":'),
        (b'{"match":"m-1",', b'{"match":"m-1","match":"m-1",'),
        (b'"match":"m-1"', b'"match":"M-1"'),
        (b'"match":"m-1"', b'"match": "m-1"'),
        (b'"commitment":"03', b'"commitment":"0G'),
        (b'"commitment":"03', b'"commitment":3,"x":"'),
        (b"T12:30:00Z", b"T12:30:00+00:00"),
        (b'"at":"2026', b'"at":2026,"x":"2026'),
        (b'"}\n', b'"}'),
        (b'"}\n', b'=="}\n'),
        (b'"}\n', b'"}\n\n'),
        (b'"key":"', b'"key":"A'),
        (b'{"match"', b'["match"'),
    ],
)
def test_what_is_no_signature_is_refused(old: bytes, new: bytes) -> None:
    line = line_of(END)
    assert old in line
    with pytest.raises(RecordError) as refused:
        read_signature(line.replace(old, new, 1))
    assert refused.value.reason == "bad-signature"


def test_something_long_is_not_even_read() -> None:
    with pytest.raises(RecordError, match="one line of canonical JSON"):
        read_signature(b"[" * 1_000_000)


def test_the_record_of_a_signature_agrees_with_it_and_others_do_not() -> None:
    found = read_signature(line_of(END))
    found.check(END.receipt, END.commitment)
    for reason, receipt, commitment in (
        ("signature-match", replace(END.receipt, match="m-2"), END.commitment),
        ("signature-game", replace(END.receipt, game=bytes(32)), END.commitment),
        ("signature-line", replace(END.receipt, line=bytes(32)), END.commitment),
        ("signature-commitment", END.receipt, None),
    ):
        with pytest.raises(RecordError) as refused:
            found.check(receipt, commitment)
        assert refused.value.reason == reason


def reason_of(row: dict[str, Any]) -> str | None:
    """Why a signature from the vectors is refused; None if it is right."""
    keys = {key_id(key): key for key in map(bytes.fromhex, row["keys"])}
    (receipt,) = receipts_in(row["receipt"])
    try:
        found = read_signature(row["file"].encode())
        if found.signed.key not in keys:
            return "other-key"
        if not is_right(found, keys[found.signed.key]):
            return "wrong-signature"
        found.check(receipt, found.signed.commitment)
    except RecordError as error:
        return error.reason
    return None


@pytest.mark.checkout
def test_the_vectors_for_other_languages_are_refused_for_the_same_reasons() -> None:
    rows = [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]
    assert {row["signature"]: reason_of(row) for row in rows} == {row["signature"]: row["reason"] for row in rows}
    assert len(rows) > 20
