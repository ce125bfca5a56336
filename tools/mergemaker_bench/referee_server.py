"""A benchmark's server process: a bare server, the referee's transport with a script, or the whole referee.

python -m mergemaker_bench.referee_server PLAN, which is a `ServerPlan` as JSON.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

import trio
from mergemaker_engine.record.commitments import DealMode
from mergemaker_referee.beside import nothing_beside
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Address, LogFormat, LogLevel, Settings, WebSettings
from mergemaker_referee.connections import CloseCode, Closing, Connection, Listener
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_referee.identities import Identity, KnownBot
from mergemaker_referee.logs import configure_log
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.making import MatchWish, SeatWish
from mergemaker_referee.referee import Referee
from mergemaker_referee.rpc.front import Reply
from mergemaker_referee.rpc.server import Listen, Server
from mergemaker_referee.serving import refereeing
from mergemaker_referee.tokens import TokenKind, token_hash
from mergemaker_table.outputs import Output, Publish
from mergemaker_table.terms import ClockTerms, Terms
from mergemaker_web.server.listening import pages_beside

from mergemaker_bench.referee_bare import AsyncioTables, Echo, ScriptTable, ScriptTables, run_fast, serve_bare
from mergemaker_bench.referee_bot import SEATS, bot_name, bot_token, place_of
from mergemaker_bench.referee_child import mind_parent
from mergemaker_bench.referee_script import CLOCK, RULES, Script, played_script

ADDRESS: Final = "127.0.0.1:0"
OPERATOR_TOKEN: Final = TokenKind.OPERATOR + "benchmark"
REQUESTS_PER_S_MAX: Final = 1_000_000
"""For a script, whose bots are asked faster than any game could."""
_NO_CALLS: Final = Closing(CloseCode.NOT_FOUND, "no-calls", "a script has none")
CROWD: Final = {"streams_per_connection_max": 100_000, "calls_per_identity_max": 10_000}
"""One process plays thousands of bots, on a few connections and with one token."""


class ServerKind(StrEnum):
    """What serves."""

    ECHO = "echo"
    ASYNCIO = "asyncio"
    NO_OP = "no-op"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlan:
    """What the process serves."""

    kind: ServerKind
    held: bool = True
    """Whether a script's events are held. With the whole referee, clients decide."""
    tables: int = 0
    """Tables at which matches are played by the whole referee, one after the other."""
    bots: int = 0
    """How many tables' bots the whole referee knows."""
    folder: str = ""
    """Where the whole referee writes its records."""
    allowance_ms: int | None = None
    """For the whole referee's clock, which then has no bank; None: the usual clock."""
    processes: int = 0
    """How many processes play for the whole referee; 0: as `refereeing` runs it, without a data folder."""
    watchers: int = 0
    """How many may watch the whole referee's matches, without a token and from one address."""
    browsers: int = 0
    """How many may follow the match of the last table by the whole referee's pages; 0: there are no pages."""


class NoOpFront:
    """A referee with a script."""

    def __init__(self, script: Script) -> None:
        self._tables: Final = ScriptTables(script)
        self.about: Final = b""
        """Nobody asks."""

    def identify(self, token: str | None) -> Identity | Closing:
        """Takes the caller's word for its identity."""
        return KnownBot(token or "")

    def play(self, connection: Connection, identity: Identity) -> Listener:
        """A bot's stream is open."""
        assert isinstance(identity, KnownBot), "nobody else comes here"
        number, seat = place_of(identity.name)
        return _NoOpSeat(self._tables.table(number), seat, connection)

    def watch(self, connection: Connection, identity: Identity, request: bytes) -> Listener:  # noqa: ARG002 - the port's
        """Refuses: there are no spectators."""
        raise AssertionError(identity)

    def call(self, method: str, identity: Identity, request: bytes, reply: Reply) -> None:  # noqa: ARG002 - the port's
        """Refuses: there are no calls."""
        reply(_NO_CALLS)


class _NoOpSeat:
    """Listens to one bot."""

    def __init__(self, table: ScriptTable, seat: int, connection: Connection) -> None:
        self._table: Final = table
        self._seat: Final = seat
        self._connection: Final = connection
        self._is_there = False

    def received(self, request: bytes, at_ns: int) -> None:  # noqa: ARG002 - the port's
        """The Hello, or an answer."""
        if self._is_there:
            self._table.go_on()
        else:
            self._is_there = True
            self._table.join(self._seat, self._connection.send)

    def gone(self, why: str) -> None:
        """The benchmark is over."""


async def _serve_no_op(script: Script) -> None:
    listen = Listen(addresses=(ADDRESS,), limits=Limits(requests_per_s_max=REQUESTS_PER_S_MAX, **CROWD))
    server = Server(NoOpFront(script), listen, time.monotonic_ns)
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        mind_parent({"port": server.ports[0], "messages": script.facts}, dict)


@dataclass(slots=True)
class _Counts:
    """The counts of matches."""

    over: int = 0
    broken: int = 0
    now: dict[int, HostedMatch] = field(default_factory=dict)
    """By table: the match that is played there."""
    times: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """By match that browsers follow: the number of a batch's first public event, and when that was written."""

    @property
    def connected(self) -> int:
        """Seats with a connected bot, as the referee knows."""
        return sum(sum(match.table.connected) for match in self.now.values())

    def report(self) -> dict[str, object]:
        """What happened so far. Another thread may call this."""
        times = {match: list(batches) for match, batches in tuple(self.times.items())}
        return {"over": self.over, "broken": self.broken, "connected": self.connected, "times": times}


async def _serve_whole(plan: ServerPlan) -> None:
    bots = {bot_name(table, seat): token_hash(bot_token(table, seat)) for table in range(plan.bots) for seat in range(SEATS)}
    settings = Settings(
        listen=(Address("127.0.0.1", 0),),
        bots=bots,
        operator_token_hash=token_hash(OPERATOR_TOKEN),
        spectating_open=plan.watchers > 0,
        limits=_limits(plan.watchers + plan.browsers),  # the pages watch a match once, however many browsers follow it
        web=_web(plan.browsers),
    )
    counts = _Counts()
    pages: list[str] = []
    beside = pages_beside(settings, "bench", pages.append) if plan.browsers else nothing_beside
    async with (
        refereeing(settings, Path(plan.folder)) as running,
        beside(running.referee),
        trio.open_nursery() as nursery,
    ):
        for table in range(plan.tables):
            heard = counts.times if plan.browsers and table == plan.tables - 1 else None
            nursery.start_soon(_keep_playing, running.referee, table, _clock(plan), counts, heard)
        ready = {"port": _port_of(running.addresses[0]), "pages": _port_of(pages[0].rstrip("/")) if pages else None}
        mind_parent(ready, counts.report)
        await trio.sleep_forever()


def _port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def _web(browsers: int) -> WebSettings:
    most = 2 * browsers + 100
    return WebSettings(
        listen=Address("127.0.0.1", 0),
        spectators_max=most,
        spectators_per_address_max=most,
        connections_max=most,
        connections_per_address_max=most,
        requests_per_s_max=most,
    )


def _limits(watchers: int) -> Limits:
    most = max(watchers, 1)
    return Limits(spectators_max=watchers, open_calls_max=most, open_calls_per_address_max=most, **CROWD)


def _clock(plan: ServerPlan) -> ClockTerms:
    # The first match waits for its bots, however long the others take to come.
    if plan.allowance_ms is None:
        return replace(CLOCK, startup_ms=None)
    return ClockTerms(name="bench", allowance_ms=plan.allowance_ms)


def _noting(times: dict[str, list[tuple[int, int]]], match: HostedMatch) -> None:
    """Notes from now on when each public event of a match was written; of the last two such matches."""
    while len(times) > 1:
        del times[next(iter(times))]
    batches = times[match.id] = []

    def hear(_match: HostedMatch, outputs: Sequence[Output]) -> None:
        batches.extend((output.first_number, time.monotonic_ns()) for output in outputs if type(output) is Publish)

    match.listeners.append(hear)


async def _keep_playing(
    referee: Referee, table: int, clock: ClockTerms, counts: _Counts, times: dict[str, list[tuple[int, int]]] | None = None
) -> None:
    """Plays match after match at one table, with the same bots."""
    seats = tuple(SeatWish(bot_name(table, seat), bot_name(table, seat)) for seat in range(SEATS))
    wish = MatchWish(rules=RULES, seats=seats, terms=Terms(clock), mode=DealMode.SERVER)
    while True:
        match, _ = await referee.create(wish)
        counts.now[table] = match
        if times is not None:
            _noting(times, match)
        await match.end_told.wait()
        ended = match.table.ended
        counts.over += 1
        if match.fault is not None or ended is None or any(sum(each.faults.values()) for each in ended.standings):
            counts.broken += 1


def main() -> None:
    """Serves what the plan says until the parent ends this process."""
    given = json.loads(sys.argv[1])
    plan = ServerPlan(**{**given, "kind": ServerKind(given["kind"])})
    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    if plan.processes:
        from mergemaker_bench.referee_processes_server import serve_processes  # noqa: PLC0415 - it builds on this module

        with rare_collections():
            trio.run(serve_processes, plan)
        return
    if plan.kind is ServerKind.WHOLE:
        with rare_collections():
            trio.run(_serve_whole, plan)
        return
    script = played_script(held=plan.held)
    match plan.kind:
        case ServerKind.ECHO:
            run_fast(serve_bare(Echo(script), script))
        case ServerKind.ASYNCIO:
            run_fast(serve_bare(AsyncioTables(script), script))
        case ServerKind.NO_OP:
            with rare_collections():
                trio.run(_serve_no_op, script)


if __name__ == "__main__":
    main()
