"""Builds the compiled wheel once, and tests it as the pure one is tested: the same tests, records and games.

Arguments are pytest's, such as: ci_compiled.py tests/table
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from ci_clean_venv import run_tests
from ci_wheel import see_command, unpack_without_packages
from make_compiled import build, build_compiled, environment_of
from make_venv import ROOT

ASKED_LIMIT_S = 300
# Tests that look for games by chance take most of the time, and the pure build has them.
MARKS = "not slow and not checkout and not pure and not hypothesis"
TESTS = ("tests/engine", "tests/table", "tests/protos", "-n", "2")
GAMES = ("simulate", "--players", "4", "--games", "300", "--seed", "18", "--json")
# In the mode in which no value can be changed, in either build.
HOSTILE_CALLS = ("-P", "-X", "dev", "-W", "ignore", "-m", "mergemaker_testkit.hostile_calls")
ARROW = " -> "
PYTHON_REFUSES = "Python refuses"
# Prints the modules of the compiled packages that are not compiled.
INTERPRETED = """
import importlib, pkgutil
import mergemaker_engine, mergemaker_table, mergemaker_wire
for room in (mergemaker_engine, mergemaker_table, mergemaker_wire):
    print(room.__name__)  # never compiled
    for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        if importlib.import_module(found.name).__file__.endswith(".py"):
            print(found.name)
"""


def main() -> int:
    """Builds, installs and tests; returns pytest's status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = environment_of(build_compiled(folder / "compiled"), folder / "venv")
        build(folder / "archive", "--sdist")
        (archive,) = (folder / "archive").glob("*.tar.gz")
        away = unpack_without_packages(archive, folder / "away")
        see_command(python, away)
        see_compiled(python, away)
        see_same_games(python, away)
        see_same_refusals(python, away)
        return run_tests(python, away, MARKS, sys.argv[1:] or TESTS)


def see_compiled(python: Path, folder: Path) -> None:
    """Checks that Python imports compiled modules, all but those that stay as they are."""
    interpreted = set(_output([str(python), "-P", "-c", INTERPRETED], folder).split())
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    left_out = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["interpreted"]
    meant = {path.partition("/")[2].removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in left_out}
    if interpreted != meant:
        raise SystemExit(f"compiled although left out, or the other way round: {', '.join(sorted(interpreted ^ meant))}")


def see_same_games(python: Path, folder: Path) -> None:
    """Checks that the compiled build plays the games that the checkout's plays."""
    digests = {}
    for name, command in (("compiled", python.with_name("mergemaker")), ("pure", Path(sys.executable).with_name("mergemaker"))):
        digests[name] = json.loads(_output([str(command), *GAMES], folder))["digest"]
    if len(set(digests.values())) != 1:
        raise SystemExit(f"the builds play different games: {digests}")
    print(f"both builds play the games of digest {digests['pure']}", flush=True)


def see_same_refusals(python: Path, folder: Path) -> None:
    """Checks that both builds deal in the same way with wrong arguments of all that is public."""
    environment = os.environ | {"PYTHONPATH": str(folder / "tests" / "kit")}
    pure, compiled = (_output([str(build), *HOSTILE_CALLS], folder, environment) for build in (Path(sys.executable), python))
    found = differing(pure, compiled)
    if found:
        raise SystemExit("\n".join(["the builds deal differently with wrong arguments:", *found]))
    print(f"both builds refuse alike in {len(pure.splitlines())} calls", flush=True)


def differing(pure: str, compiled: str) -> list[str]:
    """The calls that come out differently.

    Compiled code may refuse, as Python does, a value of a type that the signature forbids and pure code happens to take.
    It makes a plain number of a truth value.
    """
    by_call = [dict(line.split(ARROW, 1) for line in text.splitlines()) for text in (pure, compiled)]
    found = [f"{call}: only one build has it" for call in sorted(by_call[0].keys() ^ by_call[1].keys())]
    for call, outcome in by_call[0].items():
        other = by_call[1].get(call, outcome)
        is_stricter = outcome.startswith("accepted ") and not call.endswith("rightly") and other == PYTHON_REFUSES
        if re.sub(r"\bTrue\b", "1", outcome) != re.sub(r"\bTrue\b", "1", other) and not is_stricter:
            found.append(f"{call}\n    pure:     {outcome}\n    compiled: {other}")
    return found


def _output(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    ended = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, timeout=ASKED_LIMIT_S, check=True
    )
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main())
