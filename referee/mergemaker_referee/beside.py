"""What may run beside a referee, in its process and on its thread, and talks to it as the transport does."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TypeAlias

from mergemaker_referee.rpc.front import Front

Beside: TypeAlias = Callable[[Front], AbstractAsyncContextManager[object]]
"""Runs within a block, while the referee serves. Web pages are of this kind."""


def nothing_beside(_front: Front) -> AbstractAsyncContextManager[object]:
    """Runs nothing."""
    return nullcontext()
