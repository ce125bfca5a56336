"""Counts the instructions of a workload with valgrind's callgrind: the same on a busy machine.

Two processes differ only in the number of runs, so the difference is the cost of the additional runs,
without start, imports and warm-up.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHILD_LIMIT_S: Final = 300
"""How long one counted process may take. Under callgrind everything is some fifty times slower."""
ENDING_LIMIT_S: Final = 30
"""How long a killed process may take to end."""
_ERROR_CHARACTERS_MAX: Final = 500


class CountingFailed(Exception):
    """Instructions could not be counted: the message says why."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How often a workload is run in the two processes."""

    warm_up: int
    few: int
    many: int


@dataclass(frozen=True, slots=True)
class Count:
    """The instructions of a workload."""

    by_run: float
    by_unit: float


def valgrind() -> str | None:
    """Where valgrind is; None if it is not installed."""
    return shutil.which("valgrind")


def count_instructions(program: str, workload: str, runs: Runs, records: Path | None = None) -> Count:
    """Counts what the runs after the first few cost; `program` is valgrind, and `records` the folder of a workload of records."""
    few, many = count_processes(program, workload, runs.warm_up, (runs.few, runs.many), records)
    instructions = many.instructions - few.instructions
    return Count(instructions / (runs.many - runs.few), instructions / (many.units - few.units))


@dataclass(frozen=True, slots=True)
class Counted:
    """One process: its instructions, and its units of work after the warm-up."""

    instructions: int
    units: int


def count_processes(program: str, workload: str, warm_up: int, runs: Sequence[int], records: Path | None = None) -> list[Counted]:
    """Counts one whole process for each number of runs."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as children:
        started = []
        # All at once: they do not disturb each other's counts, and spend most of their time starting.
        for count in runs:
            counts = Path(folder) / str(count)
            child = _started(program, counts, [workload, str(warm_up), str(count)], records)
            children.enter_context(child)
            children.callback(_end, child)
            started.append((child, counts))
        return [_result_of(child, counts, workload) for child, counts in started]


def _started(program: str, counts: Path, work: Sequence[str], records: Path | None) -> subprocess.Popen[str]:
    command = [program, "--tool=callgrind", f"--callgrind-out-file={counts}"]
    # Not a program by name: scripts that switch between Pythons would make this count the shell.
    command += [sys.executable, "-m", "mergemaker_bench.child", *work]
    command += [str(records)] if records else []
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    try:
        return subprocess.Popen(  # noqa: S603 - our own module, under the valgrind that was found
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise CountingFailed(f"{work[0]}: {program} cannot be run ({error.strerror})") from error


def _end(child: subprocess.Popen[str]) -> None:
    """Ends a process that may still run, after Ctrl-C or a failure of the other one."""
    child.kill()
    child.wait(ENDING_LIMIT_S)


def _result_of(child: subprocess.Popen[str], counts: Path, workload: str) -> Counted:
    try:
        printed, complaints = child.communicate(timeout=CHILD_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise CountingFailed(f"{workload}: not counted within {CHILD_LIMIT_S} s") from error
    if child.returncode:
        raise CountingFailed(f"{workload}: ended with {child.returncode}: {complaints[-_ERROR_CHARACTERS_MAX:]}")
    return Counted(_total_in(counts), int(printed))


def _total_in(counts: Path) -> int:
    """The sum in callgrind's file."""
    for line in counts.read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name in ("summary", "totals"):
            return int(value)
    raise CountingFailed("callgrind's file has neither a line `summary:` nor a line `totals:`")
