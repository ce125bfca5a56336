"""Garbage at every stage of a stream, and in every call: only typed errors come back, and nobody else notices."""

import contextlib
import re
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import pytest
import structlog
import trio
from mergemaker.v1 import actions_pb2, matches_pb2, referee_pb2, spectate_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.matches.making import MadeMatch
from mergemaker_referee.records.files import record_chunks
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit import attackers
from mergemaker_testkit.attackers import connect
from mergemaker_testkit.garbage import garbage
from mergemaker_testkit.in_process import House, Stream, a_house
from mergemaker_testkit.live_referee import Clients, live_referee, play_to_the_end

SHORT, LONG = 200, 3_000
REASON = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
OPERATOR = fresh_token(TokenKind.OPERATOR)
BEHIND_THE_END = "after the end"
CALLS = ("CreateMatch", "ListMatches", "GetMatch", "CancelMatch", "FetchRecord")


def requests(match: str) -> list[bytes]:
    """Correct requests at some stage."""
    place = actions_pb2.Action(place=actions_pb2.Place(square=5))
    kinds = [
        referee_pb2.PlayRequest(
            hello=referee_pb2.Hello(protocols=[1], bot_name="a", matches_max=2, event_mode=referee_pb2.EVENT_MODE_IMMEDIATE)
        ),
        referee_pb2.PlayRequest(
            hello=referee_pb2.Hello(
                protocols=[1],
                resume=referee_pb2.Resume(resume_token="mmr_x", seen=[referee_pb2.SeenMatch(match=match, last_event=3)]),  # noqa: S106 - nobody's
            )
        ),
        referee_pb2.PlayRequest(match=match, take_seat=referee_pb2.TakeSeat(seat=1)),
        referee_pb2.PlayRequest(match=match, answer=referee_pb2.Answer(decision=1, index=0, note="a")),
        referee_pb2.PlayRequest(match=match, answer=referee_pb2.Answer(decision=2, action=place)),
        referee_pb2.PlayRequest(match=match, seat_ready=referee_pb2.SeatReady(commitment=bytes(32))),
        referee_pb2.PlayRequest(match=match, seat_reveal=referee_pb2.SeatReveal(part=bytes(32))),
        referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=1)),
        referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=1)),
    ]
    return [kind.SerializeToString() for kind in kinds]


class Stages:
    """Brings a stream to the stage for the garbage."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._made: dict[str, MadeMatch] = {}
        self._other: dict[str, Stream] = {}

    async def _match(self, stage: str, mode: DealMode = DealMode.SERVER) -> MadeMatch:
        made = self._made.get(stage)
        is_over = made is not None and made.table.ended is not None
        if made is None or is_over != (stage == BEHIND_THE_END):
            _, made = await self._house.create(mode=mode)
            self._made[stage] = made
            if stage == BEHIND_THE_END:
                await self._house.play_to_the_end(made)
        return made

    async def reach(self, stage: str) -> tuple[Stream, str]:
        """A stream at this stage, and its match."""
        house = self._house
        made = await self._match(stage, DealMode.JOINT if stage == "before the deal" else DealMode.SERVER)
        match = made.table.setup.match
        if stage == "instead of a hello":
            return house.open(made.tokens[0]), match
        if stage == "after a hello":
            return await house.greeted(made.tokens[0]), match
        if stage in ("before the others are there", BEHIND_THE_END):
            return (await house.seated(made.tokens[0]))[0], match
        streams = [(await house.seated(token))[0] for token in made.tokens]
        if stage == "before the deal":
            return streams[0], match
        asked = next((at for at, stream in enumerate(streams) if self._is_asked(made, at)), 0)
        return streams[asked if stage == "while it is asked" else 1 - asked], match

    def _is_asked(self, made: MadeMatch, seat: int) -> bool:
        snapshot = made.table.snapshot(seat, 0)
        return snapshot is not None and snapshot.request is not None


STAGES = (
    "instead of a hello",
    "after a hello",
    "before the others are there",
    "before the deal",
    "while it is asked",
    "while another is asked",
    BEHIND_THE_END,
)


def in_a_house(folder: Path, work: Callable[[House], Awaitable[None]]) -> None:
    """Works in a house with another match, which must not notice."""
    broken: list[str] = []

    def note(_logger: object, method: str, event: MutableMapping[str, Any]) -> NoReturn:
        if method in ("error", "exception", "critical"):
            broken.append(str(event))
        raise structlog.DropEvent

    async def run() -> None:
        settings = Settings(
            operator_token_hash=token_hash(OPERATOR), spectating_open=True, limits=Limits(matches_max=100, sessions_max=100)
        )
        async with a_house(folder, settings) as house:
            _, undisturbed = await house.create()
            streams = [await house.seated(token) for token in undisturbed.tokens]
            await work(house)
            assert not broken, broken
            for stream, _ in streams:
                assert stream.closing is None
                await stream.leave()
            match = await house.play_to_the_end(undisturbed)
            assert match.fault is None
            assert match.table.ended is not None
            assert not any(standing.faults for standing in match.table.ended.standings)
            assert not any(each.fault for each in house.referee._seating.matches.values())
        verify(record_chunks(undisturbed.journal.path))

    structlog.configure(processors=[note])
    try:
        trio.run(run)
    finally:
        structlog.reset_defaults()


def check(closing: Closing | None, said: list[referee_pb2.PlayResponse], found: Counter[str]) -> None:
    """Checks that replies to garbage have a kind and a stable reason, and do not blame the referee."""
    if closing is not None:
        assert closing.code is not CloseCode.INTERNAL, closing
        assert closing.code is CloseCode.OK or REASON.fullmatch(closing.reason), closing
        assert closing.text
        found[closing.reason] += 1
    for response in said:
        for name in ("answer_refused", "request_refused"):
            if response.HasField(name):
                problem = getattr(response, name).problem
                assert REASON.fullmatch(problem.reason), problem
                assert problem.text
                found[problem.reason] += 1


@pytest.mark.parametrize("stage", STAGES)
def test_garbage_in_a_stream_has_typed_errors(tmp_path: Path, is_long: bool, stage: str) -> None:
    found: Counter[str] = Counter()

    async def work(house: House) -> None:
        chance = Random(stage)  # noqa: S311 - repeatable
        stages = Stages(house)
        stream, match = await stages.reach(stage)
        for number in range(LONG if is_long else SHORT):
            sent = garbage(chance, requests(match))
            try:
                said = await stream.come(sent)
                check(stream.closing, said, found)
            except Exception as problem:
                raise AssertionError(f"number {number}, {sent.hex()[:400]}") from problem
            is_over = house.referee._seating.matches[match].is_over and stage != BEHIND_THE_END
            if stream.closing is not None or is_over or stage == "instead of a hello":
                await stream.leave()
                stream, match = await stages.reach(stage)

    in_a_house(tmp_path, work)
    assert len(found) >= 2, found


@pytest.mark.parametrize("method", CALLS)
def test_garbage_in_a_call_has_typed_errors(tmp_path: Path, is_long: bool, method: str) -> None:
    found: Counter[str] = Counter()

    async def work(house: House) -> None:
        chance = Random(method)  # noqa: S311 - repeatable
        match, _ = await house.create()
        seats = [matches_pb2.SeatPlan(name="a"), matches_pb2.SeatPlan(name="b")]
        valid = {
            "CreateMatch": matches_pb2.CreateMatchRequest(seats=seats, seed=bytes(32)),
            "ListMatches": matches_pb2.ListMatchesRequest(page_size=5, page_token="2026-11-18T12:00:00Z x"),  # noqa: S106 - a page's
            "GetMatch": matches_pb2.GetMatchRequest(match=match.id),
            "CancelMatch": matches_pb2.CancelMatchRequest(match="x" + match.id, why="no time"),
            "FetchRecord": matches_pb2.FetchRecordRequest(match=match.id),
        }[method].SerializeToString()
        for number in range(LONG if is_long else SHORT):
            sent = garbage(chance, [valid])
            try:
                reply = await house.call(method, sent, OPERATOR)
            except Exception as problem:
                raise AssertionError(f"number {number}, {sent.hex()[:400]}") from problem
            if isinstance(reply, Closing):
                check(reply, [], found)
            else:
                found["done"] += 1

    in_a_house(tmp_path, work)
    assert len(found) >= 2, found


def test_garbage_of_a_spectator_has_typed_errors(tmp_path: Path, is_long: bool) -> None:
    found: Counter[str] = Counter()

    async def work(house: House) -> None:
        chance = Random("watch")  # noqa: S311 - repeatable
        match, _ = await house.create()
        valid = spectate_pb2.WatchRequest(match=match.id, delay_ms=5).SerializeToString()
        for _ in range(LONG if is_long else SHORT):
            stream = house.watch(garbage(chance, [valid]))
            await stream.leave()
            check(stream.closing, [], found)

    in_a_house(tmp_path, work)
    assert len(found) >= 2, found


def send_and_look(target: str, said: bytes) -> None:
    """Sends bytes, and waits until the server closes the connection."""
    with connect(target) as connection, contextlib.suppress(OSError):  # the server may close it meanwhile
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65_536):
            pass


def test_garbage_below_all_messages_disturbs_nobody(tmp_path: Path, is_long: bool) -> None:
    chance = Random("frames")  # noqa: S311 - repeatable
    with live_referee(tmp_path, limits=Limits(handshake_ms_max=500)) as referee:
        clients = Clients(referee)
        made = referee.create()
        bots = [clients.seated(made, seat) for seat in range(2)]
        token = referee.create().tokens[0]
        for _ in range(2_000 if is_long else 100):
            stream = chance.choice((0, 1, 1, 1, 2, 3, 2**31 - 1))
            message = attackers.message(garbage(chance, requests(made.table.setup.match)))
            frames = [
                attackers.frame(chance.randrange(11), chance.randrange(256), stream, chance.randbytes(chance.randrange(60))),
                attackers.frame(attackers.DATA, 0, 1, message),
                attackers.frame(attackers.DATA, 0, 1, message[: chance.randrange(len(message))]),
                attackers.frame(attackers.DATA, 0, 1, chance.randbytes(chance.randrange(1, 30))),
                attackers.frame(attackers.DATA, 0, 1, attackers.HELLO),
            ]
            said = b"".join(chance.choice(frames) for _ in range(chance.randrange(1, 5)))
            begin = chance.choice((b"", attackers.PREFACE, attackers.GREETING, attackers.call(token=token)))
            send_and_look(referee.target, begin + said)
        results = play_to_the_end(bots, made.table.setup.match)
        assert not any(standing.faults for result in results for standing in result.standings)
        clients.close()
