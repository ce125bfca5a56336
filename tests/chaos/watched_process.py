"""What Linux shows of a process from outside: memory, descriptors, threads, and processor time."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12
"""The processor times in /proc/PID/stat, counted from the field after the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at a process."""

    at_s: float
    memory_kb: int
    """RSS."""
    descriptors: int
    threads: int
    busy_s: float
    """Its processor time so far, all threads together."""


def look_at(process: int) -> Look:
    """Looks at a process."""
    folder = PROC / str(process)
    status = _status(process)
    times = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
    return Look(
        at_s=time.monotonic(),
        memory_kb=int(status["VmRSS"].split()[0]),
        descriptors=sum(1 for _ in (folder / "fd").iterdir()),
        threads=int(status["Threads"]),
        busy_s=(int(times[_USER]) + int(times[_SYSTEM])) / _TICKS_PER_S,
    )


def memory_of(process: int) -> tuple[int, int]:
    """The most memory (RSS) that a process has had, and what it has now, in kB."""
    status = _status(process)
    return int(status["VmHWM"].split()[0]), int(status["VmRSS"].split()[0])


def _status(process: int) -> dict[str, str]:
    return dict(line.split(":", 1) for line in (PROC / str(process) / "status").read_text("utf-8").splitlines())


def busy_share(before: Look, after: Look) -> float:
    """How many processors a process used, on average."""
    return (after.busy_s - before.busy_s) / max(after.at_s - before.at_s, 1e-9)
