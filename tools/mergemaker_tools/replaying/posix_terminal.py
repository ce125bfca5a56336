"""A terminal as Unix has it, by `termios` and `select`."""

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from mergemaker_tools.replaying.keys import KeyDecoder
from mergemaker_tools.replaying.terminal import ENTER, LEAVE, drawn_on
from mergemaker_tools.screen import write

assert sys.platform != "win32"  # for mypy, which then knows what else is there

ESCAPE_WAIT_S: Final = 0.05
"""How long after an escape the rest of a key's sequence may take to arrive."""
_READ_BYTES: Final = 1_024
_INPUT_FLAGS: Final = 0
_LOCAL_FLAGS: Final = 3
"""Indices of these in the result of `tcgetattr`."""


class Stopped(BaseException):
    """A signal asks the process to end; it ends when the terminal is restored."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number: Final = number


class PosixKeys:
    """Keys of a terminal; a new size also ends the wait for them."""

    def __init__(self, terminal: int, woken: int) -> None:
        self._terminal = terminal
        self._woken = woken
        self._decoder = KeyDecoder()
        self._before = termios.tcgetattr(terminal)

    def read(self, wait_s: float | None) -> list[str]:
        """The next keys; none if the time is over or the size has changed."""
        ready, _, _ = select.select([self._terminal, self._woken], [], [], wait_s)
        if self._woken in ready:
            os.read(self._woken, _READ_BYTES)
        if self._terminal not in ready:
            return []
        keys = self._read_some()
        while self._decoder.is_waiting:
            more, _, _ = select.select([self._terminal], [], [], ESCAPE_WAIT_S)
            keys += self._read_some() if more else self._decoder.flush()
        return keys

    def _read_some(self) -> list[str]:
        try:
            arrived = os.read(self._terminal, _READ_BYTES)
        except OSError:  # how Linux reports that the other end of the terminal is closed
            arrived = b""
        # A closed terminal never sends anything again: that is the end.
        return self._decoder.feed(arrived) if arrived else [*self._decoder.flush(), "interrupt"]

    def take(self) -> None:
        """Switches to single keys without echo; Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-Q are keys, too."""
        tty.setcbreak(self._terminal, termios.TCSADRAIN)
        mode = termios.tcgetattr(self._terminal)
        mode[_LOCAL_FLAGS] &= ~termios.ISIG
        mode[_INPUT_FLAGS] &= ~termios.IXON
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, mode)

    def give_back(self) -> None:
        """Restores the terminal. Discards unread input, so that the shell does not get it."""
        with suppress(termios.error):  # a closed terminal needs no restoring
            termios.tcsetattr(self._terminal, termios.TCSAFLUSH, self._before)

    def suspend(self) -> None:
        """Stops the process and its whole group until the shell continues them."""
        write(LEAVE)
        self.give_back()
        os.kill(0, signal.SIGTSTP)
        self.take()
        write(ENTER)


@contextmanager
def posix_screen() -> Iterator[PosixKeys]:
    """Takes the terminal over, yields its keys, and restores it in any case."""
    try:
        with _signals() as woken:
            keys = PosixKeys(sys.stdin.fileno(), woken)
            try:
                keys.take()
                with drawn_on():
                    yield keys
            finally:
                keys.give_back()
    except Stopped as stopped:
        # The process still ends by the signal, so that its parent sees why.
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)


@contextmanager
def _signals() -> Iterator[int]:
    """Signals that end the process end the view first; a new size ends the wait for keys."""
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    woken_before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    handlers = {signal.SIGTERM: _stop, signal.SIGHUP: _stop, signal.SIGWINCH: _wake}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield woken
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken_before)
        os.close(woken)
        os.close(wake)


def _stop(number: int, _frame: FrameType | None) -> None:
    # Once: a second signal must not interrupt the restoring of the terminal.
    signal.signal(number, signal.SIG_IGN)
    raise Stopped(number)


def _wake(_number: int, _frame: FrameType | None) -> None:
    """The pipe of `set_wakeup_fd` does it; without a handler it would not be written to."""
