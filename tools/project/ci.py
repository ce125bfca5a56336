"""What CI runs, a line for each step: `bash .ci/run`. How they run is in ci_runner.py."""

import sys

from ci_counts import cases_passed, checks_listed, contracts_kept, files_formatted, files_typed, pytest_tests
from ci_runner import Step, run_all

PYTHON = ".venv/bin/python"

# It makes .venv, which all other steps use; so it runs alone, before them.
FIRST = Step("set-up", "sh -c 'make setup && echo ok: .venv'", checks_listed)

# Every branch of the engine is taken by a test of its room; what cannot be is marked in the code, with its reason.
# Tests take twice as long when branches are counted, so that is done for this room alone, and without the tests that look for
# games by chance (the step `tests` runs them): a branch is to be taken by a test that means it.
COVERAGE = "--cov=mergemaker_engine --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100"

# Several of these run at a time, on two cores. The longest go first.
THEN = (
    Step("tests", "make test", pytest_tests),  # the command of the README
    Step("wheel, lowest versions", f"{PYTHON} tools/project/ci_wheel.py", pytest_tests),
    Step("chaos", f"{PYTHON} tools/project/ci_chaos.py", pytest_tests),
    Step("bots in Rust", f"{PYTHON} tools/project/ci_clients.py rust", cases_passed),
    Step("compiled build", f"{PYTHON} tools/project/ci_compiled.py", pytest_tests),
    Step("simulation", f"{PYTHON} -m tests.simulation.seeds --seeds 1000 --jobs 1", cases_passed),
    Step("bots in Java", f"{PYTHON} tools/project/ci_clients.py java", cases_passed),
    Step("broken clients", f"{PYTHON} -m tests.conformance.broken", cases_passed),
    Step("bots in TypeScript", f"{PYTHON} tools/project/ci_clients.py typescript", cases_passed),
    Step("rules oracle", f"{PYTHON} tools/project/ci_oracle.py", pytest_tests),
    Step("bots in Go", f"{PYTHON} tools/project/ci_clients.py go", cases_passed),
    Step("engine coverage", f"{PYTHON} -m pytest tests/engine -m 'not hypothesis' {COVERAGE}", pytest_tests),
    Step("attacks", f"{PYTHON} -m pytest tests/security --long -m larger", pytest_tests),
    Step("conformance", f"{PYTHON} tools/project/ci_conform.py python", cases_passed),
    Step("non-interference", f"{PYTHON} -m tests.simulation.non_interference --asked 100", cases_passed),
    Step("confine", f"env CONFINE=full {PYTHON} -m pytest tests/confine -m larger", pytest_tests),
    Step("bots of all languages", f"{PYTHON} tools/project/ci_clients.py python together", cases_passed),
    Step("protocol", f"{PYTHON} tools/project/ci_protocol.py", checks_listed),
    Step("types", "make types", files_typed),
    Step("lint", "make lint", files_formatted),
    Step("imports", "make imports", contracts_kept),
)

if __name__ == "__main__":
    sys.exit(run_all(FIRST, THEN))
