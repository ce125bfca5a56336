"""Stops a real server repeatedly during matches, like a stunned virtual machine, and checks who was charged.

    python -m tests.chaos.freezes --freezes 200                 # about 25 minutes; prints its seed, and how to repeat it
    python -m tests.chaos.freezes --freezes 20 --long           # with stops of two minutes now and then

The server is stopped (SIGSTOP, then SIGCONT), its disk does not answer, or it gets a small part of a processor (by a cgroup's
quota, if one can be made). The bots are good, and in their own processes; now and then, new ones come just when
the server stops. In the end, each match has been played to its end, and nobody was at fault for anything.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_engine.record.lines import Status
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS
from mergemaker_referee.records.files import record_chunks
from mergemaker_referee.tokens import TokenKind, fresh_token
from mergemaker_table.evidence import AtFault, evidence_in
from mergemaker_wire.rules import rules_to_message

from tests.chaos.failing_server import ORDERS_VARIABLE, PROGRAM, Fault, give_orders
from tests.chaos.kills import check_log
from tests.chaos.played_matches import KINDS, is_ended, lines_of
from tests.chaos.server_process import SERVE, ServerProcess, server_process, until
from tests.chaos.steady_bots import SteadyBot, steady_bots

AT_ONCE: Final = 4
"""How many matches are always under way."""
SEATS: Final = 3
THINK_MS: Final = 8
"""How long bots wait before each answer."""
ALLOWANCE_MS: Final = 1_000
"""Far more than a bot needs, and far less than most stops: a charge for one would cost a bot part of its bank, or all."""
BANK_MS: Final = 5_000
CLOCK: Final = match_pb2.ClockTerms(name="freezes", allowance_ms=ALLOWANCE_MS, bank_ms=BANK_MS, startup_ms=15_000)
NEWCOMERS: Final = ("gus", "hal", "ida")
NEWCOMERS_EVERY: Final = 15
"""New bots come at one in this many stops."""
LONG_EVERY: Final = 25
LONG_S: Final = 120.0
RUNS_S_MAX: Final = 2.0
"""How long a server runs between two stops, at most."""
END_S: Final = 600.0
"""A guard against a hang."""


class Kind(StrEnum):
    """What stops a server."""

    STOPPED = "stopped"
    DISK = "without its disk"
    THROTTLED = "with a twentieth of a processor"
    IN_PART = "stopped in one of its processes"


WEIGHTS: Final = {Kind.STOPPED: 8, Kind.DISK: 1, Kind.THROTTLED: 1, Kind.IN_PART: 8}
LENGTHS: Final = ((0.1, 1.5), (0.1, 1.5), (0.1, 1.5), (1.5, 6.0), (5.0, 30.0))
"""The bounds of lengths in seconds; all pairs are equally frequent."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """One stop."""

    kind: Kind
    for_s: float


QUOTAS: Final = ((Path("/sys/fs/cgroup"), "cpu.max"), (Path("/sys/fs/cgroup/cpu"), "cpu.cfs_quota_us"))
"""Where a cgroup can be made, and the file with its limit."""


class Quota:
    """The server's own cgroup; `why_not` says why there is none."""

    _QUOTA_SHARE: Final = 20
    _PERIOD_US: Final = 100_000

    def __init__(self, roots: Sequence[tuple[Path, str]] = QUOTAS) -> None:
        self.why_not = "no place for a cgroup is known here"
        self._folder: Path | None = None
        for root, quota in roots:
            folder = root / f"mergemaker-freezes-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError as problem:
                self.why_not = str(problem)
                continue
            if (folder / quota).exists():
                self._folder, self._file, self.why_not = folder, folder / quota, ""
                return
            folder.rmdir()
            self.why_not = f"{folder} would have no {quota}"

    def take(self, process: int) -> None:
        """Moves a process into it, with all its threads."""
        if self._folder is not None:
            (self._folder / "cgroup.procs").write_text(str(process), "ascii")

    def throttle(self) -> None:
        """From now on, the process gets next to no processor time."""
        part_us = self._PERIOD_US // self._QUOTA_SHARE
        self._file.write_text(f"{part_us} {self._PERIOD_US}" if self._file.name == "cpu.max" else str(part_us), "ascii")

    def free(self) -> None:
        """It may use all processor time again."""
        self._file.write_text("max" if self._file.name == "cpu.max" else "-1", "ascii")

    def close(self) -> None:
        """The process is gone; this removes the cgroup."""
        if self._folder is not None:
            until(lambda: not (self._folder / "cgroup.procs").read_text("ascii").strip(), "the cgroup is empty")  # type: ignore[operator]  # checked
            self._folder.rmdir()


@dataclass(slots=True)
class Load:
    """The matches of a run."""

    server: ServerProcess
    chance: random.Random
    made: int = 0
    reserved: set[str] = field(default_factory=set)
    """Matches that do not have the usual bots."""

    def make(self, bots: Sequence[str]) -> str:
        """Makes one more match; returns its id."""
        presets = list(PRESETS)
        wish = matches_pb2.CreateMatchRequest(
            rules=rules_to_message(PRESETS[presets[self.made % len(presets)]]),
            seats=[matches_pb2.SeatPlan(name=bot, bot_id=bot) for bot in bots],
            clock=CLOCK,
            faults=match_pb2.FaultTerms(refusals_max=3, defaults_max=5),
        )
        self.made += 1
        with self.server.operator() as operator:
            return str(operator.call("CreateMatch", wish).match.match)

    def under_way(self) -> list[Path]:
        """The records of running matches."""
        return [record for record in self.server.record_paths() if not is_ended(record)]

    def fill(self, at_once: int) -> None:
        """Starts matches until enough are under way."""
        while len(self.under_way()) < at_once:
            self.make(self.chance.sample(list(KINDS), SEATS))


class Freezer:
    """Makes a server stand still."""

    def __init__(self, server: ServerProcess, orders: Path, quota: Quota, chance: random.Random) -> None:
        self._chance: Final = chance
        self._server: Final = server
        self._orders: Final = orders
        self._quota: Final = quota

    def freeze(self, freeze: Freeze) -> None:
        """Stops it, and lets it continue."""
        part = self._chance.choice(self._server.processes())
        ways: dict[Kind, tuple[Callable[[], None], Callable[[], None]]] = {
            Kind.STOPPED: (lambda: self._signal(signal.SIGSTOP), lambda: self._signal(signal.SIGCONT)),
            Kind.IN_PART: (lambda: os.kill(part, signal.SIGSTOP), lambda: os.kill(part, signal.SIGCONT)),
            Kind.DISK: (lambda: give_orders(self._orders, {"records": Fault.STALLED}), lambda: give_orders(self._orders, {})),
            Kind.THROTTLED: (self._quota.throttle, self._quota.free),
        }
        begin, end = ways[freeze.kind]
        begin()
        try:
            time.sleep(freeze.for_s)
        finally:
            end()

    def _signal(self, number: signal.Signals) -> None:
        for process in self._server.processes():
            os.kill(process, number)


def _bot(server: ServerProcess, name: str, kind: str) -> SteadyBot:
    return SteadyBot(name=name, token=server.bots[name], kind=kind, server=server.url, think_ms=THINK_MS)


@contextmanager
def _newcomers(load: Load, folder: Path) -> Iterator[None]:
    """New bots, which join a waiting match and play it to its end."""
    match = load.make(NEWCOMERS)
    with steady_bots([[_bot(load.server, name, "random") for name in NEWCOMERS]], folder / "newcomers.err"):
        yield
        (record,) = [each for each in load.server.record_paths() if match in each.name]
        until(lambda: is_ended(record), "the newcomers' match is over", END_S)


@dataclass(slots=True)
class Survived:
    """The findings of a run."""

    freezes: Counter[Kind] = field(default_factory=Counter)
    stood_s: float = 0
    matches: int = 0
    decisions: int = 0
    used_ms_max: int = 0
    """The largest part of an allowance and a bank charged for one decision. A bot thinks for `THINK_MS`."""
    charged_ms: int = 0
    """What all banks paid together, though no bot thought that long."""
    breaks: Counter[str] = field(default_factory=Counter)
    """Broken connections, by the record's reason."""
    problems: list[str] = field(default_factory=list)

    def look_at(self, record: Path) -> None:
        """Adds the record of a finished match."""
        verify(record_chunks(record))
        self.matches += 1
        lines = lines_of(record)
        end = lines[-1]
        if end["why"] == "voided" or set(end["statuses"]) != {Status.FINISHED} or any(end["faults"]):
            self.problems.append(f"{record.name}: {end['why']}, {end['statuses']}, {end['faults']}")
        for number, line in enumerate(lines, 1):
            self._look_at_line(f"{record.name}, line {number}", line)
        self.charged_ms += sum(
            BANK_MS - next((line["run"]["bank_ms"] for line in reversed(lines) if _is_of(line, seat)), BANK_MS)
            for seat in range(SEATS)
        )

    def _look_at_line(self, where: str, line: dict[str, Any]) -> None:
        run = line.get("run", {})
        evidence = evidence_in(run)
        if evidence is not None and evidence.verdict.at_fault is not AtFault.REFEREE:
            self.problems.append(f"{where}: {evidence.verdict.at_fault}, {evidence.verdict.reason}: {evidence.verdict.text}")
        if run.get("what") == "disconnected" and evidence is not None:
            self.breaks[evidence.verdict.reason] += 1
        if "used_ms" in run:
            self.decisions += 1
            self.used_ms_max = max(self.used_ms_max, run["used_ms"])

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.freezes.items()))
        breaks = ", ".join(f"{count} {why}" for why, count in sorted(self.breaks.items())) or "none"
        return (
            f"{self.matches} matches with {self.decisions} decisions came through {sum(self.freezes.values())} standstills "
            f"({kinds}) of {self.stood_s:.0f} s; faults: {len(self.problems)}; connections that broke: {breaks}; banks were "
            f"charged {self.charged_ms} ms in all, and a decision {self.used_ms_max} ms at most, where bots think {THINK_MS} ms"
        )


def _is_of(line: dict[str, Any], seat: int) -> bool:
    return line["kind"] == "decision" and line["seat"] == seat and "bank_ms" in line["run"]


def plan(chance: random.Random, freezes: int, kinds: Sequence[Kind], *, long: bool = False) -> list[Freeze]:
    """Plans the stops."""
    found = []
    for number in range(1, freezes + 1):
        kind = kinds[number - 1] if number <= len(kinds) else chance.choices(kinds, [WEIGHTS[each] for each in kinds])[0]
        bounds = chance.choice(LENGTHS) if kind is Kind.STOPPED else (0.1, 5.0)
        is_long = long and number % LONG_EVERY == 0
        found.append(Freeze(Kind.STOPPED, LONG_S) if is_long else Freeze(kind, chance.uniform(*bounds)))
    return found


def survive(
    folder: Path,
    seed: int,
    freezes: Sequence[Freeze],
    *,
    quota: Quota | None = None,
    at_once: int = AT_ONCE,
    newcomers_every: int = NEWCOMERS_EVERY,
    processes: int = 1,
    tell: Callable[[str], None],
) -> Survived:
    """Stops a server this often, has all matches played to their end, and checks their records."""
    chance, survived, orders = random.Random(seed), Survived(), folder / "orders"  # noqa: S311 - it must repeat
    tokens = {name: fresh_token(TokenKind.BOT) for name in (*KINDS, *NEWCOMERS)}
    with ExitStack() as stack:
        quota = quota or Quota()
        stack.callback(quota.close)
        environment = {ORDERS_VARIABLE: str(orders)}
        program = PROGRAM if processes == 1 else (*SERVE, "--processes", str(processes))
        server = stack.enter_context(server_process(folder / "server", bots=tokens, program=program, environment=environment))
        server.serve()
        assert server.process is not None
        quota.take(server.process.pid)
        bots = [_bot(server, name, kind) for name, kind in KINDS.items()]
        stack.enter_context(steady_bots([bots[::2], bots[1::2]], folder / "bots.err"))
        load, freezer = Load(server, chance), Freezer(server, orders, quota, chance)
        for number, freeze in enumerate(freezes, 1):
            load.fill(at_once)
            time.sleep(chance.uniform(0, RUNS_S_MAX))
            with ExitStack() as meanwhile:
                if number % newcomers_every == 0:
                    meanwhile.enter_context(_newcomers(load, folder))
                    time.sleep(chance.uniform(0, RUNS_S_MAX))
                freezer.freeze(freeze)
            survived.freezes[freeze.kind] += 1
            survived.stood_s += freeze.for_s
            tell(f"{number} of {len(freezes)}: {freeze.for_s:.1f} s {freeze.kind}; {load.made} matches so far")
        until(lambda: not load.under_way(), "all matches are over", END_S)
        until(lambda: not server.secrets_paths(), "no secrets are left")
        server.stop()
        check_log(server)
    for record in server.record_paths():
        survived.look_at(record)
    assert survived.matches == load.made, "each match has one record"
    return survived


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--freezes", type=int, default=200, help="how often the server is stopped (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="for moments and lengths (default: a new one, which is shown)")
    parser.add_argument("--long", action="store_true", help=f"one in {LONG_EVERY} takes {LONG_S:.0f} s")
    parser.add_argument("--folder", type=Path, help="where results are kept (default: a temporary folder, which stays)")
    parser.add_argument(
        "--processes", type=int, default=1, help="how many play; of several, one is stopped at a time, or all are"
    )
    options = parser.parse_args()
    if options.freezes < 1:
        parser.error("--freezes is a whole number from 1")
    if not hasattr(signal, "SIGSTOP"):
        parser.error("this stops processes by a signal that this system does not have")
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    folder = options.folder or Path(tempfile.mkdtemp(prefix="mergemaker-freezes-"))
    again = f"python -m tests.chaos.freezes --freezes {options.freezes} --seed {seed}{' --long' if options.long else ''}"
    print(f"seed {seed}, in {folder}; again: {again}", file=sys.stderr)
    quota, begun = Quota(), time.monotonic()
    if quota.why_not:
        print(f"nothing is throttled: {quota.why_not}", file=sys.stderr)
    kinds = [Kind.STOPPED, Kind.DISK, *((Kind.THROTTLED,) if not quota.why_not else ())]
    if options.processes > 1:  # a cgroup and a disk that does not answer are for a server of one process
        kinds = [Kind.STOPPED, Kind.IN_PART]

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", file=sys.stderr, flush=True)

    freezes = plan(random.Random(seed), options.freezes, kinds, long=options.long)  # noqa: S311 - it must repeat
    try:
        survived = survive(folder, seed, freezes, quota=quota, processes=options.processes, tell=tell)
    except KeyboardInterrupt:
        print(f"interrupted; again: {again}", file=sys.stderr)
        return 130
    for problem in survived.problems:
        print(problem)
    print(f"{survived}; {time.monotonic() - begun:.0f} s")
    return 1 if survived.problems else 0


if __name__ == "__main__":
    sys.exit(main())
