"""Ed25519: the key that signs ends of records, and the keys that check them. It needs the extra `signatures`."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from mergemaker_engine.record.canonical import hash_bytes, hash_text
from mergemaker_engine.record.signatures import PUBLIC_KEY_BYTES, EndSignature, SignedEnd, key_id

from mergemaker_referee.errors import RefereeError

KEY_MODE: Final = 0o600
KEY_FILE_BYTES_MAX: Final = 65_536
NO_EXTRA: Final = "no-signatures"
"""The reason where the extra is missing."""
_HEX: Final = re.compile(r"[0-9a-fA-F]{64}")
_BASE64: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def key_text(public_key: bytes) -> str:
    """A public key as configurations and pages have it: base64 with - and _, 43 characters."""
    return hash_text(public_key)


def public_key_in(text: str) -> bytes | None:
    """The public key in a text, as base64 or 64 hexadecimal digits; None if it is neither."""
    if _HEX.fullmatch(text):
        return bytes.fromhex(text)
    if not _BASE64.fullmatch(text):
        return None
    key = hash_bytes(text)
    return key if key_text(key) == text else None


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The private key of a referee. `repr` leaves it out."""

    public: bytes
    _private: Any = field(repr=False)

    @property
    def id(self) -> str:
        """Its name in signatures."""
        return key_id(self.public)

    def sign(self, end: SignedEnd) -> EndSignature:
        """Signs the end of a record."""
        return EndSignature(end, self._private.sign(end.preimage))


def make_key(path: Path) -> SigningKey:
    """Makes a key and writes it, as PEM, to a new file that only its owner can read."""
    keys, serialization = _ed25519()
    private = keys.Ed25519PrivateKey.generate()
    while key_text(private.public_key().public_bytes_raw()).startswith("-"):
        private = keys.Ed25519PrivateKey.generate()  # after `--key` it would be taken for an option
    data = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, KEY_MODE), "wb") as file:
        file.write(data)
    return _signing_key(private)


def read_key(path: Path) -> SigningKey:
    """The key in a file."""
    keys, serialization = _ed25519()
    try:
        with path.open("rb") as file:
            data = file.read(KEY_FILE_BYTES_MAX)
    except OSError as error:
        raise RefereeError("bad-signing-key", f"cannot read {path}: {error.strerror}") from error
    try:
        private = serialization.load_pem_private_key(data, password=None)
    except (ValueError, TypeError) as error:
        raise RefereeError("bad-signing-key", f"{path} has no private key in PEM without a password: {error}") from error
    if not isinstance(private, keys.Ed25519PrivateKey):
        raise RefereeError("bad-signing-key", f"the key in {path} is none of Ed25519; `mergemaker serve --init` makes one")
    return _signing_key(private)


def key_problem(path: Path) -> str | None:
    """Why a server cannot sign with the key in a file, in words and before it starts; None if it can."""
    try:
        read_key(path)
    except RefereeError as problem:
        return f"server.signing_key: {problem}"
    return None


def _signing_key(private: Any) -> SigningKey:  # noqa: ANN401 - the extra may be missing, and its types with it
    return SigningKey(private.public_key().public_bytes_raw(), private)


def is_right(found: EndSignature, public_key: bytes) -> bool:
    """Whether the holder of a key made a signature."""
    keys, _ = _ed25519()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra, which is there

    assert len(public_key) == PUBLIC_KEY_BYTES, "a public key was read by `public_key_in`"
    try:
        keys.Ed25519PublicKey.from_public_bytes(public_key).verify(found.signature, found.signed.preimage)
    except InvalidSignature:
        return False
    return True


def need_extra() -> None:
    """Refuses to go on without the extra."""
    _ed25519()


def _ed25519() -> tuple[Any, Any]:
    """The two modules of the extra."""
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise RefereeError(NO_EXTRA, "signatures need an extra: `pip install 'mergemaker[signatures]'`") from error
    return ed25519, serialization
