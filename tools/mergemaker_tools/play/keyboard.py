"""Single keys of the terminal beside other work. Ctrl-C remains a signal."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

import trio

from mergemaker_tools.replaying.keys import WINDOWS_PREFIXES, KeyDecoder, windows_key

POLL_S: Final = 0.05
"""How often a Windows console is asked for keys."""
_READ_BYTES: Final = 1_024


class Keyboard(Protocol):
    """A source of keys."""

    async def read(self) -> list[str]:
        """Waits for the next keys."""


class NoKeyboard:
    """The keys where nobody can press one."""

    async def read(self) -> list[str]:
        """Waits for ever."""
        await trio.sleep_forever()
        raise AssertionError("nothing comes after forever")


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Takes single keys from the terminal, if there is one in the foreground, and leaves it as it was."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield NoKeyboard()
    elif sys.platform == "win32":
        yield WindowsKeyboard()
    else:
        with _posix_keyboard() as keys:
            yield keys


if sys.platform == "win32":

    class WindowsKeyboard:
        """A console of Windows, which must be polled for keys."""

        async def read(self) -> list[str]:
            """Waits for the next key."""
            import msvcrt  # noqa: PLC0415 - only there

            while not msvcrt.kbhit():  # noqa: ASYNC110 - nothing could set an event
                await trio.sleep(POLL_S)
            first = msvcrt.getwch()
            return windows_key(first, msvcrt.getwch() if first in WINDOWS_PREFIXES else "")

else:

    class PosixKeyboard:
        """A terminal that gives keys one by one, without showing them."""

        def __init__(self, terminal: int) -> None:
            self._terminal: Final = terminal
            self._decoder: Final = KeyDecoder()

        async def read(self) -> list[str]:
            """Waits for the next keys."""
            await trio.lowlevel.wait_readable(self._terminal)
            try:
                arrived = os.read(self._terminal, _READ_BYTES)
            except OSError:  # how Linux reports that the other end of the terminal is closed
                arrived = b""
            if not arrived:
                await trio.sleep_forever()
            return self._decoder.feed(arrived)

    @contextmanager
    def _posix_keyboard() -> Iterator[Keyboard]:
        import termios  # noqa: PLC0415 - other systems have none
        import tty  # noqa: PLC0415 - likewise

        terminal = sys.stdin.fileno()
        if os.tcgetpgrp(terminal) != os.getpgrp():  # in the background, the terminal belongs to another process
            yield NoKeyboard()
            return
        before = termios.tcgetattr(terminal)
        tty.setcbreak(terminal, termios.TCSADRAIN)
        try:
            yield PosixKeyboard(terminal)
        finally:
            # Discards unread keys, so that the shell does not get them.
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
