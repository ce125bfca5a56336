"""The information card of a rule set: for each price its sizes and bonuses (BON-1, BON-2)."""

from dataclasses import dataclass
from typing import TypeAlias

from mergemaker_engine.chains import TIERS, bonus_places, price_table
from mergemaker_engine.rules import Rules
from rich.table import Table

from mergemaker_tools.tables import table

Sizes: TypeAlias = tuple[int, int | None] | None
"""The smallest and the largest size with a price, None for 'and all above'; None if no size has the price."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line of the card."""

    price: int
    sizes: tuple[Sizes, ...]
    """By tier: cheap, middle, dear."""
    bonuses: tuple[int, ...]
    """What each place is worth, the first place first."""


def card_of(rules: Rules) -> tuple[CardLine, ...]:
    """The card of a rule set, from the lowest price to the highest."""
    tiers = [price_table(tier) for tier in range(len(TIERS))]
    prices = sorted({price for table in tiers for price in table if price})
    return tuple(
        CardLine(price, tuple(_sizes_at(table, price) for table in tiers), bonus_places(rules.bonus_chart, price))
        for price in prices
    )


def _sizes_at(prices: tuple[int, ...], price: int) -> Sizes:
    sizes = [size for size, at_size in enumerate(prices) if at_size == price]
    if not sizes:
        return None
    return (sizes[0], None if sizes[-1] == len(prices) - 1 else sizes[-1])


def sizes_text(sizes: Sizes) -> str:
    """Sizes as a card prints them: `5`, `6-10`, `41+`."""
    match sizes:
        case None:
            return "-"
        case (least, None):
            return f"{least}+"
        case (least, most):
            return str(least) if least == most else f"{least}-{most}"


def card_table(rules: Rules) -> Table:
    """The card as a table: the sizes of each tier that have a price, and the bonuses (BON-1, BON-2)."""
    card = card_of(rules)
    shown = table("Information card: sizes by tier, price of a share, bonuses")
    for names in rules.chains:
        shown.add_column("\n".join(names), justify="right")
    shown.add_column("share", justify="right")
    for place in range(len(card[0].bonuses)):
        shown.add_column(("first", "second", "third")[place] + "\nbonus", justify="right")
    for line in card:
        bonuses = [f"${bonus:,}" for bonus in line.bonuses]
        shown.add_row(*(sizes_text(sizes) for sizes in line.sizes), f"${line.price:,}", *bonuses)
    return shown
