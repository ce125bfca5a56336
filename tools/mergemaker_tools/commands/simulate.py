"""Plays many games with random answers, and counts.

Everything but the time follows from rules, players, seed and number of games. The
digest is a hash of every answer and of the money at the end of every game: it is the
same on every machine, with every Python and any number of processes.
"""

import argparse
from contextlib import closing
from typing import Final

from mergemaker_engine.errors import SetupError
from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN
from mergemaker_engine.tables import check_seats

from mergemaker_tools import options as shared
from mergemaker_tools.parallel import JOBS_MAX
from mergemaker_tools.problems import DONE, Interrupted, WrongUse
from mergemaker_tools.screen import show_line, write_document
from mergemaker_tools.simulation import GAMES_MAX, Tally, Task, batches_of, play_batches
from mergemaker_tools.tables import progress, show, table

_USUAL_GAMES: Final = 1_000
_USUAL_PLAYERS: Final = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "--players",
        metavar="N",
        type=shared.whole_number(SEATS_MIN, SEATS_MAX),
        default=_USUAL_PLAYERS,
        help="how many play (default: %(default)s)",
    )
    parser.add_argument(
        "--games",
        metavar="N",
        type=shared.whole_number(1, GAMES_MAX),
        default=_USUAL_GAMES,
        help="how many games (default: %(default)s)",
    )
    shared.add_rules(parser)
    shared.add_seed(parser)
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=shared.whole_number(1, JOBS_MAX),
        default=1,
        help="processes to play in (default: %(default)s)",
    )
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays the games and shows the counts."""
    rules = shared.rules_from(options.rules, options.settings)
    try:
        check_seats(rules, options.players)
    except SetupError as error:
        raise WrongUse(str(error)) from error
    task = Task(rules, options.players, shared.seed_from(options.seed))
    tally = Tally(options.players)
    try:
        played = play_batches(task, batches_of(options.games), options.jobs)
        with closing(played), progress(options.games, "games") as done:
            for batch in played:
                tally.add(batch)
                done(tally.games)
    except KeyboardInterrupt as interrupt:
        raise Interrupted(
            f"interrupted after {tally.games:,} of {options.games:,} games; the seed is {task.seed.hex()}"
        ) from interrupt
    if options.json:
        write_document(_document(task, tally))
    else:
        _show(task, tally)
    return DONE


def _document(task: Task, tally: Tally) -> dict[str, object]:
    return {
        "rules": shared.rules_in_words(task.rules),
        "fingerprint": task.rules.fingerprint(),
        "players": task.players,
        "seed": task.seed.hex(),
        "games": tally.games,
        "decisions": tally.decisions,
        "turns": tally.turns,
        "ends": dict(sorted(tally.ends.items())),
        "money_mean_by_seat": [round(money / tally.games, 2) for money in tally.money],
        "wins_by_seat": tally.wins,
        "cpu_seconds": round(tally.cpu_seconds, 6),
        "games_per_cpu_second": round(tally.games_per_cpu_second, 2),
        "digest": tally.digest,
    }


def _show(task: Task, tally: Tally) -> None:
    counts = table()
    counts.add_column(shared.rules_in_words(task.rules), no_wrap=True)
    counts.add_column(f"{task.players} players", justify="right", no_wrap=True)
    counts.add_row("games", f"{tally.games:,}")
    counts.add_row("decisions", f"{tally.decisions:,}")
    counts.add_row("turns", f"{tally.turns:,}")
    for reason, games in sorted(tally.ends.items()):
        counts.add_row(f"games that ended: {reason}", f"{games:,}")
    counts.add_row("games per second of one processor", f"{tally.games_per_cpu_second:,.0f}")
    seats = table()
    for head in ("seat", "wins", "mean money"):
        seats.add_column(head, justify="right")
    for seat, (wins, money) in enumerate(zip(tally.wins, tally.money, strict=True)):
        seats.add_row(str(seat), f"{wins:,}", f"${money / tally.games:,.0f}")
    show(counts, seats)
    show_line(f"\nseed   {task.seed.hex()}")
    show_line(f"digest {tally.digest}")
