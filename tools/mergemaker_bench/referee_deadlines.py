"""What deadlines cost the referee: many matches at once whose bots never answer, on a virtual clock.

The matches are the referee's own (`HostedMatch`, with its inbox, its alarm and its barrier); their tables have
a script, as those of the transport do. So neither engine nor network is measured.

python -m mergemaker_bench.referee_deadlines PLAN is a process that plays such matches; the plan says how many.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

import trio
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.scribe import Secrets
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import LogFormat, LogLevel
from mergemaker_referee.logs import configure_log
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.services import RefereeServices
from mergemaker_referee.records.disks import SystemDisk
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.journal_writer import OnSettled
from mergemaker_table.clock import in_ns
from mergemaker_table.evidence import HeldUp
from mergemaker_table.inputs import BarrierPassed, Input, Tick
from mergemaker_table.outputs import Barrier, Ended, Output, WriteLine
from mergemaker_table.setup import Setup
from mergemaker_table.table import Table
from mergemaker_table.terms import ClockTerms, Terms
from mergemaker_tools.problems import CommandFailed
from trio.testing import MockClock

from mergemaker_bench.referee_bot import SEATS, bot_name
from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_script import RULES, SEED, Script, Step, played_script
from mergemaker_bench.rows import Row

DEADLINES: Final = 20
"""In each match."""
ALLOWANCE_MS: Final = 30_000
"""For each question, of virtual time."""
MUST_S: Final = 3.0
AIM_S: Final = 1.0
_LINE: Final = WriteLine(b'{"kind":"decision"}\n')
_S_PER_MS: Final = 0.001


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The results of matches in which every question's time ran out."""

    matches: int
    defaults: int
    """All together."""
    told_bytes: int
    """All that was said to seats."""
    virtual_s: float
    wall_s: float
    cpu_s: float
    """The same in CPU time, which other work on the machine does not lengthen."""


class SilentTable:
    """A table with a script: each question's time runs out, then the next one is asked."""

    def __init__(self, setup: Setup, steps: Iterator[Step]) -> None:
        self.setup: Final = setup
        self.wake_at_ns: int | None = None
        self.asked_seat: int | None = None
        self.ended: Ended | None = None
        self.defaults = 0
        self.told_bytes = 0
        self._steps: Final = steps
        self._allowance_ns: Final = in_ns(ALLOWANCE_MS)

    def open(self, now_ns: int, _held_up: HeldUp) -> tuple[Output, ...]:
        """Puts the first question."""
        self._ask(now_ns)
        return (_LINE,)

    def feed(self, given: Input, now_ns: int, _held_up: HeldUp) -> tuple[Output, ...]:
        """Handles the end of the time, and the check after it for late answers."""
        if isinstance(given, Tick):
            assert self.asked_seat is not None, "what has ended is fed no more"
            self.wake_at_ns = None
            return (Barrier(self.asked_seat, self.defaults + 1),)
        assert isinstance(given, BarrierPassed), "nobody says anything"
        self.defaults += 1
        if self.defaults < DEADLINES:
            self._ask(now_ns)
        else:
            self.asked_seat = None
            self.ended = Ended(standings=(), why=Ending.STUCK, voided_because=None, secrets=self.setup.secrets)
        return (_LINE,)

    def stood_still(self, for_ns: int, until_ns: int) -> None:
        """A disk that takes no time causes no delay."""

    def _ask(self, now_ns: int) -> None:
        for seat, response in next(self._steps).responses:
            self.told_bytes += len(response)
            self.asked_seat = seat
        self.wake_at_ns = now_ns + self._allowance_ns


class _NoJournal:
    """A file that is not there."""

    path: Final = Path("no-record.jsonl")

    def close(self) -> None:
        """Nothing is open."""


class _NoDisk:
    """Takes lines like a disk that needs no time, and keeps none."""

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:  # noqa: ARG002 - the port's
        """Reports at once that they are written."""
        settled(None)

    def flush(self) -> None:
        """Nothing gathers."""

    async def append(self, journal: Journal, lines: bytes) -> None:  # noqa: ARG002 - the port's
        """Reports at once that they are written."""
        await trio.lowlevel.checkpoint()

    async def run(self, job: Callable[[], None]) -> None:
        """Stands for the work with an `_EmptyDisk`."""
        job()


class _EmptyDisk(SystemDisk):
    """Has no secrets that could be deleted."""

    def remove(self, path: Path) -> None:
        """It is not there."""


def measure_deadlines(matches: int) -> Deadlines:
    """Plays this many matches in a process of its own."""
    with Child("referee_deadlines", {"matches": matches}) as child:
        return Deadlines(**child.ready)


def miss_deadlines(matches: int) -> Deadlines:
    """Plays this many matches at once on the virtual clock; every deadline is missed."""
    script = played_script(held=True)
    began, cpu_began = time.perf_counter(), time.process_time()
    tables, broken, virtual_s = trio.run(_play, matches, script, clock=MockClock(autojump_threshold=0))
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu_began
    defaults = sum(table.defaults for table in tables)
    expected_s = DEADLINES * ALLOWANCE_MS * _S_PER_MS
    if broken or defaults != matches * DEADLINES or abs(virtual_s - expected_s) > _S_PER_MS:
        raise CommandFailed(
            f"deadlines: {matches:,} matches took {defaults:,} defaults, and {broken:,} broke, in {virtual_s:.3f} s of "
            f"virtual time, not {DEADLINES} each in {expected_s:.0f} s"
        )
    return Deadlines(matches, defaults, sum(table.told_bytes for table in tables), virtual_s, wall_s, cpu_s)


async def _play(matches: int, script: Script) -> tuple[list[SilentTable], int, float]:
    services = RefereeServices(writer=_NoDisk(), limits=Limits(), now_ns=_now_ns, disk=_EmptyDisk())
    tables = [SilentTable(_setup(number), script.from_step(number)) for number in range(matches)]
    # These have all that a match uses of its table and journal.
    playing = [HostedMatch(cast("Table", table), cast("Journal", _NoJournal()), services, lambda _: None) for table in tables]
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        for match in playing:
            nursery.start_soon(match.run)
    return tables, sum(match.fault is not None for match in playing), trio.current_time() - began


def _now_ns() -> int:
    return round(trio.current_time() * 1e9)


def _setup(number: int) -> Setup:
    return Setup(
        rules=RULES,
        bots=tuple(bot_name(number, seat) for seat in range(SEATS)),
        terms=Terms(ClockTerms(name="bench", allowance_ms=ALLOWANCE_MS)),
        mode=DealMode.PLAIN,
        match=f"{number:012x}",
        promise=None,
        secrets=Secrets(SEED),
    )


def deadline_rows(rounds: list[Deadlines]) -> list[Row]:
    """The best round counts, as with other times."""
    best = min(rounds, key=lambda each: each.wall_s)
    each_us = best.cpu_s * 1e6 / best.defaults
    note = f"its CPU: {best.cpu_s:.2f} s, {each_us:.0f} µs for each; {best.virtual_s:,.0f} s of virtual time"
    what = f"{best.matches:,} mock matches, {DEADLINES} deadlines each, on a virtual clock"
    return [Row("mock-deadlines", what, "s", best.wall_s, MUST_S, AIM_S, note)]


def main() -> None:
    """Plays as many matches as the plan says, and reports the results to the parent."""
    configure_log(LogFormat.CONSOLE, LogLevel.WARNING)
    print(json.dumps(asdict(miss_deadlines(json.loads(sys.argv[1])["matches"]))), flush=True)


if __name__ == "__main__":
    main()
