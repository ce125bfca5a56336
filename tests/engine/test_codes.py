"""All 2,219 action codes and their texts, compared with the tables of `VOCABULARY.md`, which this file repeats."""

from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from itertools import combinations_with_replacement
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.actions import (
    CODES,
    CODES_WITHOUT_POWERS,
    Action,
    Buy,
    Dispose,
    EndPlacing,
    EndTrading,
    Exchange,
    NameAcquired,
    NameFounded,
    NameSurvivor,
    NoOffer,
    OfferTrade,
    Place,
    Power,
    Reply,
    StopPlay,
    TradePair,
    UsePower,
    action_of_code,
    code_of,
)
from mergemaker_engine.errors import MalformedAction
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_engine.wording import action_text, parse_action
from mergemaker_testkit.strategies import STEADY

CHAINS: Final = range(7)
RULES: Final = preset("reference-trading")
NAMES: Final = ("Luxor", "Tower", "American", "Worldwide", "Festival", "Imperial", "Continental")
SQUARES: Final = tuple(f"{number}{letter}" for letter in "ABCDEFGHI" for number in range(1, 13))

# The order of the page: by length, then as sequences.
BASKETS: Final = sorted(
    (basket for size in range(6) for basket in combinations_with_replacement(CHAINS, size)),
    key=lambda basket: (len(basket), basket),
)


def _counts(basket: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(basket.count(chain) for chain in CHAINS)


def _basket_text(basket: tuple[int, ...], end: str) -> str:
    parts = [f"{basket.count(chain)} {NAMES[chain]}" for chain in CHAINS if chain in basket]
    return f"buy {' '.join(parts) or 'nothing'}{end}"


def _purchases() -> Iterator[tuple[int, Action, str]]:
    for rank, basket in enumerate(BASKETS):
        for declare, end, usual, large in ((False, "", 576, 875), (True, " end", 696, 1547)):
            code = usual + rank if rank < 120 else large + rank - 120
            yield code, Buy(_counts(basket), declare), _basket_text(basket, end)


def _written_out() -> Iterator[tuple[int, Action, str]]:
    """Every code with its action and its text, as in the page's table."""
    for square, name in enumerate(SQUARES):
        yield square, Place(square), name
        yield 108 + square, Place(square, declare=True), f"{name} end"
    yield 216, StopPlay(), "stop"
    for chain, name in enumerate(NAMES):
        yield 217 + chain, NameFounded(chain), f"found {name}"
        yield 224 + chain, NameSurvivor(chain), f"survivor {name}"
        yield 231 + chain, NameAcquired(chain), f"acquire {name}"
    for sell in range(26):
        for trade in range(0, 26 - sell, 2):
            yield 238 + 13 * sell + trade // 2, Dispose(sell, trade), f"sell {sell} trade {trade}"
    yield 816, Exchange(exchange=False), "no exchange"
    yield 817, Exchange(exchange=True), "exchange"
    yield 818, EndPlacing(), "enough tiles"
    yield 819, UsePower(None), "no power"
    for place, power in enumerate(("take-five", "place-four", "three-free", "buy-five", "trade-two")):
        yield 820 + place, UsePower(Power(power)), f"power {power}"
    for give in CHAINS:
        for take in CHAINS:
            if give != take:
                yield 825 + 7 * give + take, TradePair(give, take), f"swap 2 {NAMES[give]} for 1 {NAMES[take]}"
    yield 874, EndTrading(), "enough swaps"
    yield from _purchases()


TABLE: Final = tuple(_written_out())
BY_CODE: Final = {code: (action, text) for code, action, text in TABLE}
WITHOUT_CODE: Final[tuple[tuple[Action, str], ...]] = (
    (NoOffer(), "no offer"),
    (Reply(accept=False), "decline"),
    (Reply(accept=True), "accept"),
    (OfferTrade(2, (0, 3, 0, 0, 0, 0, 0), 500, (1, 0, 0, 0, 0, 0, 0), 0), "offer seat 2: 3 Tower $500 for 1 Luxor"),
    (
        OfferTrade(0, (0,) * 7, 100_000, (0, 0, 1, 0, 0, 0, 25), 0),
        "offer seat 0: $100000 for 1 American 25 Continental",
    ),
    (OfferTrade(5, (1, 1, 0, 0, 0, 0, 0), 0, (0,) * 7, 100), "offer seat 5: 1 Luxor 1 Tower for $100"),
)


def test_the_page_knows_so_many_codes() -> None:
    assert (CODES_WITHOUT_POWERS, CODES) == (818, 2219)
    assert len(BASKETS) == 792
    assert len(BY_CODE) == len(TABLE) == 2219 - (26 * 13 - 182) - 7


def test_every_code_has_the_action_of_the_page_and_every_action_its_code() -> None:
    for code in range(CODES):
        if code in BY_CODE:
            action, _ = BY_CODE[code]
            assert action_of_code(code) == action
            assert code_of(action) == code
        else:
            with pytest.raises(MalformedAction) as refusal:
                action_of_code(code)
            assert refusal.value.reason == "no-such-code"


def test_every_action_has_the_text_of_the_page_and_every_text_its_action() -> None:
    for _, action, text in TABLE:
        assert action_text(action, RULES) == text
        assert parse_action(text, RULES) == action
    assert len({text for _, _, text in TABLE}) == len(TABLE)


@pytest.mark.parametrize(("action", "text"), WITHOUT_CODE)
def test_actions_of_player_trading_have_a_text_and_no_code(action: Action, text: str) -> None:
    assert action_text(action, RULES) == text
    assert parse_action(text, RULES) == action
    with pytest.raises(MalformedAction) as refusal:
        code_of(action)
    assert refusal.value.reason == "no-code"


@pytest.mark.parametrize("name", PRESETS)
def test_texts_are_read_back_with_the_names_of_all_rules_and_by_first_letters(name: str) -> None:
    rules = preset(name)
    for code in (217, 230, 231, 577, 600, 826, 2218):
        action = action_of_code(code)
        text = action_text(action, rules)
        assert parse_action(text, rules) == action
        for chain in rules.chain_names:
            text = text.replace(chain, chain[0])
        assert parse_action(text, rules) == action


@settings(STEADY, max_examples=200)
@given(
    partner=st.integers(0, 5),
    sides=st.lists(st.sampled_from(("give", "take", "neither")), min_size=8, max_size=8).filter(
        lambda sides: {"give", "take"} <= set(sides)
    ),
    counts=st.lists(st.integers(1, 25), min_size=8, max_size=8),
)
def test_offers_are_read_back_from_their_text(partner: int, sides: list[str], counts: list[int]) -> None:
    give = [count if side == "give" else 0 for side, count in zip(sides, counts, strict=True)]
    take = [count if side == "take" else 0 for side, count in zip(sides, counts, strict=True)]
    offer = OfferTrade(partner, tuple(give[:7]), 100 * give[7], tuple(take[:7]), 100 * take[7])
    assert parse_action(action_text(offer, RULES), RULES) == offer


def test_a_purchase_knows_its_count_and_its_parts() -> None:
    purchase = Buy((0, 2, 0, 0, 1, 0, 0))
    assert (purchase.count, purchase.parts) == (3, ((1, 2), (4, 1)))
    assert (Buy((0,) * 7).count, Buy((0,) * 7).parts) == (0, ())


def test_actions_are_equal_by_what_they_say_and_cannot_be_changed() -> None:
    assert Place(5) == Place(5, declare=False) != Place(5, declare=True)
    assert len({Place(5), Place(5), Place(6), StopPlay(), StopPlay()}) == 3
    with pytest.raises(FrozenInstanceError):
        Place(5).square = 6  # type: ignore[misc]  # tries what must be impossible
