"""Checks records: every hash, every answer, every payment, and the deal that was promised.

Each bad record has a line on standard output, with the number of the wrong line;
the others are counted. The exit status is 0 only if all are good.

With --log, a server's public log is checked, too, and each good record is compared
with it: was its deal promised before, and is this the record that ended then?
`mergemaker matches log` fetches the log; --head names what was kept of it earlier.
"""

import argparse
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.in_log import Claim
from mergemaker_engine.record.public_log import Head

from mergemaker_tools import options as shared
from mergemaker_tools.parallel import add_jobs, in_order
from mergemaker_tools.problems import DONE, FAILED, Interrupted, WrongUse
from mergemaker_tools.records.checking import Checked, Finding, State, check_file
from mergemaker_tools.records.logged import compare_with_log
from mergemaker_tools.records.paths import add_record_paths, record_paths
from mergemaker_tools.records.streaming import progress_beside_lines
from mergemaker_tools.screen import show_line, write_document


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_record_paths(parser, needed=False)
    parser.add_argument(
        "--log", metavar="FILE", type=Path, help="a server's public log, to check and to compare the records with"
    )
    parser.add_argument(
        "--head",
        metavar="N:HASH",
        dest="heads",
        action="append",
        default=[],
        help="a head of this log that was kept earlier, as bots log it; may be given several times",
    )
    parser.add_argument("--audit", action="store_true", help="also recheck everything that must hold after each decision")
    add_jobs(parser)
    parser.add_argument("--quiet", action="store_true", help="show only the counts")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Checks the records, and shows the bad ones."""
    if options.json and options.quiet:
        raise WrongUse("--json writes one document and nothing else: leave out --quiet")
    heads = _heads(options)
    paths = record_paths(options.records) if options.records else []
    counts = _Counts()
    findings: list[Finding] = []
    claims: dict[Path, Claim] = {}
    try:
        checked = in_order(partial(check_file, with_audit=options.audit), paths, max(1, min(options.jobs, len(paths))))
        with closing(checked), progress_beside_lines(len(paths), "records") as done:
            for path, one in zip(paths, checked, strict=True):
                counts.add(one)
                if one.claim and options.log:
                    claims[path] = one.claim
                if one.finding and options.json:
                    findings.append(one.finding)
                elif one.finding and not options.quiet:
                    show_line(one.finding.sentence)
                done(counts.records)
    except KeyboardInterrupt as interrupt:
        raise Interrupted(f"interrupted after {counts.records:,} of {len(paths):,} records: {counts.of_states}") from interrupt
    report = compare_with_log(options.log, claims, heads) if options.log else None
    if options.json:
        logged = {} if report is None else {"log": report.document()}
        write_document(
            counts.document() | {"audit": options.audit, "not_good": [found.document() for found in findings]} | logged
        )
    else:
        for found in () if report is None or options.quiet else report.findings:
            show_line(found.sentence)
        if paths:
            show_line(f"{counts.records:,} {'record' if counts.records == 1 else 'records'}: {counts.of_states}")
        for line in () if report is None else report.lines:
            show_line(line)
    return DONE if counts.all_good and (report is None or not report.findings) else FAILED


def _heads(options: argparse.Namespace) -> list[Head]:
    """The heads that were kept of the log, and whether what is given belongs together."""
    if not options.records and not options.log:
        raise WrongUse("the following arguments are required: RECORD, or --log FILE")
    if options.heads and not options.log:
        raise WrongUse("--head is about a public log: give that, too, with --log FILE")
    try:
        return [Head.parse(text) for text in options.heads]
    except RecordError as error:
        raise WrongUse(f"--head: {error}") from error


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
