"""The lowest versions that pyproject.toml declares: reads them, and checks that they are installed."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from make_venv import PROBE_LIMIT_S, ROOT

EXTRA = "test"
DECLARED = re.compile(r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?>=([0-9][0-9.]*)(?:,<[0-9.]+)?(?:; .*)?")


def declared_lowest() -> tuple[dict[str, str], dict[str, str]]:
    """The lowest versions of all that is installed for the tests, and of what builds the wheel."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    installed = floors([*project["dependencies"], *extra_requirements(project, EXTRA)])
    return installed, floors(settings["build-system"]["requires"])


def extra_requirements(project: dict[str, Any], extra: str) -> list[str]:
    """The requirements of an extra, including those of other extras that it names."""
    found: list[str] = []
    for requirement in project["optional-dependencies"][extra]:
        own = re.fullmatch(re.escape(project["name"]) + r"\[([a-z,]+)\]", requirement)
        if own:
            for other in own[1].split(","):
                found += extra_requirements(project, other)
        else:
            found.append(requirement)
    return found


def floors(requirements: list[str]) -> dict[str, str]:
    """The lowest version of each requirement: `name[extra]>=version`, perhaps followed by an upper bound or a condition."""
    found = {}
    for requirement in requirements:
        declared = DECLARED.fullmatch(requirement)
        if declared is None:
            raise SystemExit(f"pyproject.toml: `{requirement}` should be `name>=version`: CI tests that version")
        found[normal(declared[1])] = declared[2]
    return found


def lowest(pinned: str, lowest_of: dict[str, str]) -> str:
    """The lines of constraints.txt, with the lowest versions of what is declared."""
    others = [line for line in pinned.splitlines() if normal(line.partition("==")[0]) not in lowest_of]
    return "".join(f"{line}\n" for line in [*others, *(f"{name}=={low}" for name, low in lowest_of.items())])


def normal(name: str) -> str:
    """A distribution's name, normalised for comparison."""
    return re.sub(r"[-_.]+", "-", name).lower()


def see_versions(python: Path, wanted: dict[str, str]) -> None:
    """Checks that the declared versions are installed, and prints them."""
    ask = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    command = [str(python), "-c", ask, *wanted]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_LIMIT_S, check=True)
    for (name, low), found in zip(wanted.items(), answer.stdout.split(), strict=True):
        print(f"{name} {found}", flush=True)
        if not same_version(low, found):
            raise SystemExit(f"{name}: {low} is declared as the lowest version, but {found} was installed")


def same_version(one: str, other: str) -> bool:
    """Whether two versions are equal but for trailing zeros: 13.7 is 13.7.0."""
    return re.sub(r"(\.0)+$", "", one) == re.sub(r"(\.0)+$", "", other)
