"""Installs Chromium for the tests of pages, from Debian's packages, where that is possible.

It needs root and apt-get. Elsewhere it says so, and these tests are skipped. It prints the browser's path, if there is one.
"""

import os
import shutil
import subprocess
import sys

BROWSERS = ("chromium", "chromium-browser")
INSTALL_LIMIT_S = 900


def main() -> int:
    """Returns 0 if there is a browser then, and 1 if there is none."""
    if not browser() and may_install():
        print("installing chromium …", file=sys.stderr, flush=True)
        for words in (("update",), ("install", "--yes", "--no-install-recommends", "chromium")):
            if not run("apt-get", "-q", *words):
                break
    found = browser()
    if found:
        print(found)
        return 0
    print(
        "there is no chromium, so tests in a browser are skipped: on Debian and Ubuntu, `sudo apt install chromium`",
        file=sys.stderr,
    )
    return 1


def browser() -> str | None:
    """The browser that is there."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def may_install() -> bool:
    """Whether this is root on a system with apt-get."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def run(*words: str) -> bool:
    """Runs a command, and shows what it printed only if it fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"`{' '.join(words)}` did not end within {INSTALL_LIMIT_S} seconds", file=sys.stderr)
        return False
    if done.returncode != 0:
        print(f"`{' '.join(words)}` failed:\n{done.stdout}{done.stderr}", file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
