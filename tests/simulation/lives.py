"""The referee's lives on one machine: started, killed at any point, and restarted from the disk."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import trio
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.matches.making import MatchMaker
from mergemaker_referee.records.journal import Durability, Journal
from mergemaker_referee.records.journal_writer import DiskStalled, OnSettled
from mergemaker_referee.records.leftovers import Leftovers, find_leftovers
from mergemaker_referee.records.log_file import LOG_NAME, open_log
from mergemaker_referee.referee import Referee
from mergemaker_referee.standstills import Standstills
from mergemaker_table.evidence import NOT_HELD_UP, HeldUp

from .disk import Faults, Killed, LifeDisk, LoopCommitter, NoFaults, SimDisk
from .network import Network
from .transport import Transport
from .world import MS, US, S, World

RECORDS: Final = Path("/records")
PUBLIC_LOG: Final = Path("/data") / LOG_NAME
SIGNING_KEY: Final = Path(__file__).with_name("signing_key.pem")
"""The key of all simulated servers. It is read from the real disk, before the simulated one is used."""
SOFTWARE: Final = "simulated"
BOOTED_NS: Final = 1_000_000_000_000
"""The machine's clock when the world begins."""
MORNING: Final = datetime(2026, 11, 18, 12, tzinfo=UTC)
"""The time of day when the world begins."""


STALL_NS_MIN: Final = S
"""A faster disk is slow and not stalled, as in `serving`."""
_CLOSING: Final = Closing(CloseCode.UNAVAILABLE, "referee-closing", "the referee is closing", reconnect=True)
"""The server's message when it stops."""


class Stalls:
    """How long the disk delays lines: before it writes them, and then until it reports that."""

    def before_ns(self) -> int:
        return 0

    def behind_ns(self) -> int:
        return 0


class SimWriter:
    """The port `LineWriter` on the only thread: the disk takes virtual time."""

    def __init__(self, world: World, stalls: Stalls, give_up_ns: int) -> None:
        self._world: Final = world
        self._stalls: Final = stalls
        self._give_up_ns: Final = give_up_ns
        """How long callers wait for the disk."""

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:
        """Writes the lines, even if the referee is stopped meanwhile."""
        assert self._world.nursery is not None, "referees live while the world goes on"
        self._world.nursery.start_soon(self._append, journal, lines, settled)

    def flush(self) -> None:
        """Each line goes by itself."""

    async def _append(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:
        problem: Exception | None = None
        try:
            await self.append(journal, lines)
        except OSError as refused:
            problem = refused
        except Killed:
            return  # nobody learns of it
        settled(problem)

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Returns when the lines are written."""
        await self.run(lambda: journal.append(lines))

    async def run(self, job: Callable[[], None]) -> None:
        """Runs an operation that touches the disk."""
        before = self._stalls.before_ns()
        if before > self._give_up_ns:
            raise await self._stalled(before, partial(_done, job))
        await self._wait(before)
        problem = _done(job)
        behind = self._stalls.behind_ns()
        if behind > self._give_up_ns:
            raise await self._stalled(behind, lambda: problem)
        await self._wait(behind)
        if problem is not None:
            raise problem

    async def _stalled(self, for_ns: int, outcome: Callable[[], OSError | None]) -> DiskStalled:
        """Nobody waits any longer; the result is known when the disk continues."""
        stalled = DiskStalled("the disk has not answered")

        def go_on() -> None:
            with contextlib.suppress(Killed):  # it has no effect any more
                stalled.settle(outcome())

        self._world.after(for_ns, go_on)
        await self._wait(self._give_up_ns)
        return stalled

    async def _wait(self, for_ns: int) -> None:
        if for_ns:
            await self._world.sleep(for_ns)
        else:
            await trio.lowlevel.checkpoint()


def _done(job: Callable[[], None]) -> OSError | None:
    try:
        job()
    except OSError as problem:
        return problem
    return None


class Life:
    """One referee, from its start until it is killed."""

    def __init__(self, machine: "Machine", number: int) -> None:
        self.number: Final = number
        self.machine: Final = machine
        self.disk: Final = LifeDisk(machine.disk, machine.faults)
        self.referee: Referee | None = None
        self.transport: Transport | None = None
        self.leftovers: Leftovers | None = None
        self._scope: Final = trio.CancelScope()
        self._booted_ns = machine.booted_ns
        self._stood_ns = 0
        self._standstills: Final = Standstills(machine.settings.limits)

    @property
    def is_dead(self) -> bool:
        """Whether it was killed."""
        return self.disk.is_dead

    def now_ns(self) -> int:
        """The monotonic clock of the machine, as the referee reads it."""
        return self.machine.world.now_ns - self._booted_ns

    def held_up(self) -> HeldUp:
        """How long this process stood still, as it measures itself."""
        seen = self._standstills
        seen.look(self.now_ns())
        if not seen.stood_ns and not seen.breaks_until_ns:
            return NOT_HELD_UP
        return HeldUp(self._stood_ns, self._stood_ns, seen.stood_ns, seen.until_ns, seen.breaks_until_ns)

    def stood(self, begun_ns: int, until_ns: int) -> None:
        """This process did not run, by the world's clock."""
        self._standstills.stood(begun_ns - self._booted_ns, until_ns - self._booted_ns)
        self._stood_ns += until_ns - begun_ns
        self.machine.leave_out(begun_ns, until_ns + self.settles_ns)

    def slept(self, begun_ns: int, until_ns: int) -> None:
        """The machine was suspended: its clock stopped."""
        self._booted_ns += until_ns - begun_ns
        self.machine.booted_ns += until_ns - begun_ns
        self._standstills.was_suspended(until_ns - begun_ns, self.now_ns())
        self.machine.leave_out(begun_ns, until_ns + self.settles_ns)

    @property
    def settles_ns(self) -> int:
        """How long the process, after its last standstill, looks for what arrived meanwhile."""
        return self._standstills.settles_for_ns

    async def run(self) -> None:
        """Lives until it is killed: does the work of `serving`, without locks and sockets."""
        machine = self.machine
        try:
            with self._scope:
                await self._live()
            self.kill()  # if it was stopped, this was its last moment
        except* Killed:
            self.kill()
        except* OSError as problem:
            machine.world.note("the referee cannot start:", *problem.exceptions)
            self.kill()

    async def _live(self) -> None:
        machine = self.machine
        world, settings = machine.world, machine.settings
        self.leftovers = find_leftovers(RECORDS, self.disk)
        is_safe = settings.durability is Durability.POWER
        committer = LoopCommitter(self.disk.sync) if is_safe else None
        maker = MatchMaker(
            folder=RECORDS,
            software=SOFTWARE,
            today=lambda: MORNING + timedelta(microseconds=world.now_ns // US),
            committer=committer,
            log=open_log(PUBLIC_LOG, [RECORDS], self.leftovers, committer, self.disk),
            random_bytes=world.chance(f"life/{self.number}").randbytes,
            disk=self.disk,
            automatic_delay_ms_max=settings.automatic_delay_ms_max,
        )
        writer = SimWriter(world, machine.stalls, max(settings.limits.disk_give_up_ms * MS, STALL_NS_MIN))
        self.referee = Referee(settings, maker, writer, self.now_ns, held_up=self.held_up)
        async with trio.open_nursery() as nursery:
            await nursery.start(self.referee.run)
            await self.referee.remember([RECORDS])
            await self.referee.take_up(self.leftovers.unfinished)
            await self.referee.show_again(self.leftovers.ended)
            self.transport = Transport(world, self.referee, settings.limits, self.now_ns)
            self.referee.barrier = self.transport.barrier
            machine.network.transport = self.transport
            world.note("referee", self.number, "listens")
            await trio.sleep_forever()

    def stop(self) -> None:
        """Shuts down in order, as on a signal: it ends streams, and leaves matches as their records have them."""
        if not self.is_dead:
            self.machine.world.note("referee", self.number, "stops")
            if self.transport is not None:
                self.transport.stop(_CLOSING)
            self._scope.cancel()

    def kill(self) -> None:
        """From now on, nothing that this referee does has an effect."""
        if not self.is_dead:
            self.disk.is_dead = True
            self.machine.world.note("referee", self.number, "is gone")
            if self.transport is not None:
                self.transport.die()
            self._scope.cancel()


class Machine:
    """A disk, a network, and one referee at a time."""

    def __init__(self, world: World, settings: Settings, faults: Faults | None = None, stalls: Stalls | None = None) -> None:
        self.world: Final = world
        self.settings: Final = replace(settings, signing_key=SIGNING_KEY)
        self.disk: Final = SimDisk()
        self.network: Final = Network(world)
        self.faults: Faults = faults or NoFaults()
        self.stalls: Stalls = stalls or Stalls()
        self.lives: Final[list[Life]] = []
        self.booted_ns = -BOOTED_NS
        self.left_out: Final[list[tuple[int, int]]] = []
        """Times (from, to) that count for nobody, because the referee's process did not run: in order, without overlaps."""
        self.on_start: Callable[[], None] = lambda: None
        """Called at a referee's start, before it does anything."""

    @property
    def life(self) -> Life:
        """The last referee."""
        return self.lives[-1]

    @property
    def is_up(self) -> bool:
        """Whether a referee lives, or is about to."""
        return bool(self.lives) and not self.life.is_dead

    def leave_out(self, begun_ns: int, until_ns: int) -> None:
        """Marks a time that counts for nobody."""
        if self.left_out and self.left_out[-1][1] >= begun_ns:
            begun_ns = min(begun_ns, self.left_out.pop()[0])
        self.left_out.append((begun_ns, until_ns))

    def start(self) -> None:
        """Starts a referee, if none lives."""
        if not self.is_up:
            assert self.world.nursery is not None, "referees live while the world goes on"
            if self.left_out:  # the previous referee's settling time ends here
                self.left_out[-1] = self.left_out[-1][0], min(self.left_out[-1][1], self.world.now_ns)
            self.lives.append(Life(self, len(self.lives) + 1))
            self.on_start()
            self.world.nursery.start_soon(self.life.run)

    def kill(self) -> None:
        """Kills the living referee."""
        if self.lives:
            self.life.kill()

    def stop(self) -> None:
        """Shuts the living referee down in order."""
        if self.lives:
            self.life.stop()

    def cut_power(self) -> None:
        """Kills it, and loses what was not synced. The machine's clock begins anew."""
        self.kill()
        self.disk.cut_power(self.world.chance(f"power/{len(self.lives)}"))
        self.booted_ns = self.world.now_ns
