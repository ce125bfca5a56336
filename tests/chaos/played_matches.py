"""Matches planned by number, made on a server, and compared with the same matches played elsewhere."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_engine.chains import BonusChart
from mergemaker_engine.record.lines import AnsweredBy, Status
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS
from mergemaker_referee.records.files import record_chunks
from mergemaker_wire.rules import rules_to_message

from tests.chaos.server_process import Operator, ServerProcess, until

KINDS: Final[Mapping[str, str]] = {
    "ann": "greedy",
    "bob": "random",
    "cat": "random",
    "dan": "greedy",
    "eve": "random",
    "fay": "random",
}
"""Bots that depend only on view and nonce, by name."""
ALLOWANCE_MS: Final = 8_000
BANK_MS: Final = 60_000
STARTUP_MS: Final = 600_000
CLOCK: Final = match_pb2.ClockTerms(name="chaos", allowance_ms=ALLOWANCE_MS, bank_ms=BANK_MS, startup_ms=STARTUP_MS)
"""No busy machine uses up this allowance, but a server can stay away longer."""
_TAIL_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class Plan:
    """A match that depends only on a seed and its number."""

    seed: int
    number: int

    @property
    def deal(self) -> bytes:
        return hashlib.sha256(f"chaos {self.seed} {self.number}".encode()).digest()

    @property
    def preset(self) -> str:
        return list(PRESETS)[self.number % len(PRESETS)]

    @property
    def bots(self) -> tuple[str, ...]:
        """Two to six of the bots, in any order; two cannot play on every chart (SET-6)."""
        names, first = list(KINDS), self.deal[0] % len(KINDS)
        least = 2 if PRESETS[self.preset].bonus_chart is BonusChart.TWO_HOLDERS else 3
        return tuple((names[first:] + names[:first])[: least + self.deal[1] % (len(KINDS) + 1 - least)])

    @property
    def names(self) -> tuple[str, ...]:
        """The seats' names, which identify a record."""
        return tuple(f"match {self.number} {bot}" for bot in self.bots)

    def request(self, clock: match_pb2.ClockTerms = CLOCK) -> matches_pb2.CreateMatchRequest:
        return matches_pb2.CreateMatchRequest(
            rules=rules_to_message(PRESETS[self.preset]),
            seats=[matches_pb2.SeatPlan(name=name, bot_id=bot) for name, bot in zip(self.names, self.bots, strict=True)],
            clock=clock,
            faults=match_pb2.FaultTerms(refusals_max=3, defaults_max=5),
            seed=self.deal,
        )

    def make(self, operator: Operator) -> str:
        """Makes the match; returns its id."""
        return str(operator.call("CreateMatch", self.request()).match.match)


def names_in(record: Path) -> tuple[str, ...]:
    """The seats' names of a record; none if its first line is incomplete."""
    with record.open("rb") as file:
        line = file.readline()
    return tuple(json.loads(line)["run"]["bots"]) if line.endswith(b"\n") else ()


def is_ended(record: Path) -> bool:
    """Whether a record has a complete end line."""
    with record.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL_BYTES))
        lines = file.read().split(b"\n")
    return len(lines) > 1 and not lines[-1] and lines[-2].startswith(b'{"kind":"end"')


def records_of(server: ServerProcess, plans: Iterable[Plan]) -> dict[int, Path]:
    """The record of each plan that was begun, by the plan's number; no plan is played twice."""
    numbers = {plan.names: plan.number for plan in plans}
    found: dict[int, Path] = {}
    for record in server.record_paths():
        number = numbers.get(names_in(record))
        if number is not None:
            assert number not in found, f"match {number} is played in {found[number].name} and in {record.name}"
            found[number] = record
    return found


def play_undisturbed(server: ServerProcess, plans: Sequence[Plan]) -> dict[int, Path]:
    """Plays the same matches on an undisturbed server, which must have bots for them."""
    with server.operator() as operator:
        for plan in plans:
            plan.make(operator)
    records = records_of(server, plans)
    assert len(records) == len(plans)
    until(lambda: all(map(is_ended, records.values())), "all undisturbed matches are over")
    return records


def lines_of(record: Path) -> list[dict[str, Any]]:
    """A record's lines, as JSON values."""
    return [json.loads(line) for line in record.read_bytes().splitlines()]


def game_hash(record: Path) -> str:
    """The end of the `game` chain: it covers everything except the run."""
    return str(lines_of(record)[-1]["game"])


def check_untouched(record: Path, bank_ms: int = BANK_MS) -> Counter[str]:
    """Checks that a match verifies, without faults or bank use; returns how often each incident occurred in its run."""
    verify(record_chunks(record))
    lines = lines_of(record)
    end = lines[-1]
    assert (end["kind"], end["why"]) != ("end", "voided"), record
    assert set(end["statuses"]) == {Status.FINISHED}, (record, end)
    assert not any(end["faults"]), (record, end)
    for line in lines:
        if line["kind"] == "decision":
            assert line["by"] in (AnsweredBy.BOT, AnsweredBy.AUTOMATIC), (record, line)
            assert line["run"].get("bank_ms", bank_ms) == bank_ms, (record, line)
    happened = Counter(line["run"]["what"] for line in lines if line["kind"] == "incident" and "what" in line["run"])
    assert not {"rejected", "late"} & set(happened), (record, happened)
    return happened
