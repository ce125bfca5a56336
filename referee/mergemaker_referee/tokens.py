"""Tokens: who shows one is who it was given to. They are told once; what is kept is their hash.

A token is a prefix that says its kind, and 32 random bytes in base64url. Nobody can guess that or make it from its hash, so
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
"""What is longer is no token, and is not even hashed."""
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
    """Takes a session up again, once."""


_TOKEN: Final = re.compile(rf"(?P<kind>{'|'.join(TokenKind)})[A-Za-z0-9_-]{{8,}}")

HIDDEN: Final = "…"
"""What `without_tokens` puts in place of all but a token's kind."""

Holder = TypeVar("Holder")


def fresh_token(kind: TokenKind, random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A new token, to be told to whom it is for and to nobody else."""
    return kind + base64.urlsafe_b64encode(random_bytes(TOKEN_BYTES)).rstrip(b"=").decode("ascii")


def token_hash(token: str) -> str:
    """What is kept of a token: the SHA-256 of its bytes, in hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token_hash(text: object) -> bool:
    """Whether a text can be a token's hash."""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None


def same_hash(one: str, other: str) -> bool:
    """Whether two hashes are equal, in a time that does not tell how far they are."""
    return hmac.compare_digest(one.encode("ascii"), other.encode("ascii"))


def bearer_token(authorization: str | bytes | None) -> str | None:
    """The token in the metadata `authorization: Bearer TOKEN`; None where there is none."""
    if isinstance(authorization, bytes):
        authorization = authorization.decode("ascii", "replace")
    if not authorization or len(authorization) > TOKEN_CHARACTERS_MAX + len("bearer "):
        return None
    found = _BEARER.fullmatch(authorization)
    return found["token"] if found else None


def without_tokens(text: str) -> str:
    """A text as a log may have it: of each token only its kind is left."""
    return _TOKEN.sub(rf"\g<kind>{HIDDEN}", text)


class TokenBook(Generic[Holder]):
    """Who holds which token, by its hash.

    What is searched for is the hash under a key that nobody knows, so the time of a search tells nothing that somebody could
    come nearer by; what is found is then compared in a time that is always the same.
    """

    def __init__(self) -> None:
        self._key: Final = secrets.token_bytes(TOKEN_BYTES)
        self._holders: dict[bytes, tuple[str, Holder]] = {}

    def __len__(self) -> int:
        return len(self._holders)

    def add(self, hashed: str, holder: Holder) -> None:
        """Enters a holder. A hash has one holder: two would share a token."""
        assert is_token_hash(hashed), "a token book holds hashes, never tokens"
        place = self._place(hashed)
        if place in self._holders:
            raise ValueError("this token has a holder already; give each one of its own")
        self._holders[place] = (hashed, holder)

    def remove(self, hashed: str) -> None:
        """Strikes a holder out, if there is one."""
        self._holders.pop(self._place(hashed), None)

    def find(self, token: str | None) -> Holder | None:
        """Who holds a token; None for one that nobody holds."""
        if not token or len(token) > TOKEN_CHARACTERS_MAX:
            return None
        hashed = token_hash(token)
        kept, holder = self._holders.get(self._place(hashed), ("", None))
        return holder if same_hash(kept, hashed) else None

    def _place(self, hashed: str) -> bytes:
        return hashlib.blake2b(hashed.encode("ascii"), key=self._key).digest()
