"""What goes wrong on the machine of a run: its referee's process ends at any point, its disk fails or stalls."""

import errno
import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from .disk import Killed, Op
from .lives import Machine, Stalls
from .notebook import Notebook
from .standing_still import Stop, Stops
from .world import MS, S, World

RECOVERY_OPERATIONS_MAX: Final = 12
"""A kill during recovery comes within this number of operations on the disk."""
STALL_NS_MAX: Final = 2 * S
HOLD_UP_NS_MAX: Final = 300 * MS


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfLife:
    """The referee's process ends."""

    kind: str
    """`kill`, `power` or `stop`."""
    trigger: str
    """`time` (in ms), `operation` (of the disk) or `told` (a response)."""
    at: int
    away_ns: int
    """How long nothing runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskTrouble:
    """The disk refuses a number of operations, from a certain one on."""

    kind: str
    first: int
    count: int
    one_match: bool
    """Whether it refuses only operations on the first file that it meets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """All that goes wrong in a run."""

    until_ns: int = 0
    ends: tuple[EndOfLife, ...] = ()
    recovery_kills: float = 0
    """The chance that a restarted referee is killed before it listens."""
    disk: tuple[DiskTrouble, ...] = ()
    stalls: float = 0
    """The chance that a line waits for the disk."""
    hold_ups: float = 0
    """The chance, at a response, that the transport is held up soon."""
    stops: tuple[Stop, ...] = ()
    """When the referee's process does not run."""

    @property
    def are_none(self) -> bool:
        """Whether nothing goes wrong on the machine."""
        return not self.ends and not self.disk and not self.stalls and not self.hold_ups and not self.stops


_WRITES: Final = frozenset({Op.CREATE, Op.WRITE, Op.TRUNCATE, Op.REMOVE})


class Fate(Stalls):
    """Causes the troubles of a run: it is the machine's `Faults` and `Stalls`."""

    def __init__(self, world: World, troubles: Troubles, notebook: Notebook) -> None:
        self._world: Final = world
        self._troubles: Final = troubles
        self._notebook: Final = notebook
        self._chance: Final = world.chance("troubles")
        self._machine: Machine | None = None
        self._operations = 0
        self._told = 0
        self._of_this_life = 0
        self._recovery_kill: int | None = None
        self._left: Final = {number: trouble.count for number, trouble in enumerate(troubles.disk)}
        self._victims: Final[dict[int, PurePath]] = {}
        self._ends: Final = list(troubles.ends)
        self._stops: Stops | None = None
        self.is_mended = False

    def rule(self, machine: Machine) -> None:
        """Begins the troubles."""
        self._machine = machine
        self._stops = Stops(self._world, machine)
        for stop in self._troubles.stops:
            self._stops.plan(stop)
        for end in [each for each in self._ends if each.trigger == "time"]:
            self._ends.remove(end)
            self._world.after(end.at * MS, self._end_life, end)

    def mend(self) -> None:
        """From now on, all goes well."""
        self.is_mended = True
        self._ends.clear()
        if self._stops is not None:
            self._stops.is_mended = True

    # --- the referee's process ---

    def life_begins(self) -> None:
        """Called when a referee starts."""
        self._of_this_life = 0
        is_killed = self._chance.random() < self._troubles.recovery_kills and not self.is_mended
        self._recovery_kill = self._chance.randint(1, RECOVERY_OPERATIONS_MAX) if is_killed else None

    def _end_life(self, end: EndOfLife) -> None:
        machine = self._machine
        if machine is None or self.is_mended or not machine.is_up:
            return
        if end.kind == "stop" and self._stops is not None and self._stops.puts_off(self._end_life, end):
            return
        self._world.note("end of life:", end.kind, end.trigger, end.at)
        match end.kind:
            case "power":
                machine.cut_power()
            case "stop":
                machine.stop()
            case _:
                machine.kill()
        self._world.after(end.away_ns, machine.start)

    def _end_by(self, trigger: str, count: int) -> None:
        for end in [each for each in self._ends if each.trigger == trigger and each.at <= count]:
            self._ends.remove(end)
            self._end_life(end)

    def told(self) -> None:
        """Called when the referee has sent a response."""
        self._told += 1
        self._end_by("told", self._told)
        if self._stops is not None:
            self._stops.told(self._told)
        transport = self._machine.network.transport if self._machine else None
        if transport is not None and not self.is_mended and self._troubles.hold_ups > self._chance.random():
            hold_up, stamps_too = self._chance.randint(1, HOLD_UP_NS_MAX), self._chance.random() < 0.5
            self._world.after(
                self._chance.choice((0, 5 * MS, 400 * MS)), lambda: transport.hold_up(hold_up, stamps_too=stamps_too)
            )

    # --- the disk ---

    def before(self, op: Op, path: PurePath, size: int) -> int | None:
        """Counts an operation, and makes it fail, or be the last one of this life."""
        self._operations += 1
        self._of_this_life += 1
        self._end_by("operation", self._operations)
        if self._of_this_life == self._recovery_kill and self._machine is not None and not self.is_mended:
            self._recovery_kill = None
            self._end_life(EndOfLife(kind="kill", trigger="recovery", at=self._of_this_life, away_ns=50 * MS))
        self._die_if_dead()
        return None if self.is_mended else self._trouble(op, path, size)

    def _die_if_dead(self) -> None:
        if self._machine is not None and self._machine.life.is_dead:
            raise Killed

    def _trouble(self, op: Op, path: PurePath, size: int) -> int | None:
        for number, trouble in enumerate(self._troubles.disk):
            if self._operations < trouble.first or not self._left[number]:
                continue
            if trouble.one_match and self._victims.setdefault(number, path) != path:
                continue
            found = self._fail(trouble.kind, op, path, size)
            if found is not None:
                self._left[number] -= 1
                return found
        return None

    def _fail(self, kind: str, op: Op, path: PurePath, size: int) -> int | None:
        """How much of a write is taken, if less than all; None if this kind of trouble does not concern it."""
        if kind == "short" and op is Op.WRITE:
            return max(1, size // 2)
        what: int | None = None
        match kind:
            case "full" if op in (Op.CREATE, Op.WRITE):
                what = errno.ENOSPC
            case "no sync" if op is Op.SYNC:
                what = errno.EIO
            case "read-only" if op in _WRITES:
                what = errno.EROFS
            case "unreadable" if op is Op.READ:
                what = errno.EIO
            case "torn" | "after all" if op is Op.WRITE:
                self._after = errno.EIO
                return size // 2 if kind == "torn" else size
        if what is None:
            return None
        self._world.note("disk:", kind, op.name, path.name)
        raise OSError(what, os.strerror(what), str(path))

    _after: int | None = None

    def after_part(self, op: Op, path: PurePath) -> None:
        """Called after an operation: its success may go unreported."""
        self._notebook.disk(op, path)
        self._end_by("operation", self._operations)
        self._die_if_dead()
        what, self._after = self._after, None
        if what is not None and op is Op.WRITE:
            self._world.note("disk: torn", path.name)
            raise OSError(what, os.strerror(what), str(path))

    def before_ns(self) -> int:
        """How long a line waits before it is written."""
        return self._stall_ns()

    def behind_ns(self) -> int:
        """How long the report of it takes."""
        return self._stall_ns()

    def _stall_ns(self) -> int:
        if self.is_mended or self._chance.random() >= self._troubles.stalls:
            return 0
        return self._chance.choice((self._chance.randint(1, 5 * MS), self._chance.randint(1, STALL_NS_MAX)))
