"""How a bug is planted: by patches of what really runs."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final
from unittest import mock

Patch = tuple[object, str, Callable[..., Any]]
"""What is patched, the name in it, and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Bug:
    """One bug."""

    name: str
    breaks: str
    patches: tuple[Patch, ...]

    def plant(self) -> ExitStack:
        """Has the bug in the referee until the stack is closed."""
        stack = ExitStack()
        for holder, name, instead in self.patches:
            stack.enter_context(mock.patch.object(holder, name, instead))
        return stack


BUGS: Final[list[Bug]] = []


def bug(name: str, breaks: str, *patches: Patch) -> None:
    """Adds a bug to those that can be planted."""
    BUGS.append(Bug(name, breaks, patches))
