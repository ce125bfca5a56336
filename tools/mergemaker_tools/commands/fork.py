"""Resumes a finished match at one of its decisions, with other bots and the same tiles and draws.

RECORD@N is the record's file and the number of the first decision that is asked again. A BOT is whatever `match` takes.
Each bot receives what its seat had seen, and continues with the time that the record leaves its seat: if the bank is
empty, --clock gives another one. A seat that was on autopilot, or had left, plays again. The new record repeats the lines
before the decision, names the match it came from, and verifies without it.

With --redeal, the tiles are dealt anew, many times, so that they agree with what the asked seat knew. In each deal every
answer is tried once, bots play on in this process without a clock, and the table shows each answer's mean share of all
money with an interval: was the recorded answer a mistake? Nothing is written, since a fresh deal is no record.

    fork records/MATCH.jsonl@57 --redeal --games 200 --answers 8A 9C
"""

import argparse
import os
import sys
from contextlib import closing, nullcontext, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import EngineError
from mergemaker_processes.texts import shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.confine_options import add_confine
from mergemaker_tools.parallel import add_jobs, in_order
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, CommandFailed, Interrupted, WrongUse
from mergemaker_tools.records.streaming import progress_beside_lines
from mergemaker_tools.redealing.estimates import LEVEL
from mergemaker_tools.screen import show_line, write_document

USUAL_GAMES: Final = 100
GAMES_MIN: Final = 2
"""Fewer give no interval."""
GAMES_MAX: Final = 100_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "places",
        metavar="RECORD@N",
        nargs="+",
        help="a finished match's record, and the decision to ask again, as for `shadow` and `replay`",
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
    parser.add_argument(
        "--seed",
        metavar="HEX",
        help="the seed of the bots' random numbers (default: the same as in the record), and with --redeal of the deals, too "
        "(default: a fresh one)",
    )
    parser.add_argument(
        "--records",
        metavar="FOLDER",
        type=Path,
        help=f"the folder to write the new record to (default: {shared.RECORDS_FOLDER})",
    )
    fresh = parser.add_argument_group("fresh deals")
    fresh.add_argument("--redeal", action="store_true", help="deal the tiles that the asked seat did not know anew")
    fresh.add_argument(
        "--games",
        metavar="N",
        type=shared.whole_number(GAMES_MIN, GAMES_MAX),
        help=f"how many deals; each is played once for every answer (default: {USUAL_GAMES})",
    )
    fresh.add_argument(
        "--answers",
        metavar="ANSWER",
        nargs="+",
        help="the answers to compare with the recorded one, as `replay RECORD@N --text` writes them (default: all)",
    )
    add_jobs(parser)
    add_confine(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Continues the matches, and shows how they ended this time."""
    if options.redeal:
        return _redeal(options)
    if options.games is not None or options.answers is not None:
        raise WrongUse("--games and --answers are for fresh deals: give --redeal, too, or leave them out")
    return _fork(options)


def _fork(options: argparse.Namespace) -> int:
    # gRPC would write its own messages to standard error; the command reports the same problems itself.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # The referee is slow to import, and help does not need it.
    from mergemaker_referee.configuration.settings import LogFormat, LogLevel  # noqa: PLC0415 - as said
    from mergemaker_referee.logs import configure_log  # noqa: PLC0415 - as said

    from mergemaker_tools.play.audience import Audience  # noqa: PLC0415 - as said
    from mergemaker_tools.play.fork_results import fork_document, show_fork  # noqa: PLC0415 - as said
    from mergemaker_tools.play.forking import fork_plan  # noqa: PLC0415 - as said
    from mergemaker_tools.play.games import Games  # noqa: PLC0415 - as said

    plans = [fork_plan(options, place) for place in options.places]
    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    documents = []
    for number, (plan, place) in enumerate(zip(plans, options.places, strict=True)):
        games = Games(plan, Audience())
        # The document must be alone on standard output: what bots in this process print goes elsewhere.
        try:
            with redirect_stdout(sys.stderr) if options.json else nullcontext():
                games.play()
        except EngineError as error:
            raise CommandFailed(
                f"{shown_path(place)}: {error}\n`{own_command('verify')} RECORD` says what is wrong with a record."
            ) from error
        report = games.reports[0]
        if options.json:
            documents.append(fork_document(plan, report))
            continue
        if number:
            show_line("")
        show_fork(plan, report)
        show_line(f"record: {report.record and shown_path(report.record)}")
    if options.json:
        write_document(documents[0] if len(documents) == 1 else {"forks": documents})
    return DONE


def _redeal(options: argparse.Namespace) -> int:
    """Tries answers in fresh deals, and shows what came of them."""
    from mergemaker_tools.redealing.planning import redeal_tasks  # noqa: PLC0415 - slow to import, and help does not need it
    from mergemaker_tools.redealing.playing import Dealt, Task, play_deal  # noqa: PLC0415 - as said
    from mergemaker_tools.redealing.results import show_tried, tried, tried_document  # noqa: PLC0415 - as said

    deals = options.games or USUAL_GAMES
    seed = shared.seed_from(options.seed)
    tasks: list[Task] = redeal_tasks(options, seed)
    found: list[list[Dealt]] = []
    done = 0
    try:
        with progress_beside_lines(deals * len(tasks), "deals") as show_done:
            for task in tasks:
                found.append([])
                played = in_order(partial(play_deal, task), range(deals), min(options.jobs, deals), "try --jobs 1")
                with closing(played):
                    for dealt in played:
                        if dealt.failure is not None:
                            raise CommandFailed(f"{dealt.failure}\nThe seed is {seed.hex()}.")
                        found[-1].append(dealt)
                        done += 1
                        show_done(done)
    except KeyboardInterrupt as interrupt:
        said = f"interrupted after {done:,} of {deals * len(tasks):,} deals; the seed is {seed.hex()}"
        raise Interrupted(said) from interrupt
    results = [tried(task, dealt) for task, dealt in zip(tasks, found, strict=True)]
    if options.json:
        documents = [tried_document(task, result) for task, result in zip(tasks, results, strict=True)]
        write_document({"seed": seed.hex(), "games": deals, "level": LEVEL, "questions": documents})
        return DONE
    for number, (task, result) in enumerate(zip(tasks, results, strict=True)):
        if number:
            show_line("")
        show_tried(task, result, deals)
    show_line(f"seed {seed.hex()}")
    return DONE
