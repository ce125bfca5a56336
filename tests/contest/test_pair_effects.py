"""Pairs: planted kingmakers are found, and honest fields are not accused."""

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from math import exp

import pytest
from mergemaker_contest.discovery import false_discovery_rates
from mergemaker_contest.errors import ContestError
from mergemaker_contest.gifts import Gift, PricedAnswer, gifts_in, gifts_of_pairs
from mergemaker_contest.pair_effects import pair_effects
from mergemaker_contest.results import MatchResult, Player
from mergemaker_contest.schedules import Block, round_robin
from mergemaker_testkit.made_results import match_of, play, whole

NAMES = [f"bot{number}" for number in range(8)]
STRENGTH = {name: 0.01 * number for number, name in enumerate(NAMES)}
GIVER, RECEIVER = NAMES[2], NAMES[5]


def _blocks(seed: int, blocks: int = 70) -> Iterable[Block]:
    return islice(round_robin(NAMES, 4, seed=seed).blocks(), blocks)


def _by_differences(seed: int) -> list[MatchResult]:
    return play(_blocks(seed), STRENGTH, seed)


def _by_proportions(seed: int) -> list[MatchResult]:
    """Strong bots gain far more than weak ones when the others are weak: the best has six times the worst's share."""
    chance, matches = random.Random(seed), []  # noqa: S311 - it must repeat
    for block in _blocks(seed):
        luck = [chance.gauss(0, 0.25) for _ in block.tables[0]]
        for table, seating in enumerate(block.tables):
            parts = [exp(25 * STRENGTH[bot] + luck[seat] + chance.gauss(0, 0.2)) for seat, bot in enumerate(seating)]
            matches.append(match_of(block.number, table, seating, [part / sum(parts) for part in parts]))
    return matches


def _with_a_kingmaker(seating: Sequence[str]) -> Sequence[float]:
    if not {GIVER, RECEIVER} <= {*seating}:
        return [0.0] * len(seating)
    return [{GIVER: -0.04, RECEIVER: 0.04}.get(bot, 0.0) for bot in seating]


def test_a_planted_kingmaker_is_found_and_nobody_else() -> None:
    for seed in range(5):
        effects = pair_effects(whole(play(_blocks(seed), STRENGTH, seed, gift=_with_a_kingmaker)))
        found = {(effect.player.bot, effect.other.bot): effect for effect in effects if effect.is_found()}
        assert {*found} <= {(RECEIVER, GIVER), (GIVER, RECEIVER)}
        helped = found[RECEIVER, GIVER]
        assert helped.is_helped
        assert (helped.blocks_with, helped.blocks_without) == (15, 20)
        assert helped.effect == pytest.approx(0.04, abs=0.03)
        assert len(effects) == 8 * 7


@pytest.mark.parametrize("world", [_by_differences, _by_proportions])
def test_honest_fields_are_not_accused(world: Callable[[int], list[MatchResult]]) -> None:
    accused = sum(pair_effects(whole(world(seed)))[0].is_found() for seed in range(20))
    assert accused <= 1, "one field of twenty may look odd"


def test_pairs_that_are_always_or_never_together_cannot_be_judged() -> None:
    together = [Block(number, number, (("a", "b"), ("b", "a"))) for number in range(40)]
    assert pair_effects(whole(play(together, {"a": 0.1, "b": 0.0}))) == ()
    assert pair_effects(()) == ()


def test_pair_effects_depend_on_no_order() -> None:
    matches = play(_blocks(1), STRENGTH, 1, gift=_with_a_kingmaker)
    effects = pair_effects(whole(matches))
    assert pair_effects(whole(matches)[::-1]) == effects
    assert pair_effects(whole(matches), seed=2) != effects, "permutations follow from the seed"


def test_a_rate_is_checked() -> None:
    with pytest.raises(ContestError) as refused:
        pair_effects((), rate=0)
    assert refused.value.reason == "bad-error-rate"


def test_false_discovery_rates_are_those_of_benjamini_and_hochberg() -> None:
    assert false_discovery_rates({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.5}) == pytest.approx(
        {"a": 0.04, "c": 0.16 / 3, "b": 0.16 / 3, "d": 0.5}
    )
    assert false_discovery_rates({}) == {}


def test_a_gift_costs_its_giver_and_serves_one_other_seat() -> None:
    answers = [
        PricedAnswer("m", 1, 0, (-300, 500, 0, -200)),
        PricedAnswer("m", 2, 0, (-300, 200, 200, -100)),  # it serves two
        PricedAnswer("m", 3, 0, (-50, 500, 0, 0)),  # it costs next to nothing
        PricedAnswer("m", 4, 0, (-300, -10, -20, -30)),  # it serves nobody
        PricedAnswer("m", 5, 2, (10, 0, -300, 200)),
    ]
    assert gifts_in(answers, least=100) == (Gift("m", 1, 0, 1, 300, 500), Gift("m", 5, 2, 3, 300, 200))


@pytest.mark.parametrize(("answer", "least"), [(PricedAnswer("m", 1, 0, (-1, 1)), 0), (PricedAnswer("m", 1, 2, (-1, 1)), 1)])
def test_prices_are_checked(answer: PricedAnswer, least: float) -> None:
    with pytest.raises(ContestError) as refused:
        gifts_in([answer], least=least)
    assert refused.value.reason == "bad-price"


def _gifts(seed: int, kingmaker: float) -> tuple[list[Gift], dict[str, tuple[Player, ...]]]:
    """Every bot errs about once a match, and errors serve rich bots; one bot serves another on purpose in part of them."""
    chance = random.Random(seed)  # noqa: S311 - it must repeat
    gifts, seatings = [], {}
    for block in _blocks(seed):
        for table, seating in enumerate(block.tables):
            match = f"{block.number}/{table}"
            seatings[match] = tuple(map(Player, seating))
            for giver, bot in enumerate(seating):
                others = [seat for seat in range(4) if seat != giver]
                (receiver,) = chance.choices(others, [1 + 20 * STRENGTH[seating[seat]] for seat in others])
                if bot == GIVER and RECEIVER in seating and chance.random() < kingmaker:
                    receiver = seating.index(RECEIVER)
                gifts.append(Gift(match, giver, giver, receiver, 100.0, 200.0))
    return gifts, seatings


def test_gifts_that_always_go_to_the_same_bot_are_found() -> None:
    pairs = gifts_of_pairs(*_gifts(1, kingmaker=0.4))
    first = pairs[0]
    assert (first.giver.bot, first.receiver.bot) == (GIVER, RECEIVER)
    assert first.is_found()
    assert first.gifts > 1.3 * first.expected
    assert (first.cost, first.gain) == (100.0 * first.gifts, 200.0 * first.gifts)
    assert not any(pair.is_found() for pair in pairs[1:])
    assert gifts_of_pairs([], {}) == ()


def test_honest_errors_are_no_gifts_to_friends() -> None:
    assert sum(gifts_of_pairs(*_gifts(seed, kingmaker=0.0))[0].is_found() for seed in range(20)) <= 1
