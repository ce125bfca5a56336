"""The simulation itself: time, chance, and repeatable runs."""

import hashlib
import threading
from collections.abc import Callable

import pytest
import trio
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.identities import SeatHolder

from .another_process import printed_with
from .bots import Manner, SimBot
from .listening import ToldLog
from .lives import PUBLIC_LOG, Machine
from .notebook import SUFFIX
from .office import Made, Office, Wanted, settings_with
from .ways import NO_WAY, Way
from .world import MS, S, Tangled, ThreadUnderVirtualClock, World


class Played:
    """One match of two bots, and its results."""

    def __init__(self, seed: int, trouble: Callable[[Machine, list[SimBot]], None] | None = None, way: Way = NO_WAY) -> None:
        self.world = World(seed, keeps_trace=True)
        self.machine = Machine(self.world, settings_with())
        self.log = ToldLog(self.world)
        self.machine.network.watching.append(self.log)
        self.bots: list[SimBot] = []
        self.match = ""
        self._trouble = trouble
        self._way = way
        self.world.run(self._main)

    async def _main(self) -> None:
        self.machine.start()
        await self.world.sleep(MS)
        Office(self.machine).create(Wanted(), self._seat)
        await self.world.sleep(MS)
        if self._trouble is not None:
            self._trouble(self.machine, self.bots)
        while not all(bot.is_over for bot in self.bots):
            await self.world.sleep(S)
        self.world.note("over")

    def _seat(self, made: Made) -> None:
        self.match = made.match
        for number, token in enumerate(made.tokens):
            self.bots.append(SimBot(self.world, self.machine.network, f"bot {number}", token, Manner(way=self._way)))
            self.bots[-1].connect()

    @property
    def record(self) -> bytes:
        (path,) = (path for path in self.machine.disk.files.keys() - {PUBLIC_LOG} if path.name.endswith(SUFFIX))
        return self.machine.disk.written(path)


SLOW_WAY = Way(there_ns=5 * MS, back_ns=7 * MS, jitter_ns=3 * MS)


def test_a_match_is_played_and_what_is_told_is_kept() -> None:
    played = Played(1)
    assert verify([played.record]).decisions > 50
    assert [bot.ended_with[played.match].proof.seed for bot in played.bots] == [verify([played.record]).record.end.seed] * 2  # type: ignore[union-attr]
    assert len(played.log.to(SeatHolder(played.match, 0))) > 30


def test_a_match_goes_on_when_its_referee_is_killed() -> None:
    def trouble(machine: Machine, _: list[SimBot]) -> None:
        for number in range(1, 4):
            machine.world.after(number * 300 * MS, machine.kill)
            machine.world.after(number * 300 * MS + 50 * MS, machine.start)

    killed, whole = Played(2, trouble, SLOW_WAY), Played(2, None, SLOW_WAY)
    assert killed.record.count(b'"what":"recovered"') == 3
    # The bots answer from what they may know alone, so the same game is played.
    assert verify([killed.record]).record.chains.game == verify([whole.record]).record.chains.game


def test_a_seed_is_always_the_same_run() -> None:
    one, other, third = Played(3, None, SLOW_WAY), Played(3, None, SLOW_WAY), Played(4, None, SLOW_WAY)
    assert one.world.trace == other.world.trace
    assert one.log.told_so_far == other.log.told_so_far
    assert one.record == other.record != third.record


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_a_seed_is_the_same_run_in_every_process(hash_seed: str) -> None:
    program = (
        "import hashlib\nfrom tests.simulation.test_world import SLOW_WAY, Played\n"
        "print('record', hashlib.sha256(Played(5, None, SLOW_WAY).record).hexdigest())"
    )
    assert f"record {hashlib.sha256(Played(5, None, SLOW_WAY).record).hexdigest()}" in printed_with(hash_seed, program)


def test_no_thread_is_started_under_a_virtual_clock() -> None:
    async def main() -> None:
        threading.Thread(target=lambda: None).start()

    with pytest.raises(BaseExceptionGroup) as found:
        World(1).run(main)
    assert found.group_contains(ThreadUnderVirtualClock)

    async def through_trio() -> None:
        await trio.to_thread.run_sync(lambda: None)

    with pytest.raises(BaseExceptionGroup) as found:
        World(1).run(through_trio)
    assert found.group_contains(ThreadUnderVirtualClock)
    threading.Thread(target=lambda: None).start()  # afterwards, threads may start again


def test_time_jumps_and_calls_come_in_order() -> None:
    world = World(1)
    heard: list[tuple[int, str]] = []

    async def main() -> None:
        for name, delay in (("b", 2 * S), ("a", S), ("c", 2 * S), ("now", 0)):
            world.after(delay, lambda name=name: heard.append((world.now_ns, name)))
        await world.sleep(86_400 * S + 1)
        heard.append((world.now_ns, "end"))

    world.run(main)
    assert heard == [(0, "now"), (S, "a"), (2 * S, "b"), (2 * S, "c"), (86_400 * S + 1, "end")]


def test_a_run_that_goes_round_in_circles_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.simulation.world.STEPS_MAX", 1_000)
    world = World(1)

    def again() -> None:
        world.after(0, again)

    async def main() -> None:
        again()
        await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as found:
        world.run(main)
    assert found.group_contains(Tangled)


def test_a_task_that_turns_round_at_one_moment_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.simulation.world.STEPS_AT_ONCE_MAX", 1_000)

    async def main() -> None:
        while True:
            await trio.lowlevel.checkpoint()

    with pytest.raises(Tangled, match="at one moment"):
        World(1).run(main)
