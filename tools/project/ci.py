"""What CI runs, a line for each step: `bash .ci/run`. How they run is in ci_runner.py."""

from __future__ import annotations

import sys

from ci_counts import contracts_kept, files_formatted, files_typed, pytest_tests
from ci_runner import Step, run_all

PYTHON = ".venv/bin/python"

# The command of the README. It makes .venv, which all other steps use; so it runs alone, before them.
# Every branch of the engine is taken by a test; what cannot be is marked in the code, with its reason.
COVERAGE = "--cov=mergemaker_engine --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100"
FIRST = Step("tests", f"make test ARGS='{COVERAGE}'", pytest_tests)

# Two of these run at a time. The longest go first.
THEN = (
    Step("wheel", f"{PYTHON} tools/project/ci_wheel.py", pytest_tests),
    Step("rules oracle", f"{PYTHON} tools/project/ci_oracle.py", pytest_tests),
    Step("lowest versions", f"{PYTHON} tools/project/ci_lowest.py", pytest_tests),
    Step("types", "make types", files_typed),
    Step("lint", "make lint", files_formatted),
    Step("imports", "make imports", contracts_kept),
)

if __name__ == "__main__":
    sys.exit(run_all(FIRST, THEN))
