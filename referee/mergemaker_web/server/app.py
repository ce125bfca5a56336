"""The application: its routes, and what holds for every request and every answer."""

from typing import Final
from urllib.parse import quote

import structlog
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mergemaker_web.server.api import Api
from mergemaker_web.server.guests import COOKIE
from mergemaker_web.server.house import House
from mergemaker_web.server.html_pages import HtmlPages, html_of
from mergemaker_web.server.messages import ENCODER
from mergemaker_web.server.openapi import PROBLEM_JSON
from mergemaker_web.server.problems import WebProblem

_OPEN_TO_ALL: Final = ("/login", "/static/")
"""What needs no password."""
_LOG = structlog.get_logger(__name__)


def application(house: House) -> ASGIApp:
    """The application of a house."""
    # The router alone: Starlette's application would answer errors itself, and log addresses.
    return Guarded(house, Router([*Api(house).routes(), *HtmlPages(house).routes()], redirect_slashes=False))


class Guarded:
    """Lets requests in or not, makes answers of problems, and adds the headers that every answer has."""

    def __init__(self, house: House, inner: ASGIApp) -> None:
        self._house: Final = house
        self._inner: Final = inner
        self._ancestors: Final = " ".join(house.settings.web.frame_ancestors) or "'none'"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            return  # nothing here speaks anything else: the server closes it
        request = Request(scope, receive)
        path = scope["path"].removeprefix(self._house.site.prefix) or "/"
        has_begun = False

        async def say(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._add_headers(MutableHeaders(scope=message), path, scope["scheme"])
            await send(message)

        try:
            answer = self._refusal(request, scope["path"], path)
            if answer is not None:
                await answer(scope, receive, say)
                return
            await self._inner({**scope, "path": path, "raw_path": path.encode(), "app": self._inner}, receive, say)
        except Exception as error:  # noqa: BLE001 - a fault ends one request, and no other
            problem = _problem_of(error)
            if problem is None:
                _LOG.exception("a request broke", route=path.split("/")[1])
                problem = WebProblem(500, "fault", "a fault of the server; its log says more", "Tell the operator.")
            if not has_begun:
                await self._answer(problem, path)(scope, receive, say)

    def _refusal(self, request: Request, whole_path: str, path: str) -> Response | None:
        """Why a request is not answered, as an answer."""
        house = self._house
        buckets = house.file_buckets if path.startswith("/static/") else house.buckets
        buckets.take(house.address_of(request))
        if not whole_path.startswith(house.site.prefix):
            raise WebProblem(404, "other-prefix", f"all addresses here begin with {house.site.prefix}/", "Correct the address.")
        if house.doorman.lets_in(request.cookies.get(COOKIE)) or path.startswith(_OPEN_TO_ALL):
            return None
        if path.startswith("/api/"):
            raise WebProblem(
                401, "no-password", "this server shows its matches to viewers with its password", "Log in at /login."
            )
        back = path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(house.site.at(f"/login?back={quote(back, safe='')}"), 303)

    def _answer(self, problem: WebProblem, path: str) -> Response:
        said = problem.problem
        headers = {**problem.headers, **({"Retry-After": "2"} if said.status in (429, 503) else {})}
        if path.startswith("/api/"):
            return Response(ENCODER.encode(said), said.status, headers, PROBLEM_JSON)
        answer = html_of(self._house.site.problem_page(said), said.status)
        answer.headers.update(headers)
        return answer

    def _add_headers(self, headers: MutableHeaders, path: str, scheme: str) -> None:
        ancestors = self._ancestors if path.startswith("/embed/") else "'none'"
        headers["Content-Security-Policy"] = (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
            f"worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {ancestors}"
        )
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        headers.setdefault("Cache-Control", "no-store")
        if scheme == "https":
            headers["Strict-Transport-Security"] = "max-age=31536000"


def _problem_of(error: Exception) -> WebProblem | None:
    """The problem that an error tells; None for a fault of the program."""
    if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        inner = error.exceptions[0]
        return _problem_of(inner) if isinstance(inner, Exception) else None
    if isinstance(error, WebProblem):
        return error
    if isinstance(error, HTTPException):
        if error.status_code == 405:
            allowed = ", ".join(sorted((error.headers or {}).get("Allow", "GET, HEAD").split(", ")))
            return WebProblem(405, "wrong-method", "pages and data are fetched with GET", "Use GET.", {"Allow": allowed})
        return WebProblem(404, "unknown-page", "there is no such page", "See the list of matches.")
    return None
