"""The common parts of the makers of the protocol's code: protoc, and what to do with the files that it makes."""

import argparse
import difflib
import itertools
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ci_clean_venv import install, make_clean_venv
from make_venv import ROOT

PROTOS: Final = ROOT / "protos"
REQUIREMENTS: Final = PROTOS / "generator-requirements.txt"
SOURCES: Final = tuple(sorted((PROTOS / "mergemaker" / "v1").glob("*.proto")))
PROTOC_LIMIT_S: Final = 60
DIFFERENCES_SHOWN_MAX: Final = 40
"""Lines of the comparison, for each file."""
LINE_CHARACTERS_MAX: Final = 160


@dataclass(frozen=True, slots=True)
class Generated:
    """The generated files of one language."""

    folder: Path
    pattern: str
    """Which files of the folder are generated."""
    command: str
    """What makes them anew."""

    def settle(self, made: Mapping[str, bytes], *, is_check: bool) -> int:
        """Replaces the present files by the made ones, or compares only; returns the exit status."""
        there = {path.name: path.read_bytes() for path in self.folder.glob(self.pattern)}
        if is_check:
            return compare(made, there, self.command)
        self.folder.mkdir(exist_ok=True)
        for name in there.keys() - made.keys():
            (self.folder / name).unlink()
        for name, content in made.items():
            (self.folder / name).write_bytes(content)
        print(f"{len(made)} files made in {self.folder}")
        return 0


def is_check(prog: str, language: str, argv: Sequence[str] | None) -> bool:
    """Reads the arguments: whether the code is compared only."""
    parser = argparse.ArgumentParser(prog=prog, description=f"Makes the {language} code of the protocol.")
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs from the code that is there")
    wanted: bool = parser.parse_args(argv).check
    return wanted


def generator_python(folder: Path) -> Path:
    """A Python in an environment of its own, with protoc and its plugins for Python in pinned versions."""
    python = make_clean_venv(folder / "venv")
    # Without dependencies: the file names all of them, so pip cannot add newer ones.
    install(python, ["--no-deps", "--requirement", str(REQUIREMENTS)], REQUIREMENTS, folder)
    return python


def protoc(python: Path, folder: Path, outputs: Sequence[str]) -> None:
    """Runs protoc on all .proto files; the outputs say what to make, and with which plugins."""
    names = [source.relative_to(PROTOS).as_posix() for source in SOURCES]
    command = [str(python), "-m", "grpc_tools.protoc", f"--proto_path={PROTOS}", *outputs, *names]
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, timeout=PROTOC_LIMIT_S, check=True)


def compare(made: Mapping[str, bytes], there: Mapping[str, bytes], command: str) -> int:
    """Prints how the present code differs from the made one; 1 if it does."""
    differing = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    for name in differing:
        before, after = (files.get(name, b"").decode().splitlines() for files in (there, made))
        lines = difflib.unified_diff(before, after, f"{name} as it is", f"{name} as generated", lineterm="")
        for line in itertools.islice(lines, DIFFERENCES_SHOWN_MAX):
            print(line[:LINE_CHARACTERS_MAX])
    if differing:
        print(f"{len(differing)} generated files are not what the .proto files say: run {command}")
        return 1
    print(f"{len(made)} generated files are as they should be")
    return 0
