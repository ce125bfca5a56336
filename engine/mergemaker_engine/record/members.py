"""Taking the members of a JSON object, one by one, each with a check of its type and range."""

import string
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeVar

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import INTEGER_MAX
from mergemaker_engine.shown import shown

_Kind = TypeVar("_Kind", bound=StrEnum)

HASH_CHARACTERS: Final = 22
"""The length of the text of a 16-byte hash."""

_HASH_ALPHABET: Final = frozenset(string.ascii_letters + string.digits + "-_")
_MISSING: Final = object()


class Members:
    """The members of an object that have not been taken yet. Errors call the object `what`."""

    def __init__(self, value: object, what: str) -> None:
        if not isinstance(value, Mapping):
            raise RecordError("bad-member", f"{what} is an object, not {shown(value)}")
        self._left = dict(value)
        self._what = what

    def _take(self, name: str) -> object:
        value = self._left.pop(name, _MISSING)
        if value is _MISSING:
            raise RecordError("missing-member", f"{self._what} has no {name!r}")
        return value

    def _refuse(self, name: str, expected: str, value: object) -> RecordError:
        return RecordError("bad-member", f"{name!r} of {self._what} is {expected}, not {shown(value)}")

    def has(self, name: str) -> bool:
        """Whether there is a member with this name."""
        return name in self._left

    def any(self, name: str) -> object:
        """A member of any type."""
        return self._take(name)

    def text(self, name: str) -> str:
        """A text."""
        value = self._take(name)
        if not isinstance(value, str):
            raise self._refuse(name, "a text", value)
        return value

    def number(self, name: str, low: int = 0, high: int = INTEGER_MAX) -> int:
        """A whole number in a range."""
        value = self._take(name)
        if type(value) is not int or not low <= value <= high:
            raise self._refuse(name, f"a whole number from {low} to {high}", value)
        return value

    def kind(self, name: str, kinds: type[_Kind]) -> _Kind:
        """One of a set of texts."""
        return self._kind_of(name, self._take(name), kinds)

    def _kind_of(self, name: str, value: object, kinds: type[_Kind]) -> _Kind:
        if isinstance(value, str):
            try:
                return kinds(value)
            except ValueError:
                pass
        raise self._refuse(name, f"one of {', '.join(kinds)}", value)

    def octets(self, name: str, length: int) -> bytes:
        """Bytes, written as small hexadecimal digits."""
        return self._octets_of(name, self._take(name), length)

    def _octets_of(self, name: str, value: object, length: int) -> bytes:
        if not isinstance(value, str) or len(value) != 2 * length or set(value) - set("0123456789abcdef"):
            raise self._refuse(name, f"{2 * length} small hexadecimal digits", value)
        return bytes.fromhex(value)

    def hash(self, name: str) -> str:
        """A hash of 16 bytes, as its text."""
        value = self._take(name)
        if not isinstance(value, str) or len(value) != HASH_CHARACTERS or set(value) - _HASH_ALPHABET:
            raise self._refuse(name, f"a hash: {HASH_CHARACTERS} characters of A-Z a-z 0-9 - _", value)
        return value

    def values(self, name: str, count: int | None = None) -> list[object]:
        """A list; if `count` is given, with exactly this many items."""
        value = self._take(name)
        if not isinstance(value, list) or (count is not None and len(value) != count):
            raise self._refuse(name, "a list" if count is None else f"a list of {count}", value)
        return value

    def texts(self, name: str, count: int) -> tuple[str, ...]:
        """A list of texts."""
        values = self.values(name, count)
        if not all(isinstance(value, str) for value in values):
            raise self._refuse(name, f"a list of {count} texts", values)
        return tuple(map(str, values))

    def numbers(self, name: str, count: int) -> tuple[int, ...]:
        """A list of whole numbers from 0 on."""
        found: list[int] = []
        for value in self.values(name, count):
            if type(value) is not int or value < 0:
                raise self._refuse(name, f"a list of {count} whole numbers from 0 on", value)
            found.append(value)
        return tuple(found)

    def kinds(self, name: str, kinds: type[_Kind], count: int) -> tuple[_Kind, ...]:
        """A list of texts from a set."""
        return tuple(self._kind_of(name, value, kinds) for value in self.values(name, count))

    def octets_or_none(self, name: str, length: int, count: int) -> tuple[bytes | None, ...]:
        """A list of bytes in hexadecimal, or null."""
        return tuple(None if value is None else self._octets_of(name, value, length) for value in self.values(name, count))

    def part(self, name: str) -> "Members":
        """A member that is itself an object."""
        return Members(self._take(name), f"{name!r} of {self._what}")

    def optional_part(self, name: str) -> "Members | None":
        """The same, or None if the member is missing."""
        return self.part(name) if self.has(name) else None

    def mapping(self, name: str) -> dict[str, object]:
        """An object, unchecked."""
        value = self._take(name)
        if not isinstance(value, dict):
            raise self._refuse(name, "an object", value)
        return value

    def rest(self) -> dict[str, object]:
        """All members that have not been taken."""
        left, self._left = self._left, {}
        return left

    def end(self) -> None:
        """Refuses members that have not been taken."""
        if self._left:
            raise RecordError("unknown-member", f"{self._what} has no member {shown(next(iter(self._left)))} in this format")
