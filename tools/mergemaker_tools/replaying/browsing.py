"""A match in the browser of this machine."""

import contextlib
import os
import sys
import threading
import webbrowser
from typing import Final

from mergemaker_web.carried import Carried
from mergemaker_web.local_pages import LocalPages, viewer_pages

from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.screen import complain

_POLL_S: Final = 1.0
"""How often the wait for Ctrl-C is begun again: some systems do not interrupt a long one."""


def show_in_browser(match: Carried) -> None:
    """Serves the viewer with a match, and opens the browser, until Ctrl-C."""
    try:
        pages = LocalPages(viewer_pages(match))
    except OSError as error:
        raise CommandFailed(f"no port of this machine's loopback can be opened: {error.strerror or error}") from error
    with pages:
        complain(f"the match is at {pages.address} until Ctrl-C")
        if has_display():
            webbrowser.open(pages.address)
        wait_for_ctrl_c()


def wait_for_ctrl_c() -> None:
    """Returns when the person at the terminal presses Ctrl-C, which here is the usual end."""
    never = threading.Event()
    with contextlib.suppress(KeyboardInterrupt):
        while not never.wait(_POLL_S):
            pass


def has_display() -> bool:
    """Whether a browser can show itself. Without a display, the system might open one in this terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
