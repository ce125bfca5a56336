"""Backs up a database of results, and restores it.

A backup is a text file, the same for SQLite and PostgreSQL, so it also moves results from one to the other. A DATABASE is a
file, or a URL: postgresql://USER:PASSWORD@HOST/NAME.
"""

import argparse
from pathlib import Path

from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.problems import DONE, CommandFailed
from mergemaker_tools.screen import show_line, write_document


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "part",
        choices=("backup", "restore"),
        help="backup: write all results of a database to a new file, also while tournaments go on; "
        "restore: enter all results of a backup into an empty database, or none",
    )
    parser.add_argument("source", metavar="FROM", help="the DATABASE to back up, or the backup to restore")
    parser.add_argument("target", metavar="TO", help="the new file, or the empty DATABASE")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Backs up or restores."""
    from mergemaker_store import backups  # noqa: PLC0415 - slow to import
    from mergemaker_store.connecting import shown_url, url_of  # noqa: PLC0415 - likewise
    from mergemaker_store.errors import StoreError  # noqa: PLC0415 - likewise

    is_backup = options.part == "backup"
    named, file = (options.source, Path(options.target)) if is_backup else (options.target, Path(options.source))
    try:
        database = shown_url(url_of(named))
        rows = backups.backup(named, file) if is_backup else backups.restore(file, named)
    except StoreError as error:
        raise CommandFailed(str(error)) from error
    except OSError as error:
        raise CommandFailed(f"{shown_path(error.filename or file)}: {reason_of(error)}") from error
    if options.json:
        write_document({"part": options.part, "database": database, "file": str(file), "rows": rows})
    else:
        source, target = (database, shown_path(file)) if is_backup else (shown_path(file), database)
        show_line(f"{rows:,} rows of {source} are in {target}")
    return DONE
