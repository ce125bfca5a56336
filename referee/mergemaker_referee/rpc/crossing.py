"""Calls between the referee's thread, where trio runs, and the transport's, where asyncio runs.

Two deques and one wake-up each way for all calls that gather until the other side gets to them. Calls arrive in the order in
which they were made. The transport's thread makes calls through `to_referee`, the referee's through `to_transport`; nobody else
makes any.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias

import trio

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    FaultListener: TypeAlias = Callable[[BaseException], None]

Arguments = ParamSpec("Arguments")


class Crossing:
    """Made on the referee's thread; `open` is called on the transport's, when its loop is there."""

    def __init__(self, on_fault: FaultListener) -> None:
        self._on_fault: Final = on_fault
        self.trio_token: Final = trio.lowlevel.current_trio_token()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inward: Final[deque[tuple[Callable[..., None], tuple[Any, ...]]]] = deque()
        self._outward: Final[deque[tuple[Callable[..., None], tuple[Any, ...]]]] = deque()
        self._inward_woken = False
        self._outward_woken = False

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Says where the transport runs."""
        self._loop = loop

    def to_referee(self, call: Callable[Arguments, None], *arguments: Arguments.args, **_none: Arguments.kwargs) -> None:
        """Has the referee's thread make a call. Once the referee is gone, nothing comes of it."""
        self._inward.append((call, arguments))
        if not self._inward_woken:
            self._inward_woken = True
            try:
                self.trio_token.run_sync_soon(self._drain_inward)
            except trio.RunFinishedError:
                self._inward.clear()

    def to_transport(self, call: Callable[Arguments, None], *arguments: Arguments.args, **_none: Arguments.kwargs) -> None:
        """Has the transport's thread make a call. Once its loop is closed, nothing comes of it."""
        self._outward.append((call, arguments))
        if not self._outward_woken:
            self._outward_woken = True
            assert self._loop is not None, "nothing is sent before the transport is open"
            try:
                self._loop.call_soon_threadsafe(self._drain_outward)
            except RuntimeError:  # the loop is closed: the server has stopped
                self._outward.clear()

    def _drain_inward(self) -> None:
        # The flag goes down before the deque is emptied: a call that is added meanwhile is either taken here or wakes us again.
        self._inward_woken = False
        self._drain(self._inward)

    def _drain_outward(self) -> None:
        self._outward_woken = False
        self._drain(self._outward)

    def _drain(self, calls: deque[tuple[Callable[..., None], tuple[Any, ...]]]) -> None:
        while calls:
            call, arguments = calls.popleft()
            try:
                call(*arguments)
            except Exception as fault:  # noqa: BLE001 - in trio's callback an exception would end everything at once: it is handed on
                self._on_fault(fault)
