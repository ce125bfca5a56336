"""Makes, lists and cancels matches of a running server, and fetches the records of those that are over.

All of it needs the operator's token, which `mergemaker serve` shows, except for the
server's public log: anybody may fetch that.
"""

import argparse
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_client.environment import CA_VARIABLE, PLAIN_TEXT_ALLOWED, PLAIN_TEXT_VARIABLE, SERVER_VARIABLE, TOKEN_VARIABLE
from mergemaker_processes.texts import shown_path
from mergemaker_referee.records.files import SUFFIX
from mergemaker_referee.records.log_file import LOG_NAME
from mergemaker_table.terms import CLOCKS
from mergemaker_wire.rules import rules_to_message

from mergemaker_tools import options as shared
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.records.checking import check_file
from mergemaker_tools.screen import show_line, write_document
from mergemaker_tools.server.beginnings import add_beginning, awaited_lines, set_beginning
from mergemaker_tools.server.fetching import download, keep_signature
from mergemaker_tools.server.labels import add_labels, labels_of
from mergemaker_tools.server.log_copy import copy_log
from mergemaker_tools.server.places import Place, add_place, place_of
from mergemaker_tools.server.remote import Remote
from mergemaker_tools.server.shown_matches import listed_table, match_document, show_match
from mergemaker_tools.tables import show

LISTED_USUAL: Final = 100
LISTED_MAX: Final = 100_000
PHASES: Final = ("waiting", "joining", "playing", "suspended", "over")
_MATCH_ID: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_DEVICE: Final = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Names that Windows takes for devices, whatever follows the dot."""
_PART: Final = "part"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's parts and their arguments."""
    _add_common(parser, None)
    parts = parser.add_subparsers(dest=_PART, metavar="PART", required=True)
    create = parts.add_parser("create", help="make a match, and show the tokens of its seats", allow_abbrev=False)
    _configure_create(create)
    listing = parts.add_parser("list", help="list matches, newest first", allow_abbrev=False)
    listing.add_argument("--phase", choices=PHASES, help="only those in this phase")
    add_labels(listing, "only those with this label; several: with all of them")
    listing.add_argument(
        "--limit",
        metavar="N",
        type=shared.whole_number(1, LISTED_MAX),
        default=LISTED_USUAL,
        help="how many at most (default: %(default)s)",
    )
    get = parts.add_parser("get", help="show one match", allow_abbrev=False)
    cancel = parts.add_parser("cancel", help="void a match that is not over", allow_abbrev=False)
    cancel.add_argument("--why", default="", help="the reason, for the record")
    fetch = parts.add_parser("fetch", help="fetch the record of a match that is over, and verify it", allow_abbrev=False)
    fetch.add_argument("-o", "--output", metavar="FILE", type=Path, help="where to write it (default: MATCH.jsonl)")
    fetch.add_argument("--no-verify", action="store_true", help="do not verify it")
    log = parts.add_parser("log", help="fetch the server's public log, or what is new in it; needs no token", allow_abbrev=False)
    log.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path(LOG_NAME),
        help="where to keep it; an earlier copy there is checked and continued (default: %(default)s)",
    )
    for part in (get, cancel, fetch):
        part.add_argument("match", metavar="MATCH", help="the match's id")
    for part in (create, listing, get, cancel, fetch, log):
        _add_common(part, argparse.SUPPRESS)


def _add_common(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Options that may come before or after the part."""
    add_place(parser, default)
    parser.add_argument(
        "--json",
        action="store_true",
        default=default or False,
        help="write one JSON document to standard output and nothing else",
    )


def _configure_create(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seat",
        metavar="NAME",
        dest="seats",
        action="append",
        type=lambda name: matches_pb2.SeatPlan(name=name),
        help="a seat for any bot with its token, under this name; one for each seat",
    )
    parser.add_argument(
        "--bot",
        metavar="NAME",
        dest="seats",
        action="append",
        type=lambda name: matches_pb2.SeatPlan(name=name, bot_id=name),
        help="a seat for a bot that the server's configuration knows",
    )
    parser.add_argument("--rules", metavar="NAME", help="the preset to play by (default: the server's)")
    shared.add_settings(parser)
    parser.add_argument("--clock", metavar="NAME", help=f"{', '.join(CLOCKS)}, or one of the server's (default: the server's)")
    add_beginning(parser)
    add_labels(parser, "label the match, for lists and its record, such as event=spring-cup; may be given several times")
    parser.add_argument(
        "--key", metavar="TEXT", default="", help="make the match once, however often this command is repeated with the key"
    )
    deal = parser.add_mutually_exclusive_group()
    deal.add_argument("--joint", action="store_true", help="deal from parts of all seats")
    deal.add_argument("--seed", metavar="HEX", help="deal from this seed, up to 64 hexadecimal digits; nothing is promised then")


def run(options: argparse.Namespace) -> int:
    """Does what the part is for."""
    part = _PARTS[getattr(options, _PART)]
    return part(options, place_of(options, None if part is _log else "the operator's"))


# --- create -------------------------------------------------------------------------------------------------


def _create(options: argparse.Namespace, place: Place) -> int:
    if not options.seats:
        raise WrongUse("who plays? Give --seat NAME or --bot NAME for each seat, 2 to 6 of them")
    request = matches_pb2.CreateMatchRequest(seats=options.seats)
    if options.rules:
        request.rules.CopyFrom(rules_to_message(shared.rules_from(options.rules, options.settings)))
    elif options.settings:
        raise WrongUse("--set changes the knobs of a preset, and the server's is not known here: name one with --rules")
    if options.clock:
        request.clock.name = options.clock  # the server knows what a name alone means
    set_beginning(request, options)
    request.labels.update(labels_of(options))
    request.idempotency_key = options.key
    if options.joint:
        request.deal_mode = match_pb2.DEAL_MODE_JOINT
    if options.seed is not None:
        request.seed = shared.seed_from(options.seed)
    with Remote(place) as remote:
        made = remote.create(request)
    environments = [_environment(place, token) if token else None for token in made.seat_tokens]
    if options.json:
        seats = [
            {"seat": seat, "name": name, "token": made.seat_tokens[seat] or None, "environment": environments[seat]}
            for seat, name in enumerate(bot.name for bot in made.match.bots)
        ]
        write_document({"match": match_document(made.match), "server": str(place.target), "seats": seats})
        return DONE
    show_line(f"match {made.match.match} waits for its {len(made.match.bots)} bots; the tokens are shown this once")
    for seat, name in enumerate(bot.name for bot in made.match.bots):
        environment = environments[seat]
        if environment is None:
            show_line(f"\nseat {seat}, {name}: takes it with its own token")
        else:
            words = " ".join(f"{variable}={shlex.quote(value)}" for variable, value in environment.items())
            show_line(f"\nseat {seat}, {name}:\nexport {words}")
    for number, line in enumerate(awaited_lines(made.match)):
        show_line(line if number else f"\n{line}")
    return DONE


def _environment(place: Place, token: str) -> dict[str, str]:
    """What a bot's process needs to know to take a seat."""
    target = place.target
    variables = {SERVER_VARIABLE: str(target), TOKEN_VARIABLE: token}
    if not target.secure and not target.is_loopback:
        variables[PLAIN_TEXT_VARIABLE] = PLAIN_TEXT_ALLOWED
    return variables | ({CA_VARIABLE: os.environ[CA_VARIABLE]} if place.ca else {})


# --- list, get, cancel --------------------------------------------------------------------------------------


def _list(options: argparse.Namespace, place: Place) -> int:
    phase = matches_pb2.MatchPhase.Value(f"MATCH_PHASE_{(options.phase or 'unspecified').upper()}")
    with Remote(place) as remote:
        found = remote.matches(phase, options.limit, labels_of(options))
    if options.json:
        write_document({"matches": [match_document(match) for match in found]})
        return DONE
    if not found:
        show_line("no matches")
        return DONE
    show(listed_table(found))
    for match in found:
        for line in awaited_lines(match):
            show_line(line)
    return DONE


def _get(options: argparse.Namespace, place: Place) -> int:
    with Remote(place) as remote:
        found = remote.get(options.match)
    return show_match(found.match, options.json, found)


def _cancel(options: argparse.Namespace, place: Place) -> int:
    with Remote(place) as remote:
        return show_match(remote.cancel(options.match, options.why), options.json)


# --- fetch --------------------------------------------------------------------------------------------------


def _fetch(options: argparse.Namespace, place: Place) -> int:
    path = options.output
    if path is None:
        if not _MATCH_ID.fullmatch(options.match) or _DEVICE.fullmatch(options.match.partition(".")[0]):
            raise WrongUse(f"{options.match!r} makes no name for a file: say where to write with -o FILE")
        path = Path(options.match + SUFFIX)
    if path.exists():
        raise WrongUse(f"{shown_path(path)} is there already, and is not written over: name another file with -o")
    with Remote(place) as remote:
        size = download(remote, options.match, path)
        signature = keep_signature(remote, options.match, path)
    decisions = None
    if not options.no_verify:
        checked = check_file(path, with_audit=False)
        if checked.finding:
            raise CommandFailed(f"the record was fetched, and does not verify: {checked.finding.sentence}")
        decisions = checked.decisions
    if options.json:
        write_document(
            {
                "match": options.match,
                "record": str(path),
                "bytes": size,
                "verified": not options.no_verify,
                "signature": None if signature is None else str(signature),
            }
        )
        return DONE
    state = "not verified" if decisions is None else f"{decisions:,} decisions, verified"
    show_line(f"record: {shown_path(path)} ({size:,} bytes, {state})")
    if signature is not None:
        show_line(f"signature: {shown_path(signature)}")
    return DONE


# --- log ----------------------------------------------------------------------------------------------------


def _log(options: argparse.Namespace, place: Place) -> int:
    with Remote(place) as remote:
        copied = copy_log(options.output, remote.log_page)
    if options.json:
        write_document({"log": str(options.output), "entries": copied.head.entries, "new": copied.new, "head": str(copied.head)})
        return DONE
    entries = f"{copied.head.entries:,} {'entry' if copied.head.entries == 1 else 'entries'}"
    show_line(f"log: {shown_path(options.output)} ({entries}, {copied.new:,} new)")
    show_line(f"head: {copied.head}")
    return DONE


_PARTS: Final[dict[str, Callable[[argparse.Namespace, Place], int]]] = {
    "create": _create,
    "list": _list,
    "get": _get,
    "cancel": _cancel,
    "fetch": _fetch,
    "log": _log,
}
