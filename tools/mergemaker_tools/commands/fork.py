"""Resumes a finished match at one of its decisions, with other bots and the same tiles and draws.

RECORD@N is the record's file and the number of the first decision that is asked again. A BOT is whatever `match` takes.
Each bot receives what its seat had seen, and continues with the time that the record leaves its seat: if the bank is
empty, --clock gives another one. A seat that was on autopilot, or had left, plays again. The new record repeats the lines
before the decision, names the match it came from, and verifies without it.
"""

import argparse
import os
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

from mergemaker_engine.errors import EngineError
from mergemaker_processes.texts import shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.confine_options import add_confine
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, CommandFailed
from mergemaker_tools.screen import show_line, write_document


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "place", metavar="RECORD@N", help="a finished match's record, and the decision to ask again, as for `shadow`"
    )
    parser.add_argument(
        "--seat",
        metavar="I=BOT",
        dest="seats",
        action="append",
        default=[],
        help="the bot for a seat; may be given for each seat",
    )
    parser.add_argument(
        "--others", metavar="BOT", help="the bot for all other seats (default: the record's, if it is a built-in one)"
    )
    parser.add_argument(
        "--clock",
        metavar="CLOCK",
        help="how long bots may think, with full banks: as for match (default: the record's clock, with what is left of its "
        "banks; none if a human plays)",
    )
    parser.add_argument("--seed", metavar="HEX", help="the seed of the bots' random numbers (default: the same as in the record)")
    parser.add_argument(
        "--records",
        metavar="FOLDER",
        type=Path,
        default=Path(shared.RECORDS_FOLDER),
        help="the folder to write the new record to (default: %(default)s)",
    )
    add_confine(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Continues the match, and shows how it ended this time."""
    # gRPC would write its own messages to standard error; the command reports the same problems itself.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # The referee is slow to import, and help does not need it.
    from mergemaker_referee.configuration.settings import LogFormat, LogLevel  # noqa: PLC0415 - as said
    from mergemaker_referee.logs import configure_log  # noqa: PLC0415 - as said

    from mergemaker_tools.play.audience import Audience  # noqa: PLC0415 - as said
    from mergemaker_tools.play.fork_results import fork_document, show_fork  # noqa: PLC0415 - as said
    from mergemaker_tools.play.forking import fork_plan  # noqa: PLC0415 - as said
    from mergemaker_tools.play.games import Games  # noqa: PLC0415 - as said

    plan = fork_plan(options)
    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    games = Games(plan, Audience())
    # The document must be alone on standard output: what bots in this process print goes elsewhere.
    try:
        with redirect_stdout(sys.stderr) if options.json else nullcontext():
            games.play()
    except EngineError as error:
        raise CommandFailed(
            f"{shown_path(options.place)}: {error}\n`{own_command('verify')} RECORD` says what is wrong with a record."
        ) from error
    report = games.reports[0]
    if options.json:
        write_document(fork_document(plan, report))
        return DONE
    show_fork(plan, report)
    show_line(f"record: {report.record and shown_path(report.record)}")
    return DONE
