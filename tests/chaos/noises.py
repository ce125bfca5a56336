"""What a noisy guest does: it has a valid token, stays within every limit it knows, and tries to do harm.

    python -m tests.chaos.noises

Standard input gives the noise and the server as one JSON document, and stays open: when it closes, everything ends.
Standard output gets the amount of noise. These noises use gRPC, by `grpc.aio` with bytes; `raw_noises` has
those that no gRPC library makes.
"""

import asyncio
import contextlib
import itertools
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from string import ascii_letters
from typing import Any, Final

import grpc
from grpc import aio
from mergemaker.v1 import actions_pb2, matches_pb2, referee_pb2, spectate_pb2

from tests.chaos.guests import (
    HEALTH,
    LIST_SERVICES,
    MATCH_SERVICE,
    MATCHES,
    PAUSE_S,
    REFLECTION,
    REFUSED,
    WATCH,
    Guest,
    Noise,
    Target,
    loops,
    repeat,
    request,
    responses,
)
from tests.chaos.quick_bots import QuickBot, answer_to, play, tell, until_input_closes
from tests.chaos.raw_noises import RAW

PLAYS: Final = "plays"
"""No noise: it plays as fast as it can."""
NICE: Final = 19
"""Guests usually have their own machine; here, the guest gives way when it and the server want the same processor."""
REQUEST_BYTES: Final = 4_096
"""The largest request according to a Welcome, by default."""
NOTE_BYTES: Final = 1_024
HEADER_BYTES: Final = 7_500
"""Metadata; with the token, it stays below the limit."""
STREAMS: Final = 2_000
"""Calls on one connection."""
CONNECTIONS: Final = 200
SEEN: Final = 7_000
SEEN_MAX: Final = 560
"""How many names of three letters fit into a request: each takes seven bytes."""


def answer(match: str, decision: int, action: actions_pb2.Action | None = None, note: str = "") -> bytes:
    """An answer with one action."""
    return request(match, answer=referee_pb2.Answer(decision=decision, action=action or LONG_ACTIONS["buy"], note=note))


_MANY: Final = [1] * 1_900
BEYOND_THE_LIMIT: Final = actions_pb2.Action(buy=actions_pb2.Buy(shares=[1] * 64_000))
LONG_ACTIONS: Final = {
    "buy": actions_pb2.Action(buy=actions_pb2.Buy(shares=[1] * 3_900)),
    "offer": actions_pb2.Action(offer_trade=actions_pb2.OfferTrade(give_shares=_MANY, take_shares=_MANY)),
}
_UNKNOWN_FIELD: Final = b"\x9a\x06"
"""The head of field 99, which holds bytes; their length follows."""


def unknown_field(size: int) -> bytes:
    """An unknown field."""
    length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
    return _UNKNOWN_FIELD + length + bytes(size)


LONG_NAME: Final = "m" * (REQUEST_BYTES - 64)
_NO_MATCH: Final = "000000000000"

REPEATED: Final[Mapping[str, tuple[bytes, ...]]] = {
    "long answers to nothing": (answer(_NO_MATCH, 1),),
    "answers beyond the limit": (answer(_NO_MATCH, 1, BEYOND_THE_LIMIT),),
    "long lists of every kind": tuple(answer(_NO_MATCH, 1, each) for each in LONG_ACTIONS.values()),
    "long notes": (answer(_NO_MATCH, 1, actions_pb2.Action(), "n" * (REQUEST_BYTES - 128)),),
    "long names": (
        request(LONG_NAME, take_seat=referee_pb2.TakeSeat()),
        request(LONG_NAME, resign=referee_pb2.Resign()),
        request(LONG_NAME, answer=referee_pb2.Answer(decision=1, index=0)),
        request(LONG_NAME),
    ),
    "pings": (request(ping=referee_pb2.Ping(id=2**63)),),
    "pongs for no ping": (request(pong=referee_pb2.Pong(id=2**63)),),
    "seats that are not there": (request(take_seat=referee_pb2.TakeSeat()), request(_NO_MATCH, take_seat=referee_pb2.TakeSeat())),
    "resigns what it does not play": (request(_NO_MATCH, resign=referee_pb2.Resign()),),
    "requests of no kind": (b"", request(_NO_MATCH)),
    "unknown fields": (unknown_field(REQUEST_BYTES - 16),),
    "promises for no deal": (request(_NO_MATCH, seat_ready=referee_pb2.SeatReady(commitment=bytes(32))),),
}
"""Requests to repeat on one stream, as fast as the server takes them."""


async def _in_matches(guest: Guest, says: Callable[[referee_pb2.PlayResponse], Iterable[bytes]]) -> None:
    """Plays, and sends extra requests after each response."""
    async with guest.stream() as call:
        for _ in range(MATCHES):
            await call.write(request(take_seat=referee_pb2.TakeSeat()))
        async for data in responses(call):
            response = referee_pb2.PlayResponse.FromString(data)
            for each in says(response):
                await call.write(each)
                guest.did()
            if (said := answer_to(response)) is not None:
                await call.write(said)


def _again(noise: Noise) -> Noise:
    """Repeats a noise whenever its stream breaks."""

    async def again(guest: Guest) -> None:
        while True:
            with contextlib.suppress(*REFUSED):
                await noise(guest)
            await asyncio.sleep(PAUSE_S)

    return again


def _to_open_decisions(*wrong: actions_pb2.Action, note: str = "") -> Noise:
    """Answers each question wrongly before the correct answer."""

    def says(response: referee_pb2.PlayResponse) -> Iterable[bytes]:
        if response.HasField("decision"):
            yield from (answer(response.match, response.decision.id, each, note) for each in wrong)

    return _again(lambda guest: _in_matches(guest, says))


def _to_closed_decisions(guest: Guest) -> Awaitable[None]:
    """Answers questions that were settled long ago, as much as there is room for."""

    def says(response: referee_pb2.PlayResponse) -> Iterable[bytes]:
        if response.HasField("decision") and response.decision.id > 1:
            yield from (answer(response.match, 1) for _ in range(8))

    return _in_matches(guest, says)


async def _promises(guest: Guest) -> None:
    """Promises its part of a joint deal repeatedly, in all matches offered to it."""

    def says(response: referee_pb2.PlayResponse) -> Iterable[bytes]:
        if response.HasField("match_offered") or response.HasField("request_refused"):
            for number in range(2):
                promise = referee_pb2.SeatReady(commitment=os.urandom(31) + bytes([number]))
                yield request(response.match, seat_ready=promise)

    await _in_matches(guest, says)


# --- streams that come and go ---


def _resumes_with(names: Callable[[int], Iterable[str]]) -> Noise:
    """Resumes its session repeatedly over one connection, and claims to have seen matches that do not exist."""

    async def noise(guest: Guest) -> None:
        async with guest.channel() as channel:
            token = ""
            for rounds in itertools.count():
                seen = [referee_pb2.SeenMatch(match=name) for name in names(rounds)]
                back: dict[str, Any] = {"resume": referee_pb2.Resume(resume_token=token, seen=seen)} if token else {}
                try:
                    async with guest.stream(channel, **back) as call:
                        token = call.welcome.resume_token
                        await call.read()  # the first refusal
                except REFUSED:
                    token = ""
                guest.did()

    return noise


def _digits(rounds: int) -> Iterable[str]:
    return (f"{rounds % 10}{number:04x}" for number in range(SEEN))


def _as_short_as_can_be(rounds: int) -> Iterable[str]:
    letters = ascii_letters[rounds % 26 :]
    return itertools.islice(map("".join, itertools.permutations(letters, 3)), SEEN_MAX)


async def _resume_storm(guest: Guest) -> None:
    """Reconnects repeatedly while it plays, so that it is shown all its matches each time."""
    async with guest.channel() as channel:
        token = ""
        while True:
            back: dict[str, Any] = {"resume": referee_pb2.Resume(resume_token=token)} if token else {}
            try:
                async with guest.stream(channel, **back) as call:
                    if not call.welcome.resumed:
                        for _ in range(MATCHES):
                            await call.write(request(take_seat=referee_pb2.TakeSeat()))
                        await asyncio.sleep(PAUSE_S)
                    token = call.welcome.resume_token
            except REFUSED:
                token = ""
            guest.did()


async def _evict_war(guest: Guest) -> None:
    """Streams that throw each other out."""

    async def one(channel: Any) -> None:
        async with guest.stream(channel) as call:
            await call.read()

    await loops(guest, one)


async def _garbage(guest: Guest) -> None:
    async def one(channel: Any) -> None:
        async with guest.stream(channel, greets=False) as call:
            await call.write(b"\xff" * 1_000)
            await call.read()

    await loops(guest, one)


async def _half_closes(guest: Guest) -> None:
    async def one(channel: Any) -> None:
        async with guest.stream(channel) as call:
            await call.done_writing()
            await call.read()

    await loops(guest, one)


async def _never_greets(guest: Guest) -> None:
    """Opens as many calls as a connection allows, on several connections, and sends nothing."""

    async def hold(channel: Any) -> None:
        async with guest.stream(channel, greets=False) as call:
            guest.did()
            await call.initial_metadata()

    await loops(guest, hold, at_once=2 * STREAMS, channels=2)


async def _many_connections(guest: Guest) -> None:
    """Each connection has its own stream; a new one replaces each that ends."""

    async def hold() -> None:
        while True:
            with contextlib.suppress(*REFUSED):
                async with guest.stream() as call:
                    guest.did()
                    await call.read()
            await asyncio.sleep(PAUSE_S)

    await asyncio.gather(*(hold() for _ in range(CONNECTIONS)))


# --- calls ---


def _calls(method: str, said: Callable[[Guest], bytes], *, breaks_off: bool = False, header: int = 0, at_once: int = 64) -> Noise:
    """Makes calls in loops; some break off after the first response."""

    async def noise(guest: Guest) -> None:
        metadata = (*guest.metadata, *((("x-noise", "n" * header),) if header else ()))

        async def one(channel: Any) -> None:
            call = channel.unary_stream(method)(said(guest), metadata=metadata)
            try:
                while await call.read() is not aio.EOF and not breaks_off:
                    pass
            finally:
                call.cancel()

        await loops(guest, one, at_once)

    return noise


async def _watches(guest: Guest) -> None:
    """Watches a match of others with as many streams as allowed, and reconnects."""

    async def one(channel: Any) -> None:
        said = spectate_pb2.WatchRequest(match=guest.match).SerializeToString()
        async for _ in channel.unary_stream(WATCH)(said, metadata=guest.metadata):
            guest.did()

    await loops(guest, one, at_once=1_000, channels=4)


def _compressed(size: int) -> Noise:
    async def noise(guest: Guest) -> None:
        said = unknown_field(REQUEST_BYTES - 16) if size <= REQUEST_BYTES else bytes(size)

        async with guest.channel(compression=grpc.Compression.Gzip) as channel:
            while True:
                guest.did()  # the first request leads to the refusal
                with contextlib.suppress(*REFUSED):
                    async with guest.stream(channel) as call:
                        while True:
                            await call.write(said)
                await asyncio.sleep(PAUSE_S)

    return noise


async def _plays(guest: Guest) -> None:
    bot = QuickBot(name=PLAYS, token=guest.where.token, target=guest.where.target, matches_at_once=MATCHES)
    await play(bot, guest.done)


def _repeats(said: tuple[bytes, ...]) -> Noise:
    return lambda guest: repeat(guest, said)


IN_GRPC: Final[Mapping[str, Noise]] = {
    PLAYS: _plays,
    **{name: _repeats(said) for name, said in REPEATED.items()},
    "long answers to open decisions": _to_open_decisions(LONG_ACTIONS["buy"], LONG_ACTIONS["offer"]),
    "wrong twice with the longest notes": _to_open_decisions(actions_pb2.Action(), actions_pb2.Action(), note="n" * NOTE_BYTES),
    "long answers to closed decisions": _again(_to_closed_decisions),
    "promises in joint deals": _again(_promises),
    "resumes with 7,000 names": _resumes_with(_digits),
    "resumes with names up to the limit": _resumes_with(_as_short_as_can_be),
    "resumes in 16 matches": _resume_storm,
    "evicts itself": _evict_war,
    "garbage and again": _garbage,
    "greets and leaves": _half_closes,
    "4,000 streams without a hello": _never_greets,
    "200 connections that evict each other": _many_connections,
    "operator's calls": _calls(MATCH_SERVICE + "ListMatches", lambda _: b""),
    "operator's calls with long requests": _calls(MATCH_SERVICE + "CreateMatch", lambda _: unknown_field(REQUEST_BYTES - 16)),
    "fetches records": _calls(
        MATCH_SERVICE + "FetchRecord", lambda guest: matches_pb2.FetchRecordRequest(match=guest.match).SerializeToString()
    ),
    "watches what is not there": _calls(WATCH, lambda _: spectate_pb2.WatchRequest(match=LONG_NAME).SerializeToString()),
    "watches and breaks off": _calls(
        WATCH, lambda guest: spectate_pb2.WatchRequest(match=guest.match).SerializeToString(), breaks_off=True
    ),
    "1,000 watchers": _watches,
    "calls what is not there": _calls("/nobody.Service/Call", lambda _: b"", header=HEADER_BYTES),
    "health checks": _calls(HEALTH, lambda _: b""),
    "reflection": _calls(REFLECTION, lambda _: LIST_SERVICES, breaks_off=True),
    "compressed requests": _compressed(REQUEST_BYTES),
    "compressed beyond the limit": _compressed(8 * 1_024 * 1_024),
}
"""Noises that use gRPC, by name."""
NOISES: Final = {**IN_GRPC, **RAW}
KINDS: Final = tuple(kind for kind in NOISES if kind != PLAYS)


def main() -> None:
    """Makes one noise until standard input closes."""
    where = Target(**json.loads(sys.stdin.readline()))
    os.nice(NICE)
    guest = Guest(where)

    def heard(line: str) -> None:
        guest.match = line.strip()

    until_input_closes(lambda: asyncio.gather(tell(guest.done), NOISES[where.kind](guest)), heard)


if __name__ == "__main__":
    main()
