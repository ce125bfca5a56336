"""A real Chromium for tests of pages: Debian's own, never one that a test tool fetches."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

REQUIRED: Final = "MERGEMAKER_REQUIRE_BROWSER"
"""If this is set, a test that finds no browser fails."""
_NAMES: Final = ("chromium", "chromium-browser")
# Nothing of the browser's own looks for other machines. As root it has no sandbox, and the pages are the project's own.
_FLAGS: Final = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_ROOT_FLAGS: Final = ("--no-sandbox",)


@contextmanager
def chromium() -> Iterator[Any]:
    """A running Chromium, as Playwright's `Browser`; the test is skipped where there is none."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"there is no chromium on the PATH, and {REQUIRED} is set")
        pytest.skip("needs Chromium: on Debian and Ubuntu, `sudo apt install chromium`")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - a test without a browser does not need it

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*_FLAGS, *(_ROOT_FLAGS if root else ())])
        try:
            yield browser
        finally:
            browser.close()
