"""The JSON API, described: made from its routes and the types of `messages`, so that it cannot say anything else."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import msgspec

from mergemaker_web.server.messages import (
    Bot,
    CarriedMatch,
    Fault,
    LiveMatch,
    LiveOver,
    LivePart,
    LiveProblem,
    Match,
    Matches,
    Problem,
    Site,
    TournamentName,
    TournamentTable,
)

API_VERSION: Final = "1.0.0"
MATCH_ID: Final = {"type": "string", "pattern": "^[A-Za-z0-9-]{1,64}$"}
_TEMPLATE: Final = "#/components/schemas/{name}"
_JSON: Final = "application/json"
PROBLEM_JSON: Final = "application/problem+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A GET request that the API answers."""

    path: str
    name: str
    summary: str
    answers: Any = None
    """The type of its answer; None: no JSON."""
    media: str = _JSON
    parameters: Sequence[dict[str, Any]] = ()
    problems: Sequence[int] = ()


def _query(name: str, schema: dict[str, Any], text: str, **more: object) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": text, **more}


_OF_MATCH: Final = {"name": "match", "in": "path", "required": True, "schema": MATCH_ID, "description": "The match's id."}
_OF_BOT: Final = {
    "name": "bot",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "description": "The bot's name.",
}
_OF_TOURNAMENT: Final = {
    "name": "tournament",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,100}$"},
    "description": "The tournament's id.",
}
OPERATIONS: Final = (
    Operation(path="/api/site", name="getSite", summary="What this server is", answers=Site),
    Operation(
        path="/api/matches",
        name="listMatches",
        summary="Matches, the newest first",
        answers=Matches,
        parameters=(
            _query(
                "phase",
                {"type": "string", "enum": ["waiting", "joining", "playing", "suspended", "over"]},
                "Only matches of this phase.",
            ),
            _query("bot", {"type": "string", "minLength": 1, "maxLength": 200}, "Only matches with a bot of this name."),
            _query("after", MATCH_ID, "The `next` of the page before."),
            _query("limit", {"type": "integer", "minimum": 1, "maximum": 500}, "How many matches a page has; 50 if not set."),
        ),
        problems=(400, 404),
    ),
    Operation(
        path="/api/matches/{match}", name="getMatch", summary="One match", answers=Match, parameters=(_OF_MATCH,), problems=(404,)
    ),
    Operation(
        path="/api/matches/{match}/live",
        name="getLiveMatch",
        summary="A match as everybody may know it, from where it is followed on",
        answers=LiveMatch,
        parameters=(_OF_MATCH,),
        problems=(404, 503),
    ),
    Operation(
        path="/api/matches/{match}/viewer",
        name="getViewerMatch",
        summary="A released match for the viewer",
        answers=CarriedMatch,
        parameters=(_OF_MATCH,),
        problems=(404, 409),
    ),
    Operation(
        path="/api/matches/{match}/record",
        name="getRecord",
        summary="A released record, a JSON value in each line",
        media="application/x-ndjson",
        parameters=(_OF_MATCH,),
        problems=(404, 409),
    ),
    Operation(
        path="/api/matches/{match}/faults",
        name="listFaults",
        summary="What went wrong in a released match, each with its timeline",
        answers=list[Fault],
        parameters=(_OF_MATCH,),
        problems=(404, 409),
    ),
    Operation(
        path="/api/records.tar",
        name="getRecords",
        summary="All released records, or those of matches made since a day",
        media="application/x-tar",
        parameters=(_query("since", {"type": "string", "format": "date"}, "A day, as in 2026-11-01."),),
        problems=(400,),
    ),
    Operation(
        path="/api/bots/{bot}",
        name="getBot",
        summary="A bot: results, head to head, faults",
        answers=Bot,
        parameters=(_OF_BOT,),
        problems=(404,),
    ),
    Operation(
        path="/api/tournaments",
        name="listTournaments",
        summary="Tournaments, the newest first",
        answers=list[TournamentName],
        problems=(503,),
    ),
    Operation(
        path="/api/tournaments/{tournament}",
        name="getTournament",
        summary="A tournament's standings",
        answers=TournamentTable,
        parameters=(_OF_TOURNAMENT,),
        problems=(404, 503),
    ),
    Operation(
        path="/api/stream",
        name="followMatches",
        summary="Live matches as server-sent events: `events` (LivePart), `over` (LiveOver), `problem` (LiveProblem) and `reset`",
        media="text/event-stream",
        parameters=(
            _query(
                "match",
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 16},
                "A match's id, a colon, and the number of the first event that is wanted: 7b382ec45c28:1",
                required=True,
                explode=True,
            ),
        ),
        problems=(400, 429, 503),
    ),
)


@cache
def description(prefix: str) -> bytes:
    """The OpenAPI document."""
    types = [Problem, LivePart, LiveOver, LiveProblem, *(each.answers for each in OPERATIONS if each.answers is not None)]
    schemas, components = msgspec.json.schema_components(types, ref_template=_TEMPLATE)
    of_type = dict(zip(map(str, types), schemas, strict=True))
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Mergemaker's pages",
            "version": API_VERSION,
            "description": "Matches of a referee, as everybody may know them. Nothing here changes anything.",
        },
        "servers": [{"url": prefix or "/"}],
        "paths": {each.path: {"get": _operation(each, of_type)} for each in OPERATIONS},
        "components": {"schemas": components},
    }
    return msgspec.json.encode(document)


def _operation(each: Operation, schemas: dict[str, dict[str, Any]]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"} if each.answers is None else schemas[str(each.answers)]
    answers: dict[str, Any] = {"200": {"description": each.summary, "content": {each.media: {"schema": schema}}}}
    problem = {"description": "Why not, and what to do", "content": {PROBLEM_JSON: {"schema": schemas[str(Problem)]}}}
    for status in sorted({*each.problems, 400, 429}):
        answers[str(status)] = problem
    answers["default"] = problem
    return {"operationId": each.name, "summary": each.summary, "parameters": list(each.parameters), "responses": answers}
