"""A bot that ends badly, and leaves as many processes as it can. `mergemaker match` starts it:

    mergemaker match random "python tests/chaos/crashing_bot.py HOW MARK"

The processes that it starts are named MARK, so the test can find them.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final

from mergemaker_client import Bot, Turn, run

SLEEP: Final = "/bin/sleep"
DECISIONS: Final = 2
"""How many it answers before that."""
NOISE_BYTES: Final = 4_000_000


def _leave_a_child(mark: str) -> None:
    # In its own session: ending only the bot's group does not reach it.
    subprocess.Popen([mark, "3600"], executable=SLEEP, start_new_session=True)


def _leave_a_grandchild(mark: str) -> None:
    code = f"import subprocess; subprocess.Popen([{mark!r}, '3600'], executable={SLEEP!r}, start_new_session=True)"
    subprocess.run([sys.executable, "-c", code], check=True)


def _raise(_: str) -> None:
    raise ValueError("this bot is broken")


def _exit(_: str) -> None:
    os._exit(7)


def _die(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_and_leave_a_child(mark: str) -> None:
    _leave_a_child(mark)
    _die(mark)


def _die_and_leave_a_grandchild(mark: str) -> None:
    _leave_a_grandchild(mark)
    _die(mark)


def _be_deaf(mark: str) -> None:
    """Ignores every signal that can be ignored, and so does its child; it never ends by itself."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _leave_a_child(mark)
    while True:
        time.sleep(1)


def _stop(mark: str) -> None:
    _leave_a_child(mark)
    os.kill(os.getpid(), signal.SIGSTOP)


def _be_loud(mark: str) -> None:
    _leave_a_child(mark)
    for _ in range(NOISE_BYTES // 100):
        os.write(1, b"x" * 99 + b"\n")
    _exit(mark)


HOW: Final[dict[str, Callable[[str], None]]] = {
    "raises": _raise,
    "exits": _exit,
    "dies": _die,
    "dies-and-leaves-a-child": _die_and_leave_a_child,
    "dies-and-leaves-a-grandchild": _die_and_leave_a_grandchild,
    "is-deaf": _be_deaf,
    "stops": _stop,
    "is-loud": _be_loud,
}


class Crashing(Bot):
    """Answers by default, and then no more."""

    def __init__(self) -> None:
        self.answered = 0

    def answer(self, turn: Turn) -> object:  # type: ignore[override]  # it never returns anything but the default
        """Ends in its way when the time comes."""
        self.answered += 1
        if self.answered > DECISIONS:
            HOW[sys.argv[1]](sys.argv[2])
        return turn.default


if __name__ == "__main__":
    run(Crashing, on_error="raise")
