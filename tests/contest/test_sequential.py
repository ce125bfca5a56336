"""The sequential test and its interval keep their error rates, and what cannot be asked is refused.

Blocks are drawn from measured ones, shifted to a known difference. Seeds are fixed, so each rate here is a number that stays.
"""

import math
from statistics import fmean, pstdev
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_contest.errors import ContestError
from mergemaker_contest.sequential import (
    BLOCKS_MIN,
    INTERVAL_BLOCKS_MIN,
    Comparison,
    Question,
    Tally,
    Verdict,
    blocks_expected,
    confidence_sequence,
)

from tests.contest.promises import MISSES_MAX, POPULATIONS, RATES, SHIFTS, chance_of, missed, tried

RUNS: Final = 1_500


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", POPULATIONS)
def test_error_rates_are_within_a_point_of_those_asked_for(name: str, rate: float) -> None:
    for shift in SHIFTS:
        if (name, shift) == ("constant", 0.5):
            continue  # nobody decides between two answers that are equally right
        row = tried(name, rate, shift, RUNS)
        assert row.is_kept, f"{row.errors:.2%} of the runs are wrong"
        assert not row.verdicts[Verdict.OPEN], "it ends even where neither answer is right"


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize(("alpha", "runs"), [(0.05, RUNS // 2), (0.01, RUNS)])
def test_the_interval_misses_the_truth_no_more_often_than_it_says(name: str, alpha: float, runs: int) -> None:
    """In whole runs that are looked at after each block."""
    assert missed(name, alpha, runs) <= MISSES_MAX[alpha]


@pytest.mark.parametrize(
    ("score", "verdict"),
    [
        (0.0, Verdict.NO_DIFFERENCE),
        (0.02, Verdict.BETTER),
        (0.04, Verdict.BETTER),
        (-0.02, Verdict.WORSE),
        (0.01, Verdict.BETTER),
    ],
)
def test_blocks_that_are_all_equal(score: float, verdict: Verdict) -> None:
    """Two copies of a bot end at once. Half of the difference is decided, too: it is more than nothing."""
    comparison = Comparison(Question(difference=0.02))
    for _ in range(BLOCKS_MIN - 1):
        assert comparison.add(score) is Verdict.OPEN
    for _ in range(200):
        comparison.add(score)
    assert comparison.verdict is verdict


def test_a_verdict_stands_whatever_comes_after_it() -> None:
    comparison = Comparison(Question(difference=0.02))
    for _ in range(BLOCKS_MIN):
        comparison.add(0.03)
    assert comparison.verdict is Verdict.BETTER
    for _ in range(100):
        assert comparison.add(-1.0) is Verdict.BETTER


@given(st.lists(st.floats(-1, 1), min_size=INTERVAL_BLOCKS_MIN, max_size=60), st.floats(0.001, 0.2))
def test_the_mirror_image_has_the_mirrored_answer(scores: list[float], difference: float) -> None:
    question = Question(difference=difference)
    one, other = Comparison(question), Comparison(question)
    turned = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
    for score in scores:
        verdict = one.add(score)
        assert other.add(-score) is turned.get(verdict, verdict)
    here, there = one.interval(), other.interval()
    assert here is not None
    assert there is not None
    assert (here.low, here.high) == pytest.approx((-there.high, -there.low))
    assert here.low <= one.tally.mean <= here.high
    assert here.half_width > 0


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_mean_and_variance_are_those_of_all_scores(scores: list[float]) -> None:
    tally = Tally()
    for score in scores:
        tally.add(score)
    assert tally.mean == pytest.approx(fmean(scores), abs=1e-12)
    assert tally.variance == pytest.approx(pstdev(scores) ** 2, abs=1e-12)


def test_no_interval_is_shown_too_early() -> None:
    tally = Tally()
    for number in range(INTERVAL_BLOCKS_MIN):
        assert confidence_sequence(tally, 0.05, 1e-6) is None
        tally.add(number % 2)
    assert confidence_sequence(tally, 0.05, 1e-6) is not None


def test_what_to_expect_is_about_what_is_needed() -> None:
    scores = POPULATIONS["share"]
    question = Question(difference=pstdev(scores) / 2)
    chance, needed = chance_of(2), []
    for _ in range(300):
        comparison = Comparison(question)
        while comparison.add(chance.choice(scores) + question.difference) is Verdict.OPEN:
            pass
        needed.append(comparison.tally.blocks)
    assert blocks_expected(question, pstdev(scores)) == pytest.approx(fmean(needed), rel=0.25)
    assert blocks_expected(question, 0.0) == BLOCKS_MIN


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"difference": 0.0}, "bad-difference"),
        ({"difference": -0.1}, "bad-difference"),
        ({"difference": math.nan}, "bad-difference"),
        ({"difference": 0.1, "alpha": 0.0}, "bad-error-rate"),
        ({"difference": 0.1, "beta": 0.5}, "bad-error-rate"),
        ({"difference": 0.1, "resolution": 0.0}, "bad-resolution"),
    ],
)
def test_what_cannot_be_asked_is_refused(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(ContestError) as refused:
        Question(**wrong)
    assert refused.value.reason == reason
    assert str(refused.value).endswith(f"({reason})")


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_is_a_number(score: float) -> None:
    with pytest.raises(ContestError) as refused:
        Tally().add(score)
    assert refused.value.reason == "bad-score"
