"""Thousands of matches on one real server, to see whether anything grows: memory, descriptors, threads, tasks.

    python -m tests.chaos.soak --minutes 20

Bots play; half of them leave and return all the time; matches are cancelled; meanwhile, there are calls of every kind
(`busy_calls`), good and refused ones, and spectators. The server is measured from outside. At its end, the command reports
how much each number grows per finished match, and whether that differs from zero. The server's metrics page
shows how many tasks asyncio and trio have.
"""

import argparse
import contextlib
import json
import random
import re
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import grpc
from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_referee.tokens import TokenKind, fresh_token

from tests.chaos.guests import Target
from tests.chaos.played_matches import is_ended, lines_of
from tests.chaos.quick_bots import LEFT, QuickBot, Told, program, quick_bots
from tests.chaos.server_process import WAIT_S, ServerProcess, free_port, server_process
from tests.chaos.slopes import Slope, slope
from tests.chaos.watched_process import Look, busy_share, look_at

BOTS: Final = 16
SEATS: Final = 3
MATCHES_PER_BOT: Final = 4
STAYS_S: Final = 0.15
"""How long restless bots stay, on average."""
CANCEL_EVERY: Final = 10
"""One in this many matches is cancelled."""
LOOK_S: Final = 1.0
PUMP_S: Final = 0.02
TELL_S: Final = 10.0
WISHES: Final = {"limits": {"finished_matches_kept": 50, "session_keep_ms": 2_000}}
"""What a server keeps on purpose is soon full, so it cannot be mistaken for a leak."""
CLOCK: Final = match_pb2.ClockTerms(name="soak", allowance_ms=60_000, bank_ms=60_000, startup_ms=600_000)
SHOWN: Final = ("mergemaker_sessions", "mergemaker_spectators", "mergemaker_transport_tasks", "mergemaker_referee_tasks")
INTERRUPTED: Final = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Grows:
    """One number of a server that must not grow."""

    name: str
    unit: str
    limit: float
    """Per match; a slope whose lower bound is greater fails."""
    of: "Callable[[Point], float]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One measurement of the server."""

    matches: int
    """Finished by then."""
    look: Look
    shown: dict[str, float]
    """The values of its metrics page."""


NUMBERS: Final = (
    Grows(name="memory", unit="KB", limit=0.5, of=lambda point: point.look.memory_kb),
    Grows(name="descriptors", unit="descriptors", limit=0.002, of=lambda point: point.look.descriptors),
    Grows(name="threads", unit="threads", limit=0.001, of=lambda point: point.look.threads),
    Grows(name="sessions", unit="sessions", limit=0.002, of=lambda point: point.shown.get(SHOWN[0], 0.0)),
    Grows(name="spectators", unit="spectators", limit=0.002, of=lambda point: point.shown.get(SHOWN[1], 0.0)),
    Grows(name="asyncio's tasks", unit="tasks", limit=0.002, of=lambda point: point.shown.get(SHOWN[2], 0.0)),
    Grows(name="trio's tasks", unit="tasks", limit=0.002, of=lambda point: point.shown.get(SHOWN[3], 0.0)),
)


@dataclass(slots=True)
class Soak:
    """A run: its matches and its measurements."""

    server: ServerProcess
    bots: Told
    restless: Told
    calls: Told
    metrics: int
    """The port of the metrics page."""
    names: list[str]
    chance: random.Random
    points: list[Point] = field(default_factory=list)
    live: dict[str, list[str]] = field(default_factory=dict)
    """Matches, with their bots."""
    made: int = 0
    over: int = 0
    cancelled: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def streams(self) -> int:
        """Ended streams of bots."""
        return self.restless.lost.total() + self.bots.lost.total()

    def look(self) -> None:
        """Measures the server, and checks that all is well."""
        self.check()
        self.sweep()
        self.tell_calls()
        assert self.server.process is not None
        self.points.append(Point(matches=self.over, look=look_at(self.server.process.pid), shown=_shown(self.metrics)))

    def next_bots(self) -> list[str]:
        """The bots that play least: if bots with full hands wait for each other, nothing moves on."""
        plays = Counter(bot for bots in self.live.values() for bot in bots)
        return sorted(self.names, key=lambda name: (plays[name], self.chance.random()))[:SEATS]

    def make(self, at_once: int) -> None:
        """Makes as many matches as are missing, and cancels some of them."""
        for told in (self.bots, self.restless):
            while told.ended:
                self.live.pop(told.ended.popleft()[1], None)
        with self.server.operator() as operator:
            while len(self.live) < at_once:
                bots = self.next_bots()
                seats = [matches_pb2.SeatPlan(name=name, bot_id=name) for name in bots]
                made = operator.call("CreateMatch", matches_pb2.CreateMatchRequest(seats=seats, clock=CLOCK))
                self.live[made.match.match] = bots
                self.made += 1
                if self.made % CANCEL_EVERY == 0:
                    victim = self.chance.choice(list(self.live))
                    with contextlib.suppress(grpc.RpcError):  # it has just ended
                        operator.call("CancelMatch", matches_pb2.CancelMatchRequest(match=victim))
                        self.cancelled += 1
                    self.live.pop(victim, None)

    def sweep(self) -> None:
        """Counts finished matches, checks whether anybody was at fault, and deletes their records."""
        for record in self.server.record_paths():
            if is_ended(record):
                end = lines_of(record)[-1]
                if any(end.get("faults") or ()):
                    self.problems.append(f"{record.name}: somebody was at fault: {end['faults']}")
                record.unlink()  # thousands of them would fill the disk
                self.live.pop(record.name.partition(".")[0].rpartition("-")[2], None)
                self.over += 1

    def tell_calls(self) -> None:
        """Names a running match to the processes that make calls."""
        assert self.calls.process.stdin is not None
        self.calls.process.stdin.write(next(reversed(self.live), "") + "\n")
        self.calls.process.stdin.flush()

    def check(self) -> None:
        """Raises if something has ended that should not."""
        assert self.server.process is not None
        assert self.server.process.poll() is None, self.server.log_text()[-2_000:]
        for told in (self.bots, self.restless, self.calls):
            assert told.process.poll() is None, "a program ended before it was to; its .err file says why"

    def run(self, seconds: float, at_once: int, tell: Callable[[str], None]) -> None:
        """Plays for this time."""
        end = time.monotonic() + seconds
        looked = told = 0.0
        while (now := time.monotonic()) < end:
            self.make(at_once)
            if now - looked >= LOOK_S:
                self.look()
                looked = now
            if now - told >= TELL_S:
                tell(self.so_far())
                told = now
            time.sleep(PUMP_S)

    def so_far(self) -> str:
        """The last measurement, in a line."""
        point = self.points[-1]
        look, tasks = point.look, sum(point.shown.get(name, 0.0) for name in SHOWN[2:])
        return (
            f"{point.matches} matches, {self.streams} streams, {self.calls.answered.total()} calls: "
            f"{look.memory_kb / 1_024:.1f} MB, {look.descriptors} descriptors, {look.threads} threads, "
            f"{point.shown.get(SHOWN[0], 0):.0f} sessions, {tasks:.0f} tasks, "
            f"{busy_share(self.points[0].look, look):.2f} processors"
        )

    def report(self) -> int:
        """Reports how much each number grows; returns 1 if one does."""
        second_half = self.points[len(self.points) // 2 :]
        print(
            f"{self.over} matches, {self.cancelled} cancelled; {self.streams} streams ended; "
            f"calls: {_counts(self.calls.answered)}"
        )
        broken = Counter({what: count for what, count in (self.bots.lost + self.restless.lost).items() if LEFT not in what})
        if broken:
            print(f"streams that the bots did not end themselves: {_counts(broken)}")
        for number in NUMBERS:
            points = [(float(point.matches), number.of(point)) for point in second_half]
            found = slope(points, random.Random(0))  # noqa: S311 - the same points have the same interval
            print(line_of(number, found))
            if found is not None and found.low > number.limit:
                self.problems.append(f"{number.name} grows")
        for problem in self.problems[:10]:
            print(problem)
        return 1 if self.problems else 0


def line_of(number: Grows, found: Slope | None) -> str:
    """The report on one number."""
    if found is None:
        return f"{number.name}: too few looks for a slope"
    verdict = "GROWS" if found.low > number.limit else "grows not, as far as can be told"
    bounds = f"95 %: {found.low:+.4g} to {found.high:+.4g}; allowed: {number.limit:g}"
    return f"{number.name}: {found.each:+.4g} {number.unit} a match ({bounds}): {verdict}"


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.most_common()) or "none"


def _shown(port: int) -> dict[str, float]:
    """Numbers from the metrics page."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_S) as page:
        text = page.read().decode("utf-8")
    return {name: float(found[1]) for name in SHOWN if (found := re.search(rf"^{name} (\S+)$", text, re.MULTILINE))}


def _quick(names: Sequence[str], server: ServerProcess, stays_s: float) -> list[QuickBot]:
    target = f"127.0.0.1:{server.port}"
    return [
        QuickBot(name=name, token=server.bots[name], target=target, matches_at_once=MATCHES_PER_BOT, stays_s=stays_s)
        for name in names
    ]


@contextlib.contextmanager
def soaking(folder: Path, bots: int, seed: int) -> Iterator[Soak]:
    """A server with matches and calls from other processes."""
    names = [f"bot-{number}" for number in range(bots)]
    tokens = {name: fresh_token(TokenKind.BOT) for name in names}
    metrics = free_port()
    wishes = {**WISHES, "metrics": {"listen": f"127.0.0.1:{metrics}"}}
    with server_process(folder, bots=tokens, wishes=wishes) as server:
        server.serve()
        where = Target(kind="", target=f"127.0.0.1:{server.port}", token=server.operator_token)
        with (
            quick_bots(_quick(names[::2], server, 0.0), folder / "bots.err") as steady,
            quick_bots(_quick(names[1::2], server, STAYS_S), folder / "restless.err") as restless,
            program("tests.chaos.busy_calls", asdict(where), folder / "calls.err") as calls,
        ):
            yield Soak(server, steady, restless, calls, metrics, names, random.Random(seed))  # noqa: S311 - it must repeat


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0, help="how long (default: %(default)s)")
    parser.add_argument("--bots", type=int, default=BOTS, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="for who plays with whom (default: a new one, which is shown)")
    parser.add_argument("--folder", type=Path, help="where results are kept (default: a temporary folder)")
    options = parser.parse_args()
    if options.minutes <= 0 or options.bots < SEATS:
        parser.error(f"--minutes is above 0, and --bots a whole number from {SEATS}")
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    folder = options.folder or Path(tempfile.mkdtemp(prefix="mergemaker-soak-"))
    print(f"seed {seed}, all is kept in {folder}; Ctrl-C ends it, and says what was found by then", file=sys.stderr)
    begun = time.monotonic()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", file=sys.stderr, flush=True)

    status = found = 0
    try:
        with soaking(folder, options.bots, seed) as soak:
            try:
                soak.run(options.minutes * 60, options.bots * MATCHES_PER_BOT // SEATS, tell)
            except KeyboardInterrupt:
                status = INTERRUPTED
            except AssertionError as problem:  # the server or a program has ended: the findings so far are reported anyway
                soak.problems.append(str(problem))
            found = soak.report()
            (folder / "points.json").write_text(json.dumps([asdict(point) for point in soak.points]), "utf-8")
    except KeyboardInterrupt:  # before the first finding, or a second time
        status = INTERRUPTED
    return status or found


if __name__ == "__main__":
    sys.exit(main())
