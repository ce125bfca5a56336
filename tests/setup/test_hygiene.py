"""What must hold of the files of the project, whatever they are for."""

from __future__ import annotations

import re
import subprocess
import tomllib

import pytest
from ci_lowest import normal
from toy_checkout import CHECKOUT, COMMAND_LIMIT_S

# In parts, so that this file does not hold what it forbids.
REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
        ("sum", "golang", "org"),
        ("repo", "maven", "apache", "org"),
        ("repo1", "maven", "org"),
        ("plugins", "gradle", "org"),
        ("deb", "debian", "org"),
        ("rubygems", "org"),
    )
]
# Features that GNU make 3.81, which macOS ships, does not have.
NEW_IN_MAKE = re.compile(r"\.ONESHELL|\.RECIPEPREFIX|\$\((?:file|guile|let|intcmp) |!=|::=|&:|^(?:load|undefine) ", re.MULTILINE)


def git(*words: str) -> str:
    command = ["git", "-C", str(CHECKOUT), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_LIMIT_S, check=False)
    if done.returncode != 0:
        pytest.skip(f"needs a git checkout: {done.stderr.strip()}")
    return done.stdout


def files() -> list[str]:
    """All files that are, or would be, committed."""
    return sorted(set(git("ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")) - {""})


def text_of(name: str) -> str:
    path = CHECKOUT / name
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def test_no_file_holds_the_address_of_a_package_registry() -> None:
    found = [(name, host) for name in files() for host in REGISTRIES if host in text_of(name)]
    assert found == []


def test_no_file_holds_where_this_checkout_is() -> None:
    place = f"{CHECKOUT}/"
    if len(CHECKOUT.parts) < 3:
        pytest.skip(f"{CHECKOUT} is too short a path to look for")
    assert [name for name in files() if place in text_of(name)] == []


def test_what_set_up_makes_is_ignored() -> None:
    made = [".venv/bin/python", ".venv.lock", "dist/a.whl", "tools/mergemaker_tools/__pycache__/cli.pyc"]
    assert git("check-ignore", *made).splitlines() == made


def test_golden_files_are_left_alone() -> None:
    attributes = git("check-attr", "text", "eol", "--", "tests/golden/deep/game.jsonl", "README.md").splitlines()
    assert attributes[0] == "tests/golden/deep/game.jsonl: text: unset"
    assert attributes[3] == "README.md: eol: lf"


def test_constraints_are_names_and_versions_and_name_all_that_is_declared() -> None:
    lines = text_of("constraints.txt").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9a-z.]*", line)] == []
    settings = tomllib.loads(text_of("pyproject.toml"))
    declared = [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
    for extra in settings["project"]["optional-dependencies"].values():
        declared += extra
    names = {normal(re.split(r"[<>=!~\[ ;]", each)[0]) for each in declared} - {"mergemaker"}
    assert names <= {normal(line.partition("==")[0]) for line in lines}


def test_makefile_uses_nothing_newer_than_make_3_81() -> None:
    assert NEW_IN_MAKE.findall(text_of("Makefile")) == []


def test_readme_opens_with_the_two_commands() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", text_of("README.md"), re.MULTILINE | re.DOTALL)
    assert [line.split("#")[0].strip() for line in blocks[0].splitlines()] == ["make match", "make test"]


def test_every_file_that_the_readme_points_to_is_there() -> None:
    pointed = re.findall(r"\]\(([^):#]+)\)", text_of("README.md"))
    assert pointed
    assert [name for name in pointed if not (CHECKOUT / name).exists()] == []
