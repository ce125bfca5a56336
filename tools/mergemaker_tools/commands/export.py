"""Writes records as a table, one row for each decision: what was asked and known, what was answered, how it ended.

tools/EXPORT.md describes the columns, version 2. A table is written whole or not at all, and is the same
for any number of processes; standard output gets its rows as they come. Matches that are still running are
left out with a note, and so are the decisions that a fork repeats from its parent.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.reading import read_record
from mergemaker_processes.texts import harmless, shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.exporting.columns import EXPORT_VERSION
from mergemaker_tools.exporting.formats import Format, beginning, check_can_write, encoded, writer_for
from mergemaker_tools.exporting.part_file import check_place, is_null_device, part_file
from mergemaker_tools.exporting.rows import file_text, repeated_in, rows_of
from mergemaker_tools.parallel import add_jobs, in_order
from mergemaker_tools.problems import DONE, CommandFailed, Interrupted, WrongUse
from mergemaker_tools.records.checking import Finding, State, finding_of, open_chunks
from mergemaker_tools.records.paths import add_record_paths, record_paths
from mergemaker_tools.records.streaming import progress_beside_lines
from mergemaker_tools.screen import complain, show_line, write, write_document

_ADVICE: Final = "--skip-bad leaves such records out"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_record_paths(parser)
    parser.add_argument(
        "--format", metavar="FORMAT", type=shared.one_of(Format), help=f"{', '.join(Format)} (default: as the file's name ends)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="the file to write; without it, csv and jsonl go to standard output",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    parser.add_argument("--skip-bad", action="store_true", help="name bad records and continue without them")
    parser.add_argument(
        "--with-repeated",
        action="store_true",
        help="keep the decisions that a fork repeats; the column `repeated` tells them apart",
    )
    parser.add_argument(
        "--spreadsheet-safe",
        action=argparse.BooleanOptionalAction,
        help="csv: put a ' before texts that a spreadsheet would take for formulas, those that begin with = + - @, a tab or a "
        "carriage return (default: only on a terminal, from where tables are copied)",
    )
    add_jobs(parser)
    shared.add_json(parser)


@dataclass(frozen=True, slots=True)
class _Part:
    """A record's part of the table, or what is wrong with the record."""

    decisions: int
    repeated: int
    """How many more decisions were left out, because a fork repeats them."""
    content: bytes
    finding: Finding | None


def export_file(path: Path, form: Format, *, spreadsheet_safe: bool, with_repeated: bool) -> _Part:
    """The part of the record in a file."""
    try:
        record = read_record(open_chunks(path))
        left_out = 0 if with_repeated else repeated_in(record)
        rows = rows_of(record, file_text(path), with_repeated=with_repeated)
        content = encoded(rows, form, spreadsheet_safe=spreadsheet_safe)
        return _Part(len(record.decisions) - left_out, left_out, content, None)
    except (EngineError, OSError) as error:
        return _Part(0, 0, b"", finding_of(path, error))


def run(options: argparse.Namespace) -> int:
    """Writes the table."""
    _check(options)
    paths = record_paths(options.records)
    output: Path | None = options.output
    if output and output.exists() and any(output.samefile(path) for path in paths if path.exists()):
        raise WrongUse(f"{shown_path(output)} is one of the records: choose another name for the table")
    export = _Export(paths, options)
    try:
        if output is None:
            show_text = _terminal_text if _is_for_terminal(output) else bytes.decode
            write(show_text(beginning(options.format)))
            export.run(lambda content: write(show_text(content)))
        else:
            with _file_at(output, force=options.force) as file, closing(writer_for(options.format, file)) as writer:
                export.run(writer.add)
    except KeyboardInterrupt as interrupt:
        left = "" if output is None else f"; {shown_path(output)} was not written"
        raise Interrupted(f"interrupted after {export.done:,} of {len(paths):,} records{left}") from interrupt
    if options.json:
        write_document(export.document())
    elif output:
        show_line(export.summary())
    return DONE


def _file_at(output: Path, *, force: bool) -> AbstractContextManager[BinaryIO]:
    """The file to write; the null device is written to as it is."""
    return output.open("wb") if is_null_device(output) else part_file(output, force=force)


def _is_for_terminal(output: Path | None) -> bool:
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def _terminal_text(content: bytes) -> str:
    """Rows for a terminal, without anything that could control it."""
    return harmless(content.decode(), "\n")


def _check(options: argparse.Namespace) -> None:
    """Settles the format, and refuses what cannot be written, before anything is read."""
    if options.format is None:
        options.format = None if options.output is None else Format.of_file(options.output.name)
    if options.format is None:
        raise WrongUse(f"say what to write: --format {', '.join(Format)}, or a file whose name ends so, as in -o table.csv")
    if options.output is None and not options.format.is_text:
        raise WrongUse(f"{options.format} is not for standard output: name a file with -o")
    if options.output is None and options.json:
        raise WrongUse("--json writes about the table to standard output, so the table goes to a file: name it with -o")
    if options.spreadsheet_safe is not None and options.format is not Format.CSV:
        raise WrongUse(
            f"--spreadsheet-safe and --no-spreadsheet-safe are for csv, and {options.format} needs neither: leave it out"
        )
    if options.output is not None:
        check_place(options.output, force=options.force)
    check_can_write(options.format)


class _Export:
    """Has the records' parts made, hands them on in order, and counts."""

    def __init__(self, paths: Sequence[Path], options: argparse.Namespace) -> None:
        self.done = 0
        self._paths = paths
        self._options = options
        self._decisions = 0
        self._repeated = 0
        self._skipped: list[Finding] = []

    def run(self, hand_on: Callable[[bytes], object]) -> None:
        """Hands on the part of every good record."""
        options = self._options
        asked: bool | None = options.spreadsheet_safe
        is_safe = _is_for_terminal(options.output) if asked is None else asked
        part_of = partial(export_file, form=options.format, spreadsheet_safe=is_safe, with_repeated=options.with_repeated)
        parts = in_order(part_of, self._paths, min(options.jobs, len(self._paths)))
        with closing(parts), progress_beside_lines(len(self._paths), "records") as show_done:
            for part in parts:
                if part.finding:
                    self._skip(part.finding)
                else:
                    hand_on(part.content)
                    self._decisions += part.decisions
                    self._repeated += part.repeated
                self.done += 1
                show_done(self.done)
        if len(self._skipped) == self.done:
            raise CommandFailed("not one record is good and finished: there is nothing to export")

    def _skip(self, finding: Finding) -> None:
        if finding.state is not State.UNFINISHED and not self._options.skip_bad:
            raise CommandFailed(f"{finding.sentence}\n{_ADVICE}.")
        complain(f"left out: {finding.sentence}")
        self._skipped.append(finding)

    def summary(self) -> str:
        """What was written, in a line."""
        records = f"{self._exported:,} {'record' if self._exported == 1 else 'records'}"
        skipped = f"; {len(self._skipped):,} left out" if self._skipped else ""
        repeated = f"; {self._repeated:,} decisions that forks repeat left out" if self._repeated else ""
        return f"{shown_path(self._options.output)}: {self._decisions:,} decisions of {records}{skipped}{repeated}"

    @property
    def _exported(self) -> int:
        return self.done - len(self._skipped)

    def document(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "file": str(self._options.output),
            "format": str(self._options.format),
            "export_version": EXPORT_VERSION,
            "records": self._exported,
            "decisions": self._decisions,
            "repeated_left_out": self._repeated,
            "left_out": [finding.document() for finding in self._skipped],
        }
