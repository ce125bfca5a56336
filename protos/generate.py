"""Makes the Python code of the protocol from the .proto files: `python protos/generate.py`; with `--check`, compares only.

The generator runs in an environment of its own, made for this run from `generator-requirements.txt` and thrown away with it:
the code must not depend on what else is installed, and the versions are the oldest that the code is to run with.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools" / "project"))

from ci_clean_venv import install, make_clean_venv

if TYPE_CHECKING:
    from collections.abc import Sequence

PROTOS = Path(__file__).resolve().parent
REQUIREMENTS = PROTOS / "generator-requirements.txt"
PACKAGE = Path("mergemaker") / "v1"
GENERATED = "*_pb2*.py*"
PROTOC_LIMIT_S = 60
DIFFERENCES_SHOWN_MAX = 40
"""Lines of the comparison, for each file."""
LINE_CHARACTERS_MAX = 160


def main(argv: Sequence[str] | None = None) -> int:
    """Generates or compares, and returns the exit status."""
    parser = argparse.ArgumentParser(description="Makes the Python code of the protocol.")
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs from the code that is there")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="mergemaker-protos-") as temporary:
        made = generate(Path(temporary))
    there = {path.name: path.read_bytes() for path in (PROTOS / PACKAGE).glob(GENERATED)}
    if arguments.check:
        return compare(made, there)
    for name in there.keys() - made.keys():
        (PROTOS / PACKAGE / name).unlink()
    for name, content in made.items():
        (PROTOS / PACKAGE / name).write_bytes(content)
    print(f"{len(made)} files made in {PROTOS / PACKAGE}")
    return 0


def generate(folder: Path) -> dict[str, bytes]:
    """The generated files by name."""
    python = make_clean_venv(folder / "venv")
    # Without dependencies: the file names all of them, and pip would take newer ones where it does not.
    install(python, ["--no-deps", "--requirement", str(REQUIREMENTS)], REQUIREMENTS, folder)
    out = folder / "out"
    out.mkdir()
    plugins = [f"--plugin=protoc-gen-{name}={python.with_name(f'protoc-gen-{name}')}" for name in ("mypy", "mypy_grpc")]
    outputs = [f"--{name}_out={out}" for name in ("python", "grpc_python")]
    outputs += [f"--{name}_out=quiet:{out}" for name in ("mypy", "mypy_grpc")]
    sources = sorted((PROTOS / PACKAGE).glob("*.proto"))
    names = [source.relative_to(PROTOS).as_posix() for source in sources]
    command = [str(python), "-m", "grpc_tools.protoc", f"--proto_path={PROTOS}", *plugins, *outputs, *names]
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, timeout=PROTOC_LIMIT_S, check=True)
    return {
        path.name: path.read_bytes()
        for source in sources
        for path in (out / PACKAGE).glob(f"{source.stem}{GENERATED}")
        if "_pb2_grpc." not in path.name or has_service(source)  # without one there is nothing for gRPC in the file
    }


def has_service(source: Path) -> bool:
    """Whether a .proto file declares a service."""
    return any(line.startswith("service ") for line in source.read_text(encoding="utf-8").splitlines())


def compare(made: dict[str, bytes], there: dict[str, bytes]) -> int:
    """Prints how the code that is there differs from what was made; 1 if it does."""
    differing = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    for name in differing:
        lines = difflib.unified_diff(
            there.get(name, b"").decode().splitlines(),
            made.get(name, b"").decode().splitlines(),
            f"{name} as it is",
            f"{name} as generated",
            lineterm="",
        )
        for line in itertools.islice(lines, DIFFERENCES_SHOWN_MAX):
            print(line[:LINE_CHARACTERS_MAX])
    if differing:
        print(f"{len(differing)} generated files are not what the .proto files say: run `python protos/generate.py`")
        return 1
    print(f"{len(made)} generated files are as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
