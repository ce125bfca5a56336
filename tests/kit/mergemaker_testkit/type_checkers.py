"""mypy and pyright in their strict modes, on a folder as a bot's author has it. Each returns what it finds, as text."""

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

import pytest

REQUIRED: Final = "MERGEMAKER_REQUIRE_NODE"
LIMIT_S: Final = 300
"""A guard against a hang, far above what a type checker takes."""
PLAIN: Final = "pyrightconfig.json"


BARE: Final = str(getattr(sys, "_base_executable", sys.executable))
"""The Python that .venv was made with: it does not have the project's packages."""


def by_mypy(folder: Path, python: str = sys.executable) -> str:
    """Checks a folder, by its own settings if it has any, with the packages that a Python has."""
    return _check("mypy", "--strict", "--no-error-summary", "--python-executable", python, ".", folder=folder)


def by_pyright(folder: Path, python: str = sys.executable) -> str:
    """The same. Skips the test where pyright cannot run, unless Node is required."""
    if why := _why_no_pyright():
        assert not os.environ.get(REQUIRED), why
        pytest.skip(why)
    settings = folder / "pyproject.toml"
    if settings.exists():
        settings.write_text(settings.read_text("utf-8").replace("[tool.pyright]", '[tool.pyright]\ntypeCheckingMode = "strict"'))
    else:
        (folder / PLAIN).write_text(json.dumps({"typeCheckingMode": "strict"}))
    report = json.loads(_check("pyright", "--pythonpath", python, "--outputjson", folder=folder))
    assert report["summary"]["filesAnalyzed"] == len([*folder.glob("*.py")])
    return "\n".join(f"{found['file']}: {found['message']}" for found in report["generalDiagnostics"])


CHECKERS: Final = (by_mypy, by_pyright)


def _check(module: str, *options: str, folder: Path) -> str:
    command = [sys.executable, "-m", module, *options]
    quiet = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}  # that there is a newer one
    done = subprocess.run(command, cwd=folder, env=quiet, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert not done.stderr, done.stderr
    return done.stdout


@cache
def _why_no_pyright() -> str:
    """The package from PyPI fetches the program from npm when it is first used, and prints that to standard output."""
    if shutil.which("node") is None:
        return "there is no node (install Node.js), which pyright needs"
    command = [sys.executable, "-m", "pyright", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return f"pyright does not start, because it could not be fetched: {done.stderr}" if done.returncode else ""
