"""Asks a bot a recorded seat's questions, without a clock, and lists where its answers differ.

The bot sees each question as the recorded bot did: the same view, events and random numbers. Its answers do not
change the game, which continues as recorded. With @N, questions before decision N are not asked; the bot receives their
events. A built-in bot or module:Class plays in this process, where a debugger reaches it; human is you. A path ending
in .py or a command line, in any language, is started as `match` starts it; its standard error is shown at
the end. With several records, or a folder of them, the bot is asked the same seat's questions in each one; matches that are
still running are left out with a note.

    shadow records --seat 0 -- greedy
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from mergemaker_client.bots import NAMES
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_processes.bot_names import CommandBot, HumanPlayer, ScriptBot, bot_spec
from mergemaker_processes.confinement.confining import Confining, confining_from
from mergemaker_processes.texts import shown_path
from mergemaker_referee.records.files import open_record

from mergemaker_tools import options as shared
from mergemaker_tools.confine_options import add_confine
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.records.paths import record_paths
from mergemaker_tools.records.places import DecisionName, decision_name, split_place
from mergemaker_tools.screen import complain, show_line, write_document
from mergemaker_tools.shadowing.comparing import Shadowed, factory_for, shadow, shadow_person
from mergemaker_tools.tables import show, table

LIMIT_S: Final = 600
LIMIT_S_MAX: Final = 86_400
"""How long a process may take to its first question, and from each question to the next: the default, and the maximum."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    # One list: argparse would otherwise take a second record before an option for the bot.
    parser.usage = "%(prog)s [options] RECORD[@N] [RECORD[@N] …] [--] BOT"
    parser.takes_options_anywhere = True  # type: ignore[attr-defined]  # of the command's own parser
    parser.add_argument(
        "words",
        metavar="RECORD[@N] … BOT",
        nargs="+",
        help="records of finished matches, and the first decision to ask (@57, or @seat0:12 as the bot of seat 0 reported it); a "
        f"folder stands for all records in it. Then the bot: {', '.join(NAMES)} (with options), module:Class, a path ending in "
        ".py, a command line in quotes, or human",
    )
    parser.add_argument(
        "--seat",
        metavar="I",
        type=shared.whole_number(0, SEATS_MAX - 1),
        help="whose questions to ask (default: those of I in RECORD@seatI:N)",
    )
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=shared.whole_number(1, LIMIT_S_MAX),
        default=LIMIT_S,
        help="how long a bot's process may take to start, and for each answer (default: %(default)s)",
    )
    parser.add_argument(
        "--logs", metavar="FOLDER", type=Path, help="keep what a bot's process writes here (default: only after a failure)"
    )
    add_confine(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Puts the questions, and shows the differences."""
    *places, word = options.words
    if not places:
        raise WrongUse(f"records and a bot are needed, as in records/a.jsonl greedy, and there is only {word!r}")
    spec = bot_spec(word, NAMES)
    ask: Callable[[Record, int, int], Shadowed]
    if options.confine and not isinstance(spec, CommandBot | ScriptBot):
        raise WrongUse("--confine is for bots that are processes of their own: this one is called in the command's own process")
    meant = [each for place in places for each in _meant_by(place, options.seat)]
    hidden = [("the folder of the record", path.parent) for path, _, _ in meant]
    confining = confining_from(options, (spec,), hidden)
    if isinstance(spec, CommandBot | ScriptBot):
        ask = partial(_ask_process, spec, options, confining)
    elif isinstance(spec, HumanPlayer):
        ask = shadow_person
    else:
        ask = partial(shadow, factory_for(spec))
    found = []
    for path, name, seat in meant:
        one = _shadowed(path, name, seat, ask, is_one_of_several=len(meant) > 1)
        if one is not None:
            found.append(one)
    if not found:
        raise CommandFailed("not one match has ended: there is nothing to ask")
    if options.json:
        write_document(_documents(found, word, is_one_of_several=len(meant) > 1))
    else:
        _show_all(found, is_one_of_several=len(meant) > 1)
    return DONE


@dataclass(frozen=True, slots=True)
class _Found:
    """What came of one record."""

    path: Path
    match: str
    seat: int
    first: int
    shadowed: Shadowed


def _meant_by(place: str, given: int | None) -> list[tuple[Path, DecisionName, int]]:
    """The records that a word means, each with the first decision to ask, and the seat."""
    path, name = _place_of(place)
    seat = _seat_of(given, name)
    if path.is_dir() and name.number == 1:
        return [(each, name, seat) for each in record_paths([place])]
    return [(path, name, seat)]


def _shadowed(
    path: Path, name: DecisionName, seat: int, ask: Callable[[Record, int, int], Shadowed], *, is_one_of_several: bool
) -> _Found | None:
    """What came of a record; None for a match that has not ended, if there are others."""
    try:
        record = _opened(path)
        if record.end is None and is_one_of_several:
            complain(f"left out: {shown_path(path)}: the match is running, or was broken off")
            return None
        first, last = name.number_in(record), len(record.decisions)
        if not 1 <= first <= last:
            raise WrongUse(f"this match has the decisions 1 to {last}, and no decision {first}")
        return _Found(path, record.header.match, seat, first, ask(record, seat, first))
    except RecordError as error:
        problem = WrongUse if error.reason == "no-such-seat" else CommandFailed
        raise problem(f"{shown_path(path)}: {error}") from error


def _opened(path: Path) -> Record:
    try:
        return open_record(path)
    except OSError as error:
        raise WrongUse(f"cannot read {shown_path(path)}: {error.strerror or error}") from error


def _ask_process(
    spec: CommandBot | ScriptBot,
    options: argparse.Namespace,
    confining: Confining | None,
    record: Record,
    seat: int,
    first: int,
) -> Shadowed:
    # Slow to import: gRPC, and what starts the bots of a match.
    from mergemaker_referee.configuration.settings import LogFormat, LogLevel  # noqa: PLC0415 - as said
    from mergemaker_referee.logs import configure_log  # noqa: PLC0415 - as said

    from mergemaker_tools.shadowing.referee import shadow_process  # noqa: PLC0415 - as said
    from mergemaker_tools.shadowing.seat import RecordedSeat  # noqa: PLC0415 - as said

    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    recorded = RecordedSeat(record, seat, first)
    if recorded.request is not None:
        shadow_process(recorded, spec, confining, options.limit, options.logs, complain)
    return recorded.shadowed


def _place_of(text: str) -> tuple[Path, DecisionName]:
    path, named = split_place(text)
    if named is None:
        return path, DecisionName(1)
    name = decision_name(named)
    if name is None:
        raise WrongUse(f"no match has a decision {named}")
    return path, name


def _seat_of(given: int | None, name: DecisionName) -> int:
    seat = name.seat if given is None else given
    if seat is None:
        raise WrongUse("--seat says whose questions to ask: it is needed, unless RECORD@seatI:N says so")
    if name.seat not in (None, seat):
        raise WrongUse(f"two seats are named: {name.seat} after the record, and --seat {seat}")
    return seat


def _show(shadowed: Shadowed) -> None:
    if shadowed.differences:
        listed = table()
        listed.add_column("decision", justify="right")
        for head in ("asked", "recorded", "by", "the bot's answer"):
            listed.add_column(head)
        for each in shadowed.differences:
            answer = "failed" if each.answered is None else each.answered if each.legal else f"{each.answered} (illegal)"
            listed.add_row(str(each.number), each.asked, each.recorded, each.by, answer)
        show(listed)
    for each in shadowed.differences:
        if each.failure is not None:
            complain(each.failure)
        elif each.refusal is not None:
            complain(f"decision {each.number}: {each.answered} is illegal: {each.refusal}")
    show_line(f"{shadowed.questions} questions, {len(shadowed.differences)} answered otherwise")


def _show_all(found: Sequence[_Found], *, is_one_of_several: bool) -> None:
    for one in found:
        if is_one_of_several:
            show_line(f"{shown_path(one.path)}, seat {one.seat}")
        _show(one.shadowed)
        if is_one_of_several:
            show_line("")
    if is_one_of_several:
        questions = sum(one.shadowed.questions for one in found)
        differences = sum(len(one.shadowed.differences) for one in found)
        show_line(f"{len(found)} records: {questions} questions, {differences} answered otherwise")


def _documents(found: Sequence[_Found], bot: str, *, is_one_of_several: bool) -> dict[str, object]:
    """The document of the only record, or a list of those of several."""
    if not is_one_of_several:
        return _document(found[0], bot)
    return {"bot": bot, "records": [{"record": str(one.path), **_document(one, bot)} for one in found]}


def _document(found: _Found, bot: str) -> dict[str, object]:
    shadowed = found.shadowed
    return {
        "match": found.match,
        "seat": found.seat,
        "first": found.first,
        "bot": bot,
        "questions": shadowed.questions,
        "differences": [
            {
                "decision": each.number,
                "asked": each.asked,
                "recorded": each.recorded,
                "by": each.by,
                "answered": each.answered,
                "legal": each.legal,
                "refusal": each.refusal,
                "failure": each.failure,
            }
            for each in shadowed.differences
        ],
    }
