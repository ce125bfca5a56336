"""A match that has ended is folded: it keeps little, and says the same as before."""

import gc
import tracemalloc
from typing import Final

import pytest
from mergemaker_engine.deal import derived_seed
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_table import Table
from mergemaker_table.inputs import Answered, AnswerIndex, Joined, Left, Void
from mergemaker_table.outputs import Accepted, Refused
from mergemaker_testkit.table_driver import Player, TableDriver, random_player, table_setup

SEATS: Final = 4
KEPT_BYTES_MAX: Final = 12 * 1024
"""Of the table. The referee has at most 20 KB for a match that it keeps."""


def _played(rules: str, number: int = 0, mode: DealMode = DealMode.SERVER, seats: int = SEATS) -> TableDriver:
    setup = table_setup(preset(rules), seats, mode=mode, seed=derived_seed(bytes(32), "folding", number))
    players: list[Player] = [random_player] * seats
    driver = TableDriver(Table(setup), players)
    driver.play()
    assert driver.table.ended is not None
    return driver


def _said(table: Table) -> tuple[object, ...]:
    seats = range(table.setup.seats)
    known = [(table.snapshot(seat, 0), table.events_since(seat, 0)) for seat in seats]
    return known, table.public_snapshot(), table.public_events_since(0), table.turn, table.phase, table.ended, table.statuses


@pytest.mark.parametrize("rules", sorted(PRESETS))
def test_a_folded_match_says_what_it_said(rules: str) -> None:
    table = _played(rules).table
    before = _said(table)
    for _ in range(2):
        table.fold()
        assert table.turn > 0
        assert _said(table) == before
    table.fold()
    assert table.events_since(1, 5) == before[0][1][1][5:]  # type: ignore[index]  # the events of seat 1


@pytest.mark.parametrize("mode", DealMode)
def test_every_mode_of_deal_can_be_folded(mode: DealMode) -> None:
    table = _played("renegade-classic", mode=mode).table
    before = _said(table)
    table.fold()
    assert _said(table) == before


def test_a_match_voided_in_the_middle_can_be_folded() -> None:
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3)), [random_player] * 3)
    driver.start()
    for _ in range(30):
        driver.step()
    driver.table.feed(Void("the operator wants it"), driver.now_ns)
    before = _said(driver.table)
    driver.table.fold()
    assert _said(driver.table) == before


def test_a_match_voided_before_its_deal_can_be_folded() -> None:
    table = Table(table_setup(preset("renegade-classic"), 3))
    table.open(0)
    table.feed(Void("nobody came"), 5)
    table.fold()
    assert (table.snapshot(0, 5), table.public_snapshot(), table.turn) == (None, None, 0)


def test_answers_after_the_end_are_told_as_before() -> None:
    table = _played("renegade-classic").table
    for is_folded in (False, True):
        if is_folded:
            table.fold()
        (again,) = table.feed(Answered(0, 1, AnswerIndex(0), None, 0), 10**12)
        assert isinstance(again, Accepted)
        for unknown in (0, -1, 10**6, 2**64):
            (refused,) = table.feed(Answered(0, unknown, AnswerIndex(0), None, 0), 10**12)
            assert isinstance(refused, Refused)
        assert table.feed(Left(0, "gone"), 10**12) == table.feed(Joined(0), 10**12) == ()


def test_a_match_in_play_is_not_folded() -> None:
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3)), [random_player] * 3)
    driver.start()
    for _ in range(30):
        driver.table.fold()
        assert driver.table._desk.game is not None
        driver.step()


@pytest.mark.pure
def test_a_folded_match_keeps_little() -> None:
    def tables() -> list[Table]:
        played = [_played("renegade-classic", number).table for number in range(8)]
        for table in played:
            table.fold()
        return played

    warm = tables()  # the engine's caches have its events now
    del warm
    gc.collect()
    tracemalloc.start()
    kept = tables()
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / len(kept) < KEPT_BYTES_MAX
