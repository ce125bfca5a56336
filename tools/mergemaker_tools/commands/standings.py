"""Shows the table of a tournament: ratings with intervals that are valid at every look.

The table comes from the tournament's database, or with `--recompute` from its manifest and its records alone. `--html` writes one
file without outside references, to be sent.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mergemaker_tools import options as shared
from mergemaker_tools.parallel import add_jobs
from mergemaker_tools.problems import DONE, WrongUse
from mergemaker_tools.screen import show_line, write, write_document


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the folder of the tournament")
    parser.add_argument("--recompute", action="store_true", help="make the table from the records alone")
    parser.add_argument(
        "--by", choices=("host",), help="host: show the ratings of each machine's blocks by themselves, and how fast it was"
    )
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the standings as one HTML file, too")
    parser.add_argument("--csv", action="store_true", help="write the ratings as CSV to standard output, and nothing else")
    add_jobs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Shows the table."""
    from mergemaker_tools.tables import progress  # noqa: PLC0415 - slow to import
    from mergemaker_tools.tournaments.publishing import write_page  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.showing import csv_text, folder_of, from_database, recomputed  # noqa: PLC0415 - likewise

    if options.csv and options.json:
        raise WrongUse("--csv and --json both want standard output: leave one of them out")
    if options.by and (options.csv or options.json):
        raise WrongUse(f"--by {options.by} is for the table on a terminal: the JSON document has it under `table.hosts`")
    folder = folder_of(options.folder)
    if options.recompute:
        with progress(len(list(folder.records.glob("*.jsonl"))), "records") as done:
            document = recomputed(folder, options.jobs, done)
    else:
        document = from_database(folder)
    if options.html is not None:
        write_page(options.html, folder.read_manifest(), document)
    if options.json:
        write_document(document)
    elif options.csv:
        write(csv_text(document))
    else:
        _show(options, document)
    return DONE


def _show(options: argparse.Namespace, document: Mapping[str, Any]) -> None:
    """Shows the table to people."""
    from mergemaker_tools.tables import show  # noqa: PLC0415 - slow to import
    from mergemaker_tools.tournaments.page import champion_lines  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.progress import ratings_table, show_hosts  # noqa: PLC0415 - likewise

    if options.by == "host":
        show_hosts(document["table"]["hosts"])
    else:
        show(ratings_table(document["table"]["ratings"]))
    for line in champion_lines(document["table"]["course"] or {}):
        show_line(line)
    for note in (*document["table"]["notes"], *document["notes"]):
        show_line(f"note: {note}")
    if options.html is not None:
        show_line(f"page: {options.html}")
