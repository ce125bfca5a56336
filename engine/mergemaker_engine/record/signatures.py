"""What a referee signs of a record's end, to the byte (RECORDS.md, 'Signatures').

Signing and checking need more than this package.

A signature is one line of canonical JSON in a file of its own, `….jsonl.sig` beside the record:

    {"match":id,"line":hash,"game":hash,"commitment":hex or null,"at":time,"key":hash,"signature":base64}

Signed are a name, a zero byte, and the line's bytes before `,"signature":`.
"""

import contextlib
import re
from hashlib import sha256
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import decoded, hash_bytes, hash_text, written
from mergemaker_engine.record.digest import DIGEST_BYTES
from mergemaker_engine.record.receipts import Receipt, receipts_in
from mergemaker_engine.values import dataclass

SIGNATURE_SUFFIX: Final = ".sig"
SIGNATURE_FILE_BYTES_MAX: Final = 1_024
PUBLIC_KEY_BYTES: Final = 32
"""Of Ed25519."""
SIGNATURE_BYTES: Final = 64

_END: Final = b"mergemaker/end-signature/1\x00"
_KEY: Final = b"mergemaker/signing-key/1\x00"
_MEMBERS: Final = ("match", "line", "game", "commitment", "at", "key", "signature")
_COMMITMENT: Final = re.compile(r"[0-9a-f]{64}")
_AT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_KEY_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_SIGNATURE: Final = re.compile(r"[A-Za-z0-9_-]{86}")


def key_id(public_key: bytes) -> str:
    """Names a public key."""
    return hash_text(sha256(_KEY + public_key).digest()[:DIGEST_BYTES])


@dataclass(frozen=True, slots=True)
class SignedEnd:
    """What is signed."""

    receipt: Receipt
    commitment: bytes | None
    """The promise in the record's header; None in plain mode."""
    at: str
    """When it was signed, by the signer's clock: `2026-11-18T15:38:32Z`."""
    key: str
    """The id of the key."""

    @property
    def _text(self) -> str:
        _, line, game = str(self.receipt).split(":")
        commitment = None if self.commitment is None else self.commitment.hex()
        values = (self.receipt.match, line, game, commitment, self.at, self.key)
        return written(dict(zip(_MEMBERS[:-1], values, strict=True)))[:-1]

    @property
    def preimage(self) -> bytes:
        """The bytes that are signed."""
        return _END + self._text.encode("ascii")

    def line(self, signature: bytes) -> bytes:
        """The content of the file."""
        return f'{self._text},"signature":"{hash_text(signature)}"}}\n'.encode("ascii")


@dataclass(frozen=True, slots=True)
class EndSignature:
    """What a file holds."""

    signed: SignedEnd
    signature: bytes

    def check(self, receipt: Receipt, commitment: bytes | None) -> None:
        """Refuses a record of which this is not the signature; whether its key made it is another question."""
        self.signed.receipt.check(receipt, "signature")
        if self.signed.commitment != commitment:
            raise RecordError("signature-commitment", "the signature names another commitment than the record's header")


def read_signature(data: bytes) -> EndSignature:
    """What is in a file."""
    found = None
    if len(data) <= SIGNATURE_FILE_BYTES_MAX:
        with contextlib.suppress(RecordError):
            members = decoded(data.removesuffix(b"\n"))
            found = _signature_of(members) if tuple(members) == _MEMBERS else None
    if found is None or found.signed.line(found.signature) != data:
        raise RecordError(
            "bad-signature", f"a signature is one line of canonical JSON with {', '.join(_MEMBERS)}, and nothing else"
        )
    return found


def _signature_of(members: dict[str, object]) -> EndSignature | None:
    texts = {name: value for name, value in members.items() if isinstance(value, str)}
    receipts = [*receipts_in(":".join(texts.get(name, "") for name in ("match", "line", "game")))]
    at, key, signature = (texts.get(name, "") for name in ("at", "key", "signature"))
    commitment = members["commitment"]
    is_right = _AT.fullmatch(at) and _KEY_ID.fullmatch(key) and _SIGNATURE.fullmatch(signature)
    if not is_right or len(receipts) != 1 or not (commitment is None or _COMMITMENT.fullmatch(texts.get("commitment", ""))):
        return None
    promised = None if commitment is None else bytes.fromhex(texts["commitment"])
    return EndSignature(SignedEnd(receipts[0], promised, at, key), hash_bytes(signature))
