"""Connects a built-in bot to a server. It plays until the server has no more matches for it.

The server and the token of the seat, or of the bot, come from the environment or the options; `mergemaker matches create`
prints what to set.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NoReturn

from mergemaker_client.bots import NAMES, parse
from mergemaker_client.environment import Environment
from mergemaker_client.errors import BotError
from mergemaker_client.problems import BadSetting, ClientError

from mergemaker_tools import options as shared
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse, nearest_names
from mergemaker_tools.remote import add_place, place_of
from mergemaker_tools.screen import show, show_line, table, write_document

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from mergemaker_client.turn import MatchResult

MATCHES_MAX = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("bot", metavar="BOT", help=f"a built-in bot, with options behind a colon; there is: {', '.join(NAMES)}")
    add_place(parser)
    parser.add_argument("--name", help="the name to play under (default: the one that goes with the token)")
    parser.add_argument(
        "--matches", metavar="N", type=shared.whole_number(1, MATCHES_MAX), help="end after so many matches (default: no limit)"
    )
    parser.add_argument("--evict", action="store_true", help="end another live session with the same token")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays, and shows how the matches ended."""
    # The network part is slow to import: help and wrong use come without it.
    from mergemaker_client.running import play, wishes_of  # noqa: PLC0415 - as said

    place = place_of(options, "a bot's or a seat's")
    try:
        bot = parse(options.bot)
    except BotError as problem:
        near = nearest_names(options.bot.partition(":")[0], NAMES) if problem.reason == "unknown-bot" else ""
        raise WrongUse(f"{problem}{near}") from problem
    # Whoever sends SIGTERM wants the bot to end, and so it does: what is open is closed on the way.
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        environment = Environment.read(os.environ, server=str(place.target), token=place.token, name=options.name)
        wishes = wishes_of(environment, "", options.matches, 1, "held", evict=options.evict)
        results = play(bot, environment, wishes)
    except BadSetting as problem:
        raise WrongUse(str(problem)) from problem
    except (ClientError, BotError) as problem:
        raise CommandFailed(str(problem)) from problem
    finally:
        signal.signal(signal.SIGTERM, before)
    _tell(results, options.json)
    return DONE


def _stop(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(DONE)


def _tell(results: Sequence[MatchResult], as_json: bool) -> None:
    if as_json:
        write_document({"matches": [_document(result) for result in results]})
        return
    for result in results:
        show_line(f"ended: {result.why}")
        if result.standings:
            standings = table()
            for head in ("place", "seat"):
                standings.add_column(head, justify="right")
            standings.add_column("bot")
            standings.add_column("money", justify="right")
            for standing in sorted(result.standings, key=lambda standing: (standing.place, standing.seat)):
                standings.add_row(str(standing.place), str(standing.seat), standing.bot, f"${standing.cash:,}")
            show(standings)


def _document(result: MatchResult) -> dict[str, object]:
    return {
        "ended": result.why,
        "standings": [
            {
                "seat": standing.seat,
                "bot": standing.bot,
                "place": standing.place,
                "money": standing.cash,
                "status": standing.status,
            }
            for standing in result.standings
        ],
    }
