"""Makes everything in the repository that a script makes from something else: `make generate`.

    python tools/project/generate_all.py                 # all of it
    python tools/project/generate_all.py go rust         # some of it
    python tools/project/generate_all.py --check         # compares, and writes nothing

Makers whose toolchain is missing are left out with a message; then the status is 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 900
"""For one maker; the first run of some makers downloads packages of compilers."""


@dataclass(frozen=True, slots=True)
class Maker:
    """One script, and what it makes."""

    name: str
    makes: str
    source: str
    committed_because: str
    """Why no build makes it instead."""
    command: tuple[str, ...]
    needs: str | None = None
    """A program that must be installed."""


def _python(script: str) -> tuple[str, ...]:
    return (sys.executable, script)


MAKERS = (
    Maker(
        "python",
        "protos/mergemaker/v1/*_pb2*",
        "protos/mergemaker/v1/*.proto",
        "a checkout runs as it is, without a build",
        _python("protos/generate.py"),
    ),
    Maker("go", "clients/go/wire/", "the same", "`go build` runs no generator", ("clients/go/generate",), "go"),
    Maker(
        "rust", "clients/rust/src/generated/", "the same", "a build with cargo has no protoc", ("clients/rust/generate",), "cargo"
    ),
    Maker(
        "typescript",
        "clients/typescript/src/wire/",
        "the same",
        "a build with npm has no protoc",
        ("clients/typescript/generate",),
        "node",
    ),
    Maker(
        "image",
        "protos/image/",
        "protos/mergemaker/v1/*.proto",
        "CI compares the protocol with it",
        _python("tools/project/make_image.py"),
        "npm",
    ),
    Maker(
        "sdks",
        "clients/*/**/kinds*",
        "the same",
        "libraries build as they are",
        _python("tools/project/generate_sdks.py"),
    ),
    Maker(
        "configuration",
        "referee/CONFIGURATION.md",
        "the settings in referee/mergemaker_referee",
        "it is a page to read",
        _python("tools/project/make_configuration_page.py"),
    ),
    Maker(
        "vectors",
        "clients/vectors/",
        "the built-in bots",
        "tests in all languages read it",
        _python("tools/project/make_vectors.py"),
    ),
    Maker(
        "records",
        "engine/vectors/records/",
        "tools/project/record_vectors.py",
        "readers in all languages are tested with it",
        _python("tools/project/make_record_vectors.py"),
    ),
    Maker(
        "conversation",
        "clients/TRANSCRIPT.md",
        "a match played for it",
        "it is a page to read",
        _python("tools/project/make_conversation.py"),
    ),
)
"""In the order in which they run: a maker comes after those whose files it reads."""

KEPT = ("make_golden.py", "make_pictures.py", "make_transcripts.py")
"""They make files that are made once and never change, or pictures that need a browser, so they are no part of this."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the makers and returns the exit status."""
    parser = argparse.ArgumentParser(description="Makes everything in the repository that a script makes from something else.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to make: {', '.join(each.name for each in MAKERS)}")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args(argv)
    unknown = set(arguments.names) - {each.name for each in MAKERS}
    if unknown:
        parser.error(f"nothing is called {', '.join(sorted(unknown))}; there is {', '.join(each.name for each in MAKERS)}")
    chosen = [each for each in MAKERS if not arguments.names or each.name in arguments.names]
    failed = [each for each in chosen if not _run(each, check=arguments.check)]
    return 1 if failed else 0


def _run(maker: Maker, *, check: bool) -> bool:
    """Runs a maker; returns whether it succeeded."""
    if maker.needs is not None and shutil.which(maker.needs) is None:
        print(f"left out: {maker.makes}: there is no {maker.needs} on this machine", flush=True)
        return False
    print(f"{'comparing' if check else 'making'} {maker.makes} ...", flush=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "kit")}
    command = [*maker.command, *(["--check"] if check else [])]
    if command[0] != sys.executable:
        command[0] = str(ROOT / command[0])
    try:
        status = subprocess.run(command, cwd=ROOT, env=environment, timeout=LIMIT_S, check=False).returncode
    except subprocess.TimeoutExpired:
        print(f"not ok: {maker.name} took longer than {LIMIT_S} s")
        return False
    if status:
        print(f"not ok: {maker.name} ended with status {status}")
    return status == 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
