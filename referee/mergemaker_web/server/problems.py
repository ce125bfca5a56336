"""Why a request cannot be answered: problems that say what to do, as values and as answers."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mergemaker_engine.shown import shown
from mergemaker_referee.connections import CloseCode, Closing

from mergemaker_web.server.messages import Problem

_TITLES: Final = {
    400: "This request cannot be understood",
    401: "A password is needed",
    403: "This is not allowed",
    404: "There is nothing here",
    405: "This cannot be done here",
    409: "Not yet",
    421: "This is another server",
    429: "Too many at once",
    500: "A fault of the server",
    503: "Not at the moment",
}
_STATUS_OF: Final = {
    CloseCode.NOT_FOUND: 404,
    CloseCode.INVALID_ARGUMENT: 400,
    CloseCode.FAILED_PRECONDITION: 409,
    CloseCode.RESOURCE_EXHAUSTED: 503,
    CloseCode.UNAVAILABLE: 503,
}
_TODO: Final = {
    "unknown-match": "See the list of matches. A server lists its newest matches; older records are in its folder.",
    "not-released": "Watch the match live, or come back when it is over.",
    "too-many-spectators": "Try again later.",
}
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_TRY_AGAIN: Final = "Try again in a moment."


class WebProblem(Exception):
    """A request cannot be answered."""

    def __init__(self, status: int, reason: str, detail: str, todo: str, headers: Mapping[str, str] = _NO_HEADERS) -> None:
        super().__init__(detail)
        self.headers: Final = headers
        """What its answer says besides."""
        self.problem: Final = Problem(title=_TITLES[status], status=status, reason=reason, detail=detail, todo=todo)


def from_referee(closing: Closing) -> WebProblem:
    """What the referee refused, for a browser."""
    status = _STATUS_OF.get(closing.code, 500)
    return WebProblem(status, closing.reason, closing.text, _TODO.get(closing.reason, _TRY_AGAIN))


def unknown_match(match: str) -> WebProblem:
    """There is no such match."""
    return WebProblem(404, "unknown-match", f"there is no match {shown(match)} here", _TODO["unknown-match"])


def unknown_tournament() -> WebProblem:
    """There is no such tournament."""
    return WebProblem(404, "unknown-tournament", "there is no such tournament here", "See the list of tournaments.")


def not_released(match: str) -> WebProblem:
    """A match is not over, or its end is not told yet."""
    return WebProblem(
        409, "not-released", f"the record of the match {match} is released when the match is over", _TODO["not-released"]
    )


def bad_record(match: str, why: str) -> WebProblem:
    """A record cannot be read."""
    return WebProblem(
        500,
        "bad-record",
        f"the record of the match {match} cannot be shown: {why}",
        "Tell the operator: `mergemaker verify` on the record says what is wrong with it.",
    )
