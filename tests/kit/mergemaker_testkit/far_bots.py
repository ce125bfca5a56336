"""A whole referee without sockets and threads, under a virtual clock, and distant bots, whose messages take time.

All delays come from a seed, so that equal runs give equal records.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import trio
from mergemaker.v1 import referee_pb2
from mergemaker_engine.deal import Chances, derived_seed
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import Rules
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import Closing, Connection, Listener, OnHanded
from mergemaker_referee.identities import KnownBot
from mergemaker_referee.matches.making import MatchMaker, MatchWish, SeatWish
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.journal_writer import OnSettled
from mergemaker_referee.referee import Referee
from mergemaker_table.clock import in_ns
from mergemaker_table.terms import ClockTerms, Terms
from trio.testing import MockClock

from mergemaker_testkit.in_process import problem_of

START: Final = datetime(2026, 11, 18, 12, tzinfo=UTC)
MESSAGES_MAX: Final = 1_000
"""Messages on their way at once."""
MATCH_LIMIT_S: Final = 100_000
"""Virtual time: a match that takes longer does not end."""
_US_PER_MS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Far:
    """How far away a bot is, and how it spends its time. All in milliseconds."""

    way_ms: tuple[int, int] = (0, 0)
    """The shortest and the longest delay in one direction."""
    thinks_ms: int = 0
    """Before each answer."""
    holds_pongs_ms: int = 0
    """How long it delays its answer to a ping."""
    thinks_before_pongs: bool = False
    """Whether it answers a ping only after it has thought and answered, like a program that does one thing at a time."""


def now_ns() -> int:
    """The virtual time."""
    return round(trio.current_time() * 1e9)


class InLoopWriter:
    """A disk that takes no time and no thread: while a thread worked, virtual time would jump."""

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:
        settled(problem_of(lambda: journal.append(lines)))

    def flush(self) -> None:
        """Nothing gathers."""

    async def append(self, journal: Journal, lines: bytes) -> None:
        await trio.lowlevel.checkpoint()
        journal.append(lines)

    async def run(self, job: Callable[[], None]) -> None:
        await trio.lowlevel.checkpoint()
        job()


class _Way:
    """One direction of a stream: messages arrive later, in the order in which they were sent."""

    def __init__(self, delay: Callable[[], int], deliver: Callable[[bytes, int], None]) -> None:
        self._delay: Final = delay
        self._deliver: Final = deliver
        self._under_way: Final[list[tuple[int, int, bytes]]] = []
        self._count = 0
        self._last_ns = 0
        self._news = trio.Event()

    def send(self, message: bytes, after_ms: int = 0) -> None:
        """Sends something, now or later."""
        at = max(now_ns() + in_ns(after_ms) + self._delay(), self._last_ns)
        if not after_ms:
            self._last_ns = at  # delayed messages are overtaken
        self._count += 1
        heapq.heappush(self._under_way, (at, self._count, message))
        self._news.set()

    async def run(self) -> None:
        """Delivers."""
        while True:
            if not self._under_way:
                self._news = trio.Event()
                await self._news.wait()
            at = self._under_way[0][0]
            if at > now_ns():
                with trio.move_on_after((at - now_ns()) / 1e9):
                    self._news = trio.Event()
                    await self._news.wait()
                continue
            due, _, message = heapq.heappop(self._under_way)
            self._deliver(message, due)


class _FarConnection:
    """The referee's end of a stream."""

    def __init__(self, down: _Way) -> None:
        self._down: Final = down
        self._in_hand, self._to_hand = trio.open_memory_channel[tuple[bytes, "OnHanded | None"]](MESSAGES_MAX)

    @property
    def peer(self) -> str:
        """Far away."""
        return "far"

    @property
    def held_up_ns(self) -> int:
        """Nothing holds it up."""
        return 0

    @property
    def unread_bytes(self) -> int:
        """Unused: bots get everything at once."""
        return 0

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        """Sends a response; `handed` is called later, as over gRPC."""
        self._in_hand.send_nowait((response, handed))

    async def run(self) -> None:
        """Sends the responses in order."""
        async for response, handed in self._to_hand:
            self._down.send(response)
            if handed is not None:
                handed(now_ns())

    def charge(self, cost_ns: int) -> None:
        """Does not count anybody's work."""

    def barrier(self, passed: Callable[[], None]) -> None:
        """Nothing waits in the transport."""
        passed()

    def close(self, closing: Closing, last: bytes = b"") -> None:
        """Fails: no bot is thrown out."""
        raise AssertionError(closing, last)


class FarBot:
    """A bot that plays one match; its seed fixes beforehand which legal answers it gives."""

    def __init__(self, name: str, far: Far, chance: Callable[[str], Chances]) -> None:
        self.name: Final = name
        self._far: Final = far
        self._answers: Final = chance("answers")
        self._way_down: Final = chance("down")
        self._way_up: Final = chance("up")
        self._busy_until_ns = 0
        self.over: Final = trio.Event()
        self.thought_ms: Final[list[int]] = []
        """How long the bot itself thought about each answer."""
        self.time_left_ms: Final[list[int]] = []
        """The time left that came with each question."""
        self._up: _Way

    def connect(self, play: Callable[[Connection], Listener], nursery: trio.Nursery) -> None:
        """Opens its stream."""
        down = _Way(lambda: self._delay_ns(self._way_down), self._hear)
        connection = _FarConnection(down)
        listener = play(connection)
        self._up = _Way(lambda: self._delay_ns(self._way_up), listener.received)
        nursery.start_soon(connection.run)
        nursery.start_soon(down.run)
        nursery.start_soon(self._up.run)
        request = referee_pb2.PlayRequest()
        request.hello.protocols.append(1)
        self._say(request)

    def _delay_ns(self, chance: Chances) -> int:
        low, high = (way * _US_PER_MS for way in self._far.way_ms)
        return (low + chance.below(high - low + 1)) * 1_000

    def _say(self, request: referee_pb2.PlayRequest, after_ms: int = 0) -> None:
        self._up.send(request.SerializeToString(), after_ms)

    def _hear(self, data: bytes, at_ns: int) -> None:
        response = referee_pb2.PlayResponse.FromString(data)
        request = referee_pb2.PlayRequest(match=response.match)
        if response.HasField("welcome"):
            request.take_seat.SetInParent()
            self._say(request)
        if response.HasField("decision"):
            self.time_left_ms.append(response.decision.time_left_ms)
            self.thought_ms.append(self._far.thinks_ms)
            self._busy_until_ns = at_ns + in_ns(self._far.thinks_ms)
            request.answer.decision = response.decision.id
            request.answer.index = self._answers.below(min(response.decision.answers.count, 60))
            self._say(request, self._far.thinks_ms)
        if response.HasField("ping"):
            request.pong.id = response.ping.id
            busy_ms = max(0, self._busy_until_ns - at_ns) // in_ns(1) if self._far.thinks_before_pongs else 0
            self._say(request, busy_ms + self._far.holds_pongs_ms)
        if response.HasField("match_ended"):
            self.over.set()


def play_far(folder: Path, rules: Rules, clock: ClockTerms, bots: Sequence[Far], seed: int) -> tuple[Path, list[FarBot]]:
    """Plays one match under the virtual clock; returns its record, and the bots."""
    return trio.run(_play, folder, rules, clock, bots, seed, clock=MockClock(autojump_threshold=0))


def watch_far(folder: Path, rules: Rules, clock: ClockTerms, tables: Sequence[Sequence[Far]], for_ms: int) -> list[Path]:
    """Plays matches at once under the virtual clock, for this long; returns their records so far."""
    return trio.run(_watch, folder, rules, clock, tables, for_ms, clock=MockClock(autojump_threshold=0))


async def _watch(folder: Path, rules: Rules, clock: ClockTerms, tables: Sequence[Sequence[Far]], for_ms: int) -> list[Path]:
    records = []
    maker = MatchMaker(folder=folder, software="mergemaker", today=lambda: START)
    names = {f"bot {table} {seat}": far for table, bots in enumerate(tables) for seat, far in enumerate(bots)}
    settings = Settings(limits=Limits(pong_ms_max=600_000), bots={name: f"{at:064x}" for at, name in enumerate(names)})
    referee = Referee(settings, maker, InLoopWriter(), now_ns)
    async with trio.open_nursery() as nursery:
        await nursery.start(referee.run)
        for table, bots in enumerate(tables):
            seats = [f"bot {table} {seat}" for seat in range(len(bots))]
            wish = MatchWish(
                rules=rules, seats=tuple(SeatWish(name, name) for name in seats), terms=Terms(clock), mode=DealMode.SERVER
            )
            match, _ = await referee.create(wish)
            records.append(match.record)
            for name in seats:
                player = FarBot(name, names[name], partial(Chances, derived_seed(b"far bots".ljust(32), name, 0)))
                player.connect(lambda connection, name=name: referee.play(connection, KnownBot(name)), nursery)  # type: ignore[misc]  # as below
        await trio.sleep(for_ms / 1_000)
        nursery.cancel_scope.cancel()
    return records


async def _play(folder: Path, rules: Rules, clock: ClockTerms, bots: Sequence[Far], seed: int) -> tuple[Path, list[FarBot]]:
    root = derived_seed(b"far bots".ljust(32), "match", seed)
    players = [FarBot(f"bot {seat}", far, partial(Chances, derived_seed(root, "bot", seat))) for seat, far in enumerate(bots)]
    maker = MatchMaker(folder=folder, software="mergemaker", today=lambda: START)
    hashes = {player.name: f"{number:064x}" for number, player in enumerate(players)}
    # This referee does not throw out a bot that holds a pong back for long: the test measures what the bot gains.
    settings = Settings(limits=Limits(pong_ms_max=600_000), bots=hashes)
    referee = Referee(settings, maker, InLoopWriter(), now_ns)
    wish = MatchWish(
        rules=rules,
        seats=tuple(SeatWish(player.name, player.name) for player in players),
        terms=Terms(clock),
        mode=DealMode.PLAIN,
        seed=root,
    )
    with trio.fail_after(MATCH_LIMIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(referee.run)
            match, _ = await referee.create(wish)
            for player in players:
                player.connect(lambda connection, name=player.name: referee.play(connection, KnownBot(name)), nursery)  # type: ignore[misc]  # defaults bind the loop's values
            await match.end_told.wait()
            nursery.cancel_scope.cancel()
    return match.record, players
