"""Bots in other languages, if this machine can build them: each plays as Python's `greedy` does.

This only checks what has been built; `make test-clients` builds all of them, and proves far more.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import ci_conform
import ci_parity
import pytest
from ci_clients import BUILT, TOOLCHAINS, missing_tools

ROOT = Path(__file__).resolve().parents[2]
OTHERS = [language for language in TOOLCHAINS if language != "python"]
LIMIT_S = 300
"""A guard against a hang, far above what any step takes."""


@pytest.mark.checkout
@pytest.mark.parametrize("language", OTHERS)
def test_greedy_plays_as_in_python(language: str, tmp_path: Path) -> None:
    if missing := missing_tools(language):
        pytest.skip(f"{missing}; `make test-clients` needs it, too")
    if not (ROOT / "clients" / language / BUILT[language]).exists():
        pytest.skip(f"clients/{language} is not built yet: `make test-clients` builds and proves it")
    table = ci_parity.Table("avalon-hill", (language, language), 1)
    (theirs,) = ci_parity.play(table, [ci_conform.shell_command_of(language, "greedy")] * 2, tmp_path / "one")
    (ours,) = ci_parity.play(table, ["greedy"] * 2, tmp_path / "other")
    assert ci_parity.difference(theirs, ours) is None


@pytest.mark.checkout
def test_make_test_says_which_toolchains_are_missing(tmp_path: Path) -> None:
    (options,) = re.findall(r"-m pytest -n auto (.*)\$\(ARGS\)", (ROOT / "Makefile").read_text("utf-8"))
    tests = [f"{Path(__file__)}::{test_greedy_plays_as_in_python.__name__}[{language}]" for language in OTHERS]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options.split(), *tests],
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    for tool in ("node", "go", "cargo", "java"):
        assert f"there is no {tool} (install" in done.stdout, done.stdout + done.stderr


def test_a_game_that_goes_another_way_is_shown(tmp_path: Path) -> None:
    table = ci_parity.Table("avalon-hill", ("python", "python"), 1)
    (one,) = ci_parity.play(table, ["greedy", "greedy"], tmp_path / "one")
    (other,) = ci_parity.play(table, ["greedy", "random"], tmp_path / "other")
    assert ci_parity.difference(one, one) is None
    assert '"kind": "decision"' in (ci_parity.difference(one, other) or "")


@pytest.mark.parametrize("language", TOOLCHAINS)
def test_no_case_is_known_to_fail(language: str) -> None:
    path = ROOT / "clients" / language / "known-failing.txt"
    if not path.exists():
        pytest.skip("the clients are not beside the tests here")
    assert [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")] == []


def test_tables_give_every_language_more_than_two_hundred_games() -> None:
    tables = list(ci_parity.tables(ci_parity.LANGUAGES, ci_parity.GAMES_EACH))
    assert {table.preset for table in tables} == set(ci_parity.PRESETS)
    for language in ci_parity.LANGUAGES:
        assert sum(table.games for table in tables if language in table.languages) >= 200
