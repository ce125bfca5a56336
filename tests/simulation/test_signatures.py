"""Signatures of ends when the disk refuses them or stands still, or the server ends in the middle: no match notices, and the next
start signs what is not signed. `test_public_log` ends the server at each operation of the disk, those of signatures included."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.signatures import SIGNATURE_SUFFIX

from .check_signatures import signature_problems, signatures_on
from .disk import Op
from .trial import Trial
from .world import S

FAR_S: Final = 60
"""Long after a disk is given up."""


def problems(trial: Trial) -> list[str]:
    disk = trial.machine.disk
    return list(signature_problems(disk, {trial.match: read_record([disk.written(trial.path)])}))


@pytest.mark.parametrize("op", [Op.CREATE, Op.WRITE, Op.SYNC])
def test_a_match_ends_while_its_signature_is_refused_and_the_next_start_signs_it(op: Op) -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = {(op, SIGNATURE_SUFFIX)}
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(FAR_S)
        trial.check_is_as_written()
        assert not trial.has_secrets
        assert signatures_on(trial.machine.disk) == {}, "what was begun is removed"
        trial.disk.refuses = set()
        trial.machine.kill()
        trial.machine.start()
        await trial.wait_s(1)
        assert problems(trial) == []

    Trial(happen)


def test_a_torn_signature_that_could_not_be_removed_is_replaced_by_the_next_start() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = {(Op.SYNC, SIGNATURE_SUFFIX), (Op.REMOVE, SIGNATURE_SUFFIX)}
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(1)
        torn = trial.machine.disk.files[signatures_on(trial.machine.disk)[trial.match]]
        del torn.data[len(torn.data) // 2 :]
        assert problems(trial) != []
        trial.disk.refuses = set()
        trial.machine.kill()
        trial.machine.start()
        await trial.wait_s(1)
        assert problems(trial) == []

    Trial(happen)


def test_a_signature_that_stays_is_not_written_again() -> None:
    async def happen(trial: Trial) -> None:
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(1)
        path = signatures_on(trial.machine.disk)[trial.match]
        before = trial.machine.disk.written(path)
        trial.machine.kill()
        await trial.wait_s(FAR_S)
        trial.machine.start()
        await trial.wait_s(1)
        assert trial.machine.disk.written(path) == before, "its time, too, is that of before"
        assert problems(trial) == []

    Trial(happen)


def test_a_disk_that_stands_still_at_the_signature_holds_nobody_up() -> None:
    def stalls_at_signature(trial: Trial) -> Callable[..., Any]:
        before = trial.disk.after_part

        def after(op: Op, path: Any) -> None:
            before(op, path)
            if op is Op.REMOVE and path.name.endswith(".secrets"):  # what comes next is the signature
                trial.disk.stalls_ns = [FAR_S * S]

        return after

    async def happen(trial: Trial) -> None:
        trial.disk.after_part = stalls_at_signature(trial)  # type: ignore[method-assign]  # the fault
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(1)
        trial.check_is_as_written()
        assert signatures_on(trial.machine.disk) == {}
        await trial.wait_s(2 * FAR_S)
        assert problems(trial) == [], "it is written as soon as the disk goes on"

    Trial(happen)
