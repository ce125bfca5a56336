"""Runs the command in this process or as a process of its own, with an 80-column screen and no colour."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from mergemaker_tools.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLUMNS = 80
COLOUR_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM")


@dataclass(frozen=True, slots=True)
class Run:
    status: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Run]:
    """Runs the command in this process, in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    for name in COLOUR_VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def command(*arguments: str) -> Run:
        status = main(arguments)
        return Run(status, *capsys.readouterr())

    return command


@pytest.fixture
def command_line() -> list[str]:
    """What starts the command as a process."""
    return [sys.executable, "-m", "mergemaker_tools"]


@pytest.fixture
def plain_environment() -> dict[str, str]:
    """The environment without anything that asks for colour or against it, and with buffered output as usual."""
    unwanted = (*COLOUR_VARIABLES, "PYTHONUNBUFFERED")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    return environment | {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
