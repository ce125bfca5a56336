"""Signatures of ends for tests of all readers: right ones, and each kind of wrong one with its reason (RECORDS.md, 'Signatures').

All keys and hashes are made up, so that the files are always the same. Ed25519 makes one signature of one text.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.record.signatures import SignedEnd, key_id

_KEYS: Final = tuple(Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))
_PUBLIC: Final = tuple(key.public_key().public_bytes_raw() for key in _KEYS)
_RECEIPT: Final = Receipt("20261118-7b382ec45c28", bytes(range(32)), bytes(range(224, 256)))
_END: Final = SignedEnd(_RECEIPT, bytes([170] * 32), "2026-11-18T12:30:00Z", key_id(_PUBLIC[0]))


def _file(end: SignedEnd, key: int = 0) -> str:
    return end.line(_KEYS[key].sign(end.preimage)).decode("ascii")


def _row(name: str, reason: str | None, file: str, receipt: Receipt = _RECEIPT, keys: tuple[int, ...] = (0,)) -> dict[str, Any]:
    return {
        "signature": name,
        "receipt": str(receipt),
        "keys": [_PUBLIC[key].hex() for key in keys],
        "file": file,
        "reason": reason,
    }


def signature_lines() -> Iterator[dict[str, Any]]:
    """Each case, with the reason for which it is refused; null if it is right."""
    file, other_match = _file(_END), replace(_RECEIPT, match="20261118-000000000000")
    yield _row("right", None, file)
    yield _row("right, in plain mode", None, _file(replace(_END, commitment=None)))
    yield _row("right, by the second of two keys", None, _file(replace(_END, key=key_id(_PUBLIC[1])), 1), keys=(0, 1))
    yield _row("by another key", "other-key", _file(replace(_END, key=key_id(_PUBLIC[1])), 1))
    yield _row("without a key to check it", "other-key", file, keys=())
    yield _row("by another key, under this one's id", "wrong-signature", _file(_END, 1))
    yield _row("another time", "wrong-signature", file.replace("12:30:00Z", "12:30:01Z"))
    yield _row("another commitment", "wrong-signature", file.replace("aaaa", "aaab", 1))
    yield _row("another signature", "wrong-signature", _END.line(_KEYS[0].sign(b"another text")).decode("ascii"))
    yield _row("of another match", "signature-match", _file(replace(_END, receipt=other_match)))
    yield _row("of another play", "signature-game", _file(replace(_END, receipt=replace(_RECEIPT, game=bytes(32)))))
    yield _row("of other names or times", "signature-line", _file(replace(_END, receipt=replace(_RECEIPT, line=bytes(32)))))
    yield _row("of another match and play", "signature-match", _file(replace(_END, receipt=replace(other_match, game=bytes(32)))))
    for name, wrong in (
        ("empty", ""),
        ("without its LF", file.removesuffix("\n")),
        ("with two LFs", file + "\n"),
        ("with a blank", file.replace(",", ", ", 1)),
        ("without a commitment", file.replace('"commitment"', '"promise"')),
        ("with a signature that is cut short", file.replace('"}\n', "")[:-1] + '"}\n'),
        ("with padding", file.replace('"}\n', '=="}\n')),
        ("with bits beyond the signature", file[:-4] + chr(ord(file[-4]) + 1) + file[-3:]),
        ("with something after it", file.replace("}\n", ',"more":1}\n')),
        ("in capital letters", file.upper()),
    ):
        yield _row(name, "bad-signature", wrong)
