"""Lets bots play against each other, one for each seat, with a referee of their own, and shows how it ended.

A BOT is a built-in bot (random, greedy, planner:playouts=200), a path that ends in .py, a command line in quotes,
module:Class (in this process, trusted), remote (waits for a bot that you start) or human (you). No server is needed.
The last line is a command that repeats the match.
"""

import argparse
import os
from pathlib import Path
from typing import Final

from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN

from mergemaker_tools import options as shared
from mergemaker_tools.confine_options import add_confine
from mergemaker_tools.play.pace import PACE_S_MAX
from mergemaker_tools.play.ways import Way
from mergemaker_tools.problems import DONE
from mergemaker_tools.screen import complain, write_document

GAMES_MAX: Final = 100_000
"""A part of each game is kept for the report, so this limits memory."""
JOBS_MAX: Final = 64


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("bots", metavar="BOT", nargs="*", help=f"a bot for each seat, {SEATS_MIN} to {SEATS_MAX} of them")
    shared.add_rules(parser)
    shared.add_seed(parser)
    parser.add_argument(
        "--challenge",
        metavar="HEX",
        help="play the deal of this seed yourself, against two greedy unless bots are named; at the end, a line to send to "
        "others, who then play the same deal",
    )
    parser.add_argument("--hints", action="store_true", help="show with each question to a human what greedy would do, and why")
    parser.add_argument("--seed-file", metavar="FILE", type=Path, help="read the seed from a file")
    parser.add_argument(
        "--clock",
        metavar="CLOCK",
        help="how long bots may think: fast, standard, slow, none, or a clock of your own in milliseconds, as in "
        "mine:allowance=500,bank=30000 (default: standard; none if a human plays)",
    )
    parser.add_argument(
        "--games",
        metavar="N",
        type=shared.whole_number(1, GAMES_MAX),
        default=1,
        help="how many games (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs",
        metavar="K",
        type=shared.whole_number(1, JOBS_MAX),
        default=1,
        help="how many games at once, each with bots of its own (default: %(default)s)",
    )
    parser.add_argument(
        "--play",
        type=shared.one_of(Way),
        metavar=f"{{{','.join(Way)}}}",
        default=Way.AUTO,
        help="how many games are played: fast, all bots called in this program, Python files, too, and seats rotate; served, by "
        "a referee; auto: fast if all bots are built-in or module:Class (default: %(default)s)",
    )
    shared.add_records(parser)
    parser.add_argument(
        "--pace",
        metavar="SECONDS",
        type=_seconds,
        help="how long each decision is shown on a terminal; 0: no live board (default: about half a minute a match)",
    )
    parser.add_argument(
        "--web", action="store_true", help="show the match in the browser of this machine while it is played, until Ctrl-C"
    )
    parser.add_argument("--logs", metavar="FOLDER", type=Path, help="keep what bots write here (default: only after a fault)")
    parser.add_argument("--strict", action="store_true", help="stop at a bot's first fault, with exit status 1")
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help="where the referee listens (default: any free port of this machine)"
    )
    parser.add_argument(
        "--plain-text", action="store_true", help="let --listen be an address that other machines reach, without TLS"
    )
    parser.add_argument("--token", metavar="TEXT", help="make the seats' tokens from this, the same each time, for a debugger")
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quiet", action="store_true", help="show only the standings")
    how_much.add_argument("--verbose", action="store_true", help="describe each turn in a line, too")
    add_confine(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays the match and shows how it ended."""
    # gRPC would write its own messages to standard error; the command reports the same problems itself.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # The referee is slow to import; help and most refusals do not need it.
    from mergemaker_referee.configuration.settings import LogFormat, LogLevel  # noqa: PLC0415 - as said
    from mergemaker_referee.logs import configure_log  # noqa: PLC0415 - as said

    from mergemaker_tools.play import standings  # noqa: PLC0415 - as said
    from mergemaker_tools.play.planning import plan_from  # noqa: PLC0415 - as said
    from mergemaker_tools.play.showing import play_shown  # noqa: PLC0415 - as said

    plan = plan_from(options)
    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    if plan.mixes_programs and not options.quiet and not options.json:
        complain(
            "note: local bots can read each other's files and tokens, and the match's secrets; --confine keeps that from them"
        )
    reports = play_shown(plan, options)
    if options.json:
        write_document(standings.document(plan, reports))
        return DONE
    if plan.fast:
        standings.show_means(plan, reports)
    elif plan.games > 1:
        standings.show_summary(plan, reports)
    standings.show_ways_on(plan, reports)
    return DONE


def _seconds(text: str) -> float:
    """How many seconds to show each decision."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= PACE_S_MAX:
        raise argparse.ArgumentTypeError(f"takes a number of seconds from 0 to {PACE_S_MAX:.0f}, as in 0.5, not {text!r}")
    return seconds
