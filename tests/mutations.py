"""Applies the mutations of `tests/BEHAVIOURS.md`, and checks that the tests for the behaviour fail.

Each works in a temporary copy of the checkout. All the tests run first without a mutation: they must pass.

    python -m tests.mutations                 # all: takes a while
    python -m tests.mutations 7 9 23          # these behaviours
    python -m tests.mutations --at-once 1     # on a busy machine
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent / "kit"))

from mergemaker_processes.process_tree import ProcessTree, become_subreaper
from mergemaker_testkit.behaviours import PAGE, ROOT, BadPage, Behaviour, Mutation, behaviours

LIMIT_S: Final = 900
"""For the tests of one behaviour; a mutation that makes them wait longer counts as found."""
ALL_LIMIT_S: Final = 7_200
"""For all tests without a mutation."""
PACKAGES: Final = ("engine", "protos", "referee", "clients/python", "tools")
PASSED: Final = 0
TESTS_FAILED: Final = 1
TOLD_CHARACTERS: Final = 3_000
"""How much of pytest's output to show if it is not as it should be."""


def copy_checkout(folder: Path) -> Path:
    """A copy of all files that git knows, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - any git will do
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):  # deleted, but not committed yet
            shutil.copy2(ROOT / name, place)
    return folder


def run_tests(root: Path, tests: Sequence[str], limit_s: float = LIMIT_S) -> tuple[int, str]:
    """pytest's status in this copy, and its output. It stops at the first failing test."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(str(root / package) for package in PACKAGES)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    with subprocess.Popen(
        command,
        cwd=root,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            output, _ = child.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return TESTS_FAILED, f"not done after {limit_s:.0f} s"
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
    return child.returncode, output


def missed(row: Behaviour, mutation: Mutation) -> str | None:
    """Tries one row in its own copy; returns what is wrong with it, if anything."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-mutation-", ignore_cleanup_errors=True) as temporary:
        root = copy_checkout(Path(temporary))
        try:
            changed = mutation.applied(root)
        except BadPage as problem:
            return str(problem)
        (root / mutation.path).write_text(changed, encoding="utf-8")
        status, output = run_tests(root, row.tests)
    if status == TESTS_FAILED:
        return None
    said = "pass" if status == PASSED else f"end with status {status}"
    return f"the tests {said} with the mutation {mutation}\n{output[-TOLD_CHARACTERS:]}"


def pass_without(rows: Sequence[Behaviour]) -> bool:
    """Whether all tests pass with the unchanged code."""
    tests = sorted({test for row in rows for test in row.tests})
    with tempfile.TemporaryDirectory(prefix="mergemaker-mutation-", ignore_cleanup_errors=True) as temporary:
        status, output = run_tests(copy_checkout(Path(temporary)), tests, ALL_LIMIT_S)
    print(output[-TOLD_CHARACTERS:] if status else output.strip().rpartition("\n")[2], flush=True)
    return status == PASSED


def end_what_is_left() -> None:
    """Ends processes of tests that failed before they could do so; a mutation may have let them loose."""
    tree = ProcessTree(gathers_orphans=True)
    tree.kill()
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main() -> int:
    """Tries the given rows, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", type=int, metavar="N", help="a behaviour's number (default: all)")
    parser.add_argument(
        "--at-once", type=int, metavar="N", default=os.cpu_count() or 1, help="how many at a time (default: cores)"
    )
    parser.add_argument("--no-first", action="store_true", help="does not run the tests on the unchanged code first")
    options = parser.parse_args()
    wanted = set(options.numbers)
    rows = [row for row in behaviours(PAGE.read_text(encoding="utf-8")) if not wanted or row.number in wanted]
    if unknown := wanted - {row.number for row in rows}:
        parser.error(f"there is no row {min(unknown)} in {PAGE.name}")
    begun = time.monotonic()
    gathers = become_subreaper()
    try:
        if not options.no_first and not pass_without(rows):
            print("mutations: the tests do not pass without any")
            return 1
        with_one = {row: row.mutation for row in rows if row.mutation is not None}
        found = try_all(with_one, max(1, options.at_once))
    finally:
        if gathers:
            end_what_is_left()
    print(f"mutations: {found} found, {len(with_one) - found} not; {time.monotonic() - begun:.0f} s")
    return 0 if found == len(with_one) else 1


def try_all(rows: dict[Behaviour, Mutation], at_once: int) -> int:
    """How many mutations were found; it reports each when it is done."""
    found = 0
    pool = ThreadPoolExecutor(at_once)
    try:
        tried = {pool.submit(missed, row, mutation): row.number for row, mutation in rows.items()}
        for done in as_completed(tried):
            problem = done.result()
            found += problem is None
            print(f"{tried[done]}: {problem or 'found'}", flush=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return found


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted")
