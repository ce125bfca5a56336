"""What a seat's result is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_contest.errors import ContestError
from mergemaker_contest.scores import Score, seat_scores

CASH = st.lists(st.integers(0, 200_000).map(lambda hundreds: hundreds * 100), min_size=2, max_size=6)


@pytest.mark.parametrize(
    ("score", "cash", "worth"),
    [
        (Score.SHARE, [30_000, 10_000], [0.75, 0.25]),
        (Score.SHARE, [0, 0], [0.5, 0.5]),
        (Score.PLACE, [300, 100, 200], [1, 0, 0.5]),
        (Score.PLACE, [300, 300, 100, 0], [5 / 6, 5 / 6, 1 / 3, 0]),
        (Score.PLACE, [100, 100], [0.5, 0.5]),
        (Score.WIN, [300, 100, 200], [1, 0, 0]),
        (Score.WIN, [300, 300, 100, 300], [1 / 3, 1 / 3, 0, 1 / 3]),
    ],
)
def test_what_a_seat_gets(score: Score, cash: list[int], worth: list[float]) -> None:
    assert seat_scores(score, cash) == pytest.approx(worth)


@given(st.sampled_from(Score), CASH)
def test_a_match_has_the_same_sum_whatever_happens_in_it(score: Score, cash: list[int]) -> None:
    expected = len(cash) / 2 if score is Score.PLACE else 1
    assert sum(seat_scores(score, cash)) == pytest.approx(expected)


@given(st.sampled_from(Score), CASH)
def test_more_money_is_never_worth_less(score: Score, cash: list[int]) -> None:
    worth = dict(zip(cash, seat_scores(score, cash), strict=True))
    by_money = [worth[money] for money in sorted(worth)]
    assert by_money == sorted(by_money)


def test_nobody_plays_alone() -> None:
    with pytest.raises(ContestError, match="2 seats or more") as refused:
        seat_scores(Score.SHARE, [100])
    assert refused.value.reason == "too-few-seats"
