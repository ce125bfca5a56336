"""Kills a real server at random points under load, starts it again, and checks whether anybody notices.

    python -m tests.chaos.kills --kills 200

Several matches with various presets and numbers of seats are always under way; long-lived processes run their built-in bots.
The seed decides when each kill comes; the server's progress by then depends on the machine. In the end,
every match was played to its end as on an undisturbed server, compared by the `game` chains.
"""

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

import grpc
from mergemaker_engine.record.in_log import Claim, LogBook
from mergemaker_referee.records.files import open_record
from mergemaker_referee.records.log_file import LOG_NAME
from mergemaker_referee.tokens import TokenKind, fresh_token

from tests.chaos.played_matches import (
    ALLOWANCE_MS,
    KINDS,
    Plan,
    check_untouched,
    game_hash,
    is_ended,
    play_undisturbed,
    records_of,
)
from tests.chaos.server_process import SERVE, ServerProcess, server_process, until
from tests.chaos.steady_bots import SteadyBot, steady_bots
from tests.chaos.what_bots_saw import told_by_match

AT_ONCE: Final = 4
"""How many matches are always under way."""
THINK_MS: Final = 8
"""How long bots wait before each answer, so that a match lasts for several kills."""
MAKING_S_MAX: Final = 0.03
"""A server is killed within this time after a request to make a match."""
LINES_MAX: Final = 60
"""The server is killed before each running match has this many lines, counted from the start of service."""
LINE_BYTES: Final = 350
LONG_DOWN_S: Final = ALLOWANCE_MS / 1_000 + 1
"""Longer than a bot's allowance: a charge for it would cost the bot a part of its bank."""
LONG_DOWN_EVERY: Final = 25
PROCESS_ENDED: Final = "a process that plays has ended, and is started again"
"""What a server says when one of its processes was killed."""


class Moment(StrEnum):
    """The moment of a kill."""

    STARTING = "while it starts"
    MAKING = "while it makes a match"
    ENDING = "when a match has just ended"
    PLAYING = "while matches are played"
    PROCESS = "of one process of several, while matches are played"


WEIGHTS: Final = {Moment.STARTING: 3, Moment.MAKING: 2, Moment.ENDING: 3, Moment.PLAYING: 8}


@dataclass(slots=True)
class Load:
    """The matches of a run, and their server."""

    seed: int
    server: ServerProcess
    at_once: int
    plans: list[Plan] = field(default_factory=list)

    def records(self) -> dict[int, Path]:
        return records_of(self.server, self.plans)

    def under_way(self) -> list[Path]:
        return [record for record in self.records().values() if not is_ended(record)]

    def next_plan(self) -> Plan:
        """A plan without a match: one whose making was interrupted, or a new one."""
        begun = self.records()
        missing = [plan for plan in self.plans if plan.number not in begun]
        if not missing:
            missing = [Plan(self.seed, len(self.plans))]
            self.plans += missing
        return missing[0]

    def fill(self) -> None:
        """Starts matches until enough are under way."""
        with self.server.operator() as operator:
            while len(self.under_way()) < self.at_once:
                self.next_plan().make(operator)

    def make_missing(self) -> None:
        """Makes the matches that were planned but never begun."""
        with self.server.operator() as operator:
            while set(self.records()) != {plan.number for plan in self.plans}:
                self.next_plan().make(operator)

    def size(self) -> int:
        return sum(record.stat().st_size for record in self.server.record_paths())


class Killer:
    """Runs a server up to a moment, and kills it there."""

    def __init__(self, load: Load, chance: random.Random) -> None:
        self._load: Final = load
        self._chance: Final = chance
        self._start_s = 1.0
        """How long the last start took."""

    def kill_at(self, moment: Moment) -> None:
        """Starts the stopped server, and kills it."""
        if moment is Moment.PROCESS:
            self._kill_one_of_several()
            return
        server = self._load.server
        begun = time.monotonic()
        server.start()
        if moment is Moment.STARTING:
            # If it is quicker this time, it already serves: that is a moment, too.
            time.sleep(self._chance.uniform(0, self._start_s))
        else:
            assert server.wait_until_ready(), server.log_text()
            self._start_s = time.monotonic() - begun
            self._load.fill()
            reach: Callable[[], None] = {
                Moment.MAKING: self._make_a_match,
                Moment.PLAYING: self._let_them_play,
                Moment.ENDING: self._await_an_end,
            }[moment]
            reach()
        server.kill()

    def _kill_one_of_several(self) -> None:
        """The server itself runs on; it ends in order when matches have gone on for a while in another process."""
        server = self._load.server
        server.serve()
        self._load.fill()
        self._let_them_play()
        before = server.playing_processes()
        os.kill(self._chance.choice(before), signal.SIGKILL)
        until(lambda: len(set(server.playing_processes()) - set(before)) == 1, "another process is started")
        self._let_them_play()
        server.stop()

    def _let_them_play(self) -> None:
        size = self._load.size() + self._chance.randrange(LINES_MAX * self._load.at_once) * LINE_BYTES
        playing = self._load.under_way()
        until(lambda: self._load.size() >= size or all(map(is_ended, playing)), "matches are played")

    def _await_an_end(self) -> None:
        waiting = self._load.under_way()
        until(lambda: any(map(is_ended, waiting)), "a match ends")

    def _make_a_match(self) -> None:
        plan = self._load.next_plan()
        asked = threading.Event()

        def make() -> None:
            with self._load.server.operator() as operator, contextlib.suppress(grpc.RpcError):
                asked.set()
                plan.make(operator)

        threading.Thread(target=make, daemon=True).start()
        asked.wait()
        time.sleep(self._chance.uniform(0, MAKING_S_MAX))


def _bots(folder: Path, server: ServerProcess, think_ms: int, *, traced: bool) -> list[list[SteadyBot]]:
    bots = [
        SteadyBot(
            name=name,
            token=server.bots[name],
            kind=kind,
            server=server.url,
            think_ms=think_ms,
            trace=str(folder / f"{name}.trace") if traced else "",
        )
        for name, kind in KINDS.items()
    ]
    return [bots[::2], bots[1::2]]


@contextlib.contextmanager
def _with_bots(folder: Path, think_ms: int, *, traced: bool) -> Iterator[ServerProcess]:
    """A server that does not run yet, and bots that try to reach it."""
    tokens = {name: fresh_token(TokenKind.BOT) for name in KINDS}
    with (
        server_process(folder, bots=tokens) as server,
        steady_bots(_bots(folder, server, think_ms, traced=traced), folder / "bots.err"),
    ):
        yield server


@dataclass(frozen=True, slots=True, kw_only=True)
class Survived:
    """The findings of a run."""

    moments: Counter[Moment]
    matches: int
    recoveries: int
    """How often matches were resumed, in total."""
    asked_again: int
    """How often a decision was asked again."""

    def __str__(self) -> str:
        kills = ", ".join(f"{count} {moment}" for moment, count in sorted(self.moments.items()))
        return (
            f"{self.matches} matches came through {sum(self.moments.values())} kills ({kills}): they were taken up "
            f"{self.recoveries} times, {self.asked_again} decisions were asked again, and all is as without"
        )


def survive(
    folder: Path,
    seed: int,
    kills: int,
    *,
    at_once: int = AT_ONCE,
    processes: Sequence[int] = (1,),
    tell: Callable[[str], None],
) -> Survived:
    """Kills a server this often, has all matches played to their end, and checks everything.

    It has another number of `processes` in each of its lives. Where it has several, one of them is killed every other time.
    """
    chance = random.Random(seed)  # noqa: S311 - it must repeat
    moments: Counter[Moment] = Counter()
    with _with_bots(folder / "killed", THINK_MS, traced=True) as server:
        load = Load(seed, server, at_once)
        killer = Killer(load, chance)
        for number in range(1, kills + 1):
            server.program = (*SERVE, "--processes", str(processes[(number - 1) % len(processes)]))
            if processes[(number - 1) % len(processes)] > 1 and number % 2:
                moment = Moment.PROCESS
            elif number <= len(WEIGHTS):  # every other moment occurs at least once
                moment = list(WEIGHTS)[-number]
            else:
                moment = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            killer.kill_at(moment)
            moments[moment] += 1
            tell(f"kill {number} of {kills}: {moment}; {len(load.plans)} matches so far")
            if number % LONG_DOWN_EVERY == min(kills, LONG_DOWN_EVERY) - 1 and kills > 1:
                time.sleep(LONG_DOWN_S)
        server.serve()
        load.make_missing()
        records = load.records()
        until(lambda: all(map(is_ended, records.values())), "all matches are over")
        until(lambda: not server.secrets_paths(), "no secrets are left")
        server.stop()
        check_log(server, PROCESS_ENDED)
        check_public_log(server, records)
    tell(f"{len(load.plans)} matches are over; the same are played undisturbed")
    with _with_bots(folder / "undisturbed", 0, traced=False) as server:
        server.serve()
        undisturbed = play_undisturbed(server, load.plans)
        server.stop()
    return _checked(folder / "killed", load.plans, records, undisturbed, moments)


def check_log(server: ServerProcess, *expected: str) -> None:
    lines = [line for line in server.log_text().splitlines() if not any(text in line for text in expected)]
    for line in lines:
        assert '"level":"error"' not in line.replace(" ", ""), line
        assert "Traceback" not in line, server.log_text()


def check_public_log(server: ServerProcess, records: dict[int, Path]) -> None:
    """Checks that the log has each match once, with its promise and the end of its record: with the secrets gone, it has all."""
    claims = [Claim.of(open_record(record)) for record in records.values()]
    book = LogBook(claim.match for claim in claims)
    book.read([(server.folder / "data" / LOG_NAME).read_bytes()])
    for claim in claims:
        book.check(claim)
    assert book.open == 0


def _checked(
    folder: Path, plans: Sequence[Plan], records: dict[int, Path], undisturbed: dict[int, Path], moments: Counter[Moment]
) -> Survived:
    happened: Counter[str] = Counter()
    for plan in plans:
        record = records[plan.number]
        happened += check_untouched(record)
        assert game_hash(record) == game_hash(undisturbed[plan.number]), f"{plan} was played otherwise: {record}"
    asked_again = 0
    for name in KINDS:
        asked_again += sum(told.asked_again for told in told_by_match(folder / f"{name}.trace").values())
    return Survived(moments=moments, matches=len(plans), recoveries=happened["recovered"], asked_again=asked_again)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="how often the server is killed (default: %(default)s)")
    parser.add_argument(
        "--processes",
        type=int,
        nargs="+",
        default=[1],
        help="how many processes the server has, in one life after the other; one of several is killed every other time",
    )
    parser.add_argument("--seed", type=int, help="for plans and moments (default: a new one, which is shown)")
    parser.add_argument(
        "--folder", type=Path, help="where results are kept (default: a temporary folder, which stays if something fails)"
    )
    options = parser.parse_args()
    if options.kills < 1:
        parser.error("--kills is a whole number from 1")
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    folder = options.folder or Path(tempfile.mkdtemp(prefix="mergemaker-kills-"))
    print(f"seed {seed}, in {folder}; again: python -m tests.chaos.kills --kills {options.kills} --seed {seed}", file=sys.stderr)
    begun = time.monotonic()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {text}", file=sys.stderr, flush=True)

    survived = survive(folder, seed, options.kills, processes=options.processes, tell=tell)
    print(f"{survived}; {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
