"""Runs by seeds: whole referees with everything that can go wrong, and the findings of the checks.

    python -m tests.simulation.seeds                        # 1,000 seeds, from 0 on
    python -m tests.simulation.seeds --seeds 200 --from 5000 --jobs 1
    python -m tests.simulation.seeds --seed 77              # one, with its whole trace on standard error if it fails

`scenarios` says what a run consists of; `checks`, what is checked.
"""

import argparse
import multiprocessing
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_referee.configuration.settings import LogFormat, LogLevel
from mergemaker_referee.logs import configure_log

from .checks import Problem, problems_of
from .scenario_run import ScenarioRun
from .scenarios import scenario_of

AGAIN: Final = "python -m tests.simulation.seeds"
SEEDS_USUAL: Final = 1_000
TRACE_SHOWN: Final = 40
"""How many of a failed run's last trace lines are shown."""
PROBLEMS_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one seed."""

    seed: int
    problems: tuple[str, ...]
    trace_hash: str
    told: int
    lives: int
    matches: int


def problems_of_seed(seed: int, *, keeps_trace: bool = False) -> tuple[list[Problem], ScenarioRun]:
    """Runs a seed and checks it. A crash of the run counts as one problem."""
    run = ScenarioRun(scenario_of(seed), keeps_trace=keeps_trace)
    try:
        run.run()
        return problems_of(run), run
    except Exception as broken:  # noqa: BLE001 - the report names any error with its seed
        text = "".join(traceback.format_exception(broken)[-12:])
        return [Problem("run", text)], run


def outcome_of(seed: int) -> Outcome:
    """The same, in the form that passes between processes."""
    found, run = problems_of_seed(seed)
    told = len(run.notebook.told_so_far)
    return Outcome(seed, tuple(map(str, found)), run.world.trace_hash, told, run.lives, len(run.matches))


def commit() -> str:
    """The commit to which the findings belong."""
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False)  # noqa: S607 - any git will do
    return found.stdout.strip() or "unknown"


def quiet() -> None:
    """How processes that run seeds begin: they leave interrupts to their parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configure_log(LogFormat.CONSOLE, LogLevel.ERROR)


def outcomes(seeds: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Runs seeds in several processes; outcomes come as soon as they are ready."""
    if jobs == 1:
        configure_log(LogFormat.CONSOLE, LogLevel.ERROR)
        yield from map(outcome_of, seeds)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, quiet) as pool:
        yield from pool.imap_unordered(outcome_of, seeds, chunksize=2)


class _Report:
    """Reports findings and progress."""

    def __init__(self, wanted: int) -> None:
        self._wanted: Final = wanted
        self.passed = self.failed = self._told = self._lives = self._matches = 0

    def add(self, outcome: Outcome) -> None:
        """Adds one seed."""
        self._told += outcome.told
        self._lives += outcome.lives
        self._matches += outcome.matches
        if outcome.problems:
            self.failed += 1
            self._show(outcome)
        else:
            self.passed += 1
        if sys.stderr.isatty():
            print(f"\r{self.passed + self.failed} of {self._wanted} seeds, {self.failed} failed ", end="", file=sys.stderr)

    def _show(self, outcome: Outcome) -> None:
        print(f"\nseed {outcome.seed} at commit {commit()}; again: {AGAIN} --seed {outcome.seed}")
        for problem in outcome.problems[:PROBLEMS_SHOWN]:
            print(f"  {problem}")
        if len(outcome.problems) > PROBLEMS_SHOWN:
            print(f"  and {len(outcome.problems) - PROBLEMS_SHOWN} more")
        _, run = problems_of_seed(outcome.seed, keeps_trace=True)
        print("  the end of the trace:")
        for line in (run.world.trace or [])[-TRACE_SHOWN:]:
            print(f"    {line}")
        sys.stdout.flush()

    def end(self) -> int:
        """The summary."""
        print(f"\n{self._told} responses to bots in {self._matches} matches, over {self._lives} lives of a referee")
        print(f"simulation: {self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs many seeds; returns 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog=AGAIN, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=SEEDS_USUAL, metavar="N", help=f"how many (default: {SEEDS_USUAL})")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="N", help="the first (default: 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--seed", type=int, metavar="N", help="only this one, with its trace on standard error")
    options = parser.parse_args(arguments)
    if options.seeds < 1 or options.jobs < 1:
        parser.error("--seeds and --jobs are 1 or more")
    if options.seed is not None:
        return _one(options.seed)
    report = _Report(options.seeds)
    try:
        for outcome in outcomes(range(options.first, options.first + options.seeds), options.jobs):
            report.add(outcome)
    except KeyboardInterrupt:
        print(f"\ninterrupted; {report.passed} seeds had passed, and {report.failed} had failed", file=sys.stderr)
        return 130
    return report.end()


def _one(seed: int) -> int:
    configure_log(LogFormat.CONSOLE, LogLevel.ERROR)
    found, run = problems_of_seed(seed, keeps_trace=True)
    for line in run.world.trace or ():
        print(line, file=sys.stderr)
    print(f"seed {seed} at commit {commit()}: {len(run.matches)} matches, {len(run.machine.lives)} lives of a referee")
    print(run.scenario.troubles)
    for match in run.matches:
        names = {seat: player.plan.habits.name for seat, player in match.players.items()}
        print(f"match {match.match}: {names}, clock {match.plan.wanted.clock}")
    print(f"known bots: { {name: player.plan.habits.name for name, player in run.known.items()} }")
    for problem in found:
        print(problem)
    print(f"simulation: {int(not found)} passed, {int(bool(found))} failed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
