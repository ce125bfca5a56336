"""A table in memory: tests drive it as its module says, and it reports what it cannot do now."""

import pytest
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import Table, TableError
from mergemaker_table.driving import Driver
from mergemaker_table.inputs import AnswerIndex, Joined
from mergemaker_testkit.table_driver import table_setup

RULES = preset("renegade-classic")


def _opened() -> Driver:
    driver = Driver(Table(table_setup(RULES, 2)))
    driver.open()
    return driver


def test_a_match_is_driven_to_its_end_and_its_record_kept() -> None:
    driver = _opened()
    for seat in range(2):
        driver.feed(Joined(seat))
    while driver.table.ended is None:
        driver.hand()
        driver.answer(AnswerIndex(0))
    assert verify(driver.lines).decisions > 20


def test_time_that_is_up_is_found_by_a_barrier() -> None:
    driver = _opened()
    for seat in range(2):
        driver.feed(Joined(seat))
    asked = driver.hand()
    driver.wake()
    assert driver.barrier is not None
    assert driver.asked is asked
    driver.pass_barrier()
    assert driver.barrier is None
    assert driver.asked is not asked
    assert driver.pass_barrier() == ()


def test_what_is_not_there_is_said_with_a_reason() -> None:
    driver = _opened()
    with pytest.raises(TableError) as nothing_asked:
        driver.hand()
    assert nothing_asked.value.reason == "not-asked"
    for seat in range(2):
        driver.feed(Joined(seat))
    with pytest.raises(TableError) as nothing_due:
        driver.wake()  # no clock runs before the question is handed over
    assert nothing_due.value.reason == "not-due"
