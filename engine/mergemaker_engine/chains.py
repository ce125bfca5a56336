"""Chains and charts: sizes, prices and the bonuses of the information cards, as data (BON-1, BON-2)."""

from enum import StrEnum
from typing import Final

from mergemaker_engine.board import SQUARES

SHARES_PER_CHAIN: Final = 25
START_CASH: Final = 6_000
SAFE_SIZE: Final = 11
GIANT_SIZE: Final = 41
"""With a chain of this size, the end may be declared (END-1)."""

TIERS: Final = ("cheap", "middle", "dear")

# The smallest size of each row of the information card. Each row costs $100 more than the row before.
_ROW_STARTS: Final = (2, 3, 4, 5, 6, 11, 21, 31, 41)
_CHEAPEST_PRICE: Final = 200
_STEP: Final = 100

DEAREST_PRICE: Final = _CHEAPEST_PRICE + _STEP * (len(_ROW_STARTS) - 1 + len(TIERS) - 1)

# The middle bonus of the three-holder chart follows no formula: $200 … $1,200 (BON-2).
_SECOND_OF_THREE: Final = {
    200: 1_500,
    300: 2_200,
    400: 3_000,
    500: 3_700,
    600: 4_200,
    700: 5_000,
    800: 5_700,
    900: 6_200,
    1_000: 7_000,
    1_100: 7_700,
    1_200: 8_200,
}


class BonusChart(StrEnum):
    """Which information card is used (the knob `bonus_chart`)."""

    TWO_HOLDERS = "two-holders"
    THREE_HOLDERS = "three-holders"


def price(tier: int, size: int) -> int:
    """The price of a share of a chain of this tier (0 cheap, 1 middle, 2 dear) and size (BON-1); 0 for no chain."""
    if size < _ROW_STARTS[0]:
        return 0
    row = sum(start <= size for start in _ROW_STARTS) - 1
    return _CHEAPEST_PRICE + _STEP * (row + tier)


def price_table(tier: int) -> tuple[int, ...]:
    """The prices of a tier by size, from 0 to the whole board."""
    return tuple(price(tier, size) for size in range(SQUARES + 1))


def bonus_places(chart: BonusChart, share_price: int) -> tuple[int, ...]:
    """The bonus of each place at a share price, first place first (BON-2)."""
    if chart is BonusChart.TWO_HOLDERS:
        return (10 * share_price, 5 * share_price)
    return (10 * share_price, _SECOND_OF_THREE[share_price], 5 * share_price)
