"""The calls by which CI compares both builds: nothing public is left out, and what differs is found."""

import pytest
from ci_compiled import ARROW, PYTHON_REFUSES, differing
from mergemaker_testkit.hostile_calls import HOSTILE, RIGHT, outcome_of, outcomes, public_names

PURE = """\
Kind: rightly -> accepted Kind Kind(seat=True)
Kind: seat is tuple () -> IllegalAction bad-seat: no ()
Kind: seat is list [] -> Python refuses
Kind: seat is int -1 -> accepted Kind Kind(seat=-1)
"""


def test_all_that_is_public_is_called() -> None:
    assert {name for name, _ in public_names()} == {*RIGHT}


def test_right_calls_are_right() -> None:
    came = {name: outcome_of(function, *RIGHT[name]()) for name, function in public_names()}
    assert {name: outcome for name, outcome in came.items() if not outcome.startswith("accepted ")} == {}


def test_each_argument_is_replaced_by_each_wrong_value() -> None:
    calls = [name for name, _ in outcomes()]
    assert len(calls) == len({*calls})
    for what in ("code_of: argument 0", "Game.view: argument 1", "Deal.from_seed: argument 0", "TilePlaced: square"):
        tried = {call for call in calls if call.startswith(f"{what} is ")} - {f"{what} is set", f"{what} is deleted"}
        assert len(tried) == len(HOSTILE)


def test_equal_outcomes_do_not_differ() -> None:
    assert differing(PURE, PURE) == []
    assert differing(PURE, PURE.replace("seat=True", "seat=1")) == []
    assert differing(PURE, PURE.replace("accepted Kind Kind(seat=-1)", PYTHON_REFUSES)) == []


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("accepted Kind Kind(seat=True)", PYTHON_REFUSES),
        ("accepted Kind Kind(seat=True)", "accepted Kind Kind(seat=2)"),
        ("IllegalAction bad-seat: no ()", PYTHON_REFUSES),
        ("IllegalAction bad-seat: no ()", "IllegalAction bad-seat: not ()"),
        (PYTHON_REFUSES, "accepted Kind Kind(seat=[])"),
        ("accepted Kind Kind(seat=-1)", "IllegalAction bad-seat: no -1"),
        (f"Kind: seat is int -1{ARROW}accepted Kind Kind(seat=-1)\n", ""),
    ],
)
def test_what_differs_is_found(was: str, becomes: str) -> None:
    assert was in PURE
    (found,) = differing(PURE, PURE.replace(was, becomes))
    assert found.startswith("Kind: ")
