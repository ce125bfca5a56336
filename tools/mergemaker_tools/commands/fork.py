"""Takes a finished match up again at one of its decisions, with other bots, and the tiles and draws as they lay.

RECORD@N is the record's file and the number of the first decision that is put again. The new record repeats the lines
before it, names the match it came from, and verifies without it. Bots in this process have no clock, so no bank is kept.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mergemaker_client.bots import NAMES
from mergemaker_engine.errors import RecordError
from mergemaker_referee.record_files import open_record

from mergemaker_tools import options as shared
from mergemaker_tools.bots import check_built_in
from mergemaker_tools.forking import Branch, check_branch, play_branch
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.screen import show, show_line, table, write_document
from mergemaker_tools.simulation import result_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from mergemaker_engine.game import Game
    from mergemaker_engine.record.reading import Record

_PLACE: Final = re.compile(r"(?P<path>.+)@(?P<decision>[0-9]{1,9})")
_SEAT: Final = re.compile(r"(?P<seat>[0-9])=(?P<bot>.+)")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("place", metavar="RECORD@N", help="a finished match's record, and the decision to put again")
    parser.add_argument(
        "--seat",
        metavar="I=BOT",
        dest="seats",
        action="append",
        default=[],
        help=f"the bot for a seat; may be given for each seat; there is: {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--others", metavar="BOT", help="the bot for all other seats (default: the record's, where it is one of these)"
    )
    shared.add_seed(parser)
    parser.add_argument(
        "--records",
        metavar="FOLDER",
        type=Path,
        default=Path(shared.RECORDS_FOLDER),
        help="the folder to write the new record to (default: %(default)s)",
    )
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays the match on, and shows how it ended this time."""
    path, decision = _place_of(options.place)
    try:
        record = open_record(path)
        check_branch(record, decision)
        bots = _bots_of(record, options.seats, options.others)
        game, written = play_branch(Branch(record, decision, bots, shared.seed_from(options.seed)), options.records)
    except RecordError as error:
        problem = WrongUse if error.reason == "no-such-decision" else CommandFailed
        raise problem(f"{path}: {error}") from error
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror or error}") from error
    if options.json:
        write_document(_document(record, decision, bots, game, written))
        return DONE
    _show(record, decision, bots, game)
    show_line(f"record: {written}")
    return DONE


def _place_of(text: str) -> tuple[Path, int]:
    found = _PLACE.fullmatch(text)
    if not found:
        raise WrongUse(f"a place in a record is written FILE@NUMBER, as in records/a.jsonl@57, not {text!r}")
    return Path(found["path"]), int(found["decision"])


def _bots_of(record: Record, seats: Sequence[str], others: str | None) -> tuple[str, ...]:
    """Who sits where: as `--seat` says, then `--others`, then the record where its bot is a built-in one."""
    count = record.header.seats
    chosen: dict[int, str] = {}
    for text in seats:
        found = _SEAT.fullmatch(text)
        if not found or int(found["seat"]) >= count or int(found["seat"]) in chosen:
            raise WrongUse(
                f"--seat takes a seat from 0 to {count - 1}, once each, and a bot, as in --seat 0=random, not {text!r}"
            )
        chosen[int(found["seat"])] = found["bot"]
    bots = tuple(chosen.get(seat, others or record.header.bots[seat]) for seat in range(count))
    for seat, bot in enumerate(bots):
        try:
            check_built_in(bot)
        except WrongUse as error:
            raise WrongUse(f"seat {seat}: {error}\n--seat and --others choose who plays on.") from error
    return bots


def _show(record: Record, decision: int, bots: Sequence[str], game: Game) -> None:
    """Places and money now, beside those of the match that was taken up."""
    before = record.end.cash if record.end else None
    result = result_of(game)
    show_line(f"match {record.header.match}, taken up again at decision {decision}; ended: {result.reason}\n")
    standings = table()
    for head in ("place", "seat"):
        standings.add_column(head, justify="right")
    standings.add_column("bot")
    for head in ("money", "money before"):
        standings.add_column(head, justify="right")
    for seat in sorted(range(len(bots)), key=lambda seat: (result.places[seat], seat)):
        was = f"${before[seat]:,}" if before else "-"
        standings.add_row(str(result.places[seat]), str(seat), bots[seat], f"${result.cash[seat]:,}", was)
    show(standings)


def _document(record: Record, decision: int, bots: Sequence[str], game: Game, written: Path) -> dict[str, object]:
    result = result_of(game)
    return {
        "parent": record.header.match,
        "decision": decision,
        "bots": list(bots),
        "ended": str(result.reason),
        "money": list(result.cash),
        "places": list(result.places),
        "money_before": list(record.end.cash) if record.end and record.end.cash else None,
        "record": str(written),
    }
