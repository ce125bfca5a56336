"""What settings of the web pages may say, and what viewers' password is kept as."""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from typing import Final

PASSWORD_CHARACTERS_MIN: Final = 8
PASSWORD_CHARACTERS_MAX: Final = 200
SALT_BYTES: Final = 16
_SCHEME: Final = "scrypt"
_COST: Final = 1 << 14
_BLOCK: Final = 8
_MEMORY_BYTES_MAX: Final = 64 * 1_024 * 1_024
_HASH: Final = re.compile(rf"{_SCHEME}:(?P<salt>[A-Za-z0-9_-]{{22}}):(?P<hash>[A-Za-z0-9_-]{{43}})")
_PREFIX: Final = re.compile(r"(?:/[A-Za-z0-9._~-]{1,64}){1,8}")
_ANCESTOR: Final = re.compile(r"'self'|\*|https?://(?:\*\.)?[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?")
_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?(?P<path>/?)")


def is_prefix(text: str) -> bool:
    """Whether a text can be the path in front of all addresses; without one it is empty."""
    return text == "" or _PREFIX.fullmatch(text) is not None


def is_ancestor(text: str) -> bool:
    """Whether a text names pages that may show others in a frame, as a policy has it."""
    return _ANCESTOR.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Whether a text is the address of a site, without a path."""
    return _ADDRESS.fullmatch(text) is not None


def is_password_hash(text: object) -> bool:
    """Whether a value can be what a password is kept as."""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None


def password_hash(password: str, random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """What a password is kept as. People choose passwords, so each guess is made to cost some 50 ms and 16 MiB."""
    salt = random_bytes(SALT_BYTES)
    return f"{_SCHEME}:{_text(salt)}:{_text(_hashed(password, salt))}"


def is_password(password: str, kept: str) -> bool:
    """Whether a password is the one that is kept as this; takes as long for a wrong one."""
    found = _HASH.fullmatch(kept)
    if found is None or len(password) > PASSWORD_CHARACTERS_MAX:
        return False
    return hmac.compare_digest(_text(_hashed(password, _bytes(found["salt"]))), found["hash"])


def _hashed(password: str, salt: bytes) -> bytes:
    said = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(said, salt=salt, n=_COST, r=_BLOCK, p=1, maxmem=_MEMORY_BYTES_MAX, dklen=32)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
