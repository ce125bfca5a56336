"""How to plant a bug: with patches of the real code."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final
from unittest import mock

Patch = tuple[object, str, Callable[..., Any]]
"""The patched object, the name in it, and the replacement."""


@dataclass(frozen=True, slots=True)
class Bug:
    """One bug."""

    name: str
    breaks: str
    patches: tuple[Patch, ...]

    def plant(self) -> ExitStack:
        """Keeps the bug in the referee until the stack is closed."""
        stack = ExitStack()
        for holder, name, instead in self.patches:
            stack.enter_context(mock.patch.object(holder, name, instead))
        return stack


BUGS: Final[list[Bug]] = []


def bug(name: str, breaks: str, *patches: Patch) -> None:
    """Registers a bug for planting."""
    BUGS.append(Bug(name, breaks, patches))
