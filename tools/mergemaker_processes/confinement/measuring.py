"""The memory and the number of one process's descendants, as the system reports them: for use without a control group."""

import os
import sys

_OF_STATUS = ("RssAnon", "RssShmem", "VmSwap")
"""A process's own memory. Programs and libraries are shared, and not counted. Processes that one has forked
share much of it, and each counts all of that."""
_OF_SHARES = ("Pss_Anon", "Pss_Shmem", "SwapPss")
"""The same, with shared memory divided among its users; it takes the system longer to compute."""
_KIB = 1_024


class Used:
    """What is in use now."""

    __slots__ = ("memory_bytes", "processes")

    def __init__(self, memory_bytes: int = 0, processes: int = 0) -> None:
        self.memory_bytes = memory_bytes
        self.processes = processes
        """Threads count as processes, where the system reports them."""


def used_below(process: int, *, exactly: bool = False) -> Used:
    """What all descendants of this process use, without itself; shared memory is counted once only with `exactly`."""
    return used_by_proc(process, exactly=exactly) if sys.platform.startswith("linux") else used_by_ps(process)


def used_by_proc(process: int, *, exactly: bool = False) -> Used:
    """By /proc."""
    used = Used()
    waiting = _children(process)
    while waiting:
        each = waiting.pop()
        waiting += _children(each)
        status = _values(each, "status")
        used.processes += status.get("Threads", 0)
        shares = _values(each, "smaps_rollup") if exactly else {}
        names, values = (_OF_SHARES, shares) if shares else (_OF_STATUS, status)  # a process may forbid others to look into it
        used.memory_bytes += sum(values.get(name, 0) for name in names) * _KIB
    return used


def used_by_ps(process: int) -> Used:
    """By `ps`, where there is no /proc. Its figures for memory include shared pages."""
    import subprocess  # noqa: PLC0415 - slow to import, and only needed there

    with subprocess.Popen(["/bin/ps", "-axo", "pid=,ppid=,rss="], stdout=subprocess.PIPE) as lister:
        told, _ = lister.communicate()
    rows = [tuple(map(int, line.split())) for line in told.decode("ascii", "replace").splitlines()]
    used, waiting = Used(), [process]
    while waiting:
        parent = waiting.pop()
        for pid, its_parent, kib in rows:
            if its_parent == parent and pid != lister.pid:
                waiting.append(pid)
                used.memory_bytes += kib * _KIB
                used.processes += 1
    return used


def can_measure() -> bool:
    """Whether the system reports here the parents of processes."""
    return not sys.platform.startswith("linux") or os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110 - pathlib is slow to import


def _children(process: int) -> list[int]:
    found: list[int] = []
    for thread in _threads(process):
        try:
            with open(f"/proc/{process}/task/{thread}/children", "rb") as file:  # noqa: PTH123 - as above
                found += map(int, file.read().split())
        except OSError:  # it has just ended
            continue
    return found


def _threads(process: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{process}/task")  # noqa: PTH208 - as above
    except OSError:  # it has just ended
        return []


def _values(process: int, name: str) -> dict[str, int]:
    """The numbers in a file of a process; none if it has just ended, or may not be read."""
    found = {}
    try:
        with open(f"/proc/{process}/{name}", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
            for line in file:
                key, _, value = line.partition(":")
                first = value.split(maxsplit=1)[:1]
                if first and first[0].isdigit():
                    found[key] = int(first[0])
    except OSError:
        return {}
    return found
