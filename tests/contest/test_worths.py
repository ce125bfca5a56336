"""Worths by places: the most likely ones, by a likelihood that is written down here once more."""

import random
from itertools import combinations, islice
from math import exp, log, prod

import pytest
from mergemaker_contest.errors import ContestError
from mergemaker_contest.results import BlockResult, Player
from mergemaker_contest.schedules import round_robin
from mergemaker_contest.worths import Worth, davidson_luce
from mergemaker_testkit.made_results import match_of, play, whole

STRENGTH = {"bad": -0.05, "fair": 0.0, "good": 0.03, "better": 0.06}


def _by_name(worths: tuple[Worth, ...]) -> dict[str, Worth]:
    return {worth.player.bot: worth for worth in worths}


def test_two_bots_are_worth_what_their_wins_say() -> None:
    """With 30 wins to 10, and half a win and half a loss against the ghost."""
    wins = [match_of(block, 0, "ab", (0.6, 0.4) if block % 4 else (0.4, 0.6)) for block in range(40)]
    worths = _by_name(davidson_luce(whole(wins), anchor=Player("b")))
    assert worths["b"].strength == 0
    assert worths["a"].strength == pytest.approx(log(3), abs=0.03)
    assert worths["a"].strength < log(3), "the ghost draws bots together a little"
    assert worths["a"].chance_before(worths["b"]) == pytest.approx(0.75, abs=0.01)


def _likelihood(blocks: tuple[BlockResult, ...], logarithms: dict[str, float], tie: float) -> float:
    found = 0.0
    for match in (match for block in blocks for match in block.matches):
        left = [(place, exp(logarithms[seat.player.bot])) for place, seat in zip(match.places, match.seats, strict=True)]
        while len(left) > 1:
            first = min(place for place, _ in left)
            chosen = [worth for place, worth in left if place == first]
            among = [worth for _, worth in left]
            total = sum(among) + tie * sum((one * other) ** 0.5 for one, other in combinations(among, 2))
            found += log((tie if len(chosen) == 2 else 1) * prod(chosen) ** (1 / len(chosen)) / total)
            left = [each for each in left if each[0] != first]
    return found + sum(
        0.5 * log(exp(each) / (exp(each) + exp(logarithms[""])) ** 2) + 0.5 * logarithms[""]
        for name, each in logarithms.items()
        if name
    )


def test_no_other_worths_make_the_results_more_likely() -> None:
    chance, matches = random.Random(4), []  # noqa: S311 - it must repeat
    for block in range(40):
        money = [chance.choice([0.1, 0.2, 0.3, 0.4]) + STRENGTH[bot] for bot in ("bad", "bad", "fair")]
        matches.append(match_of(block, 0, ["bad", "better", "fair"], [0.3, 0.3, 0.2] if block % 5 == 0 else money))
    blocks = whole(matches)
    assert any(len({*match.places}) < 3 for match in matches), "there are equal places among them"
    logarithms = {worth.player.bot: worth.strength for worth in davidson_luce(blocks)}

    def best(changed: dict[str, float]) -> float:
        """Over the ghost's worth and that of equal places."""
        return max(
            _likelihood(blocks, {**changed, "": ghost / 20}, tie / 200) for ghost in range(-10, 11) for tie in range(10, 60)
        )

    highest = best(logarithms)
    for name, strength in logarithms.items():
        for step in (-0.1, 0.1):
            assert best({**logarithms, name: strength + step}) < highest


def test_planted_strengths_are_in_order_and_no_order_of_seats_or_matches_matters() -> None:
    matches = play(islice(round_robin([*STRENGTH], 3).blocks(), 100), STRENGTH)
    worths = davidson_luce(whole(matches), anchor=Player("fair"))
    assert [worth.player.bot for worth in worths] == ["better", "good", "fair", "bad"]
    random.Random(1).shuffle(matches)  # noqa: S311 - it must repeat
    assert davidson_luce(whole(matches), anchor=Player("fair")) == worths


def test_a_bot_that_always_wins_has_a_finite_worth() -> None:
    blocks = whole(match_of(block, 0, "abc", (0.6, 0.3, 0.1)) for block in range(500))
    worths = davidson_luce(blocks)
    assert [worth.player.bot for worth in worths] == ["a", "b", "c"]
    assert worths[0].strength < 20


def test_bots_that_never_met_are_not_compared() -> None:
    blocks = whole([match_of(0, 0, "ab", (0.6, 0.4)), match_of(1, 0, "xy", (0.4, 0.6))])
    worths = _by_name(davidson_luce(blocks))
    assert {name: worth.group for name, worth in worths.items()} == {"a": 0, "b": 0, "x": 1, "y": 1}
    with pytest.raises(ContestError) as refused:
        worths["a"].chance_before(worths["x"])
    assert refused.value.reason == "not-compared"
    assert davidson_luce(()) == ()


def test_copies_of_a_bot_at_one_table_have_one_worth() -> None:
    tables = [
        match_of(block, table, seating, shares)
        for block in range(30)
        for table, (seating, shares) in enumerate([("abab", (0.3, 0.2, 0.3, 0.2)), ("baba", (0.2, 0.3, 0.2, 0.3))])
    ]
    worths = davidson_luce(whole(tables))
    assert [worth.player.bot for worth in worths] == ["a", "b"]
