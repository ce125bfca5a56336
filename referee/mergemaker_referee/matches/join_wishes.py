"""When a match begins, as the operator asks for it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp
from mergemaker.v1 import matches_pb2
from mergemaker_table.join_terms import WAIT_MS_MAX, JoinTerms, MissingSeats

from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.matches.making import SeatWish

_MISSING: Final = {
    matches_pb2.MISSING_SEATS_VOID: MissingSeats.VOID,
    matches_pb2.MISSING_SEATS_PLAY: MissingSeats.PLAY,
}
_AHEAD_MAX: Final = timedelta(milliseconds=WAIT_MS_MAX)


def joining_of(
    request: matches_pb2.CreateMatchRequest, seats: Sequence[SeatWish], settings: Settings, now: datetime
) -> JoinTerms:
    """The terms of joining that a request asks for; the settings fill in the rest.

    If all seats have tokens of the match, nobody knows which bots to wait for: it begins at once, or at the named time.
    """
    missing = settings.missing_seats
    if request.missing_seats:
        if request.missing_seats not in _MISSING:
            known = ", ".join(matches_pb2.MissingSeats.keys())
            raise RefereeError("bad-missing-seats", f"missing_seats is one of {known}, not {request.missing_seats}")
        missing = _MISSING[request.missing_seats]
    begins = _begins(request.join_from, now) if request.HasField("join_from") else None
    wait_ms: int | None = None if request.HasField("join_from") else settings.wait_ms_max
    if request.HasField("wait_ms_max"):
        wait_ms = request.wait_ms_max
        if wait_ms > WAIT_MS_MAX:
            raise RefereeError("bad-wait", f"wait_ms_max is at most {WAIT_MS_MAX}, not {wait_ms}")
    has_known = any(seat.bot is not None for seat in seats)
    return JoinTerms(missing=missing, begins=begins, wait_ms_max=wait_ms if has_known else None)


def _begins(said: Timestamp, now: datetime) -> datetime:
    try:
        begins = said.ToDatetime(UTC)
    except (ValueError, OverflowError) as problem:
        raise RefereeError("bad-join-from", f"join_from is a time from the year 1 to 9999: {problem}") from problem
    if begins > now + _AHEAD_MAX:
        raise RefereeError("bad-join-from", f"join_from is at most {_AHEAD_MAX.days} days ahead")
    # To the millisecond, as the record has it.
    return begins.replace(microsecond=begins.microsecond // 1_000 * 1_000)
