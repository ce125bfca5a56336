"""Lets a language model play a seat, as a server of the Model Context Protocol on standard input and output.

A host of models starts this command and calls its tools: question, answer and rules. With --against, it plays a match of its
own against built-in bots, Python files or bots of this process, without a clock, and keeps its record. Otherwise it takes the
seat that the environment or the options name: on a server, or the seat `remote` of `mergemaker match remote greedy`. It
needs the package's extra mcp.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from mergemaker_client.environment import Environment
from mergemaker_client.problems import BadSetting
from mergemaker_engine.errors import SetupError

from mergemaker_tools import options as shared
from mergemaker_tools.play.desk import Desk, DeskBot
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.screen import complain, write_document
from mergemaker_tools.server.places import add_place, place_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--against", metavar="BOT", nargs="+", help="play here against these bots; the model has seat 0")
    shared.add_rules(parser)
    shared.add_seed(parser)
    parser.add_argument(
        "--records",
        metavar="FOLDER",
        type=Path,
        default=Path(shared.RECORDS_FOLDER),
        help="with --against, the folder of the match's record (default: %(default)s)",
    )
    add_place(parser)
    parser.add_argument("--name", help="the name to play under (default: the one that goes with the token, or model)")
    parser.add_argument("--no-answers", action="store_true", help="do not list the legal answers with each question")
    parser.add_argument("--json", action="store_true", help="describe the tools in one JSON document, and serve nobody")


def run(options: argparse.Namespace) -> int:
    """Serves the model until its host leaves."""
    from mergemaker_tools.play.mcp_seat import McpSeat  # noqa: PLC0415 - slow to import

    desk = Desk()
    play = _nothing if options.json else _here(options, desk) if options.against else _on_server(options, desk)
    seat = McpSeat(desk, play, answers=not options.no_answers)
    try:
        if options.json:
            write_document({"tools": seat.tools()})
        else:
            seat.run()
    except ImportError as error:
        raise CommandFailed("this needs the extra mcp: pip install 'mergemaker[mcp]'") from error
    return DONE


def _nothing() -> None:
    """Plays no match."""


def _here(options: argparse.Namespace, desk: Desk) -> Callable[[], None]:
    """Plays a match of its own."""
    from mergemaker_tools.play.desk_match import DeskMatch  # noqa: PLC0415 - slow to import

    if options.server or options.token:
        raise WrongUse("--against plays here, and --server and --token elsewhere: leave out one of them")
    rules = shared.rules_from(options.rules, options.settings)
    try:
        match = DeskMatch(desk, options.name or "model", options.against, rules, shared.seed_from(options.seed), options.records)
    except SetupError as error:
        raise WrongUse(str(error)) from error
    return match.play


def _on_server(options: argparse.Namespace, desk: Desk) -> Callable[[], None]:
    """Plays one match of a server."""
    from mergemaker_client.running import play, wishes_of  # noqa: PLC0415 - slow to import

    place = place_of(options, "a bot's or a seat's")
    try:
        environment = Environment.read(os.environ, server=str(place.target), token=place.token, name=options.name)
        wishes = wishes_of(environment, "", 1, 1, "held", evict=False)
    except BadSetting as problem:
        raise WrongUse(str(problem)) from problem

    def play_one() -> None:
        play(lambda: DeskBot(desk), environment, wishes, report=complain)

    return play_one
