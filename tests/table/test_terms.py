"""The terms of a match: named clocks, plain data both ways, and refusals."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_engine.record.canonical import decoded, encoded
from mergemaker_table import CLOCKS, ClockTerms, FaultTerms, TableError, Terms
from mergemaker_table.terms import FAULTS_MAX, TERM_MS_MAX
from mergemaker_testkit.strategies import STEADY

TIMES = st.integers(0, TERM_MS_MAX)


def test_there_are_four_named_clocks() -> None:
    assert {name: (clock.allowance_ms, clock.bank_ms, clock.startup_ms) for name, clock in CLOCKS.items()} == {
        "fast": (100, 10_000, 30_000),
        "standard": (1_000, 60_000, 30_000),
        "slow": (10_000, 600_000, 120_000),
        "none": (None, 0, None),
    }
    assert all(clock.name == name for name, clock in CLOCKS.items())


def test_terms_as_plain_data() -> None:
    assert Terms(CLOCKS["fast"]).plain() == {
        "name": "fast",
        "allowance_ms": 100,
        "bank_ms": 10_000,
        "increment_ms": 0,
        "startup_ms": 30_000,
        "credit_decision_ms_max": 250,
        "credit_match_ms_max": 2_500,
        "credit_refill_ms": 75,
        "faults": {"refusals_max": 3, "defaults_max": 5, "recovery_grace_ms": 60_000},
    }
    assert "allowance_ms" not in Terms(CLOCKS["none"]).plain()


@STEADY
@given(
    st.builds(
        ClockTerms,
        name=st.from_regex(r"[a-z0-9][a-z0-9-]{0,39}", fullmatch=True),
        allowance_ms=st.integers(1, TERM_MS_MAX),
        bank_ms=TIMES,
        increment_ms=TIMES,
        startup_ms=st.none() | st.integers(1, TERM_MS_MAX),
        credit_decision_ms_max=TIMES,
        credit_match_ms_max=TIMES,
        credit_refill_ms=TIMES,
    )
    | st.sampled_from(list(CLOCKS.values())),
    st.builds(
        FaultTerms,
        refusals_max=st.integers(1, FAULTS_MAX),
        defaults_max=st.integers(1, FAULTS_MAX),
        recovery_grace_ms=TIMES,
    ),
)
def test_terms_come_back_from_their_plain_data(clock: ClockTerms, faults: FaultTerms) -> None:
    terms = Terms(clock, faults)
    assert Terms.from_plain(decoded(encoded(terms.plain()).encode())) == terms
    assert Terms.from_plain(json.loads(json.dumps(terms.plain()))) == terms


def test_terms_of_before_the_refill_come_back_without_one() -> None:
    before = {name: value for name, value in Terms(CLOCKS["fast"]).plain().items() if name != "credit_refill_ms"}
    assert Terms.from_plain(before).clock.credit_refill_ms == 0
    assert Terms.from_plain(before).plain() == before


def test_no_terms_are_those_of_no_clock() -> None:
    assert Terms.from_plain({}) == Terms(CLOCKS["none"])


def test_faults_that_are_left_out_are_the_usual_ones() -> None:
    assert Terms.from_plain({"name": "mine", "allowance_ms": 5}).faults == FaultTerms()


PLAIN = Terms(CLOCKS["fast"]).plain()
WRONG: tuple[tuple[str, Any, str], ...] = (
    ("no object", [], "are an object"),
    ("no name", {"allowance_ms": 5}, "member 'name'"),
    ("an unknown member", PLAIN | {"bonus_ms": 5}, "no 'bonus_ms'"),
    ("an unknown member of faults", PLAIN | {"faults": {"tries": 5}}, "no 'tries'"),
    ("faults that are no object", PLAIN | {"faults": 3}, "'faults' is an object"),
    ("null", PLAIN | {"allowance_ms": None}, "left out"),
    ("a text for a number", PLAIN | {"bank_ms": "10"}, "bank_ms is a whole number"),
    ("a truth value for a number", PLAIN | {"bank_ms": True}, "bank_ms is a whole number"),
    ("a fraction", PLAIN | {"increment_ms": 0.5}, "increment_ms is a whole number"),
    ("less than nothing", PLAIN | {"allowance_ms": -1}, "allowance_ms is a whole number"),
    ("more than a week", PLAIN | {"bank_ms": TERM_MS_MAX + 1}, "bank_ms is a whole number"),
    ("no time to join", PLAIN | {"startup_ms": 0}, "startup_ms is a whole number of milliseconds from 1"),
    ("no time at all", {"name": "mine", "allowance_ms": 0}, "no time at all"),
    ("a refill that is less than nothing", PLAIN | {"credit_refill_ms": -1}, "credit_refill_ms is a whole number"),
    ("a refill without an allowance", {"name": "mine", "credit_refill_ms": 5}, "neither bank nor credit"),
    ("a bank without an allowance", {"name": "mine", "bank_ms": 5}, "neither bank nor credit"),
    ("a name with capitals", PLAIN | {"name": "Fast"}, "a clock's name is"),
    ("a name that is no text", PLAIN | {"name": 5}, "a clock's name is"),
    ("an endless name", PLAIN | {"name": "a" * 41}, "a clock's name is"),
    ("no refusals", PLAIN | {"faults": {"refusals_max": 0}}, "refusals_max is a whole number from 1"),
    ("too many defaults", PLAIN | {"faults": {"defaults_max": FAULTS_MAX + 1}}, "defaults_max is a whole number from 1"),
    ("a grace that is none", PLAIN | {"faults": {"recovery_grace_ms": -1}}, "recovery_grace_ms is a whole number"),
)


@pytest.mark.parametrize(("plain", "text"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong_terms_are_refused_with_what_was_expected(plain: Any, text: str) -> None:  # any value
    with pytest.raises(TableError, match=text) as refusal:
        Terms.from_plain(plain)
    assert refusal.value.reason == "bad-terms"
