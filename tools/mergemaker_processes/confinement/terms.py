"""What a confined bot may use: all limits, with names, units and defaults, in one place.

Imported by the launcher, which starts with every bot: nothing slow is imported here.
"""

MIB = 1_048_576

MEMORY_MIB_MAX = 1_024
"""What all processes of a bot may use together. Files in its scratch folder count where a control group does."""
PROCESSES_MAX = 256
"""A bot's processes and threads together. A program in Java has about thirty on two processors, and more on more."""
SCRATCH_MIB_MAX = 64
"""What a bot may keep in its scratch folder, and as much again in shared memory."""
OPEN_FILES_MAX = 4_096
"""For each process."""
FILE_MIB_MAX = 1_024
"""For each file that a bot writes, where its scratch folder is one on the disk (`limits`)."""

WATCH_INTERVAL_MS = 100
"""How often memory and processes are measured where no control group limits them."""
LOOK_INTERVAL_MS = 250
"""How often the control group and the bot's network are asked what they have refused."""
DATA_FACTOR = 4
"""Without a control group, one process is refused memory at once beyond this many times the limit."""

SETUP_LIMIT_S = 20.0
"""How long namespaces, mounts and limits may take."""
NOT_STARTED = 127
"""The launcher's exit status if the bot's program was not started."""
SCRATCH = "/tmp"  # noqa: S108 - a bot's own, in a form of its own
"""Where a fully confined bot finds its scratch folder."""
FULL, LIMITS = "full", "limits"
"""The forms of `--confine`."""


class Limits:
    """What one bot may use, in the units of the system."""

    __slots__ = ("memory_bytes_max", "processes_max", "scratch_bytes_max")

    def __init__(self, memory_bytes_max: int, processes_max: int, scratch_bytes_max: int) -> None:
        self.memory_bytes_max = memory_bytes_max
        self.processes_max = processes_max
        self.scratch_bytes_max = scratch_bytes_max


def limits_of(memory_mib: int | None, processes: int | None, scratch_mib: int | None) -> dict[str, int]:
    """The limits by name, in the units of the system; None: the usual one."""
    return {
        "memory_bytes_max": (memory_mib or MEMORY_MIB_MAX) * MIB,
        "processes_max": processes or PROCESSES_MAX,
        "scratch_bytes_max": (scratch_mib or SCRATCH_MIB_MAX) * MIB,
    }
