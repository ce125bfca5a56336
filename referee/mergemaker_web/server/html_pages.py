"""The answers to requests for pages, pictures and the files of pages."""

import hashlib
from contextlib import aclosing
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import parse_qs

import trio
from mergemaker_engine.board_svg import board_svg
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mergemaker_web.pictures import HAS_PILLOW, Frame, png_of, seat_text
from mergemaker_web.server.api import bot_in, match_in, tournament_in
from mergemaker_web.server.bots import bot_of
from mergemaker_web.server.catalogue import OVER, PAGE_SIZE
from mergemaker_web.server.guests import COOKIE, SESSION_S
from mergemaker_web.server.house import House
from mergemaker_web.server.markup import short_name
from mergemaker_web.server.messages import Match
from mergemaker_web.server.pages import Position
from mergemaker_web.server.problems import WebProblem
from mergemaker_web.server.tournaments import tournament_page, tournaments_page

FORM_BYTES_MAX: Final = 2_048
FORM_LIMIT_S: Final = 10.0
LIVE_MAX: Final = 200
"""Live matches that the first page lists."""
PICTURE_GOOD_S: Final = 60
_KINDS: Final = {".js": "text/javascript", ".css": "text/css"}


class HtmlPages:
    """Everything that people open."""

    def __init__(self, house: House) -> None:
        self._house: Final = house
        self._painters: Final = trio.CapacityLimiter(1)

    def routes(self) -> list[Route]:
        """What is answered."""
        return [
            Route("/", self._list),
            Route("/match/{match}", self._match),
            Route("/match/{match}/picture.png", self._picture),
            Route("/match/{match}/picture.svg", self._drawing),
            Route("/embed/match/{match}", self._embedded),
            Route("/bot/{bot:path}", self._bot),
            Route("/projector", self._projector),
            Route("/tournaments", self._tournaments),
            Route("/tournament/{tournament}", self._tournament),
            Route("/data", self._data),
            Route("/login", self._login, methods=["GET", "POST"]),
            Route("/static/{name}", self._file),
        ]

    async def _list(self, request: Request) -> Response:
        catalogue = self._house.catalogue
        live = [match for match in await catalogue.all() if match.phase != OVER]
        past = await catalogue.page(OVER, None, request.query_params.get("after"), PAGE_SIZE)
        return html_of(self._house.site.list_page(live[:LIVE_MAX], past, self._house.delay_ms))

    async def _match(self, request: Request) -> Response:
        return await self._match_page(match_in(request), is_embedded=False)

    async def _embedded(self, request: Request) -> Response:
        return await self._match_page(match_in(request), is_embedded=True)

    async def _match_page(self, name: str, *, is_embedded: bool) -> Response:
        match = await self._house.catalogue.match(name)
        position = await self._position(match)
        return html_of(self._house.site.match_page(match, position, is_embedded=is_embedded))

    async def _position(self, match: Match) -> Position | None:
        try:
            return await self._house.position(match.match, is_released=match.released)
        except WebProblem as problem:
            if problem.problem.reason == "bad-record":
                raise
            return None  # the page says what it knows, and its script asks again

    async def _picture(self, request: Request) -> Response:
        if not HAS_PILLOW:
            raise WebProblem(
                404, "no-pictures", "pictures need an extra of the server", "Ask the operator to install `pictures`."
            )
        match, position = await self._drawn(request)
        cash = position.view.cash
        seats = [
            f"{seat} {short_name(bot)}" if cash[seat] is None else seat_text(seat, bot, cash[seat] or 0)
            for seat, bot in enumerate(position.bots)
        ]
        frame = Frame(position.view, position.last, f"Match {match.match}", seats)
        return _picture_of(await trio.to_thread.run_sync(png_of, frame, limiter=self._painters), "image/png")

    async def _drawing(self, request: Request) -> Response:
        _, position = await self._drawn(request)
        return _picture_of(board_svg(position.view, position.last).encode(), "image/svg+xml")

    async def _drawn(self, request: Request) -> tuple[Match, Position]:
        match = await self._house.catalogue.match(match_in(request))
        position = await self._house.position(match.match, is_released=match.released)
        if position is None:
            raise WebProblem(404, "no-board", "the match has no board yet", "Come back when its tiles are dealt.")
        return match, position

    async def _bot(self, request: Request) -> Response:
        return html_of(self._house.site.bot_page(await bot_of(self._house.catalogue, self._house.released, bot_in(request))))

    async def _projector(self, _request: Request) -> Response:
        return html_of(self._house.site.projector_page())

    async def _tournaments(self, _request: Request) -> Response:
        return html_of(tournaments_page(self._house.site, await self._house.tournaments.all()))

    async def _tournament(self, request: Request) -> Response:
        return html_of(tournament_page(self._house.site, await self._house.tournaments.table(tournament_in(request))))

    async def _data(self, _request: Request) -> Response:
        return html_of(self._house.site.data_page(self._house.delay_ms))

    async def _login(self, request: Request) -> Response:
        site = self._house.site
        if not self._house.doorman.asks:
            return RedirectResponse(site.at("/"), 303)
        if request.method != "POST":
            return html_of(site.login_page(_own_path(request.query_params.get("back", ""))))
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise WebProblem(403, "other-site", "the password came from another site's page", "Open this site's own page.")
        form = await _form_of(request)
        back = _own_path(form.get("back", ""))
        cookie = await self._house.doorman.cookie_for(form.get("password", ""), self._house.address_of(request))
        if cookie is None:
            return html_of(site.login_page(back, "This is not the password."), 401)
        answer = RedirectResponse(site.at(back), 303)
        path = f"{site.prefix}/"
        is_secure = request.url.scheme == "https" or site.address.startswith("https:")
        answer.set_cookie(COOKIE, cookie, max_age=SESSION_S, path=path, secure=is_secure, httponly=True, samesite="strict")
        return answer

    async def _file(self, request: Request) -> Response:
        found = _files().get(str(request.path_params["name"]))
        if found is None:
            raise WebProblem(404, "unknown-file", "there is no such file", "Reload the page.")
        kind, content, mark = found
        headers = {"ETag": mark, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == mark:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)


def html_of(page: bytes, status: int = 200) -> Response:
    """A page as an answer."""
    return Response(page, status, media_type="text/html")


def _picture_of(content: bytes, kind: str) -> Response:
    headers = {"Cache-Control": f"max-age={PICTURE_GOOD_S}", "Cross-Origin-Resource-Policy": "cross-origin"}
    return Response(content, media_type=kind, headers=headers)


@cache
def _files() -> dict[str, tuple[str, bytes, str]]:
    """The files of the viewer and of the pages, by name: their media type, their content, and a mark of it."""
    found = {}
    for folder in (("static",), ("server", "static")):
        for path in files("mergemaker_web").joinpath(*folder).iterdir():
            kind = _KINDS.get(f".{path.name.rpartition('.')[2]}")
            if kind is not None:
                content = path.read_bytes()
                found[path.name] = (kind, content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
    return found


def _own_path(text: str) -> str:
    """A path of this site to go back to; the list of matches for anything else."""
    is_own = text.startswith("/") and not text.startswith("//") and "\\" not in text and text.isprintable() and text.isascii()
    return text if is_own else "/"


async def _form_of(request: Request) -> dict[str, str]:
    """A short form; raises what is wrong with it."""
    content = b""
    try:
        with trio.fail_after(FORM_LIMIT_S):
            async with aclosing(request.stream()) as pieces:
                async for piece in pieces:
                    content += piece
                    if len(content) > FORM_BYTES_MAX:
                        text = f"a form has at most {FORM_BYTES_MAX} bytes"
                        raise WebProblem(400, "long-form", text, "Enter the password again.")
        found = parse_qs(content.decode("ascii"), keep_blank_values=True, max_num_fields=8)
    except (ValueError, ClientDisconnect, trio.TooSlowError) as error:
        raise WebProblem(400, "bad-form", "what came is no form", "Enter the password again.") from error
    return {name: values[0] for name, values in found.items()}
