"""When a match on a server begins: how one says it, and how one is told what a match waits for."""

import argparse
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from mergemaker.v1 import matches_pb2
from mergemaker_table.join_terms import WAIT_MS_MAX, MissingSeats

from mergemaker_tools import options as shared

_WAIT: Final = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>[smhd])")
_UNIT_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_MISSING: Final = {
    MissingSeats.VOID: matches_pb2.MISSING_SEATS_VOID,
    MissingSeats.PLAY: matches_pb2.MISSING_SEATS_PLAY,
}


def add_beginning(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say when a match begins."""
    parser.add_argument(
        "--join-from",
        metavar="TIME",
        type=_moment,
        help="when the time to join begins, such as 2026-11-18T18:00Z (default: when all --bot are connected and free)",
    )
    parser.add_argument(
        "--wait",
        metavar="TIME",
        type=_wait_ms,
        help="how long the match waits until all --bot are connected and free: 90s, 30m, 24h, 7d (default: the server's)",
    )
    parser.add_argument(
        "--missing",
        metavar="void|play",
        type=shared.one_of(MissingSeats),
        help="if not all come: void the match, or play it with defaults for the others (default: the server's)",
    )


def set_beginning(request: matches_pb2.CreateMatchRequest, options: argparse.Namespace) -> None:
    """Puts what the options say into a request."""
    if options.join_from is not None:
        request.join_from.FromDatetime(options.join_from)
    if options.wait is not None:
        request.wait_ms_max = options.wait
    if options.missing is not None:
        request.missing_seats = _MISSING[options.missing]


def awaited_lines(match: matches_pb2.MatchSummary) -> Iterator[str]:
    """What a match waits for, where it waits."""
    if match.phase != matches_pb2.MATCH_PHASE_WAITING:
        return
    if match.HasField("join_from"):
        yield f"match {match.match} waits until {match.join_from.ToJsonString()}"
    if match.awaited:
        bots = "; ".join(f"{each.bot_id} {each.why}".rstrip() for each in match.awaited)
        yield f"match {match.match} waits for its bots: {bots}"


def awaited_document(match: matches_pb2.MatchSummary) -> dict[str, object]:
    """The same for programs."""
    return {
        "awaited": [{"bot": each.bot_id, "why": each.why} for each in match.awaited],
        "join_from": match.join_from.ToJsonString() if match.HasField("join_from") else None,
    }


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise argparse.ArgumentTypeError(
            f"takes a time with its zone, as 2026-11-18T18:00Z or 2026-11-18T19:00+01:00, not {text!r}"
        )
    return moment.astimezone(UTC)


def _wait_ms(text: str) -> int:
    found = _WAIT.fullmatch(text)
    wait_ms = int(found["number"]) * _UNIT_MS[found["unit"]] if found else None
    if wait_ms is None or wait_ms > WAIT_MS_MAX:
        days = WAIT_MS_MAX // _UNIT_MS["d"]
        raise argparse.ArgumentTypeError(f"takes a time up to {days}d, as 90s, 30m, 24h or 7d, not {text!r}")
    return wait_ms
