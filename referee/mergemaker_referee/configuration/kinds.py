"""The kinds of values that settings take: how each is read, and what is said of a wrong one."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from mergemaker_engine.near_names import nearest_names
from mergemaker_engine.rules import PRESETS
from mergemaker_engine.shown import shown

from mergemaker_referee.configuration.settings import Address
from mergemaker_referee.configuration.web import is_address, is_ancestor, is_password_hash, is_prefix
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.ed25519 import public_key_in
from mergemaker_referee.tokens import HASH_DIGITS, is_token_hash

LISTED_MAX: Final = 100
"""The most members that a list in the file may have."""


class WrongValue(Exception):
    """A value that a setting does not take, with a better explanation than the list of what it takes."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a setting's value."""

    expected: str
    """In words: `a whole number from 1 to 10`."""
    read: Callable[[object], object]
    """Turns TOML's value into the setting's; raises `WrongValue` for a wrong one."""
    shows: bool = True
    """Whether errors may show a wrong value."""

    def refusal(self, value: object) -> str:
        """The error text for a wrong value."""
        if self.shows:
            return f"takes {self.expected}, not {shown(value)}"
        return (
            f"takes {self.expected}, not {f'a text of {len(value)} characters' if isinstance(value, str) else shown(type(value))}"
        )


def whole(low: int, high: int) -> Kind:
    """A whole number within bounds."""

    def read(value: object) -> int:
        if type(value) is not int or not low <= value <= high:
            raise WrongValue
        return value

    return Kind(f"a whole number from {low} to {high}", read)


def _yes_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongValue
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise WrongValue
    return value


def one_of(choices: type[StrEnum]) -> Kind:
    """One of some names."""
    names = [str(choice) for choice in choices]

    def read(value: object) -> StrEnum:
        if not isinstance(value, str) or value not in names:
            near = nearest_names(value, names) if isinstance(value, str) else ""
            raise WrongValue(f"takes one of {', '.join(names)}, not {shown(value)}{near}")
        return choices(value)

    return Kind(f"one of {', '.join(names)}", read)


def _preset(value: object) -> str:
    if not isinstance(value, str) or value not in PRESETS:
        near = nearest_names(value, PRESETS) if isinstance(value, str) else ""
        raise WrongValue(f"takes a preset, one of {', '.join(PRESETS)}, not {shown(value)}{near}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > LISTED_MAX:
        raise WrongValue
    return tuple(_text(each) for each in value)


def _addresses(value: object) -> tuple[Address, ...]:
    texts = _texts(value if isinstance(value, list) else [value])
    if not texts:
        raise WrongValue("takes at least one address")
    try:
        found = tuple(Address.parse(text) for text in texts)
    except RefereeError as error:
        raise WrongValue(str(error)) from error
    if len(set(found)) < len(found):
        raise WrongValue("has an address twice")
    return found


def _address(value: object) -> Address:
    try:
        return Address.parse(_text(value))
    except RefereeError as error:
        raise WrongValue(str(error)) from error


def _hash(value: object) -> str:
    if not is_token_hash(value):
        raise WrongValue
    return str(value)


def _checked(is_right: Callable[[str], bool]) -> Callable[[object], str]:
    """Reads a text of a certain form."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not is_right(value):
            raise WrongValue
        return value

    return read


def _ancestors(value: object) -> tuple[str, ...]:
    texts = _texts(value)
    if not all(map(is_ancestor, texts)):
        raise WrongValue
    return texts


def _public_keys(value: object) -> tuple[bytes, ...]:
    found = [public_key_in(text) for text in _texts(value)]
    keys = tuple(key for key in found if key is not None)
    if len(keys) < len(found):
        raise WrongValue
    return keys


YES_NO: Final = Kind("true or false", _yes_no)
TEXT: Final = Kind("a text", _text)
TEXTS: Final = Kind(f"a list of at most {LISTED_MAX} texts", _texts)
PATH: Final = Kind("a path", lambda value: Path(_text(value)))
TOKEN_HASH: Final = Kind(
    f"the hash of a token, {HASH_DIGITS} small hexadecimal digits (`mergemaker serve --add-bot` and `--init` make them)",
    _hash,
    shows=False,
)
ADDRESS: Final = Kind("an address, HOST:PORT", _address)
ADDRESSES: Final = Kind("an address, HOST:PORT, or a list of them", _addresses)
CLOCK_NAME: Final = Kind("the name of a clock", _text)
KNOBS: Final = Kind("a list of texts KNOB=VALUE", _texts)
PUBLIC_KEYS: Final = Kind(
    "a list of public keys, each 43 characters of base64 with - and _, or 64 hexadecimal digits", _public_keys
)
PRESET: Final = Kind("a preset's name", _preset)
WEB_PREFIX: Final = Kind('a path without a slash at its end, as in "/watch", or an empty text', _checked(is_prefix))
SITE: Final = Kind('the address of a site without a path, as in "https://acquire.example"', _checked(is_address))
PASSWORD_HASH: Final = Kind(
    "what a password is kept as (`mergemaker serve --web-password` makes it)", _checked(is_password_hash), shows=False
)
ANCESTORS: Final = Kind('a list of sites, as in "https://club.example", "\'self\'" or "*"', _ancestors)
