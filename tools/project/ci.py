"""What CI runs, a line for each step: `bash .ci/run`. How they run is in ci_runner.py."""

from __future__ import annotations

import sys

from ci_counts import checks_listed, contracts_kept, files_formatted, files_typed, pytest_tests
from ci_runner import Step, run_all

PYTHON = ".venv/bin/python"

# The command of the README. It makes .venv, which all other steps use; so it runs alone, before them.
FIRST = Step("tests", "make test", pytest_tests)

# Every branch of the engine is taken by a test of its room; what cannot be is marked in the code, with its reason.
# Tests take twice as long when branches are counted, so that is done for this room alone.
COVERAGE = "--cov=mergemaker_engine --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100"

# Two of these run at a time. The longest go first.
THEN = (
    Step("wheel", f"{PYTHON} tools/project/ci_wheel.py", pytest_tests),
    Step("rules oracle", f"{PYTHON} tools/project/ci_oracle.py", pytest_tests),
    Step("engine coverage", f"{PYTHON} -m pytest tests/engine {COVERAGE}", pytest_tests),
    Step("lowest versions", f"{PYTHON} tools/project/ci_lowest.py", pytest_tests),
    Step("protocol", f"{PYTHON} tools/project/ci_protocol.py", checks_listed),
    Step("types", "make types", files_typed),
    Step("lint", "make lint", files_formatted),
    Step("imports", "make imports", contracts_kept),
)

if __name__ == "__main__":
    sys.exit(run_all(FIRST, THEN))
