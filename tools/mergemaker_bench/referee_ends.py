"""How soon the referee notices that bots are gone, killed or frozen, and how soon `mergemaker serve` ends on a signal."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.tokens import token_hash
from mergemaker_tools.problems import CommandFailed

from mergemaker_bench.referee_bot import SEATS, bot_name, bot_token
from mergemaker_bench.referee_child import Child
from mergemaker_bench.referee_client import ClientPlan
from mergemaker_bench.referee_server import ServerKind, ServerPlan
from mergemaker_bench.referee_silence import WaitFor
from mergemaker_bench.rows import Row

KILLED_MS_MUST: Final = 50.0
KILLED_MS_AIM: Final = 10.0
FROZEN_S_MUST: Final = 20.0
FROZEN_S_AIM: Final = 15.0
STOP_MS_MUST: Final = 1_000.0
"""Beyond the time that streams have to end."""
STOP_MS_AIM: Final = 200.0
_THINKS_MS: Final = 600_000
"""The bots are asked, and do not answer: their time must not run out during the measurement."""
_POLL_S: Final = 0.001
_LIMIT_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class Ends:
    """The measured ends."""

    killed_ms: float
    """From the kill of a process with four bots until the referee has noticed all of them: the longest of several."""
    frozen_s: float | None
    """The same for a stopped process, whose connections stay; None if that was left out."""
    stop_ms: float
    """From SIGTERM to the end of a server to which bots are connected."""


def measure_ends(kills: int, wait_for: WaitFor, *, with_freeze: bool) -> Ends:
    """Kills bots this many times, stops them once, and ends a server."""
    killed = [_noticed_s(signal.SIGTERM if os.name == "nt" else signal.SIGKILL, wait_for) for _ in range(kills)]
    freeze = getattr(signal, "SIGSTOP", None) if with_freeze else None
    frozen = None if freeze is None else _noticed_s(freeze, wait_for)
    return Ends(max(killed) * 1_000, frozen, _stopped_s(wait_for) * 1_000)


def _noticed_s(number: signal.Signals, wait_for: WaitFor) -> float:
    """How long the referee takes to notice that the bots of a match are gone."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        plan = ServerPlan(kind=ServerKind.WHOLE, tables=1, bots=1, folder=folder, allowance_ms=_THINKS_MS)
        with Child("referee_server", asdict(plan)) as server:
            bots = ClientPlan(port=server.ready["port"], tables=1, answers=False)
            with Child("referee_client", asdict(bots)) as client:
                wait_for(server, lambda told: told["connected"] == SEATS)
                began = time.monotonic()
                client.send_signal(number)
                while server.ask()["connected"]:
                    if time.monotonic() - began > _LIMIT_S:
                        raise CommandFailed(f"bots that {number.name} ended were still taken as connected {_LIMIT_S:.0f} s later")
                    time.sleep(_POLL_S)
                return time.monotonic() - began


def _stopped_s(wait_for: WaitFor) -> float:
    """How long a server takes to end while bots are connected to it."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        configuration = Path(folder, "mergemaker.toml")
        known = "".join(f'"{bot_name(0, seat)}" = "{token_hash(bot_token(0, seat))}"\n' for seat in range(SEATS))
        configuration.write_text(f'[server]\nlisten = ["127.0.0.1:0"]\n[bots]\n{known}', "utf-8")
        command = [sys.executable, "-m", "mergemaker_tools", "serve", "--config", str(configuration), "--json"]
        with subprocess.Popen(  # noqa: S603 - our own command
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                assert server.stdout is not None, "it was started with a pipe"
                said = server.stdout.readline()
                if not said:
                    raise CommandFailed(f"the server that was to be stopped did not start: {' '.join(command)}")
                port = int(json.loads(said)["addresses"][0].rpartition(":")[2])
                with Child("referee_client", asdict(ClientPlan(port=port, tables=1, plays=False))) as client:
                    wait_for(client, lambda told: told["welcomed"] == SEATS)
                    began = time.monotonic()
                    server.terminate()
                    server.wait(_LIMIT_S)
                    return time.monotonic() - began
            finally:
                server.kill()


def end_rows(ends: Ends) -> list[Row]:
    """How soon each was."""
    grace_ms = Limits().stop_grace_ms
    left_out = "" if ends.frozen_s is not None else "left out by --quick, and where processes cannot be stopped"
    return [
        Row("killed", "bots that are killed: until the referee knows", "ms", ends.killed_ms, KILLED_MS_MUST, KILLED_MS_AIM),
        Row("frozen", "bots that stand still: the same", "s", ends.frozen_s, FROZEN_S_MUST, FROZEN_S_AIM, left_out),
        Row(
            "stop",
            "a server with bots: from SIGTERM to its end",
            "ms",
            ends.stop_ms,
            grace_ms + STOP_MS_MUST,
            grace_ms + STOP_MS_AIM,
            f"streams have {grace_ms:,} ms to end",
        ),
    ]
