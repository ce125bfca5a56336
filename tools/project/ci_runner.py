"""Runs the steps of ci.py, several at a time, and prints for each its seconds, those of CPU, and its number of tests.

A step that fails, runs no test or never ends fails the run. Exceeding the budget is reported, but fails nothing, as
the machine's speed varies.
The last line is the total: `N passed, M failed`, with `, K skipped` if there are any.
"""

import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from ci_counts import Count, Tally

ROOT = Path(__file__).resolve().parent.parent.parent
BUDGET_S = 1_800
"""For everything, on two cores that do nothing else."""
STEP_LIMIT_S = 2_700
"""A guard against a step that hangs, far above the time of any step."""
END_LIMIT_S = 10
"""How long a killed process may take to end."""
POLL_S = 0.05
"""How often a step is asked whether it has ended."""
AT_ONCE = 4
"""How many steps run at a time. On the two cores of CI, some work while others wait, as chaos and conformance often do."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of CI: a command, run in the checkout's root, and how its tests are counted."""

    name: str
    command: str
    count: Callable[[str], Count]
    limit_s: float = STEP_LIMIT_S


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a step; `fault` is empty after success."""

    step: Step
    tests: Tally
    looked_at: str
    seconds: float
    cpu_seconds: float
    """What it used of processors, with all that it started and waited for; 0 where it had to be killed."""
    fault: str
    output: str


class Runner:
    """Runs steps, and can end those that are running."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    def run(self, step: Step) -> Outcome:
        """Runs one step to its end, or to its limit."""
        begun = time.monotonic()
        # A file, not a pipe: a process that outlives the step and holds a pipe would block the reader.
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                shlex.split(step.command),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            with self._lock:
                self._running.add(process)
            cpu_seconds = cpu_seconds_at_end(process, step.limit_s)
            if cpu_seconds is None:
                end(process)
                process.wait(timeout=END_LIMIT_S)
            with self._lock:
                self._running.discard(process)
            output.seek(0)
            text = output.read().decode("utf-8", errors="replace")
        return judge(step, text, process.returncode, time.monotonic() - begun, cpu_seconds)

    def end_all(self) -> None:
        """Ends the running steps with all their processes."""
        with self._lock:
            for process in self._running:
                end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a step with all processes of its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # it ended by itself


def cpu_seconds_at_end(process: subprocess.Popen[bytes], limit_s: float) -> float | None:
    """Waits for the end; returns the seconds of processors that it took, or None if it does not end within the limit."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        # `Popen.wait` does not tell what was used.
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return used.ru_utime + used.ru_stime
        time.sleep(POLL_S)
    return None


def judge(step: Step, output: str, status: int, seconds: float, cpu_seconds: float | None) -> Outcome:
    """The result of an ended step: each fault counts as a failed test, so that the total shows it.

    Without `cpu_seconds` it had to be killed.
    """
    count = step.count(output)
    tests = count.tests
    if cpu_seconds is None:
        fault = f"did not end within {step.limit_s:.0f} seconds"
    elif status != 0:
        fault = f"ended with status {status}"
    elif tests.failed:
        fault = "has failed tests"
    elif not tests.passed:
        fault = "ran no test"
    else:
        fault = ""
    if fault and not tests.failed:
        tests += Tally(failed=1)
    return Outcome(step, tests, count.looked_at, seconds, cpu_seconds or 0.0, fault, output)


def tell(outcome: Outcome) -> None:
    """Prints a step's line; for one that failed, all that it printed."""
    head = (
        f"{outcome.step.name}: {outcome.tests} ({outcome.looked_at}), {outcome.seconds:.1f} s, {outcome.cpu_seconds:.1f} s of CPU"
    )
    if outcome.fault:
        print(f"--- {outcome.step.name}: `{outcome.step.command}` printed ---\n{outcome.output.rstrip()}")
        head += f" - FAILED: {outcome.fault}"
    print(head, flush=True)


def run_all(first: Step, then: Sequence[Step], budget_s: float = BUDGET_S) -> int:
    """Runs all steps, prints their results, and returns the exit status."""
    begun = time.monotonic()
    runner = Runner()
    outcomes = [runner.run(first)]
    tell(outcomes[0])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(runner.run, step) for step in then]
        try:
            for done in as_completed(waiting):
                outcomes.append(done.result())
                tell(outcomes[-1])
        except KeyboardInterrupt:
            for future in waiting:
                future.cancel()
            runner.end_all()
            raise
    total = sum((outcome.tests for outcome in outcomes), Tally())
    seconds = time.monotonic() - begun
    cpu_seconds = sum(outcome.cpu_seconds for outcome in outcomes)
    print(f"all steps: {seconds:.1f} s of {budget_s:.0f} s, {cpu_seconds:.1f} s of CPU")
    if seconds > budget_s:
        print(f"That is {seconds - budget_s:.1f} s over the budget: unless the machine was busy, make a step faster.")
    print(total, flush=True)
    return 1 if total.failed else 0
