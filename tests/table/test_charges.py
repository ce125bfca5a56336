"""The costs of answers in whole matches add up to what the banks lost."""

from dataclasses import replace

import pytest
from mergemaker_engine.record.lines import DecisionLine
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import CLOCKS, ClockTerms, Table
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import (
    RoundTrip,
)
from mergemaker_table.outputs import Request
from mergemaker_testkit.table_driver import Player, Said, TableDriver, random_player, silent_player, table_setup

CLASSIC = preset("renegade-classic")


@pytest.mark.parametrize("clock", ["fast", "standard", "slow"])
def test_the_charges_of_a_match_add_up_to_what_the_banks_lost(clock: str) -> None:
    terms = CLOCKS[clock]
    assert terms.allowance_ms is not None

    driver = TableDriver(Table(table_setup(CLASSIC, 3, clock)), [_slow(terms, 1), _slow(terms, 7), silent_player])
    driver.open()
    for seat in range(3):
        driver.feed(RoundTrip(seat, in_ns(30 * seat)))
    driver.join()
    driver.play_on()
    _check_sums(driver, terms)
    verify(driver.lines)


def _slow(terms: ClockTerms, step: int) -> Player:
    """A player that uses a little less or more than the allowance."""

    def player(request: Request, nonce: bytes, refused: int) -> Said:
        used = (terms.allowance_ms or 0) - 20 + request.decision_id * step % 60
        return replace(random_player(request, nonce, refused), after_ms=used)

    return player


def _check_sums(driver: TableDriver, terms: ClockTerms) -> None:
    banks = [terms.bank_ms] * 3
    credit = [0] * 3
    for line in driver.opened():
        if isinstance(line, DecisionLine) and "used_ms" in line.run:
            used, bank, credited = (line.run.get(name, 0) for name in ("used_ms", "bank_ms", "credit_ms"))
            assert isinstance(used, int)
            assert isinstance(bank, int)
            assert isinstance(credited, int)
            banks[line.seat] -= max(used - credited - (terms.allowance_ms or 0), 0)
            credit[line.seat] += credited
            assert bank == banks[line.seat]
    assert all(total <= terms.credit_match_ms_max for total in credit)
    assert credit[1] > 0
