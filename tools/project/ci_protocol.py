"""Checks the protocol: lint, that nothing that is frozen has changed, that image and generated code are what it makes.

What is frozen stands in the image, which `make_image.py` makes. A field that is removed, renumbered or of another type fails.
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
IMAGE = PROTOS / "image" / "mergemaker-v1.binpb"
"""The protocol as it is frozen, as buf writes it."""
MAKE_IMAGE = Path(__file__).resolve().with_name("make_image.py")

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
    parser.parse_args(argv)
    # npm's folder lies outside the checkout: what is in the checkout is the project's, and nothing else.
    with tempfile.TemporaryDirectory(prefix="mergemaker-buf-") as temporary:
        try:
            buf = install_buf(Path(temporary))
        except NoBuf as error:
            if os.environ.get(REQUIRED):
                print(f"not ok: buf: {error}")
                return 1
            print(f"left out: lint and breaking changes: {error}")
            held = []
        else:
            held = [
                check("lint", [buf, "lint"], BUF_LIMIT_S),
                check("breaking changes", breaking(buf), BUF_LIMIT_S),
                check("image", [sys.executable, str(MAKE_IMAGE), "--check", "--buf", buf], BUF_LIMIT_S),
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


def breaking(buf: str) -> list[str]:
    """The command that compares the protocol with what is frozen."""
    return [buf, "breaking", "--against", str(IMAGE)]


if __name__ == "__main__":
    sys.exit(main())
