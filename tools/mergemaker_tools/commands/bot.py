"""Connects a built-in bot to a server. It plays until the server has no more matches for it.

The server and the seat's or the bot's token come from the environment or the options; `mergemaker matches create`
prints the variables to set. A deal that was not the promised one is reported on standard error, and the exit status is 1.
"""

import argparse
import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.bots import NAMES, parse
from mergemaker_client.environment import Environment
from mergemaker_client.errors import BotError
from mergemaker_client.problems import BadSetting, ClientError
from mergemaker_client.turn import MatchResult, Turn

from mergemaker_tools import options as shared
from mergemaker_tools.problems import DONE, FAILED, CommandFailed, WrongUse
from mergemaker_tools.screen import show_line, write_document
from mergemaker_tools.server.places import add_place, place_of

MATCHES_MAX: Final = 1_000_000
MATCHES_AT_ONCE_MAX: Final = 1_000
THINK_MS_MAX: Final = 3_600_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("bot", metavar="BOT", help=f"a built-in bot, with options after a colon; one of {', '.join(NAMES)}")
    add_place(parser)
    parser.add_argument("--name", help="the name to play under (default: the one that goes with the token)")
    parser.add_argument(
        "--matches", metavar="N", type=shared.whole_number(1, MATCHES_MAX), help="end after this many matches (default: no limit)"
    )
    parser.add_argument(
        "--matches-at-once",
        metavar="N",
        type=shared.whole_number(1, MATCHES_AT_ONCE_MAX),
        default=1,
        help="play this many matches at a time (default: %(default)s)",
    )
    parser.add_argument(
        "--events", choices=("held", "immediate"), default="held", help="when to receive events (default: with a question)"
    )
    parser.add_argument(
        "--think", metavar="MS", type=shared.whole_number(0, THINK_MS_MAX), default=0, help="wait this long before each answer"
    )
    parser.add_argument("--evict", action="store_true", help="end another live session with the same token")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays, and shows how the matches ended."""
    # The network part is slow to import; help and refusals do not need it.
    from mergemaker_client.running import play, wishes_of  # noqa: PLC0415 - as said

    place = place_of(options, "a bot's or a seat's")
    try:
        bot = parse(options.bot)
    except BotError as problem:
        raise WrongUse(str(problem)) from problem
    # SIGTERM ends the bot in an orderly way: open connections are closed.
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        environment = Environment.read(os.environ, server=str(place.target), token=place.token, name=options.name)
        wishes = wishes_of(environment, "", options.matches, options.matches_at_once, options.events, evict=options.evict)
        results = play(_slowed(bot, options.think) if options.think else bot, environment, wishes)
    except BadSetting as problem:
        raise WrongUse(str(problem)) from problem
    except (ClientError, BotError) as problem:
        raise CommandFailed(str(problem)) from problem
    finally:
        signal.signal(signal.SIGTERM, before)
    _tell(results, options.json)
    return FAILED if any(result.problem is not None for result in results) else DONE


def _slowed(made: Callable[[], Bot], think_ms: int) -> Callable[[], Bot]:
    """A factory of the same bots, each of which waits before it answers."""

    def make() -> Bot:
        bot = made()
        answer = bot.answer

        def think(turn: Turn) -> Answer:
            time.sleep(think_ms / 1_000)
            return answer(turn)

        bot.answer = think  # type: ignore[method-assign]  # of this one bot
        return bot

    return make


def _stop(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(DONE)


def _tell(results: Sequence[MatchResult], as_json: bool) -> None:
    if as_json:
        write_document({"matches": [_document(result) for result in results]})
        return
    # rich is slow to import, and programs do not need it.
    from mergemaker_tools.tables import show, table  # noqa: PLC0415 - as said

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
