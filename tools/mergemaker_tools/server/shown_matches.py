"""Matches of a server, shown: as a list, one in full, and as documents for programs."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from mergemaker.v1 import match_pb2, matches_pb2, public_log_pb2
from mergemaker_wire.errors import WireError
from mergemaker_wire.matches import receipt_from_message
from rich.table import Table

from mergemaker_tools.play.standings import short_name
from mergemaker_tools.problems import DONE, CommandFailed
from mergemaker_tools.screen import show_line, write_document
from mergemaker_tools.server.beginnings import awaited_document, awaited_lines
from mergemaker_tools.tables import show, table

CLOCK_CHARACTERS_MAX: Final = 12
"""How much of a clock's name is in the list of matches."""


def listed_table(found: Sequence[matches_pb2.MatchSummary]) -> Table:
    """A table that leaves room for the bots within 80 columns. `get` and `--json` show in full what it shortens."""
    listed = table()
    for head in ("match", "made (UTC)", "phase"):
        listed.add_column(head, no_wrap=True)
    listed.add_column("turn", justify="right")
    listed.add_column("clock", no_wrap=True, max_width=CLOCK_CHARACTERS_MAX)
    listed.add_column("bots")
    for match in found:
        made = f"{match.created.ToDatetime():%Y-%m-%d %H:%M}" if match.HasField("created") else ""
        phase = _word(match_pb2.Ending, match.ending) if match.ending else _word(matches_pb2.MatchPhase, match.phase)
        listed.add_row(
            match.match, made, phase, str(match.turn or "-"), match.clock, ", ".join(short_name(bot.name) for bot in match.bots)
        )
    return listed


def show_match(match: matches_pb2.MatchSummary, as_json: bool, found: matches_pb2.GetMatchResponse | None = None) -> int:
    """Shows one match in full; with `found`, also where the public log tells of it."""
    entries = found.log_entries if found is not None and found.HasField("log_entries") else None
    if as_json:
        logged = None if entries is None else {"begin": entries.begin or None, "end": entries.end or None}
        write_document(match_document(match) | ({} if found is None else {"log_entries": logged}))
        return DONE
    show_line(f"match {match.match}: {_phase_text(match)}")
    made = _created(match) or "at an unknown time"
    show_line(f"made {made}, turn {match.turn}, clock {match.clock}, rules {match.rules_fingerprint}")
    if match.labels:
        show_line(f"labels: {', '.join(f'{key}={value}' for key, value in sorted(match.labels.items()))}")
    for line in awaited_lines(match):
        show_line(line)
    if (receipt := _receipt(match)) is not None:
        show_line(f"receipt: {receipt}")
    if entries is not None:
        show_line(f"public log: {_entries_text(entries)}")
    show_line("")
    seats = table()
    seats.add_column("seat", justify="right")
    seats.add_column("bot")
    if match.standings:
        for head in ("place", "money"):
            seats.add_column(head, justify="right")
        for head in ("status", "defaults"):
            seats.add_column(head)
        for standing in match.standings:
            faults = ", ".join(f"{fault.count} {_word(match_pb2.FaultCause, fault.cause)}" for fault in standing.faults)
            status = _word(match_pb2.SeatStatus, standing.status)
            seats.add_row(
                str(standing.seat), standing.bot.name, str(standing.place), f"${standing.cash:,}", status, faults or "none"
            )
    else:
        seats.add_column("connected")
        for seat, bot in enumerate(bot.name for bot in match.bots):
            connected = seat < len(match.connected) and match.connected[seat]
            seats.add_row(str(seat), bot, "yes" if connected else "no")
    show(seats)
    return DONE


def _entries_text(entries: public_log_pb2.LogEntries) -> str:
    begin = f"promised in entry {entries.begin:,}" if entries.begin else "never promised there"
    return f"{begin}, {f'ended in entry {entries.end:,}' if entries.end else 'no end yet'}"


class _EnumNames(Protocol):
    """The methods used of a generated enum."""

    def values(self) -> Sequence[Any]:
        """All values."""

    def Name(self, number: Any) -> str:  # noqa: ANN401, N802 - as the generated code has it
        """The name of a value."""


def _word(enum: _EnumNames, value: int) -> str:
    """`SEAT_STATUS_NEVER_JOINED` as `never joined`; the number of a value that only newer referees know."""
    if value not in enum.values():
        return str(value)
    # All names begin with that of the zero: SEAT_STATUS_UNSPECIFIED.
    prefix = enum.Name(0).removesuffix("UNSPECIFIED")
    return enum.Name(value).removeprefix(prefix).lower().replace("_", " ")


def _phase_text(match: matches_pb2.MatchSummary) -> str:
    phase = _word(matches_pb2.MatchPhase, match.phase)
    return f"{phase}, {_word(match_pb2.Ending, match.ending)}" if match.ending else phase


def _created(match: matches_pb2.MatchSummary) -> str | None:
    return match.created.ToJsonString() if match.HasField("created") else None


def _receipt(match: matches_pb2.MatchSummary) -> str | None:
    """What to keep, to compare the match's record with."""
    if not match.HasField("receipt"):
        return None
    try:
        return str(receipt_from_message(match.receipt))
    except WireError as error:
        raise CommandFailed(f"the server sends a receipt that is none: {error}") from error


def match_document(match: matches_pb2.MatchSummary) -> dict[str, object]:
    """A match for programs."""
    return {
        "match": match.match,
        "phase": _word(matches_pb2.MatchPhase, match.phase),
        "bots": [bot.name for bot in match.bots],
        "bot_ids": [bot.id or None for bot in match.bots],
        "bot_versions": [bot.version or None for bot in match.bots],
        "connected": list(match.connected),
        "turn": match.turn,
        "clock": match.clock,
        "rules_fingerprint": match.rules_fingerprint,
        "created": _created(match),
        "labels": dict(sorted(match.labels.items())),
        **awaited_document(match),
        "ending": _word(match_pb2.Ending, match.ending) if match.ending else None,
        "receipt": _receipt(match),
        "standings": [
            {
                "seat": standing.seat,
                "bot": standing.bot.name,
                "place": standing.place,
                "money": standing.cash,
                "status": _word(match_pb2.SeatStatus, standing.status),
                "defaults": {_word(match_pb2.FaultCause, fault.cause): fault.count for fault in standing.faults},
            }
            for standing in match.standings
        ],
    }
