"""A referee without sockets, in the test's own thread: once all is quiet, the results of a request are there."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import trio
import trio.testing
from mergemaker.v1 import referee_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import Closing, Listener, OnHanded
from mergemaker_referee.identities import Identity
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.making import MadeMatch, MatchMaker, MatchWish, SeatWish
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.journal_writer import LineWriter, OnSettled
from mergemaker_referee.records.leftovers import find_leftovers
from mergemaker_referee.records.log_file import open_log
from mergemaker_referee.referee import Referee
from mergemaker_table.terms import CLOCKS, FaultTerms, Terms

PATIENT: Final = Terms(CLOCKS["none"], FaultTerms(refusals_max=100, defaults_max=100))
"""Nothing happens by time, and autopilot takes over a seat late."""


class InlineWriter:
    """Writes lines at once."""

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:
        settled(problem_of(lambda: journal.append(lines)))

    def flush(self) -> None:
        """Nothing gathers."""

    async def append(self, journal: Journal, lines: bytes) -> None:
        journal.append(lines)
        await trio.lowlevel.checkpoint()

    async def run(self, job: Callable[[], None]) -> None:
        job()
        await trio.lowlevel.checkpoint()


def problem_of(job: Callable[[], None]) -> Exception | None:
    """What a job raises."""
    try:
        job()
    except Exception as problem:  # noqa: BLE001 - a writer passes on whatever a job raises
        return problem
    return None


class Stream:
    """Both ends of a stream: what was sent, and how the referee ended it."""

    def __init__(self) -> None:
        self.peer = "ipv4:127.0.0.1:1"
        self.unread_bytes = 0
        self.said: list[bytes] = []
        self.closing: Closing | None = None
        self.listener: Listener | None = None

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        if self.closing is None:
            self.said.append(response)
            if handed is not None:
                handed(time.monotonic_ns())

    def charge(self, cost_ns: int) -> None:
        """Does not count anybody's work."""

    def barrier(self, passed: Callable[[], None]) -> None:
        passed()

    @property
    def held_up_ns(self) -> int:
        return 0

    def close(self, closing: Closing, last: bytes = b"") -> None:
        if self.closing is None:
            self.closing = closing
            self.said += [last] if last else []

    def responses(self) -> list[referee_pb2.PlayResponse]:
        """The responses since the last call."""
        found = [referee_pb2.PlayResponse.FromString(response) for response in self.said]
        self.said.clear()
        return found

    async def come(self, request: bytes | referee_pb2.PlayRequest) -> list[referee_pb2.PlayResponse]:
        """Delivers a request; returns the responses up to the moment when all is quiet."""
        assert self.listener is not None
        data = request if isinstance(request, bytes) else request.SerializeToString()
        if self.closing is None:
            self.listener.received(data, time.monotonic_ns())
        await trio.testing.wait_all_tasks_blocked()
        if self.closing is not None:
            await self.leave()
        return self.responses()

    async def leave(self) -> None:
        """The client leaves."""
        if self.listener is not None:
            self.listener.gone("the client went")
            self.listener = None
        await trio.testing.wait_all_tasks_blocked()


class House:
    """A referee that plays."""

    def __init__(self, referee: Referee) -> None:
        self.referee: Final = referee

    async def create(
        self, seats: int = 2, terms: Terms = PATIENT, mode: DealMode = DealMode.SERVER
    ) -> tuple[HostedMatch, MadeMatch]:
        wish = MatchWish(
            rules=preset("renegade-classic"),
            seats=tuple(SeatWish(f"bot {number}") for number in range(seats)),
            terms=terms,
            mode=mode,
        )
        return await self.referee.create(wish)

    def identity(self, token: str | None) -> Identity:
        found = self.referee.identify(token)
        assert not isinstance(found, Closing), found
        return found

    def open(self, token: str) -> Stream:
        """A bot's stream."""
        stream = Stream()
        stream.listener = self.referee.play(stream, self.identity(token))
        return stream

    async def greeted(self, token: str) -> Stream:
        """A stream that has said Hello."""
        stream = self.open(token)
        await stream.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], evict=True)))
        assert stream.closing is None, stream.closing
        return stream

    async def seated(self, token: str) -> tuple[Stream, list[referee_pb2.PlayResponse]]:
        """A stream that has a seat, and its responses."""
        stream = await self.greeted(token)
        return stream, await stream.come(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))

    def watch(self, request: bytes, token: str | None = None) -> Stream:
        """A spectator's stream."""
        stream = Stream()
        stream.listener = self.referee.watch(stream, self.identity(token), request)
        return stream

    async def call(self, method: str, request: bytes, token: str) -> bytes | Path | Closing:
        """A single call, and its reply."""
        replies: list[bytes | Path | Closing] = []
        self.referee.call(method, self.identity(token), request, replies.append)
        await trio.testing.wait_all_tasks_blocked()
        (reply,) = replies
        return reply

    async def play_to_the_end(self, made: MadeMatch) -> HostedMatch:
        """Every seat takes the defaults."""
        match = self.referee._seating.matches[made.table.setup.match]
        streams = [await self.seated(token) for token in made.tokens]
        asked: Sequence[Any] = [(stream, response) for stream, said in streams for response in [*said, *stream.responses()]]
        while not match.is_over:
            (stream, decision), *_ = [(stream, said.decision) for stream, said in asked if said.HasField("decision")]
            answer = referee_pb2.Answer(decision=decision.id, index=decision.default_index)
            said = await stream.come(referee_pb2.PlayRequest(match=match.id, answer=answer))
            asked = [(each, response) for each, _ in streams for response in each.responses()]
            asked = [*asked, *((stream, response) for response in said)]
        for stream, _ in streams:
            await stream.leave()
        return match


@asynccontextmanager
async def a_house(
    folder: Path,
    settings: Settings,
    now_ns: Callable[[], int] = time.monotonic_ns,
    log: Path | None = None,
    writer: LineWriter | None = None,
) -> AsyncIterator[House]:
    """A referee that keeps its records in a folder, and its public log in a file, if one is named."""
    opened = None if log is None else open_log(log, [folder], find_leftovers(folder))
    maker = MatchMaker(folder=folder, software="test", today=lambda: datetime.now(UTC), log=opened)
    referee = Referee(settings, maker, writer or InlineWriter(), now_ns)
    async with trio.open_nursery() as nursery:
        await nursery.start(referee.run)
        yield House(referee)
        nursery.cancel_scope.cancel()
