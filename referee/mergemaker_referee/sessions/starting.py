"""When the time to join begins for a match that was made ahead, and who then gets a seat.

A match waits until all its known bots are free at once: each has a stream, waits for a match or has asked for this one, and
has room for one more. The oldest match is looked at first, and one that cannot begin holds no bot.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import structlog
from mergemaker_engine.shown import shown
from mergemaker_table.evidence import AtFault
from mergemaker_table.inputs import JoiningBegins, Void
from mergemaker_table.join_terms import MissingSeats
from mergemaker_table.verdicts import NOT_STARTED

from mergemaker_referee.clocks import Clocks
from mergemaker_referee.matches.seat_link import SeatedMatch
from mergemaker_referee.records.secrets_file import SeatKey
from mergemaker_referee.sessions.ahead import AheadMatch
from mergemaker_referee.sessions.seating import Seating
from mergemaker_referee.sessions.session import Session

_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)


class Starter:
    """Begins the time to join, and gives seats to bots that wait for one."""

    def __init__(
        self,
        seating: Seating[Any],
        clocks: Clocks,
        session_of: Callable[[str], Session | None],
        seat: Callable[[Session, SeatedMatch, int], None],
    ) -> None:
        """`session_of` finds the session of a known bot; `seat` gives a seat to one."""
        self._seating: Final[Seating[Any]] = seating
        self._clocks: Final = clocks
        self._session_of: Final = session_of
        self._seat: Final = seat
        self._made = 0

    def made(self, match: SeatedMatch, keys: Sequence[SeatKey], *, is_taken_up: bool) -> None:
        """A match was made: it waits until its time to join begins, or waiting bots get its seats at once."""
        bots = tuple(dict.fromkeys(key.bot for key in keys if key.bot is not None))
        if not match.waits_to_join:
            for bot in bots:
                self._give_seats(bot)
            return
        self._made += 1
        begins = match.joining.begins
        counts_from = begins or _created(match) or self._clocks.today()
        ahead = AheadMatch(match, bots, self._made, counts_from, is_taken_up)
        self._seating.ahead.add(ahead)
        match.awaited = partial(self.missing, match.id)
        self._look_at(ahead)

    def look(self, bots: Collection[str]) -> None:
        """Something has changed for these bots: they get their free seats, and matches may be able to begin."""
        free = [bot for bot in bots if self._is_free(bot)]
        for bot in free:
            self._give_seats(bot)
        for ahead in self._seating.ahead.of_bots(free):
            self._look_at(ahead)

    def look_at_all(self) -> None:
        """Time has passed: a named time may have come, and a wait may be over."""
        for ahead in self._seating.ahead:
            self._look_at(ahead)

    def missing(self, match: str) -> dict[str, str]:
        """The bots that a match waits for, each with what it lacks; empty if the match does not wait for bots."""
        ahead = self._seating.ahead.get(match)
        return {} if ahead is None else {bot: self._lack(ahead, bot) for bot in ahead.bots if self._there(ahead, bot) is None}

    # --- one match ---------------------------------------------------------------------------------------------------

    def _look_at(self, ahead: AheadMatch) -> None:
        terms = ahead.match.joining
        if ahead.is_given_up or (terms.begins is not None and self._clocks.today() < terms.begins):
            return
        there = {bot: session for bot in ahead.bots if (session := self._there(ahead, bot)) is not None}
        if len(there) == len(ahead.bots) or terms.wait_ms_max is None:
            self._begin(ahead, there)
        elif self._is_wait_over(ahead, terms.wait_ms_max):
            if terms.missing is MissingSeats.PLAY:
                self._begin(ahead, there)
            else:
                self._give_up(ahead, terms.wait_ms_max)

    def _is_wait_over(self, ahead: AheadMatch, wait_ms: int) -> bool:
        now = self._clocks.awake_ns()
        if ahead.until_ns is None:
            left_ms = wait_ms
            if ahead.is_taken_up:
                # While the referee was gone nobody could come: there is at least the time of grace.
                passed = self._clocks.today() - ahead.counts_from
                grace = ahead.match.recovery_grace_ms
                left_ms = min(wait_ms, max(grace, wait_ms - int(passed.total_seconds() * 1_000)))
            ahead.until_ns = now + left_ms * _NS_PER_MS
        return now >= ahead.until_ns

    def _begin(self, ahead: AheadMatch, there: dict[str, Session]) -> None:
        match = ahead.match
        self._seating.ahead.remove(match.id)
        _LOG.info("the time to join begins", match=match.id)
        match.post(JoiningBegins())
        for bot, session in there.items():
            seat = self._seating.seat_for(session, bot, match)
            if seat is not None and self._seating.stop_waiting(session, match.id):
                self._seat(session, match, seat)

    def _give_up(self, ahead: AheadMatch, wait_ms: int) -> None:
        ahead.is_given_up = True
        lacks = "; ".join(f"{bot} {lack}" for bot, lack in self.missing(ahead.match.id).items())
        text = f"not all bots were free at once within {wait_ms} ms: {lacks}"
        _LOG.warning("a match has waited in vain", match=ahead.match.id, problem=text)
        ahead.match.post(Void(text, AtFault.NOBODY, NOT_STARTED))

    # --- one bot -----------------------------------------------------------------------------------------------------

    def _there(self, ahead: AheadMatch, bot: str) -> Session | None:
        """The session of a bot that could take its seat now."""
        session = self._session_of(bot)
        if session is None or session.connection is None or not session.has_room:
            return None
        if self._seating.seat_for(session, bot, ahead.match) is None:
            return None
        return session if self._seating.is_waiting(session, ahead.match.id) else None

    def _lack(self, ahead: AheadMatch, bot: str) -> str:
        session = self._session_of(bot)
        if session is None or session.connection is None:
            return "is not connected"
        if self._seating.seat_for(session, bot, ahead.match) is None:
            return f"says that it is version {shown(session.bot_version)}, and the seat is for another"
        if not session.has_room:
            return f"plays {session.playing} at once, as many as it takes"
        return "" if self._seating.is_waiting(session, ahead.match.id) else "asks for no match"

    def _is_free(self, bot: str) -> bool:
        session = self._session_of(bot)
        return session is not None and session.id in self._seating.waiting and session.has_room

    def _give_seats(self, bot: str) -> None:
        """Gives a waiting bot the seats of matches whose time to join runs."""
        session = self._session_of(bot)
        if session is None or session.connection is None:
            return
        for match, seat in tuple(self._seating.free_seats_of(bot, session)):
            if not session.has_room:
                return
            is_new = match.id not in self._seating.ahead and match.id not in session.links
            if is_new and self._seating.stop_waiting(session, match.id):
                self._seat(session, match, seat)


def _created(match: SeatedMatch) -> datetime | None:
    try:
        return datetime.fromisoformat(match.created)
    except ValueError:
        return None
