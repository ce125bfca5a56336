"""The running number: it finds the order, and does not depend on how matches ended up in time or seats."""

import random
from dataclasses import replace
from itertools import islice

from mergemaker_contest.results import Player
from mergemaker_contest.running import START, running_numbers, running_steps
from mergemaker_contest.schedules import round_robin
from mergemaker_testkit.made_results import match_of, play, whole

STRENGTH = {"bad": -0.05, "fair": 0.0, "good": 0.03, "better": 0.06}


def test_planted_strengths_come_out_in_order() -> None:
    blocks = whole(play(islice(round_robin([*STRENGTH], 3).blocks(), 120), STRENGTH))
    numbers = running_numbers(blocks)
    assert sorted(STRENGTH, key=lambda bot: numbers[Player(bot)]) == [*STRENGTH]


def test_no_order_of_ends_or_seats_matters() -> None:
    matches = play(islice(round_robin([*STRENGTH], 4).blocks(), 20), STRENGTH)
    numbers = running_numbers(whole(matches))
    random.Random(3).shuffle(matches)  # noqa: S311 - it must repeat
    assert running_numbers(whole(matches)) == numbers
    assert running_numbers(whole(replace(match, seats=match.seats[::-1]) for match in matches)) == numbers


def test_each_block_is_one_step_and_a_rich_win_counts_as_any_win() -> None:
    narrow, rich = (whole([match_of(0, 0, "ab", shares)]) for shares in ((0.51, 0.49), (0.99, 0.01)))
    assert running_numbers(narrow) == running_numbers(rich)
    equal = running_numbers(whole([match_of(0, 0, "ab", (0.6, 0.4)), match_of(0, 1, "ba", (0.6, 0.4))]))
    assert equal == {Player("a"): START, Player("b"): START}
    steps = list(running_steps(whole(match_of(block, 0, "ab", (0.6, 0.4)) for block in range(3))))
    assert [step.block for step in steps] == [0, 1, 2]
    of_a = [step.numbers[Player("a")] for step in steps]
    assert START < of_a[0] < of_a[1] < of_a[2]


def test_a_bot_that_met_nobody_has_no_number() -> None:
    assert running_numbers(whole([match_of(0, 0, "aa", (0.6, 0.4))])) == {}
