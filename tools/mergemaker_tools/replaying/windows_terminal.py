"""A console as Windows has it, by `msvcrt`."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from mergemaker_tools.problems import WrongUse
from mergemaker_tools.replaying.keys import WINDOWS_PREFIXES, windows_key
from mergemaker_tools.replaying.terminal import drawn_on

POLL_S: Final = 0.02
"""How often the console is polled for keys: there is no way to wait for them."""
WAIT_MAX_S: Final = 0.5
"""The longest wait, after which nothing is returned, so that a new size is noticed: nothing reports it."""
_STANDARD_OUTPUT: Final = -11
_ENABLE_VIRTUAL_TERMINAL: Final = 4


class Console(Protocol):
    """What is used of `msvcrt`."""

    def kbhit(self) -> bool:
        """Whether a key waits."""

    def getwch(self) -> str:
        """The next character of a key."""


class WindowsKeys:
    """Keys of a console. Clock and pause are parameters, so that tests need not wait."""

    def __init__(self, console: Console, clock: Callable[[], float], pause: Callable[[float], None]) -> None:
        self._console = console
        self._clock = clock
        self._pause = pause

    def read(self, wait_s: float | None) -> list[str]:
        """The next key; none if the time is over, or if it is time to check the size."""
        until = self._clock() + min(WAIT_MAX_S if wait_s is None else wait_s, WAIT_MAX_S)
        while not self._console.kbhit():
            left = until - self._clock()
            if left <= 0:
                return []
            self._pause(min(POLL_S, left))
        first = self._console.getwch()
        return windows_key(first, self._console.getwch() if first in WINDOWS_PREFIXES else "")

    def suspend(self) -> None:
        """Does nothing: shells of Windows do not suspend programs."""


@contextmanager
def windows_screen() -> Iterator[WindowsKeys]:
    """Takes the console over, yields its keys, and restores it in any case."""
    if sys.platform != "win32":
        raise WrongUse("this system has no Windows console")
    import msvcrt  # noqa: PLC0415 - Windows alone has it

    with _escapes_understood(), drawn_on():
        yield WindowsKeys(msvcrt, time.monotonic, time.sleep)


@contextmanager
def _escapes_understood() -> Iterator[None]:
    """Makes the console understand escape sequences, which older ones do only on request."""
    if sys.platform != "win32":
        raise WrongUse("this system has no Windows console")
    import ctypes  # noqa: PLC0415 - as above
    from ctypes import wintypes  # noqa: PLC0415 - as above

    system = ctypes.windll.kernel32
    output = system.GetStdHandle(_STANDARD_OUTPUT)
    before = wintypes.DWORD()
    known = system.GetConsoleMode(output, ctypes.byref(before))
    if not known or not system.SetConsoleMode(output, before.value | _ENABLE_VIRTUAL_TERMINAL):
        raise WrongUse("this console does not understand escape sequences: use --text, or a newer terminal")
    try:
        yield
    finally:
        system.SetConsoleMode(output, before.value)
