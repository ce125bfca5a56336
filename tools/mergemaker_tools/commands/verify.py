"""Checks records: every hash, every answer, every payment, and the deal that was promised.

Each bad record has a line on standard output, with the number of the wrong line;
the others are counted. The exit status is 0 only if all are good.
"""

import argparse
from collections import Counter
from contextlib import closing
from functools import partial

from mergemaker_tools import options as shared
from mergemaker_tools.parallel import add_jobs, in_order
from mergemaker_tools.problems import DONE, FAILED, Interrupted, WrongUse
from mergemaker_tools.records.checking import Checked, Finding, State, check_file
from mergemaker_tools.records.paths import add_record_paths, record_paths
from mergemaker_tools.records.streaming import progress_beside_lines
from mergemaker_tools.screen import show_line, write_document


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_record_paths(parser)
    parser.add_argument("--audit", action="store_true", help="also recheck everything that must hold after each decision")
    add_jobs(parser)
    parser.add_argument("--quiet", action="store_true", help="show only the counts")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Checks the records, and shows the bad ones."""
    if options.json and options.quiet:
        raise WrongUse("--json writes one document and nothing else: leave out --quiet")
    paths = record_paths(options.records)
    counts = _Counts()
    findings: list[Finding] = []
    try:
        checked = in_order(partial(check_file, with_audit=options.audit), paths, min(options.jobs, len(paths)))
        with closing(checked), progress_beside_lines(len(paths), "records") as done:
            for one in checked:
                counts.add(one)
                if one.finding and options.json:
                    findings.append(one.finding)
                elif one.finding and not options.quiet:
                    show_line(one.finding.sentence)
                done(counts.records)
    except KeyboardInterrupt as interrupt:
        raise Interrupted(f"interrupted after {counts.records:,} of {len(paths):,} records: {counts.of_states}") from interrupt
    if options.json:
        write_document(counts.document() | {"audit": options.audit, "not_good": [found.document() for found in findings]})
    else:
        show_line(f"{counts.records:,} {'record' if counts.records == 1 else 'records'}: {counts.of_states}")
    return DONE if counts.all_good else FAILED


class _Counts:
    """The results of all records."""

    def __init__(self) -> None:
        self.records = 0
        self._decisions = 0
        self._states: Counter[State] = Counter()

    def add(self, checked: Checked) -> None:
        """Counts one more."""
        self.records += 1
        self._decisions += checked.decisions
        self._states[checked.finding.state if checked.finding else State.GOOD] += 1

    @property
    def all_good(self) -> bool:
        """Whether nothing else was found."""
        return self._states[State.GOOD] == self.records

    @property
    def of_states(self) -> str:
        """How many there are of each kind; good ones always, the others if there are any."""
        return ", ".join(f"{self._states[state]:,} {state}" for state in State if state is State.GOOD or self._states[state])

    def document(self) -> dict[str, object]:
        """The same for programs."""
        return {"records": self.records, **{str(state): self._states[state] for state in State}, "decisions": self._decisions}
