"""Calls between the referee's thread, where trio runs, and the transport's, where asyncio runs.

Two deques and one wake-up each way for all calls that gather until the other side gets to them. Calls arrive in the order in
which they were made. The transport's thread makes calls through `to_referee`, the referee's through `to_transport`; nobody else
makes any.

The way in has a pair of sockets of its own. Trio's way for calls from other threads has to serve any number of threads and of
calls, and a bot that plays alone waits a twentieth longer for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    FaultListener: TypeAlias = Callable[[BaseException], None]

Arguments = ParamSpec("Arguments")
_WAKE_UP: Final = b"\0"
_WAKE_UPS_READ: Final = 64
"""Hardly ever is there more than one."""
BARRIER_ROUNDS: Final = 4
"""How often the loop has to look for what came before a barrier is through.

One round finds what came, one resumes the reader, and one each is in hand for grpc's own steps between them.
"""


class Crossing:
    """Made, started and closed on the referee's thread; `open` is called on the transport's, when its loop is there."""

    def __init__(self, on_fault: FaultListener) -> None:
        self._on_fault: Final = on_fault
        self.trio_token: Final = trio.lowlevel.current_trio_token()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inward: Final[deque[tuple[Callable[..., None], tuple[Any, ...]]]] = deque()
        self._outward: Final[deque[tuple[Callable[..., None], tuple[Any, ...]]]] = deque()
        self._inward_woken = False
        self._outward_woken = False
        self._waking: socket.socket | None = None
        """None before the start, and at the end."""

    def start(self) -> None:
        """Makes the transport's calls from now on, whatever is cancelled, until `close`."""
        self._waking, woken = socket.socketpair()
        for each in (self._waking, woken):
            each.setblocking(False)
        trio.lowlevel.spawn_system_task(self._make_calls, woken)

    async def _make_calls(self, woken: socket.socket) -> None:
        with woken:
            while True:
                await trio.lowlevel.wait_readable(woken)
                if self._waking is None:  # the closing of the other end woke this one
                    return
                with contextlib.suppress(BlockingIOError):  # trio may say so of a socket that has nothing to read
                    woken.recv(_WAKE_UPS_READ)
                self._drain_inward()

    def close(self) -> None:
        """Makes the calls that are there, and no more: the referee is gone."""
        waking, self._waking = self._waking, None
        self._drain_inward()
        if waking is not None:
            waking.close()

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Says where the transport runs."""
        self._loop = loop

    def to_referee(self, call: Callable[Arguments, None], *arguments: Arguments.args, **_none: Arguments.kwargs) -> None:
        """Has the referee's thread make a call. Once the referee is gone, nothing comes of it."""
        waking = self._waking
        if waking is None:
            return
        self._inward.append((call, arguments))
        if not self._inward_woken:
            self._inward_woken = True
            with contextlib.suppress(OSError):  # the referee has gone just now
                waking.send(_WAKE_UP)

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

    def barrier(self, passed: Callable[[], None]) -> None:
        """Has the referee's thread make a call behind everything that has come by now; at once before the transport is open."""
        if self._loop is None:
            passed()
        else:
            self.to_transport(self._pass_barrier, passed, BARRIER_ROUNDS)

    def _pass_barrier(self, passed: Callable[[], None], rounds: int) -> None:
        if rounds:
            asyncio.get_running_loop().call_soon(self._pass_barrier, passed, rounds - 1)
        else:
            self.to_referee(passed)

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
