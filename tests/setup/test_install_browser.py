"""Chromium is installed where that is possible, and its absence is explained elsewhere."""

import os
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import install_browser
import pytest

Machine = Callable[..., list[tuple[str, ...]]]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with some programs, on which commands end with a status; apt-get's installing brings Chromium."""

    def make(*programs: str, user: int = 0, status: int = 0) -> list[tuple[str, ...]]:
        there, ran = {*programs}, list[tuple[str, ...]]()

        def run(words: tuple[str, ...], **_: Any) -> subprocess.CompletedProcess[str]:
            ran.append(words)
            if status == 0 and "install" in words:
                there.add("chromium")
            return subprocess.CompletedProcess(words, status, "", "no such package\n")

        monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in there else None)
        monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
        monkeypatch.setattr(subprocess, "run", run)
        return ran

    return make


def test_a_browser_that_is_there_is_taken(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    ran = machine("chromium", "apt-get")
    assert (install_browser.main(), capsys.readouterr().out, ran) == (0, "/bin/chromium\n", [])


def test_root_installs_one(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    ran = machine("apt-get")
    assert install_browser.main() == 0
    assert ran == [("apt-get", "-q", "update"), ("apt-get", "-q", "install", "--yes", "--no-install-recommends", "chromium")]
    assert capsys.readouterr().out == "/bin/chromium\n"


@pytest.mark.parametrize(("programs", "user"), [(["apt-get"], 1000), ([], 0)])
def test_others_are_told_what_to_do(machine: Machine, capsys: pytest.CaptureFixture[str], programs: list[str], user: int) -> None:
    ran = machine(*programs, user=user)
    assert (install_browser.main(), ran) == (1, [])
    assert "`sudo apt install chromium`" in capsys.readouterr().err


def test_a_failure_is_shown(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    ran = machine("apt-get", status=100)
    assert (install_browser.main(), len(ran)) == (1, 1)
    assert "`apt-get -q update` failed:\nno such package" in capsys.readouterr().err


def test_an_installation_that_hangs_is_given_up(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine("apt-get")

    def hang(words: tuple[str, ...], **_: Any) -> None:
        raise subprocess.TimeoutExpired(words, install_browser.INSTALL_LIMIT_S)

    monkeypatch.setattr(subprocess, "run", hang)
    assert install_browser.main() == 1
    assert "did not end within 900 seconds" in capsys.readouterr().err
