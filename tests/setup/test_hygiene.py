"""Requirements for all files of the project."""

import re
import subprocess
import tomllib

import pytest
from ci_versions import normal
from mergemaker_referee.configuration.settings import Settings
from mergemaker_tools.options import RECORDS_FOLDER
from mergemaker_tools.tournaments.plan import FOLDERS as TOURNAMENTS
from toy_checkout import CHECKOUT, COMMAND_LIMIT_S

# In parts, so that this file does not contain what it forbids.
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
# What GNU make 3.81, which macOS ships, lacks: by the version that added it, according to the release notes.
NEW_IN_MAKE = {
    "3.82": r"\.ONESHELL|\.RECIPEPREFIX|\.SHELLFLAGS|^(?:define .*=|undefine |private )|: *private |--eval",
    "4.0": r"\$[({](?:file|guile) |!=|::=|^-?load |\.LOADED|--(?:trace|output-sync)\b",
    "4.1": r"MAKE_TERM(?:OUT|ERR)",
    "4.2": r"\.SHELLSTATUS",
    "4.3": r"&:|\.EXTRA_PREREQS",
    "4.4": r"\$[({](?:let|intcmp) |\.WAIT|\.NOTINTERMEDIATE|--(?:shuffle|jobserver-style)\b",
}


def git(*words: str) -> str:
    command = ["git", "-C", str(CHECKOUT), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_LIMIT_S, check=False)
    if done.returncode != 0:
        pytest.skip(f"needs a git checkout: {done.stderr.strip()}")
    return done.stdout


def files() -> list[str]:
    """All files that are committed, or would be."""
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


def test_what_playing_and_serving_write_is_ignored_and_only_at_the_root() -> None:
    folders = [RECORDS_FOLDER, Settings().data_folder.as_posix(), TOURNAMENTS]
    made = [f"{folder}/20261118-164849-7b382ec45c28.jsonl" for folder in folders]
    assert git("check-ignore", *made, *(f"engine/{name}" for name in made)).splitlines() == made


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


def newer_than_3_81(makefile: str) -> list[str]:
    return [version for version, features in NEW_IN_MAKE.items() if re.search(features, makefile, re.MULTILINE)]


def test_makefile_uses_nothing_newer_than_make_3_81() -> None:
    assert newer_than_3_81(text_of("Makefile")) == []


@pytest.mark.parametrize(
    ("makefile", "version"),
    [
        (".ONESHELL:", "3.82"),
        ("all: private CFLAGS = -O", "3.82"),
        ("define RECIPE :=", "3.82"),
        ("FILES != ls", "4.0"),
        ("BIN ::= .venv/bin", "4.0"),
        ("all:\n\t$(file >list,$^)", "4.0"),
        ("all: ; @test -z '$(MAKE_TERMOUT)'", "4.1"),
        ("ifneq ($(.SHELLSTATUS),0)", "4.2"),
        ("one two &: three", "4.3"),
        ("all: one .WAIT two", "4.4"),
    ],
)
def test_what_newer_makes_have_is_found(makefile: str, version: str) -> None:
    assert newer_than_3_81(makefile) == [version]


@pytest.mark.parametrize(
    "makefile", ["NAME := value", "NAME ?=", "NAME = value", "define RECIPE\nendef", "$(shell ls)", "export A"]
)
def test_what_make_3_81_has_is_let_pass(makefile: str) -> None:
    assert newer_than_3_81(makefile) == []


def test_readme_opens_with_the_two_commands() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", text_of("README.md"), re.MULTILINE | re.DOTALL)
    assert [line.split("#")[0].strip() for line in blocks[0].splitlines()] == ["make match", "make test"]


def test_every_file_that_the_readme_points_to_is_there() -> None:
    pointed = re.findall(r"\]\(([^):#]+)\)", text_of("README.md"))
    assert pointed
    assert [name for name in pointed if not (CHECKOUT / name).exists()] == []
