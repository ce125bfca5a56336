"""Environments made for one CI step and thrown away with it."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from make_venv import PIP_LIMIT_S, VENV_LIMIT_S, pip_environment, pip_outside

TESTS_LIMIT_S = 2_400
LEFT_OUT = ("oracle", "setup", "tools/test_bench*.py")
"""Tests of what is not in the wheel, by patterns of their paths."""


def make_clean_venv(folder: Path) -> Path:
    """Makes an environment without pip (which would take longer than the rest) and returns its Python."""
    command = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(command, timeout=VENV_LIMIT_S, check=True)
    return folder / "bin" / "python"


def install(python: Path, wanted: list[str], constraints: Path, folder: Path) -> None:
    """Installs into an environment, wheels only, in the versions that `constraints` allows."""
    command = [*pip_outside(python), "install", "--only-binary=:all:", "--no-compile", "--quiet"]
    command += [
        "--progress-bar",
        "off",
        "--disable-pip-version-check",
        "--constraint",
        str(constraints),
        *wanted,
    ]
    environment = pip_environment(constraints)
    subprocess.run(command, cwd=folder, env=environment, timeout=PIP_LIMIT_S, check=True)


def run_tests(python: Path, folder: Path, marks: str, more: Sequence[str] = ()) -> int:
    """Runs the tests below `folder` that are about what is installed, or those named; returns pytest's status."""
    left_out = [f"--ignore-glob=tests/{path}" for path in LEFT_OUT]
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", "-m", marks, *left_out, *more]
    return subprocess.run(command, cwd=folder, timeout=TESTS_LIMIT_S, check=False).returncode
