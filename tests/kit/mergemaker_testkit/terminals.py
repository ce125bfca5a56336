"""A terminal that runs a command. POSIX alone has such terminals."""

import os
import re
import select
import struct
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

LIMIT_S = 60
"""How long each step may take on a slow machine."""


class Terminal:
    """A terminal of 80 columns and 24 lines that runs a command."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], folder: Path) -> None:
        import fcntl  # noqa: PLC0415 - only on POSIX; elsewhere, this file is skipped
        import pty  # noqa: PLC0415 - likewise
        import termios  # noqa: PLC0415 - likewise

        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.text = ""
        # In a new session, the first terminal that the command gets becomes its own.
        shell = ["sh", "-c", f'exec 0<>{os.ttyname(theirs)}; exec "$@"', "sh", *command]
        self.child = subprocess.Popen(
            shell, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, start_new_session=True
        )

    def press(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def shows(self, form: str) -> None:
        """Reads until something of this form has appeared since the last time."""
        start, until = len(self.text), time.monotonic() + LIMIT_S
        while not re.search(form, self.text[start:]):
            # A board is redrawn repeatedly, so the guard is for all of it.
            left = until - time.monotonic()
            ready = left > 0 and select.select([self._ours], [], [], left)[0]
            assert ready, f"{form!r} did not come within {LIMIT_S} s, but {self.text[-2_000:]!r}"
            self.text += os.read(self._ours, 65_536).decode("utf-8", "replace")

    def close(self) -> None:
        self.child.kill()
        self.child.wait(LIMIT_S)
        os.close(self.theirs)
        os.close(self._ours)
