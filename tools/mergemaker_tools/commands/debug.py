"""Feeds a bot its recorded past, stops at a decision, and steps on or back.

The bot, in any language, gets the events that the recorded seat got, and is asked its questions in order, without a clock; its
answers do not change the game. At the decision the command shows question, answer, time, note, and what the bot wrote to its
standard error. Then n and Enter go on to the next decision of the seat, b back to the one before (with a new bot, which
gets its past again), a number to that decision, p shows the position to paste into a test, and q quits. Numbers are those of the
seat, as its bot counts them: RECORD@seat3:41. RECORD@57 is decision 57 of the match, of the seat that was asked. Without either,
it begins at the first decision of --seat.

With --wait, the process id is shown and nothing asked until you press Enter, so that a debugger can be attached. A
built-in bot or a command line is a process; module:Class plays in this process, where breakpoint() works.
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Final

from mergemaker_client.bots import NAMES
from mergemaker_client.recorded import RecordedTurn
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_processes.bot_names import BuiltInBot, CommandBot, ModuleBot, ScriptBot, bot_spec
from mergemaker_processes.environment import Address
from mergemaker_processes.launching import Launch
from mergemaker_processes.texts import shown_path
from mergemaker_referee.records.files import open_record

from mergemaker_tools import options as shared
from mergemaker_tools.commands.shadow import LIMIT_S, LIMIT_S_MAX
from mergemaker_tools.problems import DONE, WrongUse
from mergemaker_tools.records.places import DecisionName, decision_name, split_place
from mergemaker_tools.screen import write_document
from mergemaker_tools.shadowing.steps_shown import OneStep, PersonsSteps

LISTED_MAX: Final = 30
"""How many of a seat's decisions an error lists."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.usage = "%(prog)s [options] RECORD[@seatI:N] [--] BOT"
    parser.add_argument("place", metavar="RECORD[@N]", help="the record of a finished match, and the decision to stop at")
    parser.add_argument(
        "bot",
        metavar="BOT",
        help=f"a command line in quotes, a path ending in .py, {', '.join(NAMES)} (with options), or module:Class",
    )
    parser.add_argument(
        "--seat",
        metavar="I",
        type=shared.whole_number(0, SEATS_MAX - 1),
        help="whose past (default: that of I in RECORD@seatI:N, or that of the seat that was asked decision N)",
    )
    parser.add_argument("--wait", action="store_true", help="before the first question, wait until a debugger is attached")
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=shared.whole_number(1, LIMIT_S_MAX),
        default=LIMIT_S,
        help="how long a bot's process may take to start, and for each answer (default: %(default)s)",
    )
    parser.add_argument("--logs", metavar="FOLDER", type=Path, help="keep what a bot's process writes here")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Goes to the decision, and from there where its user wants."""
    if options.json and options.wait:
        raise WrongUse("--wait waits for a person, and --json is for programs: leave one of them out")
    spec = bot_spec(options.bot, NAMES)
    if not isinstance(spec, BuiltInBot | CommandBot | ScriptBot | ModuleBot):
        raise WrongUse(f"{spec.name} is no bot to debug: name a command line, a .py file, module:Class, or a built-in bot")
    path, name = _place_of(options.place)
    try:
        record = open_record(path)
        seat, questions, start = _meant(record, name, options.seat)
    except OSError as error:
        raise WrongUse(f"cannot read {shown_path(path)}: {error.strerror or error}") from error
    except RecordError as error:
        raise WrongUse(f"{shown_path(path)}: {error}") from error
    steps = OneStep(questions) if options.json else PersonsSteps(questions, path, waits=options.wait)
    if isinstance(spec, ModuleBot):
        from mergemaker_tools.play.modules import factory_in  # noqa: PLC0415 - most bots are processes
        from mergemaker_tools.shadowing.stepping import debug_here  # noqa: PLC0415 - slow to import

        debug_here(record, questions, factory_in(spec), start, steps)
    else:
        _debug_process(spec, options, record, seat, start, steps)
    if isinstance(steps, OneStep):
        write_document({"record": str(path), "match": record.header.match, "seat": seat, "bot": options.bot, **steps.document})
    return DONE


def _debug_process(
    spec: BuiltInBot | CommandBot | ScriptBot,
    options: argparse.Namespace,
    record: Record,
    seat: int,
    start: int,
    steps: OneStep | PersonsSteps,
) -> None:
    # Slow to import: gRPC, and what starts the bots of a match.
    from mergemaker_processes.logs import new_log_files  # noqa: PLC0415 - as said
    from mergemaker_referee.configuration.settings import LogFormat, LogLevel  # noqa: PLC0415 - as said
    from mergemaker_referee.logs import configure_log  # noqa: PLC0415 - as said

    from mergemaker_tools.play.seating import BOT_NAME_CHARACTERS_MAX, command_of, launch_at  # noqa: PLC0415 - as said
    from mergemaker_tools.shadowing.stepping import debug_process  # noqa: PLC0415 - as said

    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    folder = options.logs or Path(tempfile.mkdtemp(prefix="mergemaker-logs-"))
    name = spec.name[:BOT_NAME_CHARACTERS_MAX]

    def launch(address: Address) -> Launch:
        files = new_log_files(folder, record.header.match, seat, name)
        return launch_at(address, name=name, command=command_of(spec), logs=files, confining=None, seat=0)

    logs = debug_process(record, seat, start, launch, options.limit, steps)
    steps.ended(logs)
    if options.logs is None:
        shutil.rmtree(folder, ignore_errors=True)


def _place_of(text: str) -> tuple[Path, DecisionName | None]:
    path, named = split_place(text)
    name = None if named is None else decision_name(named)
    if named is not None and name is None:
        raise WrongUse(f"no match has a decision {named}")
    return path, name


def _meant(record: Record, name: DecisionName | None, given: int | None) -> tuple[int, tuple[RecordedTurn, ...], int]:
    """The seat, its questions, and at which of them to stop."""
    from mergemaker_tools.shadowing.stepped_seat import questions_of  # noqa: PLC0415 - slow to import

    seat = _seat_of(record, name, given)
    questions = questions_of(record, seat)
    if not questions:
        raise WrongUse(f"seat {seat} was asked nothing in this match")
    if name is None:
        return seat, questions, 1
    if name.seat is not None:
        if not 1 <= name.number <= len(questions):
            raise WrongUse(
                f"seat {seat} was asked {len(questions)} times in this match: its decisions are @seat{seat}:1 to "
                f"@seat{seat}:{len(questions)}"
            )
        return seat, questions, name.number
    by_decision = {recorded.number: recorded.turn.number for recorded in questions}
    if name.number not in by_decision:
        raise WrongUse(
            f"decision {name.number} was not asked of seat {seat}, which was asked {_nearest(by_decision, name.number)}"
        )
    return seat, questions, by_decision[name.number]


def _seat_of(record: Record, name: DecisionName | None, given: int | None) -> int:
    if name is not None and name.seat is not None:
        if given not in (None, name.seat):
            raise WrongUse(f"two seats are named: {name.seat} after the record, and --seat {given}")
        return name.seat
    if given is not None:
        return given
    if name is None:
        raise WrongUse("say which decision: RECORD@seat0:12, RECORD@57, or --seat for the first one of a seat")
    last = len(record.decisions)
    if not 1 <= name.number <= last:
        raise WrongUse(f"this match has the decisions 1 to {last}, and no decision {name.number}")
    return record.decisions[name.number - 1].seat


def _nearest(numbers: dict[int, int], wanted: int) -> str:
    """A seat's decisions in the match, those around a number if there are many."""
    nearest = sorted(sorted(numbers, key=lambda number: abs(number - wanted))[:LISTED_MAX])
    more = "" if len(nearest) == len(numbers) else f" and {len(numbers) - len(nearest)} others"
    return f"decisions {', '.join(map(str, nearest))}{more}"
