"""Checks the protocol: lint, compatibility with the last release, and that the generated code is up to date.

`--release` writes what later versions are compared with; run it for each release.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROTOS = ROOT / "protos"
RELEASED = PROTOS / "released" / "mergemaker-v1.binpb"
"""The protocol of the last release, as buf writes it."""

BUF_PACKAGE = "@bufbuild/buf@1.74.0"
NPM_LIMIT_S = 300
BUF_LIMIT_S = 60
GENERATE_LIMIT_S = 600

REQUIRED = "MERGEMAKER_REQUIRE_NODE"
"""Set where Node must be installed, as in CI: then nothing is left out."""


class NoBuf(Exception):
    """buf is not available; the text says why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all checks and returns the exit status."""
    parser = argparse.ArgumentParser(description="Checks the protocol.")
    parser.add_argument("--release", action="store_true", help=f"write {RELEASED.relative_to(ROOT)} instead")
    arguments = parser.parse_args(argv)
    # npm's folder is outside the checkout, which contains the project's files alone.
    with tempfile.TemporaryDirectory(prefix="mergemaker-buf-") as temporary:
        try:
            buf = install_buf(Path(temporary))
        except NoBuf as error:
            if arguments.release or os.environ.get(REQUIRED):
                print(f"not ok: buf: {error}")
                return 1
            print(f"left out: lint and breaking changes: {error}")
            held = []
        else:
            if arguments.release:
                return 0 if write_release(buf) else 1
            held = [
                check("lint", [buf, "lint"], BUF_LIMIT_S),
                check("breaking changes", [buf, "breaking", "--against", str(RELEASED)], BUF_LIMIT_S),
            ]
    held.append(check("generated code", [sys.executable, "generate.py", "--check"], GENERATE_LIMIT_S))
    return 0 if all(held) else 1


def install_buf(folder: Path) -> str:
    """Installs buf into a folder and returns its path."""
    npm = shutil.which("npm")
    if npm is None:
        raise NoBuf("there is no npm, with which buf is installed; it comes with Node")
    command = [npm, "install", "--prefix", str(folder), "--no-save", "--no-package-lock", "--ignore-scripts"]
    command += ["--no-audit", "--no-fund", "--loglevel=error", BUF_PACKAGE]
    try:
        subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, timeout=NPM_LIMIT_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoBuf(f"npm could not install {BUF_PACKAGE}: {error}") from error
    return str(folder / "node_modules" / ".bin" / "buf")


def check(what: str, command: list[str], limit_s: float) -> bool:
    """Runs one check in the folder of the protocol and prints its result."""
    status = subprocess.run(command, cwd=PROTOS, stdin=subprocess.DEVNULL, timeout=limit_s, check=False).returncode
    print(f"ok: {what}" if status == 0 else f"not ok: {what}: see above", flush=True)
    return status == 0


def write_release(buf: str) -> bool:
    """Writes the present protocol as a release's, without comments and positions, which may change."""
    RELEASED.parent.mkdir(exist_ok=True)
    return check("written", [buf, "build", "--exclude-source-info", "--output", str(RELEASED)], BUF_LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
