"""Shows a recorded match, decision by decision: on the whole screen, as a page, as a score, as JSON, or in numbers.

RECORD@57 shows decision 57 as it was asked: the position before it, the legal answers and what each tile would do, and then
the answer. On a terminal, keys step through the game; `?` lists them. --seat shows only what that seat knew then. --faults
shows what went wrong, with the measured times, and whose fault it was. A match that is running or was broken off can be
shown where its secrets lie beside it (RECORD.secrets). --html writes one file with the whole match and a viewer for any
browser, which needs no network and can be sent to anybody; RECORD@57 --html opens at decision 57. --web opens the same page
in the browser of this machine, and --link prints an address that holds the game itself. --png and --gif write pictures.
"""

import argparse
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_processes.texts import shown_path
from mergemaker_web.carried import Carried

from mergemaker_tools import options as shared
from mergemaker_tools.exporting.part_file import check_place, part_file
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.records.places import DecisionName, decision_name, split_place
from mergemaker_tools.replaying.opening import opened, seed_beside
from mergemaker_tools.replaying.story import Story
from mergemaker_tools.replaying.terminal import check_terminal, spelled
from mergemaker_tools.screen import complain, write, write_document
from mergemaker_tools.tables import show

TEXT_SIZE: Final = (80, 24)
"""Columns and rows where there is no terminal, and COLUMNS does not say otherwise."""
_NUMBER_MAX: Final = 9_999_999
_RANGE: Final = re.compile(r"\d+\.\.\d+")
"""What after --gif is meant for it, although its value may be left out."""
_ADDRESS: Final = re.compile(r"[^\s#]+")
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
    parser.add_argument("--html", metavar="FILE", help="write a page with the match and a viewer for it")
    parser.add_argument("--web", action="store_true", help="show the match in the browser of this machine, until Ctrl-C")
    parser.add_argument(
        "--link",
        metavar="ADDRESS",
        help="print a link that holds the game; ADDRESS is that of any page of --html, which shows it",
    )
    parser.add_argument(
        "--png", metavar="N", type=shared.whole_number(0, _NUMBER_MAX), help="write a picture of decision N; 0 is the set-up"
    )
    gif = parser.add_argument(
        "--gif",
        metavar="A..B",
        nargs="?",
        const="",
        help="write a moving picture of the match, or of some decisions: --gif 10..20",
    )
    gif.value_form = _RANGE  # type: ignore[attr-defined]  # of the command's own parser
    parser.add_argument("-o", "--output", metavar="FILE", help="the file of --png and --gif; by default named after the match")
    parser.add_argument("--force", action="store_true", help="replace the file if it is there")
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
    if not (options.text or options.json or options.stats or options.faults or _way_to_page(options)):
        check_terminal(f"`{own_command('replay', options.record, '--text')}` shows the game as text")
    record = opened(path)
    if options.seat is not None and options.seat >= record.header.seats:
        raise WrongUse(f"--seat takes a seat of this match, 0 to {record.header.seats - 1}, not {options.seat}")
    at = None if name is None else name.number_in(record)
    if options.faults:
        return _show_faults(record, options.seat, at, as_json=options.json)
    seed = None if record.end is not None else _seed_of_unfinished(path)
    if _way_to_page(options):
        return _show_page(record, path, seed, at, options)
    if record.end is None and seed is None:
        return _show_unfinished(record, path, options)
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
    if _way_to_page(options):
        _check_page(options)
    makes_picture = options.png is not None or options.gif is not None
    if options.force and options.html is None and not makes_picture:
        raise WrongUse("--force replaces the file of --html, --png or --gif: add one of them, or leave it out")
    if options.output is not None and not makes_picture:
        raise WrongUse("-o names the file of --png or --gif: add one of them, or leave it out")
    if options.stats and options.seat is not None:
        raise WrongUse("--stats counts what no single seat knows: leave out --seat or --stats")


def _check_page(options: argparse.Namespace) -> None:
    """Refuses what does not go together with a page."""
    way, *others = _way_to_page(options)
    if others:
        raise WrongUse(f"{way} and {others[0]} are two ways to show a match: leave one out")
    if options.text or options.json or options.stats or options.faults:
        raise WrongUse(f"{way} makes a page, which shows the score and the faults, too: leave out the other option")
    if options.seat is not None:
        raise WrongUse(f"{way} makes a page of the whole match; on it, a click on a seat's name shows what that seat knew")
    if options.html is not None:
        check_place(Path(options.html), force=options.force)
    if options.link is not None and not _ADDRESS.fullmatch(options.link):
        raise WrongUse(f"--link takes the address of a page, as in https://example.org/match.html, not {options.link!r}")


def _way_to_page(options: argparse.Namespace) -> list[str]:
    """The options that show the match as a page or picture."""
    return [
        f"--{name}"
        for name in ("web", "html", "link", "png", "gif")
        if getattr(options, name) is not None and getattr(options, name) is not False
    ]


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


def _seed_of_unfinished(path: Path) -> bytes | None:
    """The seed of an unfinished match if its secrets are there, which is then reported."""
    seed = seed_beside(path)
    if seed is not None:
        complain(f"{shown_path(path)} has no end line: it is played with the secrets beside it, as far as it goes")
    return seed


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


def _show_page(record: Record, path: Path, seed: bytes | None, at: int | None, options: argparse.Namespace) -> int:
    """Makes the page of a match. One whose deal is not known is shown as its answers."""
    from mergemaker_tools.replaying.carrying import carried_from  # noqa: PLC0415 - as above

    is_playable = record.deal is not None and (record.end is not None or seed is not None)
    story = _story(record, path, seed) if is_playable else None
    if at is not None and at > len(record.decisions):
        raise WrongUse(f"@N takes a decision of this match, 0 (before the first) to {len(record.decisions)}, not {at}")
    if options.link is not None:
        return _write_link(record, path, at, options.link)
    if options.png is not None or options.gif is not None:
        return _write_picture(story, path, options)
    if story is None:
        complain(f"{shown_path(path)}: the deal is not known, so the page shows the answers alone")
    match = carried_from(path, story, at)
    if options.web:
        from mergemaker_tools.replaying.browsing import show_in_browser  # noqa: PLC0415 - as above

        show_in_browser(match)
        return DONE
    return _write_page(match, path, Path(options.html), force=options.force)


def _write_picture(story: Story | None, path: Path, options: argparse.Namespace) -> int:
    """Writes a PNG of one position, or a GIF of several."""
    from mergemaker_web.pictures import NoPillow, gif_of, png_of  # noqa: PLC0415 - as above

    from mergemaker_tools.replaying.picturing import frames_of, positions_from  # noqa: PLC0415 - as above

    if story is None:
        raise CommandFailed(f"{shown_path(path)}: the deal is not known, so there is no board to draw")
    positions = positions_from(f"{options.png}..{options.png}" if options.gif is None else options.gif, story.last)
    ending = f"-{options.png}.png" if options.gif is None else ".gif"
    target = Path(options.output or f"{story.header.match}{ending}")
    check_place(target, force=options.force)
    frames = frames_of(story, positions)
    try:
        picture, shown = (png_of(frames[0]), 1) if options.gif is None else gif_of(frames)
    except NoPillow as error:
        raise CommandFailed(str(error)) from error
    with part_file(target, force=options.force) as file:
        file.write(picture)
    some = "" if shown == len(frames) else f", with {shown} of {len(frames)} positions to keep it small"
    complain(f"wrote {shown_path(target)}, {len(picture):,} bytes{some}")
    return DONE


def _write_link(record: Record, path: Path, at: int | None, address: str) -> int:
    """Prints the link of a game."""
    from mergemaker_web.link import MEMBER, NoLink, game_link  # noqa: PLC0415 - as above

    try:
        game = game_link(record)
    except NoLink as error:
        raise CommandFailed(f"{shown_path(path)}: {error}") from error
    place = "" if at is None else f"{at}&"
    write(f"{address}#{place}{MEMBER}={game}\n")
    return DONE


def _write_page(match: Carried, path: Path, target: Path, *, force: bool) -> int:
    from mergemaker_web.page import PageTooLarge, match_page  # noqa: PLC0415 - as above

    try:
        page = match_page(match)
    except PageTooLarge as error:
        raise CommandFailed(f"{shown_path(path)}: {error}") from error
    with part_file(target, force=force) as file:
        file.write(page)
    complain(f"wrote {shown_path(target)}, {len(page):,} bytes: open it in a browser")
    return DONE


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
