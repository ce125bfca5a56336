"""The socket between two processes of a server: frames gather while a loop does other work, and then go together."""

import contextlib
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Final

import trio

from mergemaker_referee.processes.frames import BadFrame, Frame, Frames, Kind, frame

READ_BYTES: Final = 256 * 1_024
WAITING_BYTES_MAX: Final = 256 * 1_024 * 1_024
"""What waits for a process that does not read. With more, it counts as broken: it stands still and does not come to itself."""
SLICE_FRAMES: Final = 32
"""This many frames are taken in one go, before everything else on the loop has a turn."""
LATER_NS: Final = 5_000_000
"""The longest wait of a frame that can wait for others, apart from a beat of the loop (`delays`)."""


class Channel:
    """One end. All of it belongs to the thread of trio's loop.

    What is sent goes out when the loop has nothing else to do: just before it waits, without a task's turn of its own.
    """

    def __init__(self, end: socket.socket, first: Callable[[], bytes] = bytes) -> None:
        """`first` gives what must be known before the frames that go out now."""
        end.setblocking(False)
        self._socket: Final = end
        self._first: Final = first
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._noted: Final[deque[bytes]] = deque()
        """Frames from any thread. They go before those that wait."""
        self._due_ns: int | None = None
        """When they go out even if nothing else does; None: they have not been seen yet."""
        self._rest = memoryview(b"")
        """What the socket did not take at once."""
        self._is_full: Final = trio.lowlevel.ParkingLot()
        self._token: trio.lowlevel.TrioToken | None = None
        self.is_open = True

    def send(self, kind: Kind, number: int = 0, value: int = 0, more: int = 0, data: bytes = b"") -> None:
        """Sends a frame after all earlier ones. Never waits."""
        if self.is_open:
            sent = frame(kind, number, value, more, data)
            self._waiting.append(sent)
            self._waiting_bytes += len(sent)

    def send_from_anywhere(self, kind: Kind, number: int, value: int) -> None:
        """Sends a frame from any thread: before the next one that is sent, or a moment later by itself."""
        if self.is_open:
            self._noted.append(frame(kind, number, value))

    async def run(self, take: Callable[[Frame], None]) -> None:
        """Gives each frame that comes to `take`, until the other side is gone or this is cancelled."""
        self._token = trio.lowlevel.current_trio_token()
        flusher = _Flusher(self)
        trio.lowlevel.add_instrument(flusher)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write_rest)
                await self._read(take)
                nursery.cancel_scope.cancel()
        except* (OSError, BadFrame):
            pass  # the same as its end
        finally:
            trio.lowlevel.remove_instrument(flusher)
            self.is_open = False
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()

    async def _read(self, take: Callable[[Frame], None]) -> None:
        frames = Frames()
        while True:
            await trio.lowlevel.wait_readable(self._socket)
            try:
                data = self._socket.recv(READ_BYTES)
            except BlockingIOError:  # trio may report a socket as readable when it has nothing to read
                continue
            if not data:
                return
            for number, came in enumerate(frames.feed(data), start=1):
                take(came)
                if number % SLICE_FRAMES == 0:
                    await trio.lowlevel.checkpoint()

    def flush(self) -> None:
        """Sends what is due, as far as the socket takes it."""
        if self._waiting_bytes > WAITING_BYTES_MAX:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # as the reader finds
        if self._rest or not (self._waiting or self._is_noted_long_ago()):
            return
        self._due_ns = None
        noted = [self._noted.popleft() for _ in range(len(self._noted))]
        data = memoryview(b"".join((self._first(), *noted, *self._waiting)))
        self._waiting, self._waiting_bytes = [], 0
        try:
            self._rest = data[self._socket.send(data) :]
        except BlockingIOError:
            self._rest = data
        except OSError:
            return  # the other side is gone, as the reader finds
        if self._rest and self._token is not None:
            # The loop is about to wait, and this wakes it: a task that is only made ready would wait with it.
            self._token.run_sync_soon(self._is_full.unpark)

    def _is_noted_long_ago(self) -> bool:
        if not self._noted:
            return False
        now_ns = time.monotonic_ns()
        if self._due_ns is None:
            self._due_ns = now_ns + LATER_NS
        return now_ns >= self._due_ns

    async def _write_rest(self) -> None:
        while True:
            if not self._rest:
                await self._is_full.park()
            while self._rest:
                await trio.lowlevel.wait_writable(self._socket)
                with contextlib.suppress(BlockingIOError):
                    self._rest = self._rest[self._socket.send(self._rest) :]


class _Flusher(trio.abc.Instrument):
    """Lets a channel send before each time that the loop waits."""

    def __init__(self, channel: Channel) -> None:
        self._channel: Final = channel

    def before_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio's
        """All tasks that could run have run."""
        self._channel.flush()
