"""Shows a recorded match, decision by decision: on the whole screen, as a score, as JSON, or in numbers.

RECORD@57 shows decision 57 as it was asked: the position before it, the legal answers and what each tile would do, and then
the answer. On a terminal, keys step through the game; `?` lists them. --seat shows only what that seat knew then. --faults
shows what went wrong, with the measured times, and whose fault it was. A match that is running or was broken off can be
shown where its secrets lie beside it (RECORD.secrets).
"""

import argparse
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_processes.texts import shown_path
from mergemaker_referee.records.files import open_record, record_chunks

from mergemaker_tools import options as shared
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.records.places import DecisionName, decision_name, split_place
from mergemaker_tools.replaying.story import Story
from mergemaker_tools.replaying.terminal import check_terminal, spelled
from mergemaker_tools.screen import complain, write, write_document
from mergemaker_tools.tables import show

TEXT_SIZE: Final = (80, 24)
"""Columns and rows where there is no terminal, and COLUMNS does not say otherwise."""
TEXT_CHARACTERS_MIN: Final = 40
"""Narrower texts are not written."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "record",
        metavar="RECORD",
        help="a record: .jsonl, plain or packed; RECORD@57 shows decision 57 as it was asked, "
        "RECORD@seat0:12 the one that the bot of seat 0 reported as 12",
    )
    parser.add_argument(
        "at",
        metavar="@N",
        nargs="?",
        help="directly after RECORD: the decision to show, as for `fork` and `shadow`; 0 is the set-up",
    )
    parser.add_argument("--text", action="store_true", help="write the score of the game: a line for each turn")
    parser.add_argument("--stats", action="store_true", help="show the game in numbers")
    parser.add_argument(
        "--faults", action="store_true", help="show what went wrong, when, and whose fault it was; also for an unfinished match"
    )
    parser.add_argument(
        "--seat",
        metavar="I",
        type=shared.whole_number(0, SEATS_MAX - 1),
        help="show what this seat knew then, and nothing else",
    )
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Shows the record in the requested way."""
    _check_together(options)
    path, name = _place(options.record, options.at)
    if not (options.text or options.json or options.stats or options.faults):
        check_terminal(f"`{own_command('replay', options.record, '--text')}` shows the game as text")
    record = _read(path)
    if options.seat is not None and options.seat >= record.header.seats:
        raise WrongUse(f"--seat takes a seat of this match, 0 to {record.header.seats - 1}, not {options.seat}")
    at = None if name is None else name.number_in(record)
    if options.faults:
        return _show_faults(record, options.seat, at, as_json=options.json)
    seed = None
    if record.end is None:
        seed = _seed_beside(path)
        if seed is None:
            return _show_unfinished(record, path, options)
        complain(f"{shown_path(path)} has no end line: it is played with the secrets beside it, as far as it goes")
    story = _story(record, path, seed)
    if at is not None and at > story.last:
        raise WrongUse(f"@N takes a decision of this match, 0 (before the first) to {story.last}, not {at}")
    if options.stats:
        return _show_statistics(story, as_json=options.json)
    if options.json:
        from mergemaker_tools.replaying.document import document_of  # noqa: PLC0415 - each way imports what it needs

        write_document(document_of(story, options.seat, at))
        return DONE
    if options.text:
        return _show_text(story, options.seat, at)
    from mergemaker_tools.replaying.theatre import perform  # noqa: PLC0415 - as above

    perform(story, at, options.seat)
    return DONE


def _check_together(options: argparse.Namespace) -> None:
    if options.text and (options.json or options.stats):
        other = "--json" if options.json else "--stats"
        raise WrongUse(f"--text and {other} are two ways to show a record: leave one out")
    if options.faults and (options.text or options.stats):
        other = "--text" if options.text else "--stats"
        raise WrongUse(f"--faults and {other} are two ways to show a record: leave one out")
    if options.stats and options.seat is not None:
        raise WrongUse("--stats counts what no single seat knows: leave out --seat or --stats")


def _place(record: str, at: str | None) -> tuple[Path, DecisionName | None]:
    """The record's file, and the decision if one is named, as an argument of its own or as part of the file's name."""
    path, glued = split_place(record)
    if at is None and glued is None:
        return path, None
    named = glued if at is None else at
    name = decision_name(named or "")
    if name is None:
        raise WrongUse(f"after the record comes @ and the number of a decision, as in @57 or @seat0:12, not {named!r}")
    if at is not None and glued is not None:
        raise WrongUse(f"two decisions are named, by {record!r} and {at!r}: leave one out")
    return path, name


def _read(path: Path) -> Record:
    try:
        try:
            return open_record(path)
        except RecordError as error:
            if error.reason != "torn":
                raise
            record = read_record(record_chunks(path), torn_end=True)
            if record.end is not None:
                raise
            return record
    except RecordError as error:
        raise CommandFailed(f"{shown_path(path)} is not a record that can be shown: {error}") from error
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else "that is not a file's path"
        raise WrongUse(f"RECORD takes the path of a record's file, not {str(path)!r}: {why}") from error
    except OSError as error:
        raise CommandFailed(f"{shown_path(path)} cannot be read: {error.strerror or error}") from error


def _seed_beside(path: Path) -> bytes | None:
    """The seed of an unfinished match, if its secrets are there."""
    from mergemaker_referee.records.secrets_file import read_secrets, secrets_path  # noqa: PLC0415 - as above

    try:
        return read_secrets(path).seed
    except FileNotFoundError:
        return None
    except OSError as error:
        secrets = shown_path(secrets_path(path))
        raise CommandFailed(f"{secrets} cannot be read: {error.strerror or error}\nOnly its owner may read it.") from error
    except RecordError as error:
        raise CommandFailed(f"{shown_path(path)}: {error}") from error


def _story(record: Record, path: Path, seed: bytes | None) -> Story:
    from mergemaker_tools.replaying.story import tell  # noqa: PLC0415 - as above

    try:
        return tell(record, seed)
    except RecordError as error:
        raise CommandFailed(f"{shown_path(path)} does not tell a game by its rules: {error}") from error


def _show_unfinished(record: Record, path: Path, options: argparse.Namespace) -> int:
    """Shows what needs no seed, and still fails: it is not a whole game."""
    said = f"{shown_path(path)} has no end line: the match is running, or was broken off, and its secrets are not beside it"
    if not options.text:
        raise CommandFailed(f"{said}\n--text shows its header and the answers so far.")
    from mergemaker_tools.replaying.score import answers_of  # noqa: PLC0415 - as above

    _write_lines(answers_of(record, options.seat, _width()))
    raise CommandFailed(said)


def _show_faults(record: Record, seat: int | None, at: int | None, *, as_json: bool) -> int:
    """Shows what went wrong: everything, or what concerns a seat or a decision."""
    from mergemaker_tools.replaying import faults_shown  # noqa: PLC0415 - as above
    from mergemaker_tools.replaying.faults import faults_of  # noqa: PLC0415 - as above

    faults = faults_of(record)
    chosen = [fault for fault in faults.found if seat in (None, fault.seat) and at in (None, fault.decision)]
    if as_json:
        write_document(faults_shown.faults_document(record, faults, chosen))
    else:
        show(*faults_shown.faults_tables(record, faults, chosen))
    return DONE


def _show_statistics(story: Story, *, as_json: bool) -> int:
    from mergemaker_tools.replaying import statistics  # noqa: PLC0415 - as above

    found = statistics.statistics_of(story)
    if as_json:
        write_document(statistics.statistics_document(story, found))
    else:
        show(*statistics.statistics_tables(story, found))
    return DONE


def _show_text(story: Story, seat: int | None, at: int | None) -> int:
    if at is None:
        from mergemaker_tools.replaying.score import score_of  # noqa: PLC0415 - as above

        _write_lines(score_of(story, seat, _width()))
        return DONE
    from mergemaker_tools.replaying.frame import asked_text  # noqa: PLC0415 - as above
    from mergemaker_tools.replaying.player import begin  # noqa: PLC0415 - as above

    shown = asked_text(begin(story, at, seat), _width())
    _write_lines(line.rstrip() for line in shown.rstrip().splitlines())
    return DONE


def _write_lines(lines: Iterable[str]) -> None:
    write(spelled("".join(line + "\n" for line in lines)))


def _width() -> int:
    """The columns of the terminal, or those that COLUMNS names."""
    return max(shutil.get_terminal_size(TEXT_SIZE).columns, TEXT_CHARACTERS_MIN)
