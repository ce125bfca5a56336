"""Bugs that are planted in the running referee: runs of seeds must find each, within 1,000 of them.

    python -m tests.simulation.planted                      # all of them, each up to the first seed that finds it
    python -m tests.simulation.planted --only "double charge" --jobs 1

The bugs are in `planted_bugs` and `planted_clock_bugs`. The checks know none of them:
a check of what every run promises must find each bug.
"""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .planted_bugs import BUGS
from .seeds import commit, problems_of_seed, quiet

AGAIN: Final = "python -m tests.simulation.planted"
SEEDS_MAX: Final = 1_000
TEXT_CHARACTERS_MAX: Final = 160


@dataclass(frozen=True, slots=True)
class Found:
    """Where a bug was first found."""

    name: str
    seed: int | None
    """None: no seed found it."""
    text: str


def find(name: str, seeds: int = SEEDS_MAX) -> Found:
    """Runs seeds with a bug planted until one finds it. A seed that fails without the bug has found nothing."""
    bug = next(each for each in BUGS if each.name == name)
    for seed in range(seeds):
        with bug.plant():
            problems, _ = problems_of_seed(seed)
        if problems and not problems_of_seed(seed)[0]:
            return Found(name, seed, str(problems[0]))
    return Found(name, None, "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Looks for every bug; returns 1 if one is not found."""
    parser = argparse.ArgumentParser(prog=AGAIN, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME", help=f"one of: {', '.join(bug.name for bug in BUGS)}")
    parser.add_argument("--seeds", type=int, default=SEEDS_MAX, metavar="N", help=f"how many at most (default: {SEEDS_MAX})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    options = parser.parse_args(arguments)
    names = [bug.name for bug in BUGS if options.only in (None, bug.name)]
    if not names:
        parser.error(f"there is no bug {options.only!r}: leave --only away, and all are looked for and named")
    missed = 0
    try:
        with multiprocessing.get_context("spawn").Pool(options.jobs, quiet) as pool:
            for found in pool.imap_unordered(_Search(options.seeds), names):
                missed += found.seed is None
                _show(found, options.seeds)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    print(f"at commit {commit()}")
    print(f"planted bugs: {len(names) - missed} passed, {missed} failed")
    return 1 if missed else 0


@dataclass(frozen=True, slots=True)
class _Search:
    """`find` with its limit, in the form that passes between processes."""

    seeds: int

    def __call__(self, name: str) -> Found:
        return find(name, self.seeds)


def _show(found: Found, seeds: int) -> None:
    if found.seed is None:
        print(f"not found in {seeds} seeds: {found.name}", flush=True)
    else:
        text = " ".join(found.text.split())
        print(f"{found.name}: found at seed {found.seed} by {text[:TEXT_CHARACTERS_MAX]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
