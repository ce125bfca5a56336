"""Plays games with an allowance of 100 ms and no bank on an overloaded machine, and looks for false faults.

    python -m tests.chaos.false_faults --games 10000

There are four seats, four times as many games at once as processors, and long-lived bots in their own processes. Each bot
logs how long it thought (`thinking_log.py` defines that). A fault is false unless that log shows more than the allowance.
Finished games stay in the folder, so an interrupted run can continue: `--folder FOLDER`.
"""

import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS
from mergemaker_referee.records.files import record_chunks
from mergemaker_referee.tokens import TokenKind, fresh_token
from mergemaker_wire.rules import rules_to_message

from tests.chaos.played_matches import is_ended, lines_of
from tests.chaos.server_process import SERVE, WAIT_S, ServerProcess, free_port, server_process
from tests.chaos.steady_bots import MATCHES_AT_ONCE, SteadyBot, steady_bots

SEATS: Final = 4
GAMES_PER_CORE: Final = 4
ALLOWANCE_MS: Final = 100
CLOCK: Final = match_pb2.ClockTerms(name="bare", allowance_ms=ALLOWANCE_MS, bank_ms=0, startup_ms=600_000)
FAULTS: Final = match_pb2.FaultTerms(refusals_max=3, defaults_max=100)
"""Nobody is retired: a bot that was charged wrongly continues, and may be charged again."""
KINDS: Final = ("random", "greedy", "random", "greedy")
GAMES_PER_SET: Final = min(8, MATCHES_AT_ONCE)
"""Games that one set of four bots plays at once."""
LOOK_S: Final = 0.02
TELL_S: Final = 5.0
_ASKED: Final = frozenset({AnsweredBy.BOT, AnsweredBy.TIMEOUT, AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL, AnsweredBy.DISCONNECTED})
"""The sources of answers to decisions that a bot was asked."""
_LAG: Final = re.compile(r"^mergemaker_transport_lag_seconds ([0-9.e+-]+)$", re.MULTILINE)
GAMES_FILE: Final = "games.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """The results of a game."""

    number: int
    decisions: int
    """Decisions that bots were asked."""
    faults: int = 0
    thought: int = 0
    """Faults before which the bot thought longer than the allowance."""
    held_up: int = 0
    """Faults that this explains only with the time in which its own process was busy or waited for a processor."""
    false: int = 0
    """All others."""
    thought_ms_max: float = 0
    uncovered_ms_max: float = 0
    """The largest charge beyond what the bot's log explains: the way, and the referee."""
    kept: str = ""
    """The record of a game with faults."""


@dataclass(frozen=True, slots=True)
class Thoughts:
    """A bot's log of one match."""

    thought_us: Mapping[str, int]
    held_up_us: Mapping[str, int]
    unsent: Sequence[int]

    def covers_ms(self, decision: int) -> tuple[float, float]:
        """How long the bot thought about a decision, without and with the time when its process was held up."""
        thought = self.thought_us.get(str(decision), 0)
        return thought / 1_000, (thought + self.held_up_us.get(str(decision), 0)) / 1_000


def judge(number: int, lines: Sequence[Mapping[str, Any]], logs: Mapping[int, Thoughts]) -> Game:
    """Compares a record with the bots' own logs."""
    asked: dict[int, int] = defaultdict(int)
    counts = {"thought": 0, "held_up": 0, "false": 0}
    uncovered = 0.0
    for line in lines:
        if line["kind"] != "decision" or line["by"] not in _ASKED:
            continue
        seat = int(line["seat"])
        asked[seat] += 1
        strict, with_held_up = logs[seat].covers_ms(asked[seat])
        uncovered = max(uncovered, line["run"]["used_ms"] - with_held_up)
        if line["by"] != AnsweredBy.BOT:
            over = line["by"] == AnsweredBy.TIMEOUT
            kind = "thought" if over and strict > ALLOWANCE_MS else "held_up" if over and with_held_up > ALLOWANCE_MS else "false"
            counts[kind] += 1
    return Game(
        number=number,
        decisions=sum(asked.values()),
        faults=sum(counts.values()),
        thought=counts["thought"],
        held_up=counts["held_up"],
        false=counts["false"],
        thought_ms_max=max(max(log.thought_us.values(), default=0) for log in logs.values()) / 1_000,
        uncovered_ms_max=round(uncovered, 3),
    )


@dataclass(slots=True)
class Tally:
    """All games so far, of this run and of earlier ones in the same folder."""

    folder: Path
    games: list[Game] = field(default_factory=list)
    referee_lag_ms: float = 0

    def __post_init__(self) -> None:
        if (path := self.folder / GAMES_FILE).exists():
            names = {each.name for each in fields(Game)}
            for line in path.read_text("utf-8").splitlines():
                said = json.loads(line)
                self.games.append(Game(**{name: said[name] for name in names}))

    def add(self, game: Game) -> None:
        self.games.append(game)
        with (self.folder / GAMES_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(game)) + "\n")

    def total(self, name: str) -> int:
        return sum(getattr(game, name) for game in self.games)

    def most(self, name: str) -> float:
        return max((getattr(game, name) for game in self.games), default=0.0)

    def __str__(self) -> str:
        return (
            f"false faults: {self.total('false')} ({len(self.games)} games, {self.total('decisions')} decisions, "
            f"{self.total('faults')} faults: {self.total('thought')} of bots that thought for more than {ALLOWANCE_MS} ms, "
            f"{self.total('held_up')} of bots whose own process was busy or waited for a processor; the longest: thinking "
            f"{self.most('thought_ms_max'):.0f} ms, the referee's transport held up {self.referee_lag_ms:.0f} ms, charged beyond "
            f"thinking {self.most('uncovered_ms_max'):.1f} ms)"
        )

    def report(self) -> int:
        """Prints the findings; returns the status of the command."""
        for game in self.games:
            if game.false:
                print(f"game {game.number} has {game.false} false faults: {game.kept}")
        print(self)
        return 1 if self.total("false") else 0


class Logs:
    """The bots' logs, read as they grow."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths: Final = paths
        self._read: Final = dict.fromkeys(paths, 0)
        self._found: Final[dict[str, dict[int, Thoughts]]] = defaultdict(dict)

    def take(self, match: str) -> dict[int, Thoughts] | None:
        """What all four wrote about a match, by seat; None while one of them has not."""
        if len(self._found[match]) < SEATS:
            self._read_on()
        if len(self._found[match]) < SEATS:
            return None
        return self._found.pop(match)

    def _read_on(self) -> None:
        for path in self._paths:
            if not path.exists():
                continue
            with path.open("rb") as file:
                file.seek(self._read[path])
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._read[path] += len(whole)
            for line in whole.splitlines():
                said = json.loads(line)
                log = Thoughts(said["thought_us"], said["held_up_us"], said["unsent"])
                self._found[said["match"]][said["seat"]] = log


class Field:
    """A server full of games."""

    def __init__(self, server: ServerProcess, logs: Logs, tally: Tally, sets: int) -> None:
        self._server: Final = server
        self._logs: Final = logs
        self._tally: Final = tally
        self._sets: Final = sets
        self._playing: dict[str, tuple[int, int]] = {}
        """By match: its number, and its set of bots."""

    def play(self, games: int, at_once: int, tell: Callable[[str], None]) -> None:
        """Plays this many more games."""
        numbers = iter(range(len(self._tally.games), len(self._tally.games) + games))
        done, told, progressed = 0, time.monotonic(), time.monotonic()
        before = self._tally.total("decisions")
        with self._server.operator() as operator:
            while done < games:
                while len(self._playing) < at_once and (number := next(numbers, None)) is not None:
                    load = [
                        sum(each == number_of_set for _, each in self._playing.values()) for number_of_set in range(self._sets)
                    ]
                    bots = load.index(min(load))
                    made = operator.call("CreateMatch", request(number, bots))
                    self._playing[made.match.match] = (number, bots)
                over = self._count_those_that_are_over()
                done += over
                now = time.monotonic()
                if over:
                    progressed = now
                assert now - progressed < WAIT_S, "no game has ended for so long that something hangs"
                if now - told >= TELL_S:
                    decisions = self._tally.total("decisions")
                    tell(f"{done} of {games} games, {(decisions - before) / (now - told):,.0f} decisions/s; {self._tally}")
                    told, before = now, decisions
                time.sleep(LOOK_S)

    def _count_those_that_are_over(self) -> int:
        found = 0
        for record in self._server.record_paths():
            match = record.name.partition(".")[0].rpartition("-")[2]
            if match not in self._playing or not is_ended(record):
                continue
            logs = self._logs.take(match)
            if logs is None:
                continue
            number, _ = self._playing.pop(match)
            self._tally.add(self._judged(number, record, logs))
            found += 1
        return found

    def _judged(self, number: int, record: Path, logs: Mapping[int, Thoughts]) -> Game:
        game = judge(number, lines_of(record), logs)
        if not game.faults:
            record.unlink()  # thousands of them would fill the disk
            return game
        verify(record_chunks(record))
        (record.parent / f"{record.name}.thoughts").write_text(
            json.dumps({seat: asdict(log) for seat, log in logs.items()}), "utf-8"
        )
        return replace(game, kept=str(record))


def request(number: int, bots: int) -> matches_pb2.CreateMatchRequest:
    """One game; the presets take turns."""
    presets = list(PRESETS)
    return matches_pb2.CreateMatchRequest(
        rules=rules_to_message(PRESETS[presets[number % len(presets)]]),
        seats=[matches_pb2.SeatPlan(name=f"seat {seat}", bot_id=f"bot-{bots}-{seat}") for seat in range(SEATS)],
        clock=CLOCK,
        faults=FAULTS,
    )


def _lag_ms(port: int) -> float:
    """The longest hold-up of the referee's transport, from its metrics."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_S) as page:
        found = _LAG.search(page.read().decode("utf-8"))
    assert found is not None, "the metrics do not tell of the transport's lag"
    return float(found[1]) * 1_000


@contextlib.contextmanager
def _field(folder: Path, tally: Tally, at_once: int, program: Sequence[str], environment: Mapping[str, str]) -> Iterator[Field]:
    sets = -(-at_once // GAMES_PER_SET)
    tokens = {f"bot-{number}-{seat}": fresh_token(TokenKind.BOT) for number in range(sets) for seat in range(SEATS)}
    metrics = free_port()
    run = Path(tempfile.mkdtemp(prefix="run-", dir=folder))
    wishes = {"metrics": {"listen": f"127.0.0.1:{metrics}"}}
    with server_process(run, bots=tokens, wishes=wishes, program=program, environment=environment) as server:
        bots = [
            SteadyBot(
                name=name, token=token, kind=KINDS[int(name[-1])], server=server.url, thoughts=str(run / f"{name}.thoughts")
            )
            for name, token in tokens.items()
        ]
        server.serve()
        with steady_bots([[bot] for bot in bots], run / "bots.err"):
            logs = Logs([Path(bot.thoughts) for bot in bots])
            try:
                yield Field(server, logs, tally, sets)
            finally:
                with contextlib.suppress(OSError):  # other checks report a server that is gone
                    tally.referee_lag_ms = max(tally.referee_lag_ms, _lag_ms(metrics))
        server.stop()


def find_false_faults(
    folder: Path,
    games: int,
    *,
    at_once: int,
    tell: Callable[[str], None],
    program: Sequence[str] = SERVE,
    environment: Mapping[str, str] | None = None,
) -> Tally:
    """Plays this number of games, and compares each with its bots' logs; those already in the folder count, too."""
    folder.mkdir(parents=True, exist_ok=True)
    tally = Tally(folder)
    left = games - len(tally.games)
    if left > 0:
        with _field(folder, tally, at_once, program, environment or {}) as ready:
            ready.play(left, at_once, tell)
    return tally


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--games", type=int, default=10_000, help="how many games, including those in the folder (default: %(default)s)"
    )
    parser.add_argument(
        "--at-once",
        type=int,
        default=GAMES_PER_CORE * (os.cpu_count() or 1),
        help=f"how many at once (default: {GAMES_PER_CORE} for each processor, here %(default)s)",
    )
    parser.add_argument("--folder", type=Path, help="where results are kept, and a run continues (default: a new temporary one)")
    options = parser.parse_args()
    if options.games < 1 or options.at_once < 1:
        parser.error("--games and --at-once are whole numbers from 1")
    folder = options.folder or Path(tempfile.mkdtemp(prefix="mergemaker-false-faults-"))
    again = f"python -m tests.chaos.false_faults --games {options.games} --folder {folder}"
    print(f"all is kept in {folder}; to go on after Ctrl-C: {again}", file=sys.stderr)
    begun = time.monotonic()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", file=sys.stderr, flush=True)

    try:
        tally = find_false_faults(folder, options.games, at_once=options.at_once, tell=tell)
    except KeyboardInterrupt:
        print(f"interrupted; to go on: {again}", file=sys.stderr)
        print(Tally(folder))
        return 130
    return tally.report()


if __name__ == "__main__":
    sys.exit(main())
