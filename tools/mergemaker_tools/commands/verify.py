"""Checks records: every hash, every answer, every payment, the deal that was promised, and that they agree with each other.

Each bad record has a line on standard output, with the number of the wrong line;
the others are counted. The exit status is 0 only if all are good.

With --log, a server's public log is checked, too, and each good record is compared
with it: was its deal promised before, and is this the record that ended then?
`mergemaker matches log` fetches the log; --head names what was kept of it earlier.
"""

import argparse
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.in_log import Claim
from mergemaker_engine.record.public_log import Head

from mergemaker_tools import options as shared
from mergemaker_tools.parallel import add_jobs, in_order
from mergemaker_tools.problems import DONE, FAILED, Interrupted, WrongUse
from mergemaker_tools.records.checking import Finding, check_file
from mergemaker_tools.records.contradictions import Comparison, hashes_before
from mergemaker_tools.records.kept import add_kept, kept_of
from mergemaker_tools.records.logged import compare_with_log
from mergemaker_tools.records.paths import add_record_paths, record_paths
from mergemaker_tools.records.report import Report
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
    add_kept(parser)
    parser.add_argument("--audit", action="store_true", help="also recheck everything that must hold after each decision")
    parser.add_argument("--rows", action="store_true", help="show a row for each good record, its columns separated by tabs")
    add_jobs(parser)
    parser.add_argument("--quiet", action="store_true", help="show only the counts")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Checks the records, and shows the bad ones."""
    if options.quiet and (options.json or options.rows):
        raise WrongUse("--quiet shows only the counts: leave out --quiet, or else --json and --rows")
    heads, kept = _heads(options), kept_of(options)
    paths = record_paths(options.records) if options.records else []
    found = Report(shows_rows=options.rows and not options.json, is_silent=options.quiet or options.json, keeps=options.json)
    found.begin()
    claims: dict[Path, Claim] = {}
    try:
        check = partial(check_file, with_audit=options.audit, kept=kept)
        checked = in_order(check, paths, max(1, min(options.jobs, len(paths))))
        with closing(checked), progress_beside_lines(len(paths), "records") as done:
            for path, one in zip(paths, checked, strict=True):
                found.add(path, one)
                if one.claim:
                    claims[path] = one.claim
                done(found.records)
        for finding in _fork_findings(found.comparison, options.jobs):
            found.withdraw(finding)
    except KeyboardInterrupt as interrupt:
        raise Interrupted(f"interrupted after {found.records:,} of {len(paths):,} records: {found.of_states}") from interrupt
    report = compare_with_log(options.log, claims, heads) if options.log else None
    unused = kept.unused({claim.match for claim in claims.values()})
    if options.json:
        more: dict[str, object] = {} if report is None else {"log": report.document()}
        more |= {"receipts_without_record": unused} if kept.receipts else {}
        write_document(found.document() | {"audit": options.audit} | more)
    else:
        for finding in () if report is None or options.quiet else report.findings:
            show_line(finding.sentence)
        if paths:
            show_line(found.summary)
        for line in () if report is None else report.lines:
            show_line(line)
        for receipt in unused:
            show_line(f"no good record here for the receipt {receipt}")
    return DONE if found.all_good and (report is None or not report.findings) else FAILED


def _fork_findings(comparison: Comparison, jobs: int) -> Iterator[Finding]:
    """The forks that contradict parents among the same records."""
    parents = comparison.parents()
    if parents:
        with closing(in_order(hashes_before, parents, min(jobs, len(parents)))) as hashes:
            yield from comparison.fork_findings(zip(parents, hashes, strict=True))


def _heads(options: argparse.Namespace) -> list[Head]:
    """The heads that were kept of the log, and whether what is given belongs together."""
    if not options.records and not options.log:
        raise WrongUse("the following arguments are required: RECORD, or --log FILE")
    if (options.receipts or options.keys) and not options.records:
        raise WrongUse("--receipt and --key are compared with records: give them, too")
    if options.heads and not options.log:
        raise WrongUse("--head is about a public log: give that, too, with --log FILE")
    try:
        return [Head.parse(text) for text in options.heads]
    except RecordError as error:
        raise WrongUse(f"--head: {error}") from error
