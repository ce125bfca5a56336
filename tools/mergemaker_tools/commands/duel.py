"""Is bot A better than bot B? Plays matches until that is decided, and says how sure it is.

A BOT is what `match` takes: a built-in bot (greedy, planner:playouts=20), module:Class, a path that ends in .py, or a command
line in quotes. No file and no server is needed. Blocks of matches are played on one deal each, so that luck that both bots meet
cancels out. After 20 blocks the duel says how many matches to expect. It ends with a verdict; with --precision when the
difference is known well enough; or with --matches or --minutes. Ctrl-C ends it at any time, and what is known is shown.

What is shown with ± is valid at every look, so you may end the duel because of it.

The exit status is 0 if A is better, 1 if it is not (B is better, or neither by --difference), and 2 if there is no answer: the
duel ended too early, or could not be played.
"""

import argparse

from mergemaker_tools import options as shared
from mergemaker_tools.contests.duel_options import add_duel_options


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("bot_a", metavar="A", help="the bot that the question is about")
    parser.add_argument("bot_b", metavar="B", help="the bot that it is compared with")
    add_duel_options(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays the duel, and shows what is known."""
    # Slow to import; help needs none of it.
    from mergemaker_tools.contests.duel_command import play_duel  # noqa: PLC0415 - as said

    return play_duel(options)
