"""The measures of the referee as rows, with their limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_tools.engine_build import PURE, engine_build

from mergemaker_bench.referee_server import ServerKind
from mergemaker_bench.rows import Row

NO_OP_HELD_RATE_MUST: Final = 0.48
NO_OP_HELD_RATE_AIM: Final = 0.60
NO_OP_HELD_CPU_MUST: Final = 2.4
NO_OP_HELD_CPU_AIM: Final = 1.9
NO_OP_IMMEDIATE_RATE_MUST: Final = 0.57
NO_OP_IMMEDIATE_RATE_AIM: Final = 0.70
NO_OP_IMMEDIATE_CPU_MUST: Final = 2.0
NO_OP_IMMEDIATE_CPU_AIM: Final = 1.6
NO_OP_P50_MUST: Final = 1.3
NO_OP_P50_AIM: Final = 1.15
NO_OP_P99_MUST: Final = 2.0
NO_OP_P99_AIM: Final = 1.5
_IS_PURE: Final = engine_build() == PURE
WHOLE_HELD_MUST: Final = 0.22 if _IS_PURE else 0.30
WHOLE_HELD_AIM: Final = 0.28 if _IS_PURE else 0.40
WHOLE_IMMEDIATE_MUST: Final = 0.50
"""By rate, and by the processor's time: the echo's for each, in that of the referee."""
WHOLE_P50_MUST: Final = 3.0
"""One match: its p50 in the p50 of the bare echo, and its p99 in its own p50."""
WHOLE_P99_MUST: Final = 3.0
P99_ADDED_MS_MUST: Final = 2.0
IDLE_KIB_MUST: Final = 31.0
HERD_S_MUST: Final = 2.0
_KIB: Final = 1_024


@dataclass(frozen=True, slots=True)
class Case:
    """A server, and how many matches its bots play at once."""

    kind: ServerKind
    held: bool
    """Whether a bot's events wait for its next decision."""
    matches: int


@dataclass(frozen=True, slots=True)
class Played:
    """One look at a server whose bots play."""

    rate: float
    """Decisions in a second."""
    cpu_us: float
    """Of the server, for a decision."""
    client_cpu_us: float
    p50_us: float
    """From an answer to the next decision of its match, as the bots see it."""
    p99_us: float
    messages: Mapping[str, float] | None = None
    """The size and number of a script's messages."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Bots that came all at once."""

    bots: int
    lost: int
    seconds: float
    """Until the last was welcomed."""
    bytes_each: float | None
    """By how much the server's memory grew for each bot."""


class Best:
    """The best of all rounds, by case."""

    def __init__(self, played: Mapping[Case, Sequence[Played]]) -> None:
        self._played: Final = played

    def rate(self, case: Case) -> float:
        """The most decisions in a second."""
        return max(each.rate for each in self._played[case])

    def cpu_us(self, case: Case) -> float:
        """The least time of the processor for a decision."""
        return min(each.cpu_us for each in self._played[case])

    def client_cpu_us(self, case: Case) -> float:
        """The same of the client."""
        return min(each.client_cpu_us for each in self._played[case])

    def p50_us(self, case: Case) -> float:
        """The least median."""
        return min(each.p50_us for each in self._played[case])

    def p99_us(self, case: Case) -> float:
        """The least 99th percentile."""
        return min(each.p99_us for each in self._played[case])

    def rounds_text(self, case: Case, against: Case) -> str:
        """The ratio of rates in every round, which shows their spread."""
        pairs = zip(self._played[case], self._played[against], strict=True)
        return "by round " + " ".join(f"{one.rate / other.rate:.2f}" for one, other in pairs)


def rows_of(matches: int, played: Mapping[Case, Sequence[Played]], idle: Sequence[Crowd], herd: Sequence[Crowd]) -> list[Row]:
    """All rows."""
    best = Best(played)
    return [
        *_speeds(best, matches),
        *_no_op(best, matches, held=True),
        *_no_op(best, matches, held=False),
        *_whole(best, matches),
        *_delays(best),
        *_crowds(idle, herd),
    ]


def way_of(held: bool) -> str:
    """How a bot gets its events."""
    return "held" if held else "immediate"


def _speeds(best: Best, matches: int) -> list[Row]:
    names = {
        ServerKind.ECHO: "bare echo of the same messages",
        ServerKind.NO_OP: "transport with a script",
        ServerKind.WHOLE: "whole referee",
    }
    rows = []
    for held in (True, False):
        for kind, name in names.items():
            case = Case(kind, held, matches)
            row_id, what = f"{kind}-{way_of(held)}", f"{name}, events {way_of(held)}"
            note = f"client: {best.client_cpu_us(case):.0f} µs"
            rows += [
                Row(f"{row_id}-rate", f"{what}: decisions", "/s", best.rate(case)),
                Row(f"{row_id}-cpu", "its CPU for each", "µs", best.cpu_us(case), note=note),
            ]
    return rows


def _no_op(best: Best, matches: int, *, held: bool) -> list[Row]:
    way = way_of(held)
    no_op, echo = Case(ServerKind.NO_OP, held, matches), Case(ServerKind.ECHO, held, matches)
    alone, asyncio = Case(ServerKind.NO_OP, held, 1), Case(ServerKind.ASYNCIO, held, 1)
    rate = (NO_OP_HELD_RATE_MUST, NO_OP_HELD_RATE_AIM) if held else (NO_OP_IMMEDIATE_RATE_MUST, NO_OP_IMMEDIATE_RATE_AIM)
    cpu = (NO_OP_HELD_CPU_MUST, NO_OP_HELD_CPU_AIM) if held else (NO_OP_IMMEDIATE_CPU_MUST, NO_OP_IMMEDIATE_CPU_AIM)
    return [
        Row(
            f"no-op-{way}-rate-ratio",
            f"transport with a script, {way}: rate",
            "of echo",
            best.rate(no_op) / best.rate(echo),
            *rate,
            best.rounds_text(no_op, echo),
            is_floor=True,
        ),
        Row(
            f"no-op-{way}-cpu-ratio",
            f"transport with a script, {way}: CPU",
            "of echo",
            best.cpu_us(no_op) / best.cpu_us(echo),
            *cpu,
        ),
        Row(
            f"no-op-{way}-p50-ratio",
            f"1 match on the transport, {way}: p50",
            "of asyncio",
            best.p50_us(alone) / best.p50_us(asyncio),
            NO_OP_P50_MUST,
            NO_OP_P50_AIM,
            f"{best.p50_us(alone):.0f} and {best.p50_us(asyncio):.0f} µs",
        ),
        Row(
            f"no-op-{way}-p99-ratio",
            f"1 match on the transport, {way}: p99",
            "of p50",
            best.p99_us(alone) / best.p50_us(alone),
            NO_OP_P99_MUST,
            NO_OP_P99_AIM,
        ),
    ]


def _whole(best: Best, matches: int) -> list[Row]:
    rows = []
    for held in (True, False):
        whole, echo = Case(ServerKind.WHOLE, held, matches), Case(ServerKind.ECHO, held, matches)
        must, aim = (WHOLE_HELD_MUST, WHOLE_HELD_AIM) if held else (WHOLE_IMMEDIATE_MUST, None)
        rows += [
            Row(
                f"whole-{way_of(held)}-rate-ratio",
                f"whole referee, {way_of(held)}: rate",
                "of echo",
                best.rate(whole) / best.rate(echo),
                must,
                aim,
                best.rounds_text(whole, echo),
                is_floor=True,
            ),
            Row(
                f"whole-{way_of(held)}-cpu-ratio",
                f"whole referee, {way_of(held)}: decisions for each second of its CPU",
                "of echo",
                best.cpu_us(echo) / best.cpu_us(whole),
                must,
                aim,
                is_floor=True,
            ),
        ]
    return rows


def _delays(best: Best) -> list[Row]:
    whole, echo = Case(ServerKind.WHOLE, True, 1), Case(ServerKind.ECHO, True, 1)
    return [
        Row("whole-p50", "1 match: from an answer to the next decision, p50", "ms", best.p50_us(whole) / 1_000),
        Row("whole-p99", "the same, p99", "ms", best.p99_us(whole) / 1_000),
        Row("whole-p50-ratio", "1 match: p50", "of echo", best.p50_us(whole) / best.p50_us(echo), WHOLE_P50_MUST),
        Row("whole-p99-ratio", "1 match: p99", "of p50", best.p99_us(whole) / best.p50_us(whole), WHOLE_P99_MUST),
        Row("p50-added", "1 match: what the referee adds at p50", "ms", (best.p50_us(whole) - best.p50_us(echo)) / 1_000),
        Row(
            "p99-added",
            "1 match: what the referee adds at p99",
            "ms",
            (best.p99_us(whole) - best.p99_us(echo)) / 1_000,
            P99_ADDED_MS_MUST,
            note=f"the echo has {best.p50_us(echo) / 1_000:.2f} and {best.p99_us(echo) / 1_000:.2f} ms",
        ),
    ]


def _crowds(idle: Sequence[Crowd], herd: Sequence[Crowd]) -> list[Row]:
    def memory(row_id: str, crowds: Sequence[Crowd]) -> Row:
        told = [crowd.bytes_each for crowd in crowds if crowd.bytes_each is not None]
        what = f"memory of an idle bot, {crowds[0].bots:,} of them"
        note = "" if told else "this system does not tell it as Linux does"
        return Row(row_id, what, "KiB", min(told) / _KIB if told else None, IDLE_KIB_MUST, note=note)

    bots = f"{herd[0].bots:,} bots at once"
    return [
        memory("idle-memory", idle),
        memory("herd-memory", herd),
        Row("herd-lost", f"{bots}: lost in the worst round", "bots", max(crowd.lost for crowd in herd), 0.0),
        Row("herd-seconds", f"{bots}: until the last is welcomed", "s", min(crowd.seconds for crowd in herd), HERD_S_MUST),
    ]
