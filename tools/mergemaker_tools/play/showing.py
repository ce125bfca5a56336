"""Plays the games of a plan, and shows them as the options of `match` say."""

import argparse
import sys
from contextlib import nullcontext, redirect_stdout

from mergemaker_tools.play.audience import Audience, Counter, Teller
from mergemaker_tools.play.games import Games
from mergemaker_tools.play.live_board import LiveBoard
from mergemaker_tools.play.local_games import LocalGames
from mergemaker_tools.play.pace import USUAL_PACE_S
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.play.standings import repeat_command
from mergemaker_tools.problems import CommandFailed, Interrupted
from mergemaker_tools.tables import can_draw, progress


def play_shown(plan: MatchPlan, options: argparse.Namespace) -> list[GameReport]:
    """Plays all games, and shows progress or the games meanwhile."""
    shows_each = not options.json and (plan.games == 1 or options.verbose)
    with progress(plan.games, "games") if plan.games > 1 and not shows_each else nullcontext(_tell_nobody) as done:
        audience = _shown_to(plan, options) if shows_each else Counter(done)
        games = LocalGames(plan, audience) if plan.fast else Games(plan, audience)
        # The document must be alone on standard output: what bots in this process print goes elsewhere.
        try:
            with redirect_stdout(sys.stderr) if options.json else nullcontext():
                games.play()
        except Interrupted as interrupted:
            raise Interrupted(f"{interrupted}; again with: {repeat_command(plan)}") from interrupted
    return [games.reports[number] for number in sorted(games.reports)]


def _shown_to(plan: MatchPlan, options: argparse.Namespace) -> Audience:
    """The audience of games that are shown one by one."""
    if options.web:
        return _web_show(plan, options)
    if options.pace == 0 or options.quiet or options.verbose or plan.games > 1 or plan.has_human or not can_draw():
        return Teller(plan, verbose=options.verbose, with_board=not options.quiet)
    return LiveBoard(plan, USUAL_PACE_S if options.pace is None else options.pace)


def _web_show(plan: MatchPlan, options: argparse.Namespace) -> Audience:
    """Shows a match in the browser."""
    try:
        from mergemaker_tools.play.web_show import WebShow  # noqa: PLC0415 - it needs an extra
    except ModuleNotFoundError as error:
        raise CommandFailed("--web needs an extra: `pip install 'mergemaker[web]'`") from error
    stay_s = USUAL_PACE_S if options.pace is None else options.pace
    return WebShow(plan, stay_s, verbose=options.verbose, with_board=not options.quiet)


def _tell_nobody(_done: int) -> None:
    """Progress of a single game: none."""
