"""Commit subjects are as short as `CONTRIBUTING.md` says."""

import subprocess

import pytest
from toy_checkout import CHECKOUT, COMMAND_LIMIT_S

pytestmark = pytest.mark.checkout

SUBJECT_LENGTH_MAX = 72
FIRST = "a9491e6770a399883cda4c8248c5290ef559cc99"
"""Commits before this one have longer subjects."""


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=COMMAND_LIMIT_S, check=False)


def too_long(log: str) -> list[str]:
    """The log lines, each a hash and a subject, whose subject is too long."""
    return [line for line in log.splitlines() if len(line.partition(" ")[2]) > SUBJECT_LENGTH_MAX]


def test_subjects_are_short() -> None:
    if _git("cat-file", "-e", f"{FIRST}^{{commit}}").returncode:
        pytest.skip("there is no history here that reaches back to the first commit to be checked")
    log = _git("log", "--no-merges", "--format=%h %s", f"{FIRST}..HEAD")
    assert log.returncode == 0, log.stderr
    assert too_long(log.stdout) == [], f"a subject has at most {SUBJECT_LENGTH_MAX} characters; say the rest in the body"


def test_long_subjects_are_found() -> None:
    short, long = "0a1b2c3 " + "x" * SUBJECT_LENGTH_MAX, "4d5e6f7 " + "y" * (SUBJECT_LENGTH_MAX + 1)
    assert too_long(f"{short}\n{long}") == [long]
