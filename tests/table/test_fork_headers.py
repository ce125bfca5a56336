"""What a fork's header says about its setup, and what it must not say."""

from dataclasses import replace
from typing import Any, Final

import pytest
from mergemaker_engine.record.lines import Parent
from mergemaker_engine.rules import preset
from mergemaker_table import CLOCKS, Setup, TableError, Terms
from mergemaker_table.forks import ForkTerms
from mergemaker_testkit.table_driver import table_setup

CLASSIC: Final = preset("renegade-classic")
SEATS: Final = 3


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ({"clock": 5}, "a fork's own clock is an object"),
        ({"clock": {"decision": 0, "terms": {}}}, "a number from 1"),
        ({"clock": {"decision": True, "terms": {}}}, "a number from 1"),
        ({"clock": {"decision": 4}}, "and 'terms'"),
        ({"clock": {"decision": 4, "terms": {"bank_ms": 5}}}, "a member 'name'"),
        ({"chances": "00"}, "64 hexadecimal digits"),
        ({"chances": "x" * 64}, "64 hexadecimal digits"),
        ({"chances": 12}, "64 hexadecimal digits"),
    ],
)
def test_what_a_header_says_wrongly_of_a_fork_is_refused(member: dict[str, object], text: str) -> None:
    setup = replace(table_setup(CLASSIC, SEATS), match="m-2", parent=Parent("m-1", 5, "A" * 22))
    header = replace(setup.header(), more=member)
    with pytest.raises(TableError, match=text) as refusal:
        Setup.of_record(header, setup.secrets)
    assert refusal.value.reason == "bad-terms"
    # In a match that is no fork, such members mean nothing.
    assert Setup.of_record(replace(header, parent=None, match="m-1"), setup.secrets).more == member


def test_the_set_up_of_a_fork_comes_back_from_its_header() -> None:
    own = ForkTerms(Terms(CLOCKS["slow"]), 5, {}, bytes(32))
    setup = replace(
        table_setup(CLASSIC, SEATS, "slow"), match="m-2", parent=Parent("m-1", 5, "A" * 22), fork=own, more={"other": 1}
    )
    assert setup.header().clock == {}
    assert Setup.of_record(setup.header(), setup.secrets) == setup


@pytest.mark.parametrize("changes", [{"parent": None}, {"terms": Terms(CLOCKS["fast"])}], ids=["no parent", "other terms"])
def test_a_set_up_in_which_a_fork_does_not_fit_is_refused(changes: dict[str, Any]) -> None:
    setup = replace(table_setup(CLASSIC, SEATS, "slow"), parent=Parent("m-1", 5, "A" * 22))
    with pytest.raises(TableError, match="a fork has a parent"):
        replace(setup, fork=ForkTerms(Terms(CLOCKS["slow"]), 5, {}), **changes)
