"""What browsers cost the players: the same matches without them, and then with hundreds that follow one match.

Four tables play as fast as they can: their rate counts. A fifth plays slowly, as matches do that people watch, and all browsers
follow it. Rounds without and with browsers alternate, because other work on the machine comes and goes.
"""

import bisect
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from mergemaker_bench.referee_bot import bot_name
from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_client import ClientPlan
from mergemaker_bench.referee_server import ServerKind, ServerPlan
from mergemaker_bench.referee_speed import wait_for
from mergemaker_bench.rows import Row
from mergemaker_bench.web_watchers import BrowsersPlan

TABLES: Final = 4
WATCHED: Final = TABLES
"""The number of the table that is followed."""
THINK_MS: Final = 50
"""How long each answer at the watched table takes: something happens in each round."""
WARM_UP_DECISIONS: Final = 100
COST_MUST: Final = 0.90
"""Of the decisions in a second, with and without browsers."""
DELAY_MS_MUST: Final = 500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much to measure."""

    browsers: int
    rounds: int
    window_s: float


USUAL: Final = Effort(browsers=300, rounds=5, window_s=4.0)
QUICK: Final = Effort(browsers=20, rounds=1, window_s=1.0)


@dataclass(frozen=True, slots=True)
class Look:
    """One window: decisions in a second, the server's processor time for each, and what browsers got."""

    rate: float
    cpu_us: float
    frames: float = 0.0
    delays_ms: Sequence[float] = ()


def steps_of(effort: Effort) -> int:
    """How many steps `measure_web` takes."""
    return 2 * effort.rounds


def measure_web(effort: Effort, done: Callable[[int], None]) -> list[Row]:
    """Measures windows without and with browsers."""
    alone: list[Look] = []
    followed: list[Look] = []
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        plan = ServerPlan(kind=ServerKind.WHOLE, tables=TABLES + 1, bots=TABLES + 1, folder=folder, browsers=effort.browsers)
        with Child("referee_server", asdict(plan)) as server:
            port = server.ready["port"]
            slow = ClientPlan(port=port, tables=1, first_table=WATCHED, think_ms=THINK_MS)
            with (
                Child("referee_client", asdict(slow)) as watched,
                Child("referee_client", asdict(ClientPlan(port=port, tables=TABLES))) as client,
            ):
                wait_for(client, lambda told: told["decisions"] >= WARM_UP_DECISIONS or told["lost"])
                for number in range(effort.rounds):
                    alone.append(_look(server, client, effort.window_s))
                    done(2 * number + 1)
                    browsers = BrowsersPlan(port=server.ready["pages"], browsers=effort.browsers, bot=bot_name(WATCHED, 0))
                    with Child("web_watchers", asdict(browsers)) as looking:
                        wait_for(looking, lambda told: told["followed"] >= effort.browsers)
                        followed.append(_look(server, client, effort.window_s, looking))
                    done(2 * number + 2)
                assert not watched.ask()["lost"], "the watched match goes on"
    return _rows(effort, alone, followed)


def _look(server: Child, client: Child, window_s: float, looking: Child | None = None) -> Look:
    """Measures for a while."""
    before, cpu = client.ask(), server.ask()
    if looking is not None:
        seen_before = looking.ask()
    time.sleep(window_s)
    after, cpu_after = client.ask(), server.ask()
    decisions = after["decisions"] - before["decisions"]
    rate = decisions / (after["now_ns"] - before["now_ns"]) * 1e9
    cpu_us = (cpu_after["cpu_ns"] - cpu["cpu_ns"]) / max(decisions, 1) / 1_000
    if looking is None:
        return Look(rate, cpu_us)
    seen = looking.ask()
    frames = (seen["frames"] - seen_before["frames"]) / (seen["now_ns"] - seen_before["now_ns"]) * 1e9
    return Look(rate, cpu_us, frames, _delays(server.ask()["times"], seen["seen"]))


def _delays(times: Mapping[str, Sequence[Sequence[int]]], seen: Sequence[Any]) -> list[float]:
    """How long after an event each browser had it, in milliseconds."""
    delays = []
    for match, first, last, at in seen:
        batches = times.get(match, ())
        numbers = [batch[0] for batch in batches]
        for number in range(first, last + 1):
            place = bisect.bisect_right(numbers, number) - 1
            if place >= 0:
                delays.append((at - batches[place][1]) / 1e6)
    return delays


def _rows(effort: Effort, alone: Sequence[Look], followed: Sequence[Look]) -> list[Row]:
    ratios = [one.rate / other.rate for one, other in zip(followed, alone, strict=True)]
    cpu = [other.cpu_us / one.cpu_us for one, other in zip(followed, alone, strict=True)]
    delays = [delay for look in followed for delay in look.delays_ms]
    what = f"{TABLES} fast matches, while {effort.browsers} browsers follow another one"
    rate, rate_alone = (statistics.median(look.rate for look in looks) for looks in (followed, alone))
    frames = statistics.median(look.frames for look in followed)
    each = " ".join(f"{ratio:.2f}" for ratio in ratios)
    rate_note = f"{rate:,.0f} with and {rate_alone:,.0f} without, in the middle of {len(alone)}; by round {each}"
    cpu_note = f"CPU for a decision: {alone[0].cpu_us:.0f} µs, then {followed[0].cpu_us:.0f} µs; {frames:,.0f} frames/s"
    seen = statistics.median(delays) if delays else None
    late = statistics.quantiles(delays, n=100)[98] if len(delays) > 1 else None
    seen_note = "" if late is None else f"99 of 100 within {late:.0f} ms; {len(delays):,} events"
    by_cpu = Row(
        "web-cpu-ratio",
        "the same, by processor time",
        "of alone",
        statistics.median(cpu),
        COST_MUST,
        note=cpu_note,
        is_floor=True,
    )
    return [
        Row("web-rate-ratio", what, "of alone", statistics.median(ratios), COST_MUST, note=rate_note, is_floor=True),
        by_cpu,
        Row("web-event-seen", "until a browser has an event, median", "ms", seen, DELAY_MS_MUST, note=seen_note),
    ]
