"""Live matches by server-sent events: one stream of a browser follows all matches that its pages show."""

import re
from collections.abc import Mapping
from typing import Any, Final

import trio
from starlette.datastructures import QueryParams
from starlette.types import Receive, Send

from mergemaker_web.server.audience import MATCHES_MAX, Audience, Place
from mergemaker_web.server.live import Hall
from mergemaker_web.server.messages import ENCODER, LiveProblem
from mergemaker_web.server.problems import WebProblem

BEAT_S: Final = 10.0
"""Something is sent at least this often. A browser that hears nothing for three times as long connects anew."""
_BEAT: Final = b"event: beat\ndata: 1\n\n"  # scripts hear neither comments nor events without data
_BEGIN: Final = b"retry: 2000\n: \n\n"
_WANTED: Final = re.compile(r"(?P<match>[A-Za-z0-9-]{1,64}):(?P<place>[1-9][0-9]{0,8})")


def wanted_in(query: QueryParams) -> dict[str, int]:
    """The matches that a stream is to follow, each with the first event that the browser does not have."""
    wanted: dict[str, int] = {}
    for text in query.getlist("match"):
        found = _WANTED.fullmatch(text)
        if found is None:
            raise WebProblem(
                400,
                "bad-place",
                "`match` is the id of a match and the number of the first event that is wanted, as in match=7b382ec45c28:1",
                "Reload the page.",
            )
        wanted[found["match"]] = int(found["place"])
    if not 1 <= len(wanted) <= MATCHES_MAX:
        raise WebProblem(400, "bad-place", f"a stream follows 1 to {MATCHES_MAX} matches", "Close some of the pages.")
    return wanted


async def send_stream(
    hall: Hall, audience: Audience, place: Place, headers: Mapping[str, str], receive: Receive, send: Send
) -> None:
    """Sends a stream until its browser goes."""
    try:
        first = _BEGIN
        for match in tuple(place.places):
            try:
                await hall.follow(match)
            except WebProblem as problem:
                said = ENCODER.encode(LiveProblem(match=match, problem=problem.problem))
                first += b"event: problem\ndata: %b\n\n" % said
                del place.places[match]
        raw = [(name.lower().encode("ascii"), text.encode("ascii")) for name, text in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_until_gone, receive, nursery.cancel_scope)
            await _part(send, first + place.take(hall.known))
            while True:
                with trio.move_on_after(BEAT_S):
                    await place.wait()
                await _part(send, place.take(hall.known) or _BEAT)
    finally:
        audience.leave(place)


async def _part(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})


async def _until_gone(receive: Receive, scope: trio.CancelScope) -> None:
    message: Any = None
    while message is None or message["type"] != "http.disconnect":
        message = await receive()
    scope.cancel()
