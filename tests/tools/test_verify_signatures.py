"""`mergemaker verify --key`: records and the signatures beside them."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from mergemaker_engine.record.lines import Header
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.signatures import SignedEnd
from mergemaker_engine.rules import preset
from mergemaker_referee.records.ed25519 import SigningKey, key_text, make_key
from mergemaker_referee.records.files import pack
from mergemaker_testkit.recorded import of_kind, opened, recorded_match, sealed

from tests.tools.conftest import Run

LINES: Final = recorded_match(preset("renegade-classic"), 3, bytes(32))
OTHER: Final = recorded_match(preset("renegade-classic"), 3, bytes([1]) * 32)


def _named() -> list[bytes]:
    """The same play under other names, and all hashes made again."""
    lines = opened(LINES)
    lines[0] = replace(of_kind(lines[0], Header), bots=("x", "y", "z"))
    return sealed(lines)


def _signature(key: SigningKey, lines: list[bytes]) -> bytes:
    record = read_record(lines)
    assert record.receipt is not None
    assert record.header.promise is not None
    signed = key.sign(SignedEnd(record.receipt, record.header.promise.commitment, "2026-11-18T12:30:00Z", key.id))
    return signed.signed.line(signed.signature)


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return make_key(tmp_path / "key.pem")


@pytest.fixture
def record(tmp_path: Path, key: SigningKey) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(LINES))
    (tmp_path / "a.jsonl.sig").write_bytes(_signature(key, LINES))
    return path


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_a_signed_record_is_good_however_it_is_packed(
    run: Callable[..., Run], record: Path, key: SigningKey, packed: str
) -> None:
    if packed:
        pack(record, packed)
    other = make_key(record.with_name("other.pem"))
    record.with_name("keys.txt").write_text(
        f"# of the cup\n{key_text(other.public)} last year's\n{key_text(key.public)}\n", "utf-8"
    )
    for given in ([key_text(key.public)], [key.public.hex()], [key_text(other.public), key_text(key.public)], ["keys.txt"]):
        checked = run("verify", *(word for each in given for word in ("--key", each)), f"a.jsonl{packed}")
        assert (checked.status, checked.out, checked.err) == (0, "1 record: 1 good\n", "")


def _change(path: Path, old: bytes, new: bytes) -> None:
    path.write_bytes(path.read_bytes().replace(old, new, 1))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda record, _: Path(f"{record}.sig").unlink(), "no-signature"),
        (lambda record, _: Path(f"{record}.sig").write_bytes(b"{}\n"), "bad-signature"),
        (lambda record, _: _change(Path(f"{record}.sig"), b"12:30:00Z", b"12:30:01Z"), "wrong-signature"),
        (lambda record, _: record.write_bytes(b"".join(_named())), "signature-line"),
        (lambda record, key: Path(f"{record}.sig").write_bytes(_signature(key, OTHER)), "signature-game"),
    ],
    ids=["missing", "unreadable", "changed", "changed record", "of another record"],
)
def test_each_defect_has_its_reason(
    run: Callable[..., Run], record: Path, key: SigningKey, spoil: Callable[[Path, SigningKey], object], reason: str
) -> None:
    spoil(record, key)
    assert run("verify", "a.jsonl").status == 0, "by itself the record is good"
    checked = run("verify", "--key", key_text(key.public), "a.jsonl")
    assert (checked.status, checked.out.splitlines()[0].endswith(f"({reason})")) == (1, True)


def test_another_key_is_named(run: Callable[..., Run], record: Path, key: SigningKey) -> None:
    other = make_key(record.with_name("other.pem"))
    checked = run("verify", "--key", key_text(other.public), "a.jsonl")
    assert checked.status == 1
    assert f"signed with the key {key.id}, and the ids of those given are {other.id} (other-key)" in checked.out


@pytest.mark.parametrize("given", ["A" * 42, "A" * 42 + "B", "no-file", "key.pem", "."])
def test_what_is_no_key_is_refused(run: Callable[..., Run], record: Path, given: str) -> None:
    checked = run("verify", "--key", given, "a.jsonl")
    assert (checked.status, "is neither" in checked.err) == (2, True), record


def test_without_the_extra_it_says_what_to_install(
    run: Callable[..., Run], record: Path, key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    checked = run("verify", "--key", key_text(key.public), str(record))
    assert (checked.status, "pip install 'mergemaker[signatures]'" in checked.err) == (1, True)
