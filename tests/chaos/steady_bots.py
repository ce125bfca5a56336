"""Long-lived bots: each plays all its matches at once, and returns whatever happens to its server.

    python -m tests.chaos.steady_bots

Standard input gives the matches as one JSON document, and stays open: when it closes, everything ends. Each bot has
its own thread in this process, and its own connection. A bot that ends by itself ends the process with status 1.
"""

import json
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from mergemaker_client import running
from mergemaker_client.bot import AnyBot
from mergemaker_client.bots import parse
from mergemaker_client.environment import Environment, Target
from mergemaker_client.reconnecting import Patience
from mergemaker_client.running import play
from mergemaker_client.turn import Turn
from mergemaker_client.wishes import EventMode, Wishes

from tests.chaos.thinking_log import ThinkingLog

MATCHES_AT_ONCE: Final = 16
IMPATIENT: Final = Patience(reconnect_ms_min=20, reconnect_ms_max=200, first_contact_ms_max=120_000, give_up_ms=600_000)
"""Reconnects as soon as there is a server again."""
ENDED_BY_ITSELF: Final = 1
END_LIMIT_S: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyBot:
    """One bot."""

    name: str
    token: str
    kind: str
    """A built-in bot."""
    server: str
    trace: str = ""
    """The file for all its messages; empty: none."""
    thoughts: str = ""
    """The file for its thinking times, instead of a trace; empty: none."""
    think_ms: int = 0
    """How long it waits before each answer, so that a match lasts."""
    events: str = EventMode.HELD
    matches_at_once: int = MATCHES_AT_ONCE


def _run(bot: SteadyBot) -> None:
    def make() -> AnyBot:
        made = parse(bot.kind)()
        answer = made.answer

        def think(turn: Turn) -> Any:
            time.sleep(bot.think_ms / 1_000)
            return answer(turn)

        if bot.think_ms:
            made.answer = think  # type: ignore[method-assign]  # the bot changes only in its time
        return made

    said = bot.thoughts or bot.trace
    environment = Environment(Target.parse(bot.server), bot.token, bot.name, None, Path(said) if said else None)
    wishes = Wishes(name=bot.name, matches_at_once=bot.matches_at_once, events=EventMode(bot.events))
    try:
        play(make, environment, wishes, patience=IMPATIENT)
    except BaseException:  # noqa: BLE001 - the parent process must see every failure
        traceback.print_exc()
    print(f"{bot.name} has ended", file=sys.stderr, flush=True)
    os._exit(ENDED_BY_ITSELF)


def main() -> None:
    """Runs the bots until standard input closes."""
    bots = [SteadyBot(**said) for said in json.loads(sys.stdin.readline())]
    if any(bot.thoughts for bot in bots):
        patch.object(running, "Trace", ThinkingLog).start()
    for bot in bots:
        threading.Thread(target=_run, args=(bot,), daemon=True).start()
    sys.stdin.read()
    os._exit(0)


@contextmanager
def steady_bots(groups: Sequence[Sequence[SteadyBot]], errors: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Runs each group in a separate process, and ends all of them in the end; fails if one of them ended before."""
    processes = []
    try:
        for group in groups:
            with errors.open("ab") as file:
                process = subprocess.Popen(
                    [sys.executable, "-m", "tests.chaos.steady_bots"], stdin=subprocess.PIPE, stderr=file, text=True
                )
            processes.append(process)
            assert process.stdin
            process.stdin.write(json.dumps([asdict(bot) for bot in group]) + "\n")
            process.stdin.flush()
        yield processes
        assert [process.poll() for process in processes] == [None] * len(processes), errors.read_text("utf-8")
        for process in processes:
            process.communicate(timeout=END_LIMIT_S)
    finally:
        for process in processes:
            process.kill()
            process.wait(END_LIMIT_S)
            if process.stdin:
                process.stdin.close()


if __name__ == "__main__":
    main()
