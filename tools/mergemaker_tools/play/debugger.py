"""Lends the terminal of a match to pdb: for `breakpoint()` in a bot of this process, and in a bot's process in Python.

A bot's process connects to a port of the loopback, with a token that its environment has (`mergemaker_client.debugging`).
"""

import codecs
import io
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Final, TypeAlias

import trio
from mergemaker_client.debugging import LOOPBACK, VARIABLE, TerminalPdb
from mergemaker_processes.texts import harmless

from mergemaker_tools.play.human import Left, TypedLines
from mergemaker_tools.screen import write

Lend: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""Keeps everything else off the terminal."""
HOOK: Final = "mergemaker_client.debugging.stop"
TOKEN_BYTES: Final = 16
FIRST_LINE_BYTES_MAX: Final = 200
FIRST_LINE_LIMIT_S: Final = 5.0
_READ_BYTES: Final = 4_096
_KEPT: Final = "\n\t"


def has_terminal() -> bool:
    """Whether somebody can use a debugger here."""
    streams = (sys.stdin, sys.stdout)
    return sys.platform != "win32" and all(stream is not None and stream.isatty() for stream in streams)


class DebuggerDoor:
    """Where debuggers of bots ask for the terminal; one at a time gets it."""

    def __init__(self, lend: Lend, greeting: str) -> None:
        self._lend: Final = lend
        self._greeting: Final = greeting
        self._token: Final = secrets.token_hex(TOKEN_BYTES)
        self._port = 0
        self._nursery: trio.Nursery | None = None

    @property
    def variables(self) -> dict[str, str]:
        """What the environment of a bot's process needs."""
        return {"PYTHONBREAKPOINT": HOOK, VARIABLE: f"{self._port} {self._token}"}

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serves debuggers until it is cancelled."""
        listeners = await trio.open_tcp_listeners(0, host=LOOPBACK)
        self._port = listeners[0].socket.getsockname()[1]
        async with trio.open_nursery() as self._nursery:
            with self._hooked(trio.lowlevel.current_trio_token()):
                task_status.started()
                await trio.serve_listeners(self._serve, listeners)

    async def _serve(self, stream: trio.SocketStream) -> None:
        try:
            if await self._is_known(stream):
                async with self._lend():
                    write(self._greeting)
                    await _bridge(stream)
        except trio.BrokenResourceError:  # the bot is gone
            return

    async def _is_known(self, stream: trio.SocketStream) -> bool:
        first = b""
        with trio.move_on_after(FIRST_LINE_LIMIT_S):
            while not first.endswith(b"\n") and len(first) < FIRST_LINE_BYTES_MAX:
                # Byte by byte: what comes after the line is not for this.
                arrived = await stream.receive_some(1)
                if not arrived:
                    break
                first += arrived
        return secrets.compare_digest(first.strip(), self._token.encode())

    @contextmanager
    def _hooked(self, token: trio.lowlevel.TrioToken) -> Iterator[None]:
        """Makes `breakpoint()` in a thread of this process ask for the terminal, too."""
        before = sys.breakpointhook

        def hook(*_arguments: object, **_options: object) -> None:
            frame = sys._getframe(1)  # noqa: SLF001 - as pdb itself finds its caller
            lent, done = threading.Event(), trio.Event()

            def ask() -> None:
                assert self._nursery is not None, "the door is open"
                self._nursery.start_soon(self._lend_until, lent, done)

            token.run_sync_soon(ask)
            lent.wait()
            debugger = TerminalPdb(_Typed(), sys.stdout, lambda: token.run_sync_soon(done.set))
            debugger.set_trace(frame)

        sys.breakpointhook = hook
        try:
            yield
        finally:
            sys.breakpointhook = before

    async def _lend_until(self, lent: threading.Event, done: trio.Event) -> None:
        async with self._lend():
            write(self._greeting)
            lent.set()
            await done.wait()


async def _bridge(stream: trio.SocketStream) -> None:
    """Passes lines from the terminal to a debugger, and its texts to the terminal, until the debugger leaves."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    async def type_lines() -> None:
        terminal = sys.stdin.fileno()
        while True:
            await trio.lowlevel.wait_readable(terminal)
            typed = os.read(terminal, _READ_BYTES)
            if not typed:
                await stream.send_eof()
                return
            await stream.send_all(typed)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(type_lines)
        while said := await stream.receive_some(_READ_BYTES):
            write(harmless(decoder.decode(said), _KEPT))
        nursery.cancel_scope.cancel()


class _Typed(io.StringIO):
    """Lines from the terminal, for pdb in a thread of this process."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Final = TypedLines()

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]  # of texts: lines of bytes are the base's
        """The next line, empty at the end."""
        try:
            return self._lines() + "\n"
        except Left:
            return ""
