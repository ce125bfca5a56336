"""How fast a machine is, for the records of its matches: a result of bots that think depends on it."""

import platform
from typing import Final

from mergemaker_engine.rules import preset
from mergemaker_table.run_members import Host

from mergemaker_tools.simulation import Task, play_batch

GAMES: Final = 25
"""Enough for two digits, in a small part of a second."""
WARM_UP_GAMES: Final = 5
_TASK: Final = Task(preset("renegade-classic"), 4, bytes(32))


def measured_host() -> Host:
    """What is known of this machine. Its speed is that of the engine, which changes with its version and build, too."""
    play_batch(_TASK, 0, WARM_UP_GAMES)
    batch = play_batch(_TASK, WARM_UP_GAMES, GAMES)
    return Host(platform.node() or "unknown", round(GAMES / batch.cpu_seconds) if batch.cpu_seconds > 0 else 0)
