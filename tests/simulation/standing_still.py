"""The referee's process does not run for a time: it is stopped or throttled, or its machine sleeps. All others continue."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from .lives import Life, Machine
from .transport import OpenStream, Transport
from .world import MS, World

BEAT_NS: Final = 10 * MS
"""The process notices its standstill at most this much too late."""
NOTICED_NS_MAX: Final = 300 * MS
"""After the process continues, it may take this long to find that a client has given its connection up."""
OWN_PROBE_SHARE: Final = 0.3
"""Of connections that the referee itself had just probed: it gives them up before it reads what they hold."""
STOPPED, THROTTLED, SUSPENDED = "stopped", "throttled", "suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A time for which the process does not run."""

    kind: str
    for_ns: int
    at_ns: int = 0
    told: int | None = None
    """After this number of responses, instead of a time: so that a game is on just then."""
    times: int = 1
    runs_ns: int = 0
    """For repeated ones: how long the process runs in between."""


class Stops:
    """Causes the standstills."""

    def __init__(self, world: World, machine: Machine) -> None:
        self._world: Final = world
        self._machine: Final = machine
        self._chance: Final[Random] = world.chance("stops")
        self._is_standing = False
        self._awaited: Final[list[Stop]] = []
        self._put_off: Final[list[tuple[Callable[..., None], tuple[Any, ...]]]] = []
        self.is_mended = False

    def plan(self, stop: Stop) -> None:
        """Plans it for its time."""
        if stop.told is None:
            self._world.after(stop.at_ns, self.happen, stop, stop.times)
        else:
            self._awaited.append(stop)

    def told(self, count: int) -> None:
        """Called after this number of responses."""
        for stop in [each for each in self._awaited if each.told == count]:
            self._world.after(0, self.happen, stop, stop.times)

    def puts_off(self, call: Callable[..., None], *arguments: Any) -> bool:
        """Whether the process stands still; if so, it does its own work, such as heeding a signal, after it continues."""
        if self._is_standing:
            self._put_off.append((call, arguments))
        return self._is_standing

    def happen(self, stop: Stop, times: int = 1) -> None:
        """Causes it now."""
        machine, world = self._machine, self._world
        if self.is_mended or self._is_standing or not machine.is_up:
            return
        world.note("the process is", stop.kind, "for", stop.for_ns)
        life, begun_ns = machine.life, world.now_ns
        transport = life.transport
        own_probes = [] if transport is None else self._leave_clients_alone(transport, stop.for_ns)
        self._is_standing = True
        world.jump(begun_ns + stop.for_ns, lambda: not life.is_dead)
        self._is_standing = False
        for call, arguments in self._put_off:
            world.after(0, call, *arguments)
        self._put_off.clear()
        if life.is_dead:
            return
        seen_since_ns = self._let_know(life, stop, begun_ns)
        if transport is not None:
            for stream in own_probes:
                stream.give_up()
            deaf_ns = self._chance.choice((0, self._chance.randint(0, life.settles_ns // 2)))
            transport.go_on(seen_since_ns, stop.for_ns, deaf_ns)
        if times > 1:
            world.after(stop.runs_ns, self.happen, stop, times - 1)

    def _let_know(self, life: Life, stop: Stop, begun_ns: int) -> int:
        """Shows the process what its clocks know of it; returns since when, as its loops see it."""
        now_ns = self._world.now_ns
        if stop.kind == SUSPENDED:
            life.slept(begun_ns, now_ns)
            return now_ns
        seen_since_ns = begun_ns + (self._chance.randrange(BEAT_NS) if stop.kind == STOPPED else 0)
        life.stood(seen_since_ns, now_ns)
        return seen_since_ns

    def _leave_clients_alone(self, transport: Transport, for_ns: int) -> list[OpenStream]:
        """Leaves clients' probes unanswered; returns the connections that the referee itself will give up when it runs again."""
        transport.stand_still()
        chance, limits = self._chance, transport.limits
        timeout_ns = limits.keepalive_timeout_ms * MS
        given_up: list[OpenStream] = []
        for stream in tuple(transport.streams) if for_ns > timeout_ns else ():
            after_ns = chance.randint(timeout_ns, timeout_ns + limits.keepalive_ms * MS)
            if after_ns < for_ns:
                stream.is_not_answered(after_ns, chance.choice((0, for_ns - after_ns + chance.randrange(NOTICED_NS_MAX))))
            elif chance.random() < OWN_PROBE_SHARE:
                given_up.append(stream)
        return given_up
