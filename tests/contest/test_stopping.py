"""The three ways in which a comparison ends."""

import math
from typing import Any

import pytest
from mergemaker_contest.errors import ContestError
from mergemaker_contest.sequential import Comparison, Question
from mergemaker_contest.stopping import PILOT_BLOCKS, StopAt, Stopped, matches_expected


def _comparison(blocks: int, score: float = 0.03, swing: float = 0.02) -> Comparison:
    comparison = Comparison(Question(difference=0.02))
    for block in range(blocks):
        comparison.add(score + (swing if block % 2 else -swing))
    return comparison


@pytest.mark.parametrize(
    ("stop_at", "blocks", "minutes", "why"),
    [
        (StopAt(), PILOT_BLOCKS, 0, Stopped.VERDICT),
        (StopAt(), PILOT_BLOCKS - 1, 0, None),  # the test has an answer, but not yet an interval to show with it
        (StopAt(verdict=False, half_width=0.02), PILOT_BLOCKS, 0, Stopped.PRECISION),
        (StopAt(verdict=False, half_width=0.01), PILOT_BLOCKS, 0, None),
        (StopAt(half_width=0.5), PILOT_BLOCKS, 0, Stopped.VERDICT),
        (StopAt(verdict=False, matches=20), 9, 0, None),
        (StopAt(verdict=False, matches=21), 10, 0, Stopped.MATCHES),
        (StopAt(verdict=False, minutes=1.5), 3, 1.4, None),
        (StopAt(verdict=False, minutes=1.5), 3, 1.5, Stopped.MINUTES),
        (StopAt(matches=1), 0, 0, Stopped.MATCHES),
    ],
)
def test_a_comparison_ends_at_the_first_reason(stop_at: StopAt, blocks: int, minutes: float, why: Stopped | None) -> None:
    assert stop_at.reached(_comparison(blocks), matches_in_block=2, minutes=minutes) is why


def test_the_pilot_says_how_many_matches_to_expect() -> None:
    question = Question(difference=0.02)
    pilot = _comparison(PILOT_BLOCKS, swing=0.06).tally
    assert matches_expected(question, pilot, 2) == 2 * round(2 * 3.5189 * 9)
    assert matches_expected(question, _comparison(PILOT_BLOCKS, swing=0.0).tally, 2) == 2 * PILOT_BLOCKS


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"verdict": False}, "no-limit"),
        ({"half_width": 0.0}, "bad-limit"),
        ({"half_width": math.nan}, "bad-limit"),
        ({"matches": 0}, "bad-limit"),
        ({"minutes": -1.0}, "bad-limit"),
        ({"minutes": math.inf}, "bad-limit"),
    ],
)
def test_limits_are_checked(limits: dict[str, Any], reason: str) -> None:
    with pytest.raises(ContestError) as refused:
        StopAt(**limits)
    assert refused.value.reason == reason
