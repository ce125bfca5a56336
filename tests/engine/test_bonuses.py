"""Prices, bonuses and their rounding, as functions over plain numbers."""

import pytest
from mergemaker_engine.bonuses import rounded_up_share, share_out, share_out_with_market
from mergemaker_engine.chains import BonusChart, bonus_places, price

# Imperial with five tiles in the 2023 book's examples: the card's line of $700.
TYCOON = (7000, 5000, 3500)
CLASSIC = (7000, 3500)


@pytest.mark.rule("BON-1")
@pytest.mark.parametrize(
    ("sizes", "cheap"),
    [
        ((2, 2), 200),
        ((3, 3), 300),
        ((4, 4), 400),
        ((5, 5), 500),
        ((6, 10), 600),
        ((11, 20), 700),
        ((21, 30), 800),
        ((31, 40), 900),
        ((41, 108), 1000),
    ],
)
def test_price_by_size_and_kind(sizes: tuple[int, int], cheap: int) -> None:
    for size in sizes:
        assert [price(tier, size) for tier in range(3)] == [cheap, cheap + 100, cheap + 200]


@pytest.mark.rule("BON-1")
@pytest.mark.parametrize("size", [0, 1])
def test_what_is_no_chain_has_no_price(size: int) -> None:
    assert [price(tier, size) for tier in range(3)] == [0, 0, 0]


@pytest.mark.rule("BON-2")
@pytest.mark.parametrize(
    ("share_price", "first", "second", "third"),
    [
        (200, 2000, 1500, 1000),
        (300, 3000, 2200, 1500),
        (400, 4000, 3000, 2000),
        (500, 5000, 3700, 2500),
        (600, 6000, 4200, 3000),
        (700, 7000, 5000, 3500),
        (800, 8000, 5700, 4000),
        (900, 9000, 6200, 4500),
        (1000, 10000, 7000, 5000),
        (1100, 11000, 7700, 5500),
        (1200, 12000, 8200, 6000),
    ],
)
def test_the_two_charts_line_by_line(share_price: int, first: int, second: int, third: int) -> None:
    assert bonus_places(BonusChart.THREE_HOLDERS, share_price) == (first, second, third)
    assert bonus_places(BonusChart.TWO_HOLDERS, share_price) == (first, third)


@pytest.mark.rule("BON-8")
@pytest.mark.parametrize(
    ("pool", "players", "each"),
    [
        (12000, 2, 6000),
        (8500, 2, 4300),
        (3500, 2, 1800),
        (3500, 1, 3500),
        (1000, 3, 400),
        (100, 6, 100),
        (600, 6, 100),
        (700, 6, 200),
        (0, 2, 0),
    ],
)
def test_a_part_is_rounded_up_to_whole_hundreds(pool: int, players: int, each: int) -> None:
    assert rounded_up_share(pool, players) == each


@pytest.mark.rule("BON-8")
def test_a_part_is_the_smallest_multiple_of_a_hundred_that_is_enough() -> None:
    for pool in range(0, 30_000, 100):
        for players in range(1, 7):
            part = rounded_up_share(pool, players)
            assert part % 100 == 0
            assert part * players >= pool > (part - 100) * players


@pytest.mark.rule("BON-3", "BON-4", "BON-5", "BON-6", "BON-7", "BON-8")
@pytest.mark.parametrize(
    ("holdings", "paid"),
    [
        ((0, 0, 0), (0, 0, 0)),
        ((0, 1, 0), (0, 10500, 0)),
        ((3, 2, 0), (7000, 5000, 0)),
        ((2, 2, 0), (6000, 6000, 0)),
        ((3, 2, 1), (7000, 5000, 3500)),
        ((3, 3, 1), (6000, 6000, 3500)),
        ((3, 2, 2), (7000, 4300, 4300)),
        ((2, 2, 2), (5200, 5200, 5200)),
        ((3, 2, 2, 1), (7000, 4300, 4300, 0)),
        ((4, 3, 1, 1), (7000, 5000, 1800, 1800)),
        ((3, 3, 1, 1), (6000, 6000, 1800, 1800)),
        ((3, 3, 2, 1), (6000, 6000, 3500, 0)),
        ((2, 2, 2, 1), (5200, 5200, 5200, 0)),
        ((5, 2, 2, 2), (7000, 2900, 2900, 2900)),
        ((1, 1, 1, 1), (3900, 3900, 3900, 3900)),
        ((4, 3, 1, 1, 1), (7000, 5000, 1200, 1200, 1200)),
        ((5, 2, 2, 2, 2), (7000, 2200, 2200, 2200, 2200)),
        ((1, 1, 1, 1, 1, 1), (2600,) * 6),
        ((6, 5, 4, 3, 2, 1), (7000, 5000, 3500, 0, 0, 0)),
        ((1, 0, 0, 25), (5000, 0, 0, 7000)),
    ],
)
def test_the_chart_with_three_holders(holdings: tuple[int, ...], paid: tuple[int, ...]) -> None:
    assert share_out(TYCOON, holdings) == paid


@pytest.mark.rule("BON-3", "BON-4", "BON-6", "BON-8")
@pytest.mark.parametrize(
    ("holdings", "paid"),
    [
        ((0, 0, 0), (0, 0, 0)),
        ((0, 1, 0), (0, 10500, 0)),
        ((3, 2, 1), (7000, 3500, 0)),
        ((3, 3, 1), (5300, 5300, 0)),
        ((3, 3, 3), (3500, 3500, 3500)),
        ((3, 2, 2), (7000, 1800, 1800)),
        ((3, 2, 2, 2), (7000, 1200, 1200, 1200)),
        ((3, 2, 2, 2, 2), (7000, 900, 900, 900, 900)),
        ((2, 2, 2, 2), (2700, 2700, 2700, 2700)),
        ((2, 2, 2, 2, 2), (2100,) * 5),
        ((2, 2, 2, 2, 2, 2), (1800,) * 6),
    ],
)
def test_the_chart_with_two_holders(holdings: tuple[int, ...], paid: tuple[int, ...]) -> None:
    assert share_out(CLASSIC, holdings) == paid


@pytest.mark.rule("TWO-2", "TWO-4", "TWO-7")
@pytest.mark.parametrize(
    ("holdings", "market", "paid"),
    [
        ((11, 5), 9, (7000, 0)),
        ((11, 5), 12, (3500, 0)),
        ((11, 5), 4, (7000, 3500)),
        ((9, 5), 9, (5300, 0)),
        ((9, 5), 5, (7000, 1800)),
        ((5, 5), 5, (3500, 3500)),
        ((5, 5), 6, (1800, 1800)),
        ((5, 5), 4, (5300, 5300)),
        ((5, 0), 4, (7000, 0)),
        ((5, 0), 5, (5300, 0)),
        ((5, 0), 6, (3500, 0)),
        ((5, 0), 0, (10500, 0)),
        ((5, 3), 0, (7000, 3500)),
        ((0, 0), 7, (0, 0)),
    ],
)
def test_the_market_as_a_holder(holdings: tuple[int, int], market: int, paid: tuple[int, int]) -> None:
    assert share_out_with_market(CLASSIC, holdings, market) == paid
