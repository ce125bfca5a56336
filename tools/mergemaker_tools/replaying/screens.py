"""The terminal of this system."""

import sys
from contextlib import AbstractContextManager

from mergemaker_tools.replaying.terminal import Keys


def screen_taken() -> AbstractContextManager[Keys]:
    """Takes the terminal over, yields its keys, and restores it in any case."""
    if sys.platform == "win32":
        from mergemaker_tools.replaying.windows_terminal import windows_screen  # noqa: PLC0415 - as below

        return windows_screen()
    else:  # noqa: RET505 - mypy looks at one of both
        from mergemaker_tools.replaying.posix_terminal import posix_screen  # noqa: PLC0415 - other systems have no termios

        return posix_screen()
