"""Tokens: the holder of a token is the one whom it was given to. Tokens are shown once; only their hash is kept.

A token is a prefix that gives its kind, and 32 random bytes in base64url. Nobody can guess it or derive it from its hash, so
SHA-256 without salt or stretching is enough.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from enum import StrEnum
from typing import Final, Generic, TypeVar

TOKEN_BYTES: Final = 32
"""Random bytes of a token."""
TOKEN_CHARACTERS_MAX: Final = 200
"""Anything longer is no token, and is not even hashed."""
HASH_DIGITS: Final = 64

_HASH: Final = re.compile(rf"[0-9a-f]{{{HASH_DIGITS}}}")
_BEARER: Final = re.compile(r"bearer +(?P<token>[!-~]+)", re.IGNORECASE)


class TokenKind(StrEnum):
    """What a token is for, by its prefix."""

    OPERATOR = "mmo_"
    """Makes, cancels and fetches matches."""
    BOT = "mmb_"
    """A bot that the configuration knows."""
    SEAT = "mms_"
    """One seat of one match."""
    RESUME = "mmr_"
    """Resumes a session, once."""


_TOKEN: Final = re.compile(rf"(?P<kind>{'|'.join(TokenKind)})[A-Za-z0-9_-]{{8,}}")

HIDDEN: Final = "…"
"""What `without_tokens` writes in place of everything but a token's kind."""

Holder = TypeVar("Holder")


def fresh_token(kind: TokenKind, random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A new token, to be shown only to its owner."""
    return kind + base64.urlsafe_b64encode(random_bytes(TOKEN_BYTES)).rstrip(b"=").decode("ascii")


def token_hash(token: str) -> str:
    """The part of a token that is kept: the SHA-256 of its bytes, in hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token_hash(text: object) -> bool:
    """Whether a value can be a token's hash."""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None


def same_hash(one: str, other: str) -> bool:
    """Whether two hashes are equal, in a time that does not reveal where they differ."""
    return hmac.compare_digest(one.encode("ascii"), other.encode("ascii"))


def bearer_token(authorization: str | bytes | None) -> str | None:
    """The token in the metadata `authorization: Bearer TOKEN`; None if there is none."""
    if isinstance(authorization, bytes):
        authorization = authorization.decode("ascii", "replace")
    if not authorization or len(authorization) > TOKEN_CHARACTERS_MAX + len("bearer "):
        return None
    found = _BEARER.fullmatch(authorization)
    return found["token"] if found else None


def without_tokens(text: str) -> str:
    """A text that is fit for a log: only the kind of each token is left."""
    return _TOKEN.sub(rf"\g<kind>{HIDDEN}", text)


class TokenBook(Generic[Holder]):
    """The holders of tokens, by the tokens' hashes.

    The search uses the hash under a secret key, so its time reveals nothing that would help a guesser.
    What is found is then compared in constant time.
    """

    def __init__(self) -> None:
        self._key: Final = secrets.token_bytes(TOKEN_BYTES)
        self._holders: dict[bytes, tuple[str, Holder]] = {}

    def __len__(self) -> int:
        return len(self._holders)

    def add(self, hashed: str, holder: Holder) -> None:
        """Adds a holder. A hash has only one holder: two would share a token."""
        assert is_token_hash(hashed), "a token book holds hashes, never tokens"
        place = self._place(hashed)
        if place in self._holders:
            raise ValueError("this token has a holder already; give each one of its own")
        self._holders[place] = (hashed, holder)

    def remove(self, hashed: str) -> None:
        """Removes a holder, if there is one."""
        self._holders.pop(self._place(hashed), None)

    def find(self, token: str | None) -> Holder | None:
        """The holder of a token; None if nobody holds it."""
        if not token or len(token) > TOKEN_CHARACTERS_MAX:
            return None
        hashed = token_hash(token)
        kept, holder = self._holders.get(self._place(hashed), ("", None))
        return holder if same_hash(kept, hashed) else None

    def _place(self, hashed: str) -> bytes:
        return hashlib.blake2b(hashed.encode("ascii"), key=self._key).digest()
