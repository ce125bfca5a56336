"""Matches that ended before the server started, from their records: only the header and the end line of each.

A server lists them and serves their records. It does not report the turn in which they ended, which is between
the two lines. Nothing is verified here; `mergemaker verify` does that.

A record with neither its end nor its secrets belongs to a voided match, which nobody can take up again: the disk refused the
end line, or somebody removed the secrets.
"""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import nlargest
from pathlib import Path
from typing import Final, NamedTuple

import structlog
from mergemaker.v1 import matches_pb2
from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.lines import AnsweredBy, Ending, EndLine, Header, Line
from mergemaker_engine.record.plain import line_of
from mergemaker_engine.record.receipts import Receipt, receipts_in
from mergemaker_engine.record.splitting import whole_lines
from mergemaker_engine.record.standings import Standing
from mergemaker_table.run_members import RequestKey, bot_ids_in, labels_in, request_in, versions_in
from mergemaker_wire.enums import ENDINGS
from mergemaker_wire.matches import SeatBot, bot_to_message, receipt_to_message, standing_to_message

from mergemaker_referee.records.disks import SYSTEM_DISK, Disk
from mergemaker_referee.records.files import PACKED_SUFFIXES, SUFFIX
from mergemaker_referee.records.leftovers import last_line
from mergemaker_referee.records.secrets_file import secrets_path
from mergemaker_referee.records.signing import RecordEnd
from mergemaker_referee.times import timestamp_of

_LOG = structlog.get_logger(__name__)
LOOK_NAMES: Final = 1_000
"""A look through a folder finds at least this many names, since some of these may not be needed."""
_OF_NO_GAME: Final = ("game", "run", "line")
"""Members of a line that are not of its game part."""


class PastMatch(NamedTuple):
    """A match that ended before the server started."""

    summary: matches_pb2.MatchSummary
    """Its entry in lists."""
    record: Path
    request: RequestKey | None
    """The request that made it; None if that had no key."""
    end: RecordEnd | None
    """What there is to sign; None without an end."""


def past_matches(folders: Sequence[Path], count: int, disk: Disk = SYSTEM_DISK) -> list[PastMatch]:
    """The newest ended matches among the records of some folders, at most `count`, the oldest of them first.

    Names of records sort by time. A record that cannot be read is logged and skipped.
    """
    found: dict[str, PastMatch] = {}
    for path in _newest(folders, count, disk) if count else ():
        try:
            past = past_match(path, disk)
        except (EngineError, OSError) as problem:
            _LOG.warning("a record cannot be read, so its match is not listed", record=str(path), problem=str(problem))
            continue
        if past is not None:
            found.setdefault(past.summary.match, past)
        if len(found) == count:
            break
    return list(reversed(found.values()))


def _newest(folders: Sequence[Path], count: int, disk: Disk) -> Iterator[Path]:
    """All records, the newest first. Only about `count` of their names are in memory at a time."""
    ends = (SUFFIX, *(SUFFIX + packed for packed in PACKED_SUFFIXES))
    most = max(count, LOOK_NAMES)
    last: tuple[str, bool, str, int] | None = None
    while True:
        names = ((name, number) for number, folder in enumerate(folders) for name in disk.names(folder) if name.endswith(ends))
        ages = ((*_age(name), number) for name, number in names)
        newest = nlargest(most, (age for age in ages if last is None or age < last))
        yield from (folders[number] / name for _, _, name, number in newest)
        if len(newest) < most:
            return
        last = newest[-1]


def _age(name: str) -> tuple[str, bool, str]:
    """Greater for newer records. Of one record, the plain file comes before a packed one."""
    return name.partition(SUFFIX)[0], name.endswith(SUFFIX), name


def summary_in(path: Path) -> matches_pb2.MatchSummary | None:
    """The list entry of a record's match; None if it may still be played."""
    found = past_match(path)
    return None if found is None else found.summary


def past_match(path: Path, disk: Disk = SYSTEM_DISK) -> PastMatch | None:
    """The match of a record; None if it may still be played."""
    # This comes first: a match that ends meanwhile writes its end line before its secrets go.
    is_open = disk.tail(_secrets_of(path), 0) is not None
    first, last = _both_ends(path, disk)
    header = Chains().open(first)
    assert isinstance(header, Header), "the first line of a record is nothing else"
    end = _end_in(last, header.seats)
    if end is None:
        if is_open:
            return None
        _LOG.warning(
            "a record has neither its end nor its secrets, so its match is listed as voided",
            record=str(path),
            means="it was voided when the disk refused its end, or its secrets were removed: nobody can take it up again",
            todo="if the secrets are elsewhere, put them back and start the server again; or move the record away",
        )
    receipt = None if end is None else _receipt_in(last, header.match)
    clock = header.clock.get("name", "none")
    summary = matches_pb2.MatchSummary(
        match=header.match,
        phase=matches_pb2.MATCH_PHASE_OVER,
        bots=map(bot_to_message, _bots(header, end)),
        connected=[False] * header.seats,
        clock=clock if isinstance(clock, str) else "",
        rules_fingerprint=header.rules.fingerprint(),
        created=timestamp_of(header.started),
        labels=labels_in(header.more),
        ending=ENDINGS.numbers[Ending.VOIDED if end is None else end.why],
        standings=[standing_to_message(standing) for standing in _standings(header, end)],
        receipt=receipt_to_message(receipt),
    )
    commitment = None if header.promise is None else header.promise.commitment
    ended = None if receipt is None else RecordEnd(path, receipt, commitment)
    return PastMatch(summary, path, request_in(header.more), ended)


def _secrets_of(path: Path) -> Path:
    """Where a record's secrets lie. The name for a packed record is that from before the packing."""
    return secrets_path(path.with_name(path.name.partition(SUFFIX)[0] + SUFFIX))


def _both_ends(path: Path, disk: Disk) -> tuple[bytes, bytes]:
    """The first and the last line. Nothing else of a plain file is read; a packed one must be unpacked."""
    lines = whole_lines(disk.chunks(path))
    first = next(lines, None)
    if first is None:
        raise RecordError("empty", "it has no lines")
    if path.name.endswith(SUFFIX):
        return first, last_line(path, disk) or first
    rest = deque(lines, maxlen=1)
    return first, rest[0] if rest else first


def _end_in(text: bytes, seats: int) -> EndLine | None:
    try:
        members = json.loads(text)
    except ValueError as error:
        raise RecordError("not-json", f"its last line is not JSON: {error}") from error
    if not isinstance(members, dict) or not isinstance(members.get("run"), dict):
        raise RecordError("not-an-object", "its last line is no line of a record")
    if members.get("kind") != "end":
        return None
    line: Line = line_of({name: value for name, value in members.items() if name not in _OF_NO_GAME}, members["run"], seats)
    assert isinstance(line, EndLine), "its kind says so"
    return line


def _receipt_in(text: bytes, match: str) -> Receipt | None:
    """The receipt that goes with an end line."""
    members = json.loads(text)
    return next(receipts_in(f"{match}:{members.get('line')}:{members.get('game')}"), None)


def _bots(header: Header, end: EndLine | None) -> tuple[SeatBot, ...]:
    """The players by seat, as far as the two lines name them."""
    nothing = ("",) * header.seats
    versions = () if end is None else versions_in(end.run, header.seats)
    return tuple(map(SeatBot, header.bots, bot_ids_in(header.more, header.seats) or nothing, versions or nothing))


def _standings(header: Header, end: EndLine | None) -> list[Standing]:
    """The results of the seats; nothing if the match was voided."""
    if end is None or end.cash is None or end.places is None:
        return []
    rows = zip(_bots(header, end), end.cash, end.places, end.statuses, end.faults, strict=True)
    return [
        Standing(
            seat=seat,
            bot=bot.name,
            bot_id=bot.id,
            version=bot.version,
            cash=cash,
            place=place,
            status=status,
            faults={AnsweredBy(cause): count for cause, count in faults.items()},
        )
        for seat, (bot, cash, place, status, faults) in enumerate(rows)
    ]
