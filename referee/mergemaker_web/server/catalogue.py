"""Matches as everybody may know them: which there are, how they stand as far as that is told, and which records are released.

If live matches are shown with a delay, an end is told as much later, too: until then a match is listed as played.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import trio
from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_wire.enums import ENDINGS, FAULT_CAUSES

from mergemaker_web.server.messages import Match, Matches, SeatResult
from mergemaker_web.server.port import RefereePort
from mergemaker_web.server.problems import WebProblem, not_released, unknown_match

FRESH_S: Final = 1.0
"""For how long a list is good: another request gets the same one."""
PAGE_SIZE: Final = 50
PAGE_SIZE_MAX: Final = 500
OVER: Final = "over"
PLAYING: Final = "playing"
_PHASES: Final = {
    matches_pb2.MATCH_PHASE_WAITING: "waiting",
    matches_pb2.MATCH_PHASE_JOINING: "joining",
    matches_pb2.MATCH_PHASE_PLAYING: PLAYING,
    matches_pb2.MATCH_PHASE_SUSPENDED: "suspended",
    matches_pb2.MATCH_PHASE_OVER: OVER,
}


class Catalogue:
    """The matches of a server."""

    def __init__(self, port: RefereePort, delay_ms: int, clock: Callable[[], float] = trio.current_time) -> None:
        self._port: Final = port
        self._delay_s: Final = delay_ms / 1_000
        self._clock: Final = clock
        self._fresh_until = float("-inf")
        self._matches: tuple[Match, ...] = ()
        self._by_id: dict[str, Match] = {}
        self._over_at: dict[str, float] = {}
        """By match that is over: when that was first seen here. Matches that were over when this began are told at once."""
        self._is_begun = False
        self._lock: Final = trio.Lock()

    async def begin(self) -> None:
        """Notes which matches are over before anybody looks: these are no secret. Later ends are told with the delay."""
        try:
            await self.all()
        except WebProblem:
            self._is_begun = True

    async def all(self) -> tuple[Match, ...]:
        """All matches, the newest first."""
        async with self._lock:
            if self._clock() >= self._fresh_until:
                self._take(await self._port.matches())
                self._fresh_until = self._clock() + FRESH_S
        return self._matches

    async def match(self, match: str) -> Match:
        """One match; raises that there is none."""
        await self.all()
        if match not in self._by_id:
            self._fresh_until = float("-inf")  # it may have been made a moment ago
            await self.all()
        if match not in self._by_id:
            raise unknown_match(match)
        return self._by_id[match]

    async def page(self, phase: str | None, bot: str | None, after: str | None, limit: int) -> Matches:
        """A page of the list."""
        found = [
            match
            for match in await self.all()
            if phase in (None, match.phase) and (bot is None or any(seat.bot == bot for seat in match.seats))
        ]
        if after is not None:
            place = next((number for number, match in enumerate(found) if match.match == after), None)
            if place is None:
                raise WebProblem(404, "bad-after", "`after` is the `next` of the page before", "Begin with the first page.")
            found = found[place + 1 :]
        page = found[:limit]
        return Matches(matches=page, next=page[-1].match if len(found) > limit else None)

    async def record(self, match: str) -> Path:
        """The file of a released record; raises why there is none."""
        if not (await self.match(match)).released:
            raise not_released(match)
        return await self._port.record(match)

    def ended_for_all(self, match: str) -> None:
        """Those who watch have been told that a match is over, so it is no secret here."""
        self._over_at[match] = float("-inf")
        self._fresh_until = float("-inf")

    def _take(self, summaries: list[matches_pb2.MatchSummary]) -> None:
        now = self._clock()
        for summary in summaries:
            if summary.phase == matches_pb2.MATCH_PHASE_OVER:
                self._over_at.setdefault(summary.match, now if self._is_begun else float("-inf"))
        listed = {summary.match for summary in summaries}
        self._over_at = {match: at for match, at in self._over_at.items() if match in listed}
        self._is_begun = True
        self._matches = tuple(self._shown(summary, now) for summary in summaries)
        self._by_id = {match.match: match for match in self._matches}

    def _shown(self, summary: matches_pb2.MatchSummary, now: float) -> Match:
        """What everybody may know of a match."""
        is_over = summary.phase == matches_pb2.MATCH_PHASE_OVER
        is_told = is_over and now >= self._over_at[summary.match] + self._delay_s
        phase = OVER if is_told else PLAYING if is_over else _PHASES.get(summary.phase, PLAYING)
        is_delayed = self._delay_s > 0
        return Match(
            match=summary.match,
            phase=phase,
            created=_time_text(summary),
            rules=summary.rules_fingerprint,
            clock=summary.clock,
            turn=summary.turn if not is_over and not is_delayed else None,
            ending=str(ENDINGS.read(summary.ending, "ending")) if is_told and summary.ending else None,
            seats=_seats(summary, is_told=is_told),
            released=is_told,
        )


def _seats(summary: matches_pb2.MatchSummary, *, is_told: bool) -> list[SeatResult]:
    standings = {each.seat: each for each in summary.standings} if is_told else {}
    return [_seat(seat, bot, standings.get(seat)) for seat, bot in enumerate(summary.bots)]


def _seat(seat: int, bot: match_pb2.SeatBot, standing: match_pb2.Standing | None) -> SeatResult:
    return SeatResult(
        seat=seat,
        bot=bot.name,
        bot_id=bot.id,
        version=bot.version,
        place=None if standing is None else standing.place,
        cash=None if standing is None else standing.cash,
        faults={} if standing is None else {str(FAULT_CAUSES.read(each.cause, "cause")): each.count for each in standing.faults},
    )


def _time_text(summary: matches_pb2.MatchSummary) -> str:
    if not summary.HasField("created"):
        return ""
    return f"{datetime.fromtimestamp(summary.created.seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
