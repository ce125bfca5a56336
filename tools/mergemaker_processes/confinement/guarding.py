"""Keeps a bot's memory and processes within limits, by a control group or by measuring."""

import contextlib
import json
import os

from mergemaker_processes.confinement import cgroups, measuring
from mergemaker_processes.confinement.steps import Step
from mergemaker_processes.confinement.terms import LOOK_INTERVAL_MS, WATCH_INTERVAL_MS, Limits


class Guard:
    """The limits of one bot, while it runs."""

    def __init__(self, group: cgroups.Group | None, limits: Limits, *, ends_at_processes: bool) -> None:
        """Without a group, the system may limit processes by user; where it cannot, the bot is ended at the limit."""
        self._group = group
        self._limits = limits
        self._ends_at_processes = ends_at_processes
        self._told: set[str] = set()

    @classmethod
    def made(cls, name: str, limits: Limits, *, others: int = 0, ends_at_processes: bool = False) -> "Guard":
        """With a group where one can be made; `others` counts the group's processes that are not the bot's."""
        try:
            group = cgroups.Group.made(name, limits.memory_bytes_max, limits.processes_max + others)
        except (cgroups.NoGroup, OSError) as error:
            if not measuring.can_measure():
                raise Step("measuring", 0, str(error)) from error
            group = None
        return cls(group, limits, ends_at_processes=ends_at_processes)

    @property
    def kept_by(self) -> str:
        """What enforces the limits."""
        return "cgroup" if self._group else "watchdog"

    @property
    def interval_s(self) -> float:
        """How often to look."""
        return (LOOK_INTERVAL_MS if self._group else WATCH_INTERVAL_MS) / 1_000

    def take_in(self, process: int) -> None:
        """Applies the limits to a process and its descendants; if the group does not accept it, it is measured."""
        if self._group is None:
            return
        try:
            self._group.add(process)
        except OSError as error:
            self.close()
            if not measuring.can_measure():
                raise Step("measuring", error.errno or 0, str(error.filename)) from error

    def look(self, above: int) -> tuple[list[dict[str, object]], bool]:
        """The limits that descendants of this process have reached since the last call; and whether the bot must be ended."""
        limits = self._limits
        if self._group is not None:
            memory, is_over = self._group.memory_bytes(), self._group.memory_kills() > 0
            processes, too_many = limits.processes_max, self._group.processes_refused() > 0
        else:
            used = measuring.used_below(above)
            if used.memory_bytes > limits.memory_bytes_max:
                used = measuring.used_below(above, exactly=True)
            memory, is_over = used.memory_bytes, used.memory_bytes > limits.memory_bytes_max
            processes, too_many = used.processes, used.processes >= limits.processes_max
        found: list[dict[str, object]] = []
        if is_over:
            found.append({"kind": "memory", "limit": limits.memory_bytes_max, "measured": memory, "ended": True})
        ends = self._ends_at_processes and self._group is None
        if too_many:
            found.append({"kind": "processes", "limit": limits.processes_max, "measured": processes, "ended": ends})
        new = [each for each in found if each["kind"] not in self._told]
        self._told.update(str(each["kind"]) for each in new)
        return new, is_over or (too_many and ends)

    def close(self) -> None:
        """Removes the group, when nothing of the bot is left."""
        if self._group is not None:
            self._group.remove()
            self._group = None


class Reports:
    """The pipe on which the bot is reported to the command."""

    def __init__(self, file: int) -> None:
        self._file = file

    def tell(self, kind: str, what: object) -> None:
        """Reports to the command, if it still runs."""
        text = json.dumps(what) if isinstance(what, dict) else str(what)
        with contextlib.suppress(BrokenPipeError):
            os.write(self._file, f"{kind} {text}\n".encode())
