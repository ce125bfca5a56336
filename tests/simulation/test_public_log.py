"""The public log when the server ends anywhere, or its disk refuses: nothing is lost or there twice, and no promise is late."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

import pytest
from mergemaker.v1 import matches_pb2
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.public_log import Begin, End, Entry, log_entries
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_referee.records.journal import Durability

from .check_log import log_problems
from .check_signatures import signature_problems
from .disk import NoFaults, Op, SimDisk
from .lives import PUBLIC_LOG, RECORDS, Machine
from .notebook import SUFFIX, Notebook
from .office import Made, Office, Wanted, settings_with
from .trial import GIVE_UP_MS, LINES, Trial
from .world import MS, S, World

THE_LOG: Final = {(Op.WRITE, PUBLIC_LOG.name), (Op.TRUNCATE, PUBLIC_LOG.name)}
FAR_S: Final = 60
"""Long after the time at which a disk is given up."""


def entries_in(disk: SimDisk) -> list[Entry]:
    return list(log_entries([disk.written(PUBLIC_LOG)]))


def cancel_all(office: Office, found: list[matches_pb2.MatchSummary]) -> None:
    for summary in found:
        office.cancel(summary.match)


class EndsAt(NoFaults):
    """Ends the referee at one operation of the disk: before it, after half of it if it is a write, or after all of it."""

    def __init__(self, operation: int, moment: str, end: Callable[[], None]) -> None:
        self.operations = 0
        self._operation: Final = operation
        self._moment: Final = moment
        self._end: Final = end

    def before(self, op: Op, path: PurePath, size: int) -> int | None:  # noqa: ARG002 - as the port has it
        self.operations += 1
        if self.operations == self._operation and self._moment == "before":
            self._end()
        is_half = self.operations == self._operation and self._moment == "half" and op is Op.WRITE
        return size // 2 if is_half else None

    def after_part(self, op: Op, path: PurePath) -> None:  # noqa: ARG002 - as the port has it
        if self.operations == self._operation and self._moment != "before":
            self._end()


@dataclass
class Voided:
    """A match that is made and cancelled, by a server that is ended at an operation of its disk, and started again."""

    operation: int = 0
    moment: str = "before"
    durability: Durability = Durability.PROCESS
    cuts_power: bool = False
    notebook: Notebook = field(default_factory=Notebook)
    operations: int = 0

    def run(self) -> "Voided":
        self.world = World(self.operation)
        self.faults = EndsAt(self.operation, self.moment, self._end)
        self.machine = Machine(self.world, settings_with(durability=self.durability), self.faults)
        self.notebook.follow(self.machine)
        self.world.run(self._main)
        self.operations = self.faults.operations
        return self

    def _end(self) -> None:
        (self.machine.cut_power if self.cuts_power else self.machine.kill)()

    async def _main(self) -> None:
        office = Office(self.machine)
        self.machine.start()
        await self.world.sleep(MS)
        office.create(Wanted(), lambda _: None)
        for _ in range(4):
            await self.world.sleep(S)
            self.machine.start()
            await self.world.sleep(S)
            office.listed(lambda found: cancel_all(office, found))
        await self.world.sleep(200 * S)

    def problems(self) -> list[str]:
        """What is wrong with the log, with how many matches it knows, and with the signatures."""
        disk = self.machine.disk
        records: dict[str, Record] = {}
        for path in disk.files:
            if path.parent != RECORDS or not path.name.endswith(SUFFIX):
                continue
            try:
                record = read_record([disk.written(path)])
            except RecordError:
                if not self._may_lose_records:
                    raise
            else:
                records[record.header.match] = record
        signatures = [] if self._may_lose_records else signature_problems(disk, records)
        return [*log_problems(disk, self.notebook, records), *self._unknown(set(records)), *signatures]

    @property
    def _may_lose_records(self) -> bool:
        return self.cuts_power and self.durability is Durability.PROCESS

    def _unknown(self, matches: set[str]) -> list[str]:
        missing = matches - {entry.match for entry in entries_in(self.machine.disk) if isinstance(entry, End)}
        return [f"the log has no end of {match}" for match in missing]


OPERATIONS: Final = Voided().run().operations


def test_a_match_takes_few_operations_of_the_disk_so_that_each_can_be_the_last() -> None:
    whole = Voided().run()
    assert whole.problems() == []
    assert [type(entry) for entry in entries_in(whole.machine.disk)] == [Begin, End]
    assert 15 <= OPERATIONS <= 40


@pytest.mark.parametrize("moment", ["before", "half", "after"])
def test_wherever_the_server_is_killed_the_log_has_what_the_records_have(moment: str) -> None:
    found = {operation: Voided(operation, moment).run().problems() for operation in range(1, OPERATIONS + 1)}
    assert {operation: problems for operation, problems in found.items() if problems} == {}


@pytest.mark.parametrize("durability", Durability)
def test_wherever_the_power_is_cut_the_log_has_what_the_records_have(durability: Durability) -> None:
    found = {
        (operation, moment): Voided(operation, moment, durability, cuts_power=True).run().problems()
        for operation in range(1, OPERATIONS + 1)
        for moment in ("before", "half", "after")
    }
    assert {where: problems for where, problems in found.items() if problems} == {}


# --- a disk that refuses ---


def _second(trial: Trial) -> list[Made]:
    """Has a second match made; it is in the list when the operator learns that it is made."""
    made: list[Made] = []
    trial.office.create(Wanted(), made.append)
    return made


def test_while_the_log_is_refused_a_new_match_waits_and_the_others_go_on() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = set(THE_LOG)
        made, before = _second(trial), len(trial.record)
        await trial.wait_s(GIVE_UP_MS / 1_000 / 2)
        assert made == []
        assert len(trial.record) > before
        assert trial.phase == matches_pb2.MATCH_PHASE_PLAYING
        referee = trial.machine.life.referee
        assert referee is not None
        assert referee.matches_in(matches_pb2.MATCH_PHASE_SUSPENDED) == 1
        trial.disk.refuses = set()
        await trial.wait_s(2)
        assert [each.match for each in made] == [entry.match for entry in entries_in(trial.machine.disk)[1:]]  # type: ignore[union-attr]  # begins

    Trial(happen)


def test_a_match_that_the_log_refuses_for_too_long_is_void_and_the_log_says_so_later() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = set(THE_LOG)
        made = _second(trial)
        await trial.wait_s(5 * GIVE_UP_MS / 1_000)
        assert len(made) == 1, "it was made, and is void"
        assert len(entries_in(trial.machine.disk)) == 1
        trial.disk.refuses = set()
        await trial.wait_s(2)
        _, begin, end = entries_in(trial.machine.disk)
        assert isinstance(begin, Begin)
        assert isinstance(end, End)
        assert {begin.match, end.match} == {made[0].match}
        assert (end.game, end.line) == (None, None)

    Trial(happen)


def test_an_end_is_told_while_the_log_is_refused_and_its_secrets_stay_until_it_is_published() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = set(THE_LOG)
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(FAR_S)
        trial.check_is_as_written()
        assert trial.has_secrets
        assert len(entries_in(trial.machine.disk)) == 1
        trial.disk.refuses = set()
        await trial.wait_s(10)
        assert not trial.has_secrets
        assert [type(entry) for entry in entries_in(trial.machine.disk)] == [Begin, End]

    Trial(happen)


def test_an_end_that_was_not_published_is_published_by_the_next_server_before_its_secrets_go() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = set(THE_LOG)
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(FAR_S)
        trial.machine.kill()
        trial.machine.start()
        await trial.wait_s(2 * FAR_S)
        assert trial.has_secrets
        trial.disk.refuses = set()
        await trial.wait_s(10)
        assert not trial.has_secrets
        assert [type(entry) for entry in entries_in(trial.machine.disk)] == [Begin, End]

    Trial(happen)


def test_a_void_without_an_end_line_that_was_not_published_is_published_by_the_next_server() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = set(LINES)  # of the record and of the log
        await trial.wait_s(FAR_S)
        trial.check_is_void()
        trial.machine.kill()
        trial.disk.refuses = set()
        trial.machine.start()
        await trial.wait_s(2)
        _, end = entries_in(trial.machine.disk)
        assert isinstance(end, End)
        assert (end.match, end.line) == (trial.match, None)

    Trial(happen)


def test_entries_that_stall_are_written_once() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.stalls_ns = [0, 0, FAR_S * S]  # the files of the match, its first line, the log
        made = _second(trial)
        await trial.wait_s(2 * FAR_S)
        assert len(made) == 1
        found = [entry.match for entry in entries_in(trial.machine.disk) if isinstance(entry, Begin)]
        assert found.count(made[0].match) == 1

    Trial(happen)
