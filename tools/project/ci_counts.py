"""Reads from a step's output how many tests it ran."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """The tests of a step, or of all."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped} skipped" if self.skipped else text


@dataclass(frozen=True, slots=True)
class Count:
    """What a step checked (12 files), and how many tests that is."""

    tests: Tally
    looked_at: str


PYTEST_SUMMARY = re.compile(r"^(?:=+ )?(\d+ (?:passed|failed|error|skipped|deselected|x|warning).*) in [\d.]+s", re.MULTILINE)
PYTEST_PART = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b")


def pytest_tests(output: str) -> Count:
    """Counts by pytest's last summary line."""
    lines = PYTEST_SUMMARY.findall(output)
    parts = {word.rstrip("s"): int(number) for number, word in PYTEST_PART.findall(lines[-1] if lines else "")}
    passed = parts.get("passed", 0) + parts.get("xfailed", 0)
    failed = parts.get("failed", 0) + parts.get("error", 0) + parts.get("xpassed", 0)
    return Count(Tally(passed, failed, parts.get("skipped", 0)), f"{passed + failed} tests")


def cases_passed(output: str) -> Count:
    """Counts by a program's last line: what it tried, how many passed, how many failed."""
    found = re.findall(r"^[a-z][a-z -]*: (\d+) passed, (\d+) failed$", output, re.MULTILINE)
    passed, failed = map(int, found[-1]) if found else (0, 0)
    return Count(Tally(passed, failed), f"{passed + failed} cases")


def files_formatted(output: str) -> Count:
    """Counts the files that ruff checked; all of it is one test."""
    return one_check(r"(\d+) files? already formatted", output, "files")


def files_typed(output: str) -> Count:
    """Counts the files that mypy checked; all of it is one test."""
    return one_check(r"no issues found in (\d+) source files?", output, "files")


def contracts_kept(output: str) -> Count:
    """Counts the contracts of import-linter; all of them are one test."""
    return one_check(r"Contracts: (\d+) kept, 0 broken", output, "contracts")


def checks_listed(output: str) -> Count:
    """Counts the lines of a script that prints `ok:`, `not ok:` or `left out:` for each check."""
    passed, failed, skipped = (len(re.findall(rf"^{word}: ", output, re.MULTILINE)) for word in ("ok", "not ok", "left out"))
    return Count(Tally(passed, failed, skipped), f"{passed + failed} checks")


def one_check(pattern: str, output: str, unit: str) -> Count:
    """One test, which has passed if the output shows that something was checked."""
    found = re.search(pattern, output)
    number = int(found[1]) if found else 0
    return Count(Tally(passed=1 if number else 0), f"{number} {unit}")
