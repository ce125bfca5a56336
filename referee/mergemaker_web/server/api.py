"""The answers of the JSON API; `openapi` describes them."""

import re
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mergemaker_web.server.bots import bot_of
from mergemaker_web.server.catalogue import OVER, PAGE_SIZE, PAGE_SIZE_MAX
from mergemaker_web.server.house import House
from mergemaker_web.server.messages import ENCODER, Site
from mergemaker_web.server.openapi import description
from mergemaker_web.server.problems import WebProblem, unknown_tournament
from mergemaker_web.server.records import RECORDS_MAX
from mergemaker_web.server.stream import send_stream, wanted_in

MATCH_FORM: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
BOT_CHARACTERS_MAX: Final = 200
_PHASES: Final = ("waiting", "joining", "playing", "suspended", OVER)
_TOURNAMENT: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")
_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_STREAM_HEADERS: Final = {"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"}


def match_in(request: Request) -> str:
    """The match that a request's path names."""
    match = str(request.path_params["match"])
    if MATCH_FORM.fullmatch(match) is None:
        raise WebProblem(404, "unknown-match", "no match has such an id", "See the list of matches.")
    return match


def bot_in(request: Request) -> str:
    """The bot that a request's path names."""
    bot = str(request.path_params["bot"])
    if len(bot) > BOT_CHARACTERS_MAX:
        raise WebProblem(404, "unknown-bot", "no bot has a name of this length", "See the list of matches.")
    return bot


def tournament_in(request: Request) -> str:
    """The tournament that a request's path names."""
    tournament = str(request.path_params["tournament"])
    if _TOURNAMENT.fullmatch(tournament) is None:
        raise unknown_tournament()
    return tournament


def json_of(message: object) -> Response:
    """A message as an answer."""
    return Response(message if isinstance(message, bytes) else ENCODER.encode(message), media_type="application/json")


class Api:
    """The JSON API."""

    def __init__(self, house: House) -> None:
        self._house: Final = house

    def routes(self) -> list[Route]:
        """What is answered."""
        return [
            Route("/api/site", self._site),
            Route("/api/openapi.json", self._openapi),
            Route("/api/matches", self._matches),
            Route("/api/matches/{match}", self._match),
            Route("/api/matches/{match}/live", self._live),
            Route("/api/matches/{match}/viewer", self._viewer),
            Route("/api/matches/{match}/record", self._record),
            Route("/api/matches/{match}/faults", self._faults),
            Route("/api/records.tar", self._records),
            Route("/api/bots/{bot:path}", self._bot),
            Route("/api/tournaments", self._tournaments),
            Route("/api/tournaments/{tournament}", self._tournament),
            Route("/api/stream", self._stream),
        ]

    async def _site(self, _request: Request) -> Response:
        house = self._house
        limit = house.settings.web.spectators_max
        site = Site(software=house.software, delay_ms=house.delay_ms, spectators=len(house.audience), spectators_max=limit)
        return json_of(site)

    async def _openapi(self, _request: Request) -> Response:
        return json_of(description(self._house.settings.web.prefix))

    async def _matches(self, request: Request) -> Response:
        query = request.query_params
        phase, bot, after, limit = query.get("phase"), query.get("bot"), query.get("after"), query.get("limit")
        if phase is not None and phase not in _PHASES:
            raise WebProblem(400, "bad-phase", f"`phase` is one of {', '.join(_PHASES)}", "Leave it out, or correct it.")
        size = PAGE_SIZE if limit is None else int(limit) if _NUMBER.fullmatch(limit) else 0
        if not 1 <= size <= PAGE_SIZE_MAX:
            text = f"`limit` is a whole number from 1 to {PAGE_SIZE_MAX}"
            raise WebProblem(400, "bad-limit", text, "Leave it out, or correct it.")
        return json_of(await self._house.catalogue.page(phase, bot, after, size))

    async def _match(self, request: Request) -> Response:
        return json_of(await self._house.catalogue.match(match_in(request)))

    async def _live(self, request: Request) -> Response:
        return json_of((await self._house.hall.follow(match_in(request))).document())

    async def _viewer(self, request: Request) -> Response:
        match = match_in(request)
        return json_of(await self._house.released.document(match, await self._house.catalogue.record(match)))

    async def _record(self, request: Request) -> Response:
        match = match_in(request)
        path = await self._house.catalogue.record(match)
        content = await self._house.released.plain(match, path)
        name = path.name.partition(".jsonl")[0] + ".jsonl"
        is_plain = re.fullmatch(r"[A-Za-z0-9._-]{1,100}", name) is not None
        headers = {"Content-Disposition": f'attachment; filename="{name if is_plain else match + ".jsonl"}"'}
        return Response(content, media_type="application/x-ndjson", headers=headers)

    async def _faults(self, request: Request) -> Response:
        match = match_in(request)
        return json_of(await self._house.released.faults(match, await self._house.catalogue.record(match)))

    async def _records(self, request: Request) -> Response:
        since = _day_in(request.query_params.get("since"))
        matches = [match for match in await self._house.catalogue.all() if match.released and match.created[:10] >= since]

        async def paths() -> AsyncIterator[tuple[str, Path]]:
            for match in matches[:RECORDS_MAX]:
                yield match.match, await self._house.catalogue.record(match.match)

        headers = {"Content-Disposition": 'attachment; filename="records.tar"'}
        return StreamingResponse(self._house.released.together(paths()), media_type="application/x-tar", headers=headers)

    async def _bot(self, request: Request) -> Response:
        return json_of(await bot_of(self._house.catalogue, self._house.released, bot_in(request)))

    async def _tournaments(self, _request: Request) -> Response:
        return json_of(await self._house.tournaments.all())

    async def _tournament(self, request: Request) -> Response:
        return json_of(await self._house.tournaments.table(tournament_in(request)))

    async def _stream(self, request: Request) -> "EventStream":
        return EventStream(self._house, self._house.address_of(request), wanted_in(request.query_params))


def _day_in(text: str | None) -> str:
    """The day from which on records are wanted; the empty text is before all days."""
    if text is None:
        return ""
    bad = WebProblem(400, "bad-day", "`since` is a day, as in 2026-11-01", "Leave it out, or correct it.")
    if _DAY.fullmatch(text) is None:
        raise bad
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise bad from None


class EventStream(Response):
    """Live matches as server-sent events: an answer without an end."""

    def __init__(self, house: House, address: str, wanted: dict[str, int]) -> None:
        super().__init__()
        self._house: Final = house
        self._address: Final = address
        self._wanted: Final = wanted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends until the browser goes."""
        house = self._house
        if scope["method"] == "HEAD":
            await Response(headers=_STREAM_HEADERS)(scope, receive, send)
            return
        place = house.audience.enter(self._address, self._wanted)
        await send_stream(house.hall, house.audience, place, _STREAM_HEADERS, receive, send)
