"""Finds the processes that come from a bot, as far as the system reports them, and ends all of them.

On Linux the supervisor is their 'subreaper': an orphan becomes a child of the supervisor, so that nothing a bot
started escapes, however often it forks and calls setsid. Signals go to whole process groups: the kernel sends
such a signal in one step, and no fork in the group comes between. All are stopped before any is killed, so that none forks in
the place of a killed one. A program that makes a new group at each fork is chased for a few rounds until it is caught.

Elsewhere (macOS) there is no subreaper: only the first process's group and the supervisor's descendants with living parents
are found. A process that has left both the group and its parent is not. What others start for a bot (a container's
daemon, systemd, `at`) descends from those, and is found nowhere; a process of another user cannot be ended.
"""

import os
import signal
import sys

assert sys.platform != "win32"  # for mypy, which then knows what else is there

SUBREAPER = 36
PARENT_DEATH_SIGNAL = 1
"""Numbers for `prctl`."""
STOP_ROUNDS_MAX = 50
"""After this many rounds all are killed, even if some have not stopped yet because they wait for a disk."""
_AT_REST = "TtZX"
"""States of a process that does not fork: stopped, traced, ended."""


class Process:
    """One of the system's processes."""

    __slots__ = ("group", "parent", "pid", "state")

    def __init__(self, pid: int, parent: int, group: int, state: str) -> None:
        self.pid = pid
        self.parent = parent
        self.group = group
        self.state = state


def processes_of_proc() -> list[Process]:
    """All processes, by /proc, newest first."""
    found = []
    for name in sorted(filter(str.isdigit, os.listdir("/proc")), key=int, reverse=True):  # noqa: PTH208 - pathlib is slow to import
        try:
            file = os.open(f"/proc/{name}/stat", os.O_RDONLY)
        except OSError:  # it has just ended
            continue
        try:
            line = os.read(file, 4_096)
        except OSError:  # likewise
            continue
        finally:
            os.close(file)
        # The program's name is in parentheses, and may itself contain blanks and parentheses.
        state, parent, group, *_ = line[line.rindex(b")") + 2 :].split(b" ", 3)
        found.append(Process(int(name), int(parent), int(group), state.decode()))
    return found


def processes_of_ps() -> list[Process]:
    """All processes but the lister itself, by `ps`, where there is no /proc."""
    import subprocess  # noqa: PLC0415 - slow to import, and only needed at a bot's end

    with subprocess.Popen(["/bin/ps", "-axo", "pid=,ppid=,pgid=,stat="], stdout=subprocess.PIPE) as lister:
        told, _ = lister.communicate()
    rows = (line.split() for line in told.decode("ascii", "replace").splitlines())
    found = (Process(int(pid), int(parent), int(group), state[0]) for pid, parent, group, state, *_ in rows)
    return [process for process in found if process.pid != lister.pid]


def become_subreaper() -> bool:
    """Has all orphans that come from this process become its children; False where the system has no such thing."""
    return _prctl(SUBREAPER, 1)


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Makes the kernel send this process a signal when its parent ends, if the kernel can."""
    _prctl(PARENT_DEATH_SIGNAL, number)


def _prctl(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes  # noqa: PLC0415 - a Python may have been built without it
    except ImportError:
        return False
    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


class ProcessTree:
    """The processes that come from this one, which is the supervisor."""

    __slots__ = ("_first_group", "_gathers_orphans")

    def __init__(self, *, gathers_orphans: bool) -> None:
        self._gathers_orphans = gathers_orphans
        self._first_group = 0

    def start_with(self, first: int) -> None:
        """Notes the first process, whose group has the same number."""
        self._first_group = first

    def is_empty(self) -> bool:
        """Whether nothing is left, given that the supervisor has no child."""
        return self._gathers_orphans or not self.members()

    def members(self) -> list[Process]:
        """All descendants of the supervisor, without ended ones that nobody has waited for."""
        everybody = processes_of_proc() if sys.platform.startswith("linux") else processes_of_ps()
        if not self._gathers_orphans and all(process.group != self._first_group for process in everybody):
            self._first_group = 0  # from now on the number is free, and another group may get it
        children: dict[int, list[Process]] = {}
        for process in everybody:
            children.setdefault(process.parent, []).append(process)
        found = {process.pid: process for process in everybody if self._first_group and process.group == self._first_group}
        waiting = [os.getpid(), *found]
        while waiting:
            for child in children.get(waiting.pop(), ()):
                if child.pid not in found:
                    found[child.pid] = child
                    waiting.append(child.pid)
        return [process for process in found.values() if process.state not in "ZX"]

    def signal(self, number: int) -> None:
        """Sends a signal to all."""
        self._send(self.members(), number)

    def kill(self) -> None:
        """Stops all and kills all; those that forked or were hidden meanwhile are left for the next round."""
        for _ in range(STOP_ROUNDS_MAX):
            running = [process for process in self.members() if process.state not in _AT_REST]
            if not running:
                break
            self._send(running, signal.SIGSTOP)
        self._send(self.members(), signal.SIGKILL)

    @staticmethod
    def _send(processes: list[Process], number: int) -> None:
        own = os.getpgrp()
        groups = {process.group for process in processes}
        for target in [-group for group in groups - {own}] + [each.pid for each in processes if each.group == own]:
            try:
                os.kill(target, number)
            except (ProcessLookupError, PermissionError):
                continue  # it has ended, or is another user's: it is found again as long as it exists
