"""The referee's speed in rows: all of it, and its transport alone, each compared with servers of gRPC alone.

Every measure has its own server process and client process. There are several rounds with every server in each, and
the best of each counts: other work on the machine can only make a round worse, and it affects all servers alike.
"""

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any, Final, TypeAlias

from mergemaker_tools.problems import CommandFailed

from mergemaker_bench.referee_audience import audience_rows, measure_audience
from mergemaker_bench.referee_bot import SEATS
from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_client import ClientPlan
from mergemaker_bench.referee_deadlines import deadline_rows, measure_deadlines
from mergemaker_bench.referee_ends import end_rows, measure_ends
from mergemaker_bench.referee_rows import Case, Crowd, Played, rows_of, way_of
from mergemaker_bench.referee_server import ServerKind, ServerPlan
from mergemaker_bench.referee_silence import measure_silence, silence_rows
from mergemaker_bench.referee_slow import measure_slow, slow_rows
from mergemaker_bench.rows import Row

Looks: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A process's reports at the beginning and at the end of a window."""

WARM_UP_DECISIONS: Final = 5
"""Of each match, before anything counts."""
CROWD_BEFORE: Final = 10
"""Tables whose bots connect before memory is measured, so that what a server needs once does not count."""
GATHERING_LIMIT_S: Final = 120.0
_POLL_S: Final = 0.05
_PACKAGES: Final = ("grpcio", "protobuf", "trio", "uvloop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much to measure."""

    rounds: int
    window_s: float
    """How long each server is measured in a round."""
    spread_s: float
    """The time over which matches of the whole referee begin: about as long as one lasts, so that all of a game is measured."""
    decisions_min: int
    """However long that takes."""
    idle_bots: int
    herd_bots: int
    crowd_rounds: int
    silent_matches: int
    """At once, with bots that say nothing."""
    mock_matches: int
    """At once, without engine and network, and on a virtual clock."""
    slow_decisions: int
    """Of the match that is slow on purpose."""
    watchers: int
    settle_s: float
    """How long memory may take to settle."""
    kills: int
    """How often a process with bots is killed."""
    with_freeze: bool
    """Whether one is stopped, too, which the referee notices only after 15 seconds."""


USUAL: Final = Effort(
    rounds=3,
    window_s=2.0,
    spread_s=8.0,
    decisions_min=500,
    idle_bots=1_000,
    herd_bots=5_000,
    crowd_rounds=2,
    silent_matches=100,
    mock_matches=1_000,
    slow_decisions=200,
    watchers=900,
    settle_s=1.0,
    kills=5,
    with_freeze=True,
)
QUICK: Final = Effort(
    rounds=1,
    window_s=0.1,
    spread_s=0.1,
    decisions_min=20,
    idle_bots=40,
    herd_bots=80,
    crowd_rounds=1,
    silent_matches=4,
    mock_matches=50,
    slow_decisions=10,
    watchers=40,
    settle_s=0.0,
    kills=1,
    with_freeze=False,
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it."""

    rows: list[Row]
    facts: Mapping[str, object]
    """What it was measured with."""


def cases_of(matches: int) -> tuple[Case, ...]:
    """What is played in each round, one after the other."""
    return (
        *(Case(kind, held, matches) for held in (True, False) for kind in (ServerKind.ECHO, ServerKind.NO_OP, ServerKind.WHOLE)),
        *(Case(kind, held, 1) for held in (True, False) for kind in (ServerKind.ASYNCIO, ServerKind.NO_OP)),
        Case(ServerKind.ECHO, True, 1),
        Case(ServerKind.WHOLE, True, 1),
    )


def steps_of(effort: Effort, matches: int) -> int:
    """How many steps `measure_referee` takes."""
    return effort.rounds * len(cases_of(matches)) + 2 * effort.crowd_rounds + 5


def measure_referee(effort: Effort, matches: int, done: Callable[[int], None]) -> Measured:
    """Measures everything; `done` is told how many of `steps_of(effort, matches)` steps are over."""
    cases = cases_of(matches)
    played: dict[Case, list[Played]] = {case: [] for case in cases}
    steps = 0
    for _ in range(effort.rounds):
        for case in cases:
            played[case].append(play(case, effort))
            steps += 1
            done(steps)
    idle: list[Crowd] = []
    herd: list[Crowd] = []
    for _ in range(effort.crowd_rounds):
        for bots, found in ((effort.idle_bots, idle), (effort.herd_bots, herd)):
            found.append(gather(bots, effort))
            steps += 1
            done(steps)
    silence = measure_silence(effort.silent_matches, wait_for)
    done(steps + 1)
    ends = measure_ends(effort.kills, wait_for, with_freeze=effort.with_freeze)
    done(steps + 2)
    deadlines = [measure_deadlines(effort.mock_matches) for _ in range(effort.crowd_rounds)]
    done(steps + 3)
    audience = measure_audience(effort.watchers, effort.window_s, wait_for)
    done(steps + 4)
    slow = measure_slow(matches, effort.slow_decisions, effort.window_s, wait_for)
    done(steps + 5)
    rows = [*rows_of(matches, played, idle, herd), *silence_rows(silence), *deadline_rows(deadlines), *end_rows(ends)]
    rows += [*audience_rows(audience), *slow_rows(slow)]
    return Measured(rows, _facts(played))


def play(case: Case, effort: Effort) -> Played:
    """Lets instant bots play on a server, and measures both for a while."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        server_plan = ServerPlan(kind=case.kind, held=case.held, tables=case.matches, bots=case.matches, folder=folder)
        with Child("referee_server", asdict(server_plan)) as server:
            spread_s = effort.spread_s if case.kind is ServerKind.WHOLE and case.matches > 1 else 0.0
            client_plan = ClientPlan(port=server.ready["port"], tables=case.matches, held=case.held, spread_s=spread_s)
            with Child("referee_client", asdict(client_plan)) as client:
                time.sleep(spread_s)
                wait_for(client, lambda told: told["decisions"] >= WARM_UP_DECISIONS * case.matches or told["lost"])
                from_server, from_client = server.ask(), client.ask()
                time.sleep(effort.window_s)
                least = from_client["decisions"] + effort.decisions_min
                last = wait_for(client, lambda told: told["decisions"] >= least or told["lost"])
                return _played(case, (from_server, server.ask()), (from_client, last), server.ready.get("messages"))


def _played(case: Case, server: Looks, client: Looks, messages: Mapping[str, float] | None) -> Played:
    """The results of two reports of both processes."""
    last = client[1]
    if last["lost"] or last["refused"] or server[1].get("broken"):
        raise CommandFailed(
            f"{case.kind}: all bots stay and no answer is refused, but {last['lost']} streams ended, {last['refused']} answers "
            f"were refused or came late, and {server[1].get('broken', 0)} matches had faults: is the machine far too busy?"
        )

    def passed(looks: Looks, what: str) -> int:
        return int(looks[1][what] - looks[0][what])

    decisions = passed(client, "decisions")
    rate = decisions / passed(client, "now_ns") * 1e9
    return Played(
        rate=rate,
        cpu_us=passed(server, "cpu_ns") / passed(server, "now_ns") / rate * 1e6,
        client_cpu_us=passed(client, "cpu_ns") / decisions / 1_000,
        p50_us=last["p50_us"],
        p99_us=last["p99_us"],
        messages=messages,
    )


def gather(bots: int, effort: Effort) -> Crowd:
    """Connects bots to the whole referee all at once; they do nothing."""
    tables = -(-bots // SEATS)
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        plan = ServerPlan(kind=ServerKind.WHOLE, bots=CROWD_BEFORE + tables, folder=folder)
        with Child("referee_server", asdict(plan)) as server:
            port = server.ready["port"]
            few = ClientPlan(port=port, tables=CROWD_BEFORE, plays=False)
            many = ClientPlan(port=port, tables=tables, first_table=CROWD_BEFORE, plays=False)
            with Child("referee_client", asdict(few)) as earlier:
                wait_for(earlier, lambda told: told["welcomed"] + told["lost"] >= CROWD_BEFORE * SEATS)
                time.sleep(effort.settle_s)
                before = server.ask()
                with Child("referee_client", asdict(many)) as client:
                    last = wait_for(client, lambda told: told["welcomed"] + told["lost"] >= tables * SEATS)
                    time.sleep(effort.settle_s)
                    after = server.ask()
                    last = client.ask()
    grown = None if before["rss_bytes"] is None else (after["rss_bytes"] - before["rss_bytes"]) / tables / SEATS
    return Crowd(
        bots=tables * SEATS,
        lost=tables * SEATS - last["welcomed"] + last["lost"],
        seconds=last["welcomed_ms"] / 1_000,
        bytes_each=grown,
    )


def wait_for(child: Child, enough: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
    """Asks a process until it has come far enough."""
    until = time.monotonic() + GATHERING_LIMIT_S
    while not enough(told := child.ask()):
        if time.monotonic() > until:
            raise CommandFailed(
                f"the bots did not get on within {GATHERING_LIMIT_S:.0f} s; the last that was heard: {dict(told)}"
            )
        time.sleep(_POLL_S)
    return told


def _facts(played: Mapping[Case, Sequence[Played]]) -> dict[str, object]:
    messages = {way_of(case.held): looks[0].messages for case, looks in played.items() if case.kind is ServerKind.ECHO}
    return {
        "versions": {name: _version(name) for name in _PACKAGES},
        "processes": "one server and one client for each measure, on 4 connections",
        "messages": messages,
        "load_average_after": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
