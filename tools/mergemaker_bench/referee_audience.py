"""What spectators cost the players: the same matches without them, and then with very many."""

import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_client import ClientPlan
from mergemaker_bench.referee_server import ServerKind, ServerPlan
from mergemaker_bench.referee_silence import WaitFor
from mergemaker_bench.referee_watchers import WatchersPlan
from mergemaker_bench.rows import Row

TABLES: Final = 4
WARM_UP_DECISIONS: Final = 100
RATE_AIM: Final = 0.8
"""The watchers' own process uses part of the machine, too."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Decisions in a second."""

    watchers: int
    alone: float
    watched: float
    responses: float
    """Responses to all watchers in a second."""


def measure_audience(watchers: int, window_s: float, wait_for: WaitFor) -> Audience:
    """Lets instant bots play, then adds this many watchers; counting starts when each has received something."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        plan = ServerPlan(kind=ServerKind.WHOLE, tables=TABLES, bots=TABLES, folder=folder, watchers=watchers)
        with Child("referee_server", asdict(plan)) as server:
            port = server.ready["port"]
            with Child("referee_client", asdict(ClientPlan(port=port, tables=TABLES))) as client:
                wait_for(client, lambda told: told["decisions"] >= WARM_UP_DECISIONS or told["lost"])
                before = client.ask()
                time.sleep(window_s)
                alone = rate_of(before, client.ask(), "decisions")
                with Child("referee_watchers", asdict(WatchersPlan(port=port, watchers=watchers))) as looking:
                    wait_for(looking, lambda told: told["shown"] >= watchers)
                    before, seen = client.ask(), looking.ask()
                    time.sleep(window_s)
                    watched = rate_of(before, client.ask(), "decisions")
                    return Audience(watchers, alone, watched, rate_of(seen, looking.ask(), "responses"))


def rate_of(before: Mapping[str, Any], after: Mapping[str, Any], what: str) -> float:
    """How much of something there was in a second between two reports."""
    return float((after[what] - before[what]) / (after["now_ns"] - before["now_ns"]) * 1e9)


def audience_rows(audience: Audience) -> list[Row]:
    """The row of the remaining speed."""
    note = f"{audience.watched:,.0f} of {audience.alone:,.0f} decisions/s; {audience.responses:,.0f} responses/s to watchers"
    what = f"{TABLES} matches that {audience.watchers:,} watch, against nobody"
    return [Row("watched-rate-ratio", what, "", audience.watched / audience.alone, aim=RATE_AIM, note=note, is_floor=True)]
