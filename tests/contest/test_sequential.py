"""The sequential test and its interval keep their error rates, and what cannot be asked is refused.

Blocks are drawn from measured ones, shifted to a known difference. Seeds are fixed, so each rate here is a number that stays.
"""

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
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

MEASURED: Final = json.loads(Path(__file__).with_name("measured_blocks.json").read_text("utf-8"))
RUNS: Final = 2_000
POINT: Final = 0.01
BLOCKS_MAX: Final = 3_000
"""A guard against a test that never stops."""


def _chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - it must repeat


def _centred(scores: Sequence[float]) -> list[float]:
    mean = fmean(scores)
    return [score - mean for score in scores]


def _with_an_outlier() -> list[float]:
    chance = _chance(5)
    return _centred([*(chance.gauss(0, 0.055) for _ in range(599)), 1.0])


POPULATIONS: Final = {
    "share": _centred(MEASURED["share"]),
    "win": _centred(MEASURED["win"]),
    "one outlier": _with_an_outlier(),
}


def _verdicts(scores: Sequence[float], question: Question, shift: float) -> Counter[Verdict]:
    chance = _chance(1)
    found: Counter[Verdict] = Counter()
    for _ in range(RUNS):
        comparison = Comparison(question)
        while comparison.verdict is Verdict.OPEN and comparison.tally.blocks < BLOCKS_MAX:
            comparison.add(chance.choice(scores) + shift)
        found[comparison.verdict] += 1
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.05, 0.01])
@pytest.mark.parametrize("name", POPULATIONS)
def test_error_rates_are_within_a_point_of_those_asked_for(name: str, rate: float) -> None:
    scores = POPULATIONS[name]
    difference = pstdev(scores) / 2
    question = Question(difference=difference, alpha=rate, beta=rate)
    of_equals = _verdicts(scores, question, 0.0)
    assert (of_equals[Verdict.BETTER] + of_equals[Verdict.WORSE]) / RUNS <= rate + POINT
    for times in (1, 2):
        found = _verdicts(scores, question, times * difference)
        assert 1 - found[Verdict.BETTER] / RUNS <= rate + POINT
    between = _verdicts(scores, question, difference / 2)
    assert between[Verdict.WORSE] / RUNS <= rate
    assert not between[Verdict.OPEN], "it ends even where neither answer is right"


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_interval_misses_the_truth_in_at_most_one_of_twenty_whole_runs(name: str) -> None:
    scores, chance, missed = POPULATIONS[name], _chance(3), 0
    for _ in range(RUNS // 2):
        tally = Tally()
        for _ in range(400):
            tally.add(chance.choice(scores))
            interval = confidence_sequence(tally, 0.05, 1e-6)
            if interval is not None and not interval.low <= 0 <= interval.high:
                missed += 1
                break
    assert missed / (RUNS // 2) <= 0.05


@pytest.mark.parametrize(
    ("score", "verdict"),
    [(0.0, Verdict.NO_DIFFERENCE), (0.02, Verdict.BETTER), (0.04, Verdict.BETTER), (-0.02, Verdict.WORSE), (0.01, Verdict.OPEN)],
)
def test_blocks_that_are_all_equal(score: float, verdict: Verdict) -> None:
    """Two copies of a bot end at once. Exactly half of the difference is never decided: a budget ends that."""
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
    chance, needed = _chance(2), []
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
