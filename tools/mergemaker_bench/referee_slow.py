"""A loaded server with one match that is slow on purpose: how long it waits for the server, and what it is charged for that.

Its bots think about each answer, in a process of their own. All other matches have instant bots, which keep the server busy.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_referee.records.files import record_chunks

from mergemaker_bench.referee_audience import rate_of
from mergemaker_bench.referee_bot import bot_name
from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_client import ClientPlan, part_of
from mergemaker_bench.referee_server import ServerKind, ServerPlan
from mergemaker_bench.referee_silence import WaitFor
from mergemaker_bench.rows import Row

THINK_MS: Final = 50
WARM_UP_DECISIONS: Final = 5
"""Of each other match, before anything counts."""
_USED_MS: Final = "used_ms"


@dataclass(frozen=True, slots=True)
class Slow:
    """What came of the match that is slow, and of the others."""

    matches: int
    """The others."""
    decisions: int
    """Of the slow match."""
    p50_ms: float
    """From its answer to its next question."""
    p99_ms: float
    charged_p50_ms: float
    """Of its bots' time, beyond what they thought."""
    charged_p99_ms: float
    alone: float
    """Decisions in a second of the others, before it began."""
    beside: float
    """The same, beside it."""


def measure_slow(matches: int, decisions: int, window_s: float, wait_for: WaitFor) -> Slow:
    """Keeps a server busy with this many matches, and plays one more that is slow, for at least this many decisions."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        plan = ServerPlan(kind=ServerKind.WHOLE, tables=matches + 1, bots=matches + 1, folder=folder)
        with Child("referee_server", asdict(plan)) as server:
            port = server.ready["port"]
            with Child("referee_client", asdict(ClientPlan(port=port, tables=matches))) as others:
                wait_for(others, lambda told: told["decisions"] >= WARM_UP_DECISIONS * matches or told["lost"])
                before = others.ask()
                time.sleep(window_s)
                alone = rate_of(before, others.ask(), "decisions")
                slow_plan = ClientPlan(port=port, tables=1, first_table=matches, think_ms=THINK_MS)
                with Child("referee_client", asdict(slow_plan)) as slow:
                    before = others.ask()
                    told = wait_for(slow, lambda told: told["decisions"] >= decisions or told["lost"])
                    beside = rate_of(before, others.ask(), "decisions")
        charged = sorted(_charged_ms(Path(folder), bot_name(matches, 0)))
    # `part_of` makes a thousandth of what it is given.
    p50, p99 = (part_of([ms * 1_000 for ms in charged], part) or 0.0 for part in (0.5, 0.99))
    return Slow(matches, told["decisions"], told["p50_us"] / 1_000, told["p99_us"] / 1_000, p50, p99, alone, beside)


def _charged_ms(folder: Path, bot: str) -> Iterator[int]:
    """What the records of a bot's matches charge for its answers and its opponents', beyond the time that they thought."""
    for path in folder.glob("*.jsonl"):
        record = read_record(record_chunks(path), torn_end=True)
        if bot in record.header.bots:
            yield from _beyond_ms(record)


def _beyond_ms(record: Record) -> Iterator[int]:
    for line in record.decisions:
        run: Mapping[str, Any] = line.run
        if line.by is AnsweredBy.BOT and isinstance(used := run.get(_USED_MS), int):
            yield used - THINK_MS


def slow_rows(slow: Slow) -> list[Row]:
    """The rows of the slow match."""
    what = f"1 match that thinks {THINK_MS} ms, beside {slow.matches:,} that never do"
    return [
        Row(
            "slow-p50",
            f"{what}: from an answer to the next decision, p50",
            "ms",
            slow.p50_ms,
            note=f"{slow.decisions:,} decisions",
        ),
        Row("slow-p99", "the same, p99", "ms", slow.p99_ms),
        Row(
            "slow-charged",
            "the same match: charged beyond the thinking, p50",
            "ms",
            slow.charged_p50_ms,
            note=f"p99 {slow.charged_p99_ms:.0f} ms; a bot's own delay in waking is part of it",
        ),
        Row(
            "slow-others",
            "the others' rate beside it",
            "of before",
            slow.beside / slow.alone,
            note=f"{slow.beside:,.0f} and {slow.alone:,.0f} decisions/s",
            is_floor=True,
        ),
    ]
