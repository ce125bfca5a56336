"""Takes a finished match up again at one of its decisions, with other bots, and the tiles and draws as they lay.

RECORD@N is the record's file and the number of the first decision that is put again. A BOT is whatever `match` takes.
Each bot is told what its seat had seen, and goes on with the time that the record leaves its seat: where the bank is
empty, --clock gives another one. A seat that was on autopilot, or left, plays again. The new record repeats the lines
before the decision, names the match it came from, and verifies without it.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from mergemaker_engine.errors import EngineError

from mergemaker_tools import options as shared
from mergemaker_tools.confinement.confine_options import add_confine
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, CommandFailed
from mergemaker_tools.record_paths import shown_path
from mergemaker_tools.screen import show, show_line, table, write_document

if TYPE_CHECKING:
    import argparse

    from mergemaker_tools.refereed.plan import MatchPlan
    from mergemaker_tools.refereed.reports import GameReport


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "place", metavar="RECORD@N", help="a finished match's record, and the decision to put again, as `shadow` has it"
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
        "--others", metavar="BOT", help="the bot for all other seats (default: the record's, where it is a built-in one)"
    )
    parser.add_argument(
        "--clock",
        metavar="CLOCK",
        help="how long bots may think, with full banks: as for match (default: the record's clock, with what is left of its "
        "banks; none if a human plays)",
    )
    parser.add_argument(
        "--seed", metavar="HEX", help="what the chances of the bots come from (default: the same as in the record)"
    )
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
    """Plays the match on, and shows how it ended this time."""
    # gRPC would write its own words to standard error; what they are about is said here, too.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # The referee is slow to import: help comes without it.
    from mergemaker_referee.configuration.settings import LogFormat, LogLevel  # noqa: PLC0415 - as said
    from mergemaker_referee.logs import configure_log  # noqa: PLC0415 - as said

    from mergemaker_tools.forking import fork_plan  # noqa: PLC0415 - as said
    from mergemaker_tools.refereed.audience import Audience  # noqa: PLC0415 - as said
    from mergemaker_tools.refereed.games import Games  # noqa: PLC0415 - as said

    plan = fork_plan(options)
    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    games = Games(plan, Audience())
    # A document stands alone: what bots of this process print goes elsewhere.
    try:
        with redirect_stdout(sys.stderr) if options.json else nullcontext():
            games.play()
    except EngineError as error:
        raise CommandFailed(
            f"{shown_path(options.place)}: {error}\n`{own_command('verify')} RECORD` says what is wrong with a record."
        ) from error
    report = games.reports[0]
    if options.json:
        write_document(_document(plan, report))
        return DONE
    _show(plan, report)
    show_line(f"record: {report.record and shown_path(report.record)}")
    return DONE


def _before(plan: MatchPlan) -> tuple[str, int, tuple[int, ...] | None]:
    """The match that was taken up again, at which decision, and the money that it ended with."""
    assert plan.fork is not None, "the plan is a fork's"
    record = plan.fork.record
    return record.header.match, plan.fork.decision, record.end.cash if record.end else None


def _show(plan: MatchPlan, report: GameReport) -> None:
    """Places and money now, beside those of the match that was taken up."""
    from mergemaker_tools.refereed.standings import fault_lines, short_name  # noqa: PLC0415 - as in `run`

    match, decision, before = _before(plan)
    show_line(f"match {match}, taken up again at decision {decision}; ended: {report.ended.why}\n")
    standings = table()
    for head in ("place", "seat"):
        standings.add_column(head, justify="right")
    standings.add_column("bot")
    for head in ("money", "money before"):
        standings.add_column(head, justify="right")
    for standing in report.ranking:
        was = f"${before[standing.seat]:,}" if before else "-"
        money = f"${standing.cash or 0:,}"
        standings.add_row(str(standing.place), str(standing.seat), short_name(standing.bot), money, was)
    show(standings)
    for standing in report.ranking:
        for line in fault_lines(report, standing):
            show_line(line)


def _document(plan: MatchPlan, report: GameReport) -> dict[str, object]:
    from mergemaker_tools.refereed.standings import game_document  # noqa: PLC0415 - as in `run`

    match, decision, before = _before(plan)
    return {
        "parent": match,
        "decision": decision,
        "bots": list(plan.names),
        "clock": plan.clock.name,
        **game_document(report),
        "statuses": [str(standing.status) for standing in report.ended.standings],
        "money_before": list(before) if before else None,
    }
