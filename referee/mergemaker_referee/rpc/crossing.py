"""Calls between the referee's thread, where trio runs, and the transport's, where asyncio runs.

Each direction has a deque and one wake-up for all calls that gather until the other side gets to them. Calls arrive in the
order in which they were made. The transport's thread makes calls through `to_referee`, the referee's through `to_transport`;
no other thread makes any.

Clients' requests cross in lanes, one for each stream (`in_lane`). Lanes take turns, one call at a time, so a client with
many requests delays only itself. Each side makes calls for a slice of time, and then lets everything else on its loop run.

The way in has its own pair of sockets. Trio's way for calls from other threads must serve any number of threads and
calls; with it, a bot that plays alone waits a twentieth longer.
"""

import asyncio
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeAlias

import trio

FaultListener: TypeAlias = Callable[[BaseException], None]
Call: TypeAlias = tuple[Callable[..., None], tuple[Any, ...]]

Arguments = ParamSpec("Arguments")
_WAKE_UP: Final = b"\0"
_WAKE_UPS_READ: Final = 64
"""More than one is rare."""
BARRIER_ROUNDS: Final = 4
"""How many rounds of the loop it takes until all that came before a barrier is through.

One round finds what came, one resumes the reader, and two are spare for gRPC's own steps in between.
"""


SOON_S: Final = 0.005
"""The longest wait of a call that can wait."""
SLICE_NS: Final = 2_000_000
"""How long a side makes calls in one go, before everything else on its loop has a turn."""


class Lane:
    """The calls of one stream to the referee, in their order."""

    __slots__ = ("calls", "is_queued")

    def __init__(self) -> None:
        self.calls: Final[deque[Call]] = deque()
        self.is_queued = False
        """Whether it is in the queue for a turn."""


class Crossing:
    """Made, started and closed on the referee's thread. `open` is called on the transport's thread once its loop exists."""

    def __init__(self, on_fault: FaultListener, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._on_fault: Final = on_fault
        self._now_ns: Final = now_ns
        self.trio_token: Final = trio.lowlevel.current_trio_token()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inward: Final[deque[Call | Lane]] = deque()
        self._outward: Final[deque[Call | Lane]] = deque()
        self._inward_woken = False
        self._outward_woken = False
        self._wakes_soon = False
        """Whether the referee's thread is woken soon for what could wait until then."""
        self._waking: socket.socket | None = None
        """None before the start and after the end."""

    def start(self) -> None:
        """Makes the transport's calls from now until `close`, regardless of cancellation."""
        self._waking, woken = socket.socketpair()
        for each in (self._waking, woken):
            each.setblocking(False)
        trio.lowlevel.spawn_system_task(self._make_calls, woken)

    async def _make_calls(self, woken: socket.socket) -> None:
        with woken:
            while True:
                await trio.lowlevel.wait_readable(woken)
                if self._waking is None:  # the other end was closed, which woke this one
                    return
                try:  # noqa: SIM105 - a context manager costs four calls, each time
                    woken.recv(_WAKE_UPS_READ)
                except BlockingIOError:
                    pass  # trio may report a socket as readable when it has nothing to read
                while not self._may_sleep():
                    self._make(self._inward)
                    await trio.lowlevel.checkpoint()  # matches have their turns; what comes meanwhile need not wake anybody

    def close(self) -> None:
        """Makes the calls that are already queued and no more: the referee is gone."""
        waking, self._waking = self._waking, None
        while self._inward:
            self._make(self._inward)
        if waking is not None:
            waking.close()

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Sets the loop on which the transport runs."""
        self._loop = loop

    def to_referee(self, call: Callable[Arguments, None], *arguments: Arguments.args, **_none: Arguments.kwargs) -> None:
        """Has the referee's thread make a call. Does nothing once the referee is gone."""
        if self._waking is not None:
            self._inward.append((call, arguments))
            self._wake_referee()

    def to_referee_soon(self, call: Callable[Arguments, None], *arguments: Arguments.args, **_none: Arguments.kwargs) -> None:
        """The same for a call that can wait until the referee's thread is awake for another one, but no longer than `SOON_S`."""
        if self._waking is not None:
            self._inward.append((call, arguments))
            if not self._inward_woken and not self._wakes_soon:
                self._wakes_soon = True
                asyncio.get_running_loop().call_later(SOON_S, self._wake_for_soon)

    def _wake_for_soon(self) -> None:
        self._wakes_soon = False
        if self._inward:
            self._wake_referee()

    def in_lane(self, lane: Lane, call: Callable[Arguments, None], *arguments: Arguments.args, **_none: Arguments.kwargs) -> None:
        """Has the referee's thread make a call after those of its lane, when it is the lane's turn."""
        if self._waking is not None:
            lane.calls.append((call, arguments))
            self._queue(lane)
            self._wake_referee()

    def _queue(self, lane: Lane) -> None:
        # Both threads may do this at once. A lane that is then queued twice gets an extra turn, which does no harm.
        if not lane.is_queued:
            lane.is_queued = True
            self._inward.append(lane)

    def _wake_referee(self) -> None:
        waking = self._waking
        if waking is not None and not self._inward_woken:
            self._inward_woken = True
            try:  # noqa: SIM105 - as above
                waking.send(_WAKE_UP)
            except OSError:
                pass  # the referee has just gone

    def to_transport(self, call: Callable[Arguments, None], *arguments: Arguments.args, **_none: Arguments.kwargs) -> None:
        """Has the transport's thread make a call. Does nothing once its loop is closed."""
        self._outward.append((call, arguments))
        if not self._outward_woken:
            self._outward_woken = True
            assert self._loop is not None, "nothing is sent before the transport is open"
            try:
                self._loop.call_soon_threadsafe(self._make_outward)
            except RuntimeError:  # the loop is closed: the server has stopped
                self._outward.clear()

    def barrier(self, passed: Callable[[], None], lane: Lane | None = None) -> None:
        """Has the referee's thread make a call after everything that has come by now, in one lane or in all.

        Before the transport is open, the call is made at once.
        """
        if self._loop is None:
            passed()
        else:
            self.to_transport(self._pass_barrier, passed, lane, BARRIER_ROUNDS)

    def _pass_barrier(self, passed: Callable[[], None], lane: Lane | None, rounds: int) -> None:
        if rounds:
            asyncio.get_running_loop().call_soon(self._pass_barrier, passed, lane, rounds - 1)
        elif lane is None:
            self.to_referee(self._pass_lanes, passed)
        else:
            self.in_lane(lane, passed)

    def _pass_lanes(self, passed: Callable[[], None]) -> None:
        """Makes a call once all lanes have made the calls that they hold now."""
        lanes = {id(each): each for each in tuple(self._inward) if isinstance(each, Lane)}
        left = len(lanes)

        def pass_one() -> None:
            nonlocal left
            left -= 1
            if not left:
                passed()

        for lane in lanes.values():
            lane.calls.append((pass_one, ()))
        if not lanes:
            passed()

    def _may_sleep(self) -> bool:
        """Whether no call waits. From then on, a new one wakes the referee's thread."""
        if not self._inward:
            # The flag is cleared before the second look: a call that is added meanwhile is either seen here or wakes us.
            self._inward_woken = False
            if not self._inward:
                return True
            self._inward_woken = True
        return False

    def _make_outward(self) -> None:
        self._make(self._outward)
        self._outward_woken = False  # before the look, as above
        if self._outward and not self._outward_woken:
            self._outward_woken = True
            asyncio.get_running_loop().call_soon(self._make_outward)

    def _make(self, calls: deque[Call | Lane]) -> None:
        """Makes calls for a slice of time, or until none waits."""
        until = self._now_ns() + SLICE_NS
        while calls:
            item = calls.popleft()
            if isinstance(item, Lane):
                self._take_turn(item)
            else:
                self._make_call(item)
            if self._now_ns() > until:
                return

    def _take_turn(self, lane: Lane) -> None:
        """Makes the first call of a lane, and queues the lane again if it has more."""
        lane.is_queued = False
        if lane.calls:
            self._make_call(lane.calls.popleft())
            if lane.calls:
                self._queue(lane)

    def _make_call(self, made: Call) -> None:
        call, arguments = made
        try:
            call(*arguments)
        except Exception as fault:  # noqa: BLE001 - in trio's callback an exception would end everything at once: it is passed on
            self._on_fault(fault)
