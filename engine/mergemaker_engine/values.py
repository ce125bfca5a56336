"""`dataclass` for values that nobody changes. Type checkers and tests hold everybody to that, and play does not pay for it.

The constructor that Python makes for a frozen dataclass calls `object.__setattr__` for each field, which takes more than
twice as long as setting it. So values are frozen at run time where that is proved: in processes that have loaded pytest, the
tests of somebody's bot included, and in Python's development mode (`python -X dev`). Elsewhere they only have the equality,
hash, text and copies of frozen ones.

Type checkers and mypyc see Python's own decorator under this name. What it is at run time is decided in the last line.
"""

import dataclasses
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["FROZEN", "dataclass"]

FROZEN: Final = "pytest" in sys.modules or sys.flags.dev_mode
"""Whether setting a field of a value raises `FrozenInstanceError` in this process."""


def _reduced(value: Any) -> tuple[object, ...]:  # noqa: ANN401 - any dataclass
    return _remade, (type(value), [getattr(value, part.name) for part in dataclasses.fields(value)])


def _remade(kind: Any, state: Sequence[object]) -> object:  # noqa: ANN401 - likewise
    """A copy of a value, made without its constructor: frozen or not, and whatever it was in another process."""
    value: object = kind.__new__(kind)
    for part, of_part in zip(dataclasses.fields(kind), state, strict=True):
        object.__setattr__(value, part.name, of_part)
    return value


def _dataclass(*, frozen: bool, slots: bool, **options: bool) -> Callable[[type], type]:
    """A `dataclass` that leaves out at run time what only proves that nobody changes a value."""

    def decorate(kind: type) -> type:
        # A compiled class holds its fields itself, and none can be made in its place.
        compiled = hasattr(kind, "__mypyc_attrs__")
        make = dataclasses.dataclass(
            frozen=frozen and FROZEN,
            unsafe_hash=frozen and not FROZEN,
            slots=slots and not compiled,
            **options,
        )
        made: Any = make(kind)
        made.__reduce__ = _reduced
        decorated: type = made
        return decorated

    return decorate


globals()["dataclass"] = _dataclass
