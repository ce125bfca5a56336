"""`breakpoint()` in a bot that runs as a process of `mergemaker match`: pdb at the terminal of that command.

The command sets two variables for its bots: `PYTHONBREAKPOINT` names `stop`, and `MERGEMAKER_DEBUGGER` says where it waits.
"""

import os
import pdb  # noqa: T100 - this is about it
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Final, TextIO

VARIABLE: Final = "MERGEMAKER_DEBUGGER"
"""`PORT TOKEN`: where on the loopback the command waits, and what it expects first."""
LOOPBACK: Final = "127.0.0.1"
CONNECT_LIMIT_S: Final = 5.0


class TerminalPdb(pdb.Pdb):
    """pdb at a borrowed terminal, which is given back as soon as the bot goes on without it."""

    def __init__(self, reads: TextIO, writes: TextIO, leave: Callable[[], None]) -> None:
        super().__init__(stdin=reads, stdout=writes, nosigint=True, readrc=False)
        self._leave: Final = leave

    def set_continue(self) -> None:
        """Goes on, and gives the terminal back, unless breakpoints were set that may stop the bot again."""
        super().set_continue()
        if not self.breaks:
            self._leave()

    def set_quit(self) -> None:
        """Ends what the bot was doing, and gives the terminal back."""
        super().set_quit()
        self._leave()


def stop(*_arguments: object, **_options: object) -> None:
    """What `breakpoint()` does: it asks for the terminal, and starts pdb in the caller's frame."""
    frame: FrameType = sys._getframe(1)  # noqa: SLF001 - as pdb itself finds its caller
    where = os.environ.get(VARIABLE, "").split()
    if len(where) != 2 or not where[0].isdigit():
        pdb.Pdb(nosigint=True).set_trace(frame)
        return
    try:
        connection = socket.create_connection((LOOPBACK, int(where[0])), CONNECT_LIMIT_S)
    except OSError as error:
        print(f"mergemaker: breakpoint() finds no terminal: {error}", file=sys.stderr)  # noqa: T201 - to the bot's author
        return
    connection.settimeout(None)  # a person thinks as long as they like
    talk = connection.makefile("rw", encoding="utf-8", errors="replace", newline="\n")
    talk.write(f"{where[1]}\n")
    talk.flush()

    def leave() -> None:
        with suppress(OSError):  # the command has ended
            talk.flush()
            connection.shutdown(socket.SHUT_WR)

    TerminalPdb(talk, talk, leave).set_trace(frame)
