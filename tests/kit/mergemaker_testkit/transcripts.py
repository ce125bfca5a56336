"""Transcripts of clients: the exact bytes that a client once sent, and the meaning of what it must receive.

A request names the fact after which it was sent (`after`), so a transcript plays at any speed: `decision m 3` is question
number 3 of the match m. Where a client sent a resume token, the transcript has a placeholder of the same length, to be replaced.
"""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from mergemaker.v1 import match_pb2
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_referee.matches.making import MadeMatch, MatchMaker, MatchWish, SeatWish
from mergemaker_referee.records.files import record_chunks
from mergemaker_referee.tokens import TokenKind, token_hash
from mergemaker_table.terms import CLOCKS, Terms

from mergemaker_testkit.live_referee import WAIT_LIMIT_S, LiveReferee, RawBot, StreamEnd, live_referee

PLACEHOLDER: Final = TokenKind.RESUME + "R" * 43
"""Replaces each resume token, and has the same length."""


@dataclass(slots=True)
class Request:
    """One request."""

    after: str
    """The fact after which it was sent; empty: at once."""
    data: bytes


@dataclass(slots=True)
class Stream:
    """One stream of a client."""

    requests: list[Request] = field(default_factory=list)
    until: list[str] = field(default_factory=list)
    """What the client had received when the stream ended."""
    cut: bool = False
    """Whether the stream broke; otherwise the client ended it."""
    told: dict[str, Any] = field(default_factory=dict)
    """The meaning of what it received."""


@dataclass(slots=True)
class Client:
    """One client, with its token."""

    token: str
    streams: list[Stream]


@dataclass(slots=True)
class Transcript:
    """Whole matches, and all clients that play them."""

    what: str
    matches: list[dict[str, Any]]
    """`match`, `rules`, `mode`, `seed`, and the names of `bots` with their own tokens, or of `seats`."""
    clients: list[Client]
    games: dict[str, str] = field(default_factory=dict)
    """By match: the hash `game` of the record's end line."""


def load(path: Path) -> Transcript:
    """Reads a transcript."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    clients = [
        Client(
            client["token"],
            [
                Stream(
                    [Request(after, base64.b64decode(data)) for after, data in stream["requests"]],
                    stream["until"],
                    stream["cut"],
                    stream["told"],
                )
                for stream in client["streams"]
            ],
        )
        for client in plain["clients"]
    ]
    return Transcript(plain["what"], plain["matches"], clients, plain["games"])


def text_of(transcript: Transcript) -> str:
    """A transcript as the text of its file."""
    clients = [
        {
            "token": client.token,
            "streams": [
                {
                    "requests": [[request.after, base64.b64encode(request.data).decode("ascii")] for request in stream.requests],
                    "until": stream.until,
                    "cut": stream.cut,
                    "told": stream.told,
                }
                for stream in client.streams
            ],
        }
        for client in transcript.clients
    ]
    plain = {"what": transcript.what, "matches": transcript.matches, "games": transcript.games, "clients": clients}
    return json.dumps(plain, indent=1) + "\n"


def facts(response: PlayResponse) -> Iterator[str]:
    """The facts in a response that a request may follow."""
    match = response.match
    if response.HasField("welcome"):
        yield "welcome"
    if response.HasField("match_offered"):
        yield f"offered {match}"
    if response.HasField("seats_committed"):
        yield f"committed {match}"
    if response.HasField("answer_refused"):
        yield f"refused {match} {response.answer_refused.decision}"
    if response.HasField("decision"):
        yield f"decision {match} {response.decision.id}"
    if response.HasField("match_ended"):
        yield f"ended {match}"
    if response.HasField("request_refused"):
        yield f"no {response.request_refused.request}"


def meaning(responses: Sequence[PlayResponse]) -> dict[str, Any]:
    """The meaning of all responses together: the referee decides how to distribute it among them."""
    told: dict[str, Any] = {"matches": {}, "refused": []}
    for response in responses:
        if response.HasField("welcome"):
            told["welcome"] = [response.welcome.protocol, response.welcome.resumed, response.welcome.bot_name]
        if response.HasField("request_refused"):
            told["refused"].append([response.request_refused.request, response.request_refused.problem.reason])
        if response.match:
            _add(told["matches"].setdefault(response.match, {"accepted": [], "decisions": [], "events": []}), response)
    for match in told["matches"].values():
        kinds = match["events"]
        digest = hashlib.sha256("".join(kinds).encode("ascii")).hexdigest()
        match["events"] = [kinds[0], kinds[-1], digest[:16]] if kinds else []
    return told


def _add(match: dict[str, Any], response: PlayResponse) -> None:
    if response.HasField("match_offered"):
        offered = response.match_offered
        match["offered"] = [offered.seat, offered.seats, offered.rules.fingerprint, offered.commitment.hex()]
    if response.HasField("match_started"):
        match["started"] = [bot.name for bot in response.match_started.bots]
    if response.HasField("answer_accepted"):
        match["accepted"].append(response.answer_accepted.decision)
    if response.HasField("answer_refused"):
        refused = response.answer_refused
        match.setdefault("refused", []).append([refused.decision, refused.problem.reason, refused.refusals_left])
    if response.HasField("default_taken"):
        match.setdefault("defaults", []).append(response.default_taken.decision)
    for event in response.events:
        body = event.SerializeToString(deterministic=True).hex()
        match["events"].append(f"{event.number} {event.WhichOneof('kind')} {body};")
    if response.HasField("decision"):
        asked = response.decision
        kind = asked.view.asked.WhichOneof("kind")
        match["decisions"].append([asked.id, kind, asked.answers.count, asked.default_index, asked.view.last_event])
    if response.HasField("match_ended"):
        ended = response.match_ended
        standings = [[each.cash, each.place, match_pb2.SeatStatus.Name(each.status)] for each in ended.standings]
        match["ended"] = [match_pb2.Ending.Name(ended.ending), standings, ended.proof.seed.hex()]


@contextmanager
def referee_for(transcript: Transcript, folder: Path) -> Iterator[tuple[LiveReferee, list[MadeMatch]]]:
    """A server with the transcript's matches. Its random draws for them are the same each time."""
    known = {client.token.rpartition("_")[2]: token_hash(client.token) for client in transcript.clients}
    is_known = any("bots" in match for match in transcript.matches)
    is_making = True

    def random_bytes(count: int) -> bytes:
        """The same bytes for each nonce of a promise; tokens are drawn later, and each one differs."""
        return hashlib.sha256(b"transcripts").digest()[:count] if is_making else secrets.token_bytes(count)

    maker = partial(MatchMaker, random_bytes=random_bytes)
    with (
        patch("mergemaker_referee.serving.MatchMaker", maker),
        live_referee(folder, **({"bots": known} if is_known else {})) as referee,
    ):
        assert referee.running is not None
        made = []
        for match in transcript.matches:
            seats = tuple(SeatWish(name, name) for name in match.get("bots", ())) or tuple(map(SeatWish, match["seats"]))
            wish = MatchWish(
                rules=preset(match["rules"]),
                seats=seats,
                terms=Terms(CLOCKS["none"]),
                mode=DealMode(match["mode"]),
                seed=bytes.fromhex(match["seed"]),
                match=match["match"],
                tokens=() if is_known else tuple(client.token for client in transcript.clients),
            )
            made.append(referee.run(referee.running.referee.create, wish)[1])
        is_making = False
        yield referee, made


def game_hashes(made: Sequence[MadeMatch]) -> dict[str, str]:
    """By match: the hash `game` of its record's end line."""
    games = {}
    for match in made:
        record = verify(record_chunks(match.journal.path)).record
        last = b"".join(record_chunks(match.journal.path)).splitlines()[-1]
        games[record.header.match] = json.loads(last)["game"]
    return games


def play_transcript(transcript: Transcript, referee: LiveReferee) -> list[list[dict[str, Any]]]:
    """Sends what the clients sent, each in its own thread; returns what each got on each of its streams."""
    told: list[list[dict[str, Any]]] = [[] for _ in transcript.clients]
    problems: list[BaseException] = []

    def play(number: int, client: Client) -> None:
        resume = PLACEHOLDER
        try:
            for stream in client.streams:
                responses, resume = _play_stream(RawBot(referee, client.token), stream, resume)
                told[number].append(meaning(responses))
        except BaseException as problem:  # noqa: BLE001 - raised where the test waits
            problems.append(problem)

    _in_threads([partial(play, number, client) for number, client in enumerate(transcript.clients)])
    if problems:
        raise problems[0]
    return told


def _in_threads(calls: Sequence[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=call, daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * WAIT_LIMIT_S)
        assert not thread.is_alive(), "a client of a transcript waits for something that never comes"


def _play_stream(bot: RawBot, stream: Stream, resume: str) -> tuple[list[PlayResponse], str]:
    responses: list[PlayResponse] = []
    seen = {""}

    def read_until(fact: str) -> None:
        while fact not in seen:
            response = bot.next()
            assert not isinstance(response, StreamEnd), f"the stream ended before {fact!r}: {response}"
            responses.append(response)
            seen.update(facts(response))

    try:
        for request in stream.requests:
            read_until(request.after)
            bot.send(request.data.replace(PLACEHOLDER.encode("ascii"), resume.encode("ascii")))
        for fact in stream.until:
            read_until(fact)
        resume = next(response.welcome.resume_token for response in responses if response.HasField("welcome"))
        if not stream.cut:
            bot.leave()
            assert bot.end().code.name == "OK"
    finally:
        if stream.cut:
            bot.drop()
        bot.close()
    return responses, resume


def reply_to(request: PlayRequest, seen: Sequence[str]) -> str:
    """The fact after which a request was sent."""
    about = request.match
    match request.WhichOneof("kind"):
        case "hello":
            return ""
        case "take_seat":
            return next((fact for fact in reversed(seen) if fact.startswith("ended ")), "welcome")
        case "seat_ready":
            return f"offered {about}"
        case "seat_reveal":
            return f"committed {about}"
        case "answer":
            decision = f"{about} {request.answer.decision}"
            return f"refused {decision}" if f"refused {decision}" in seen else f"decision {decision}"
        case kind:
            raise AssertionError(f"no transcript has a request {kind!r} yet")
