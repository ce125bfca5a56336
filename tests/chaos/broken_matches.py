"""Matches with one broken bot of three, each broken in another way, and matches of good bots only, all at the same time.

    python -m tests.chaos.broken_matches                          # every kind
    python -m tests.chaos.broken_matches "is late" "freezes"      # these

Each broken bot has its own process and connection. A prediction says how its seat ends, in the record's own words:
status, causes of defaults, and the evidence's reasons. The good bots are at no fault and lose no time, and matches
without a broken bot are the same as on a server without broken bots, compared by their `game` chains.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_engine.record.lines import AnsweredBy, PlayIncident, Status
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import record_chunks
from mergemaker_referee.tokens import TokenKind, fresh_token
from mergemaker_table.evidence import evidence_in

from tests.chaos.broken_bots import ACTS
from tests.chaos.played_matches import KINDS, Plan, check_untouched, game_hash, is_ended, lines_of, play_undisturbed, records_of
from tests.chaos.server_process import WAIT_S, ServerProcess, Wishes, server_process, until
from tests.chaos.steady_bots import SteadyBot, steady_bots

SEED: Final = 20261118
SEATS: Final = 3
CONTROLS: Final = 4
"""Matches of good bots only."""
ALLOWANCE_MS: Final = 6_000
BANK_MS: Final = 1_000
STARTUP_MS: Final = 15_000
CLOCK: Final = match_pb2.ClockTerms(name="broken", allowance_ms=ALLOWANCE_MS, bank_ms=BANK_MS, startup_ms=STARTUP_MS)
FAULTS: Final = match_pb2.FaultTerms(refusals_max=3, defaults_max=2)
LIMITS: Final[Wishes] = {
    "limits": {"ping_interval_ms": 500, "pong_ms_max": 4_000, "matches_per_stream_max": 200},
    "matches": {"missing_seats": "play"},  # shows what happens to bots that never come
}
END_S: Final = 10.0
"""How long broken bots have to notice the end of their matches before they are killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """How a broken bot's seat ends."""

    status: Status = Status.AUTOPILOT
    by: frozenset[AnsweredBy] = frozenset()
    """The possible sources of its answers while it was asked; at least one occurs, unless there are none."""
    reasons: frozenset[str] = frozenset()
    """The reasons in the evidence of these defaults, or of the incident that took it out of the match."""
    must: frozenset[str] = frozenset()
    """One of these reasons must occur; if there are none, any reason will do."""
    told: frozenset[str] = frozenset()
    """What its process received: at the end of its stream, or as the refusal of a request."""


def _ends(*by: AnsweredBy, why: Sequence[str], told: Sequence[str] = (), status: Status = Status.AUTOPILOT) -> Ends:
    return Ends(status=status, by=frozenset(by), reasons=frozenset(why), told=frozenset(told))


def _absent(*told: str) -> Ends:
    return _ends(why=["not-joined"], told=told, status=Status.NEVER_JOINED)


def _gone(why: str = "left", *told: str) -> Ends:
    return _ends(AnsweredBy.DISCONNECTED, why=[why], told=told)


def _dumb(why: str, *told: str) -> Ends:
    """Its connection ends because of what it omits: before its time is up, unless the machine is too busy."""
    allowed = _ends(AnsweredBy.DISCONNECTED, AnsweredBy.TIMEOUT, why=[why, "no-answer"], told=told)
    return replace(allowed, must=frozenset([why]))


def _frozen() -> Ends:
    """Answers neither the referee's pings nor the transport's: the first of them to notice ends its connection."""
    ended = frozenset(["no-pong", "left"])
    return replace(_ends(AnsweredBy.DISCONNECTED, AnsweredBy.TIMEOUT, why=[*ended, "no-answer"]), must=ended)


def _silent(*told: str) -> Ends:
    return _ends(AnsweredBy.TIMEOUT, why=["no-answer"], told=told)


def _fine(*told: str) -> Ends:
    return _ends(why=[], told=told, status=Status.FINISHED)


PREDICTED: Final[Mapping[str, Ends]] = {
    "never comes": _absent(),
    "says nothing": _absent("no-hello"),
    "never takes its seat": _absent(),
    "speaks only the protocol that comes next": _absent("protocol-version"),
    "speaks a protocol that is too new": _absent("protocol-version"),
    "says garbage for a hello": _absent("unreadable"),
    "says garbage for a seat": _absent("unreadable"),
    "dies at once": _absent(),
    "dies after its welcome": _absent(),
    "dies after its offer": _gone(),
    "dies after the start": _gone(),
    "dies while it is asked": _gone(),
    "dies after an answer": _gone(),
    "dies after ten answers": _gone(),
    "crashes": _gone(),
    "never answers": _silent(),
    "hangs in one decision": _silent(),
    "is late": _silent("too-late"),
    # Its own pongs wait until its flood has passed.
    "floods with requests": _ends(AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED, why=["no-answer", "no-pong"]),
    "answers with an index that is not there": _ends(AnsweredBy.ILLEGAL, why=["refused"], told=["bad-index"]),
    "places a tile that it does not have": _ends(AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL, why=["refused"]),
    "answers and chooses nothing": _ends(AnsweredBy.PROTOCOL, why=["refused"], told=["no-choice"]),
    "says too much beside its answer": _ends(AnsweredBy.PROTOCOL, why=["refused"], told=["note-too-long"]),
    "answers what was not asked": _silent("not-asked"),
    "answers what was asked before": _silent("not-asked"),
    "answers in another's match": _silent("unknown-match"),
    "says garbage while it is asked": _gone("unreadable", "unreadable"),
    "says garbage again and again": _ends(AnsweredBy.DISCONNECTED, why=["unreadable", "left"]),
    "says half a message": _gone("unreadable", "unreadable"),
    "says hello again": _gone("second-hello", "second-hello"),
    "says more than a request may hold": _gone(),
    "sends half a frame": _frozen(),
    "resets its connection": _gone(),
    "hangs up": _gone(),
    "stops reading": _dumb("not-reading"),
    "answers no pings": _dumb("no-pong", "no-pong"),
    "freezes": _frozen(),
    "reconnects in a storm": _ends(AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED, why=["no-answer", "left"]),
    "takes itself over": _ends(AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED, why=["no-answer", "left", "taken-over"]),
    "resigns": _ends(AnsweredBy.RESIGNED, why=["resigned"], status=Status.RESIGNED),
    "answers twice": _fine(),
    "answers before it is asked": _fine("not-asked"),
    "says what is not known": _fine("unknown-request"),
    "has a part in a deal that has none": _fine("not-now"),
}


# --- playing ---


@dataclass(slots=True)
class BrokenMatch:
    """One match, with its broken bot's process."""

    number: int
    kind: str
    process: subprocess.Popen[str]
    match: str = ""
    said: dict[str, Any] = field(default_factory=dict)
    """The last output of the process; empty if it was killed."""

    @property
    def seat(self) -> int:
        return self.number % SEATS

    def make(self, server: ServerProcess) -> None:
        """Makes the match, and sends it to the broken bot."""
        names = list(KINDS)
        good = iter([names[self.number % len(names)], names[(self.number + 1) % len(names)]])
        seats = [
            matches_pb2.SeatPlan(name=self.kind) if seat == self.seat else matches_pb2.SeatPlan(name="good", bot_id=next(good))
            for seat in range(SEATS)
        ]
        with server.operator() as operator:
            made = operator.call("CreateMatch", matches_pb2.CreateMatchRequest(seats=seats, clock=CLOCK, faults=FAULTS))
        self.match = made.match.match
        assert self.process.stdin is not None
        told = {"target": f"127.0.0.1:{server.port}", "token": made.seat_tokens[self.seat], "match": self.match}
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(told) + "\n")
            self.process.stdin.flush()

    def record(self, server: ServerProcess) -> Path:
        (found,) = [path for path in server.record_paths() if self.match in path.name]
        return found

    def end(self, until_s: float) -> None:
        """Waits for the process until this time, and ends it."""
        try:
            output, _ = self.process.communicate(timeout=max(0.0, until_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, _ = self.process.communicate(timeout=WAIT_S)
        lines = output.splitlines()
        self.said = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}


@contextlib.contextmanager
def broken_bots(kinds: Sequence[str], folder: Path) -> Iterator[list[BrokenMatch]]:
    """A process for each kind, ready for its match."""
    found: list[BrokenMatch] = []
    try:
        for number, kind in enumerate(kinds):
            with (folder / f"{kind}.err").open("wb") as errors:
                process = subprocess.Popen(
                    [sys.executable, "-m", "tests.chaos.broken_bots", kind],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                )
            found.append(BrokenMatch(number, kind, process))
        for each in found:
            assert each.process.stdout is not None
            assert each.process.stdout.readline() == "ready\n", (folder / f"{each.kind}.err").read_text("utf-8")
        yield found
    finally:
        for each in found:
            each.process.kill()
            each.process.wait(WAIT_S)
            for stream in (each.process.stdin, each.process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()


@contextlib.contextmanager
def _with_good_bots(folder: Path, matches: int) -> Iterator[ServerProcess]:
    tokens = {name: fresh_token(TokenKind.BOT) for name in KINDS}
    with server_process(folder, bots=tokens, wishes=LIMITS) as server:
        bots = [
            SteadyBot(name=name, token=tokens[name], kind=kind, server=server.url, matches_at_once=matches)
            for name, kind in KINDS.items()
        ]
        server.serve()
        with steady_bots([bots[::2], bots[1::2]], folder / "bots.err"):
            yield server
        server.stop()


def _await_good_bots(server: ServerProcess) -> None:
    """Has all of them play a match: after that, none of them comes late, however busy the machine is."""
    seats = [matches_pb2.SeatPlan(name=name, bot_id=name) for name in KINDS]
    clock = match_pb2.ClockTerms(name="none")
    with server.operator() as operator:
        made = operator.call("CreateMatch", matches_pb2.CreateMatchRequest(seats=seats, clock=clock))
    (record,) = [path for path in server.record_paths() if made.match.match in path.name]
    until(lambda: is_ended(record), "the good bots have played a match")


def play_with_broken_bots(folder: Path, kinds: Sequence[str], tell: Callable[[str], None], controls: int = CONTROLS) -> list[str]:
    """Plays all at once, and returns each deviation from the predictions as a line."""
    plans = [Plan(SEED, number) for number in range(controls)]
    folder.mkdir(parents=True, exist_ok=True)
    at_once = len(kinds) + controls
    with broken_bots(kinds, folder) as broken, _with_good_bots(folder / "broken", at_once) as server:
        tell(f"{len(kinds)} broken bots are ready")
        _await_good_bots(server)
        with server.operator() as operator:
            for plan in plans:
                plan.make(operator)
        for each in broken:
            each.make(server)
        records = {each.kind: each.record(server) for each in broken}
        among = records_of(server, plans)
        tell(f"{at_once} matches are under way")
        until(lambda: all(map(is_ended, [*records.values(), *among.values()])), "all matches are over")
        tell("all are over")
        give_up = time.monotonic() + END_S
        for each in broken:
            each.end(give_up)
    problems = [problem for each in broken for problem in _problems(each, records[each.kind])]
    tell(f"{len(problems)} problems; the matches of good bots alone are played undisturbed")
    with _with_good_bots(folder / "undisturbed", at_once) as server:
        undisturbed = play_undisturbed(server, plans)
    for plan in plans:
        check_untouched(among[plan.number])
        if game_hash(among[plan.number]) != game_hash(undisturbed[plan.number]):
            problems.append(f"{plan} was played otherwise beside broken bots: {among[plan.number]}")
    return problems


# --- what is expected ---


def _problems(broken: BrokenMatch, record: Path) -> list[str]:
    """The deviations from the prediction in a match with a broken bot."""
    verify(record_chunks(record))
    lines = lines_of(record)
    end, predicted = lines[-1], PREDICTED[broken.kind]
    where = f"{broken.kind!r} ({record})"
    found = [f"{where}: {problem}" for problem in _of_the_good(lines, broken.seat)]
    if end["statuses"][broken.seat] != predicted.status:
        found.append(f"{where}: its seat came to the end {end['statuses'][broken.seat]!r}, not {predicted.status!r}")
    by, reasons = _of_the_broken(lines, broken.seat)
    if not by <= predicted.by or bool(by) != bool(predicted.by):
        found.append(f"{where}: its answers were given {sorted(by)}, not {sorted(predicted.by)}")
    lacks = bool(predicted.must) and not predicted.must & reasons
    if lacks or not reasons <= predicted.reasons or bool(reasons) != bool(predicted.reasons):
        found.append(f"{where}: the reasons were {sorted(reasons)}, not {sorted(predicted.reasons)}")
    told = {broken.said.get("ended", ""), *broken.said.get("refused", ())}
    if not predicted.told <= told:
        found.append(f"{where}: it was told {sorted(told)}, not {sorted(predicted.told)}")
    return found


def _of_the_broken(lines: Sequence[Mapping[str, Any]], seat: int) -> tuple[set[AnsweredBy], set[str]]:
    """The sources of its answers while it was asked, and the evidence's reasons."""
    by, reasons = set(), set()
    for line in lines:
        if line.get("seat", line["run"].get("seat")) != seat:
            continue
        evidence = evidence_in(line["run"])
        if line["kind"] == "decision" and evidence is not None:
            by.add(AnsweredBy(line["by"]))
            reasons.add(evidence.verdict.reason)
        elif line.get("what") == PlayIncident.NEVER_JOINED and evidence is not None:
            reasons.add(evidence.verdict.reason)
    return by, reasons


def _of_the_good(lines: Sequence[Mapping[str, Any]], broken: int) -> Iterator[str]:
    end = lines[-1]
    if end["why"] == "voided":
        yield f"the match was voided: {end}"
        return
    for seat in set(range(SEATS)) - {broken}:
        if end["statuses"][seat] != Status.FINISHED or end["faults"][seat]:
            yield f"seat {seat}, which is not broken, ended {end['statuses'][seat]!r} with {end['faults'][seat]} faults"
    for line in lines:
        if line["kind"] == "decision" and line["seat"] != broken:
            if line["by"] not in (AnsweredBy.BOT, AnsweredBy.AUTOMATIC):
                yield f"a bot that is not broken did not answer by itself, first in {line}"
                return
            if line["run"].get("bank_ms", BANK_MS) != BANK_MS:
                yield f"a bot that is not broken lost of its bank, first in {line}"
                return


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="in which way bots are broken (default: all)")
    parser.add_argument("--folder", type=Path, help="where results are kept (default: a temporary folder)")
    options = parser.parse_args()
    unknown = set(options.kinds) - set(ACTS)
    if unknown:
        parser.error(f"there is no kind {', '.join(sorted(unknown))}; there are {', '.join(ACTS)}")
    folder = options.folder or Path(tempfile.mkdtemp(prefix="mergemaker-broken-"))
    begun = time.monotonic()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {text}", file=sys.stderr, flush=True)

    tell(f"all is kept in {folder}")
    kinds = options.kinds or list(ACTS)
    problems = play_with_broken_bots(folder, kinds, tell)
    for problem in problems:
        print(problem)
    print(f"broken bots: {len(kinds)} kinds, {len(problems)} problems; {time.monotonic() - begun:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
