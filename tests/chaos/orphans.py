"""Plays matches with `mergemaker match` whose bots crash and leave processes behind, and checks that none remain.

    python -m tests.chaos.orphans --matches 1000

Every fifth command is itself killed, as by kill -9, during its match.
"""

import argparse
import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.chaos.crashing_bot import HOW
from tests.chaos.server_process import WAIT_S, until

PROGRAM: Final = Path(__file__).with_name("crashing_bot.py")
CLOCK: Final = "mine:allowance=150,bank=0,startup=30000"
MATCHES_PER_COMMAND: Final = 5
KILLED_EVERY: Final = 5
KILL_LIMIT_S: Final = 30.0
"""Within this time, a bot of a command to be killed reaches its crash, or the command ends."""
SAID_CHARACTERS: Final = 2_000
PROC: Final = Path("/proc")


def marked(mark: str) -> list[str]:
    """The processes with this mark in their command line, as texts for people."""
    found = []
    for folder in PROC.iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # it has ended meanwhile
            line = (folder / "cmdline").read_bytes()
            if mark.encode() in line:
                found.append(f"{folder.name}: {line.replace(bytes(1), b' ').decode('utf-8', 'replace')}")
    return found


def end(processes: list[str]) -> None:
    """Ends processes that should not exist."""
    for each in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(each.partition(":")[0]), 9)


def play(how: str, matches: int, folder: Path, *, is_killed: bool) -> list[str]:
    """Plays some matches with a bot that crashes in this way; returns what remains of them."""
    mark = f"mark-{secrets.token_hex(8)}"
    bot = f'"{sys.executable}" "{PROGRAM}" {how} {mark}'
    command = [sys.executable, "-m", "mergemaker_tools", "match", "random", bot, "--games", str(matches)]
    command += ["--clock", CLOCK, "--no-record", "--quiet", "--logs", str(folder / mark)]
    with (
        (folder / "errors.txt").open("ab") as errors,
        subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors) as process,
    ):
        try:
            if is_killed:
                own = {os.getpid(), process.pid}
                until(
                    lambda: process.poll() is not None or any(int(each.partition(":")[0]) not in own for each in marked(mark)),
                    "a bot was started",
                    KILL_LIMIT_S,
                )
                process.kill()
            status = process.wait(WAIT_S * matches)
            said = (folder / "errors.txt").read_text("utf-8", "replace")[-SAID_CHARACTERS:]
            assert is_killed or status == 0, f"{command} ended with {status}: {said}"
        finally:
            process.kill()
    with contextlib.suppress(AssertionError):
        until(lambda: not marked(mark), "nothing is left", WAIT_S / 4)
    left = marked(mark)
    end(left)
    return [f"{how}{', killed' if is_killed else ''}: {each}" for each in left]


def look_for_orphans(
    folder: Path, matches: int, tell: Callable[[str], None], per_command: int = MATCHES_PER_COMMAND
) -> list[str]:
    """Plays this number of matches; the ways of crashing take turns. Returns what remained."""
    found: list[str] = []
    played, number = 0, 0
    while played < matches:
        how = list(HOW)[number % len(HOW)]
        # A stopped bot is not started again for the next game, which then waits for it as long as allowed.
        count = 1 if how == "stops" else min(per_command, matches - played)
        found += play(how, count, folder, is_killed=number % KILLED_EVERY == KILLED_EVERY - 1)
        played += count
        number += 1
        tell(f"{played} of {matches} matches, {len(found)} processes left")
    return found


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=1_000, help="how many (default: %(default)s)")
    options = parser.parse_args()
    if options.matches < 1:
        parser.error("--matches is a whole number from 1")
    if not PROC.is_dir():
        parser.error("this finds processes in /proc, which is Linux's")
    begun = time.monotonic()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="mergemaker-orphans-") as folder:
        found = look_for_orphans(Path(folder), options.matches, tell)
    for each in found:
        print(each)
    print(f"orphans: {len(found)} of {options.matches} matches; {time.monotonic() - begun:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
