"""A stand-in for pip that installs the toy project, in the constrained versions, in no time."""

import os
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # also if started from elsewhere
from toy_backend import write_editable


def main(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        sys.stdout.write("pip 23.0 from a toy\n")
        return 0
    constraints = Path(value_of("--constraint", arguments)).read_text(encoding="utf-8")
    versions = dict(line.split("==") for line in constraints.splitlines())
    python = Path(value_of("--python", arguments))
    (packages,) = python.parent.parent.glob("lib/python*/site-packages")
    wanted = ["leaf", "twig"] if "dev" in value_of("--editable", arguments) else ["leaf"]
    for name in wanted:
        for old in packages.glob(f"{name}-*"):
            old.rename(packages / f"replaced-{old.name}.txt")
        unpack(Path(os.environ["PIP_FIND_LINKS"]) / f"{name}-{versions[name]}-py3-none-any.whl", packages)
    unpack(packages / write_editable(packages), packages)
    program = python.parent / "mergemaker"
    program.write_text("#!/bin/sh\n" + START, encoding="utf-8")
    program.chmod(0o755)
    return 0


START = """exec "$(dirname "$0")/python" -c 'from mergemaker_tools.cli import main; main()' "$@"\n"""


def value_of(option: str, arguments: list[str]) -> str:
    return arguments[arguments.index(option) + 1]


def unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
