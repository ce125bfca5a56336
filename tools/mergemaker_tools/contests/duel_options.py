"""The options of a duel, for every command that plays one."""

import argparse
from pathlib import Path
from typing import Final

from mergemaker_contest.designs import SEATS_MAX, SEATS_MIN, Design
from mergemaker_contest.scores import Score

from mergemaker_tools import options as shared
from mergemaker_tools.confine_options import add_confine
from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.parallel import add_jobs
from mergemaker_tools.play.ways import Way

POINTS: Final = 100
"""A score from 0 to 1 is shown in points."""
USUAL_POINTS: Final = 2.0
USUAL_SEATS: Final = 4
USUAL_RATE: Final = 0.05
USUAL_CLOCK: Final = "standard"
MATCHES_MAX: Final = 1_000_000
MINUTES_MAX: Final = 100_000.0


def add_duel_options(parser: argparse.ArgumentParser) -> None:
    """Adds all options of a duel but its bots."""
    design = parser.add_argument_group("who sits where")
    design.add_argument(
        "--field",
        metavar="BOT",
        nargs="+",
        default=[],
        help="other bots for the rest of the seats: A and B then have a seat each, and change these seats (default: A and B take "
        "all seats in turn, A,B,A,B and B,A,B,A on one deal, which needs the fewest matches)",
    )
    design.add_argument(
        "--seats",
        metavar="N",
        type=shared.whole_number(SEATS_MIN, SEATS_MAX),
        default=USUAL_SEATS,
        help=f"seats of a match, {SEATS_MIN} to {SEATS_MAX} (default: %(default)s)",
    )
    design.add_argument(
        "--design",
        type=shared.one_of(Design),
        metavar=f"{{{','.join(Design)}}}",
        help="undivided: A and B play single matches among the field; the others are compared with it (default: mirror, with "
        "--field exchange)",
    )
    question = parser.add_argument_group("what is asked, and when it is answered")
    question.add_argument(
        "--score",
        type=shared.one_of(Score),
        metavar=f"{{{','.join(Score)}}}",
        default=Score.SHARE,
        help="what counts: the share of all money, the place, or the win (default: share, because it says most of a match: "
        "deciding by wins takes 1.8 times the matches at four seats)",
    )
    question.add_argument(
        "--difference",
        metavar="POINTS",
        type=_points,
        default=USUAL_POINTS / POINTS,
        help="the least difference that matters, in hundredths of the score; the duel ends when a test has told it from none "
        f"(default: {USUAL_POINTS:g})",
    )
    question.add_argument(
        "--alpha",
        metavar="RATE",
        type=float,
        default=USUAL_RATE,
        help="how often equal bots may be told apart (default: %(default)s)",
    )
    question.add_argument(
        "--beta",
        metavar="RATE",
        type=float,
        default=USUAL_RATE,
        help="how often this difference may be missed (default: %(default)s)",
    )
    question.add_argument(
        "--precision",
        metavar="POINTS",
        type=_points,
        help="play until the difference is known to this many points to each side, whatever the test says",
    )
    question.add_argument(
        "--matches", metavar="N", type=shared.whole_number(1, MATCHES_MAX), help="play at most this many matches"
    )
    question.add_argument("--minutes", metavar="M", type=_minutes, help="play at most this long")
    _add_play(parser)


def _add_play(parser: argparse.ArgumentParser) -> None:
    shared.add_rules(parser)
    shared.add_seed(parser)
    parser.add_argument(
        "--clock", metavar="CLOCK", default=USUAL_CLOCK, help="how long bots may think, as for `match` (default: %(default)s)"
    )
    parser.add_argument(
        "--play",
        type=shared.one_of(Way),
        metavar=f"{{{','.join(Way)}}}",
        default=Way.AUTO,
        help="fast: bots are called in this program's own processes, Python files, too, and are trusted; served: by a referee, "
        "as in `match`; auto: fast if all bots are built-in or module:Class (default: %(default)s)",
    )
    parser.add_argument(
        "--trust",
        type=shared.one_of(Trust),
        metavar=f"{{{','.join(Trust)}}}",
        default=Trust.OTHERS,
        help="whose the bots are: others, programs are started anew for each match; own, they are all yours, and programs stay "
        "alive from match to match (default: %(default)s)",
    )
    add_jobs(parser)
    parser.add_argument(
        "--records", metavar="FOLDER", type=Path, help="keep the records here, each block's after its last match (default: none)"
    )
    parser.add_argument("--logs", metavar="FOLDER", type=Path, help="keep what bots that are processes write here")
    add_confine(parser)


def _points(text: str) -> float:
    """A number of points above 0, as a part of 1."""
    try:
        points = float(text)
    except ValueError:
        points = 0.0
    if not 0 < points <= POINTS:
        raise argparse.ArgumentTypeError(f"takes points, a number above 0 and at most {POINTS}, as in 1.5, not {text!r}")
    return points / POINTS


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes <= MINUTES_MAX:
        raise argparse.ArgumentTypeError(f"takes a number of minutes above 0, as in 10 or 0.5, not {text!r}")
    return minutes
