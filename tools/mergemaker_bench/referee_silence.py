"""How soon after its deadline a silent bot's default is taken, by the records of a server with many such matches."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.reading import read_record
from mergemaker_referee.records.files import record_chunks
from mergemaker_table.evidence import MomentKind, evidence_in

from mergemaker_bench.referee_bot import SEATS
from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_client import ClientPlan, part_of
from mergemaker_bench.referee_server import ServerKind, ServerPlan
from mergemaker_bench.rows import Row

WaitFor: TypeAlias = Callable[[Child, Callable[[Mapping[str, Any]], bool]], Mapping[str, Any]]

ALLOWANCE_MS: Final = 300
BEYOND_MS_MUST: Final = 50.0
_US_PER_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Silence:
    """The results of unanswered questions."""

    matches: int
    defaults: int
    p50_ms: float
    """From the deadline to the default."""
    p99_ms: float
    most_ms: float


def measure_silence(matches: int, wait_for: WaitFor) -> Silence:
    """Seats silent bots at this many tables, until there is a default for each seat."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        plan = ServerPlan(kind=ServerKind.WHOLE, tables=matches, bots=matches, folder=folder, allowance_ms=ALLOWANCE_MS)
        with Child("referee_server", asdict(plan)) as server:
            client_plan = ClientPlan(port=server.ready["port"], tables=matches, answers=False)
            with Child("referee_client", asdict(client_plan)) as client:
                wait_for(client, lambda told: told["refused"] >= matches * SEATS or told["lost"])
        acted_us = sorted(delay for record in Path(folder).glob("*.jsonl") for delay in _delays_us(record))
    # `part_of` makes a thousandth of what it is given, as its other callers have nanoseconds.
    p50, p99, most = (part_of(acted_us, part) or 0.0 for part in (0.5, 0.99, 1.0))
    return Silence(matches, len(acted_us), p50, p99, most)


def _delays_us(record: Path) -> list[int]:
    """How long after each deadline a default was taken, by the timelines of a record that may not be at its end."""
    delays = []
    for line in read_record(record_chunks(record), torn_end=True).decisions:
        evidence = evidence_in(line.run) if line.by is AnsweredBy.TIMEOUT else None
        if evidence is not None:
            deadline, default = evidence.at_us(MomentKind.DEADLINE), evidence.at_us(MomentKind.DEFAULT)
            if deadline is not None and default is not None:
                delays.append(default - deadline)
    return delays


def silence_rows(silence: Silence) -> list[Row]:
    """The row of the longest delay."""
    what = f"{silence.matches:,} matches of silent bots: from a deadline to its default"
    return [
        Row("silent-p50", f"{what}, p50", "ms", silence.p50_ms),
        Row("silent-p99", "the same, p99", "ms", silence.p99_ms),
        Row(
            "silent-most",
            "the longest, beyond the p50",
            "ms",
            silence.most_ms - silence.p50_ms,
            BEYOND_MS_MUST,
            note=f"{silence.most_ms:.0f} ms; {silence.defaults:,} defaults",
        ),
    ]
