"""Prices and bonuses, as the rulebooks print them (BON)."""

from collections.abc import Mapping

# BON-1, the price list for cheap chains: this price from this many tiles on.
CHEAP_PRICES = [
    (2, 200), (3, 300), (4, 400), (5, 500), (6, 600), (11, 700), (21, 800), (31, 900), (41, 1000),
]  # fmt: skip
# BON-1: the surcharge of middle and dear chains, in dollars.
SURCHARGE = {"cheap": 0, "middle": 100, "dear": 200}

# The charts by price: the bonuses for the places (first, second and, for three holders, third).
TWO_HOLDERS = {
    200: (2000, 1000),
    300: (3000, 1500),
    400: (4000, 2000),
    500: (5000, 2500),
    600: (6000, 3000),
    700: (7000, 3500),
    800: (8000, 4000),
    900: (9000, 4500),
    1000: (10000, 5000),
    1100: (11000, 5500),
    1200: (12000, 6000),
}
THREE_HOLDERS = {  # BON-2
    200: (2000, 1500, 1000),
    300: (3000, 2200, 1500),
    400: (4000, 3000, 2000),
    500: (5000, 3700, 2500),
    600: (6000, 4200, 3000),
    700: (7000, 5000, 3500),
    800: (8000, 5700, 4000),
    900: (9000, 6200, 4500),
    1000: (10000, 7000, 5000),
    1100: (11000, 7700, 5500),
    1200: (12000, 8200, 6000),
}
CHARTS: dict[str, Mapping[int, tuple[int, ...]]] = {
    "two-holders": TWO_HOLDERS,
    "three-holders": THREE_HOLDERS,
}

# The stock market's place among the holders, if it counts as one (TWO-1). Seats are 0 and up.
MARKET = -1


def price_of_share(tier: str, size: int) -> int:
    """Give the price in dollars of one share of a chain of this tier and size (BON-1)."""
    price = 0
    for least_size, cheap_price in CHEAP_PRICES:
        if size >= least_size:
            price = cheap_price + SURCHARGE[tier]
    if price == 0:
        raise ValueError(f"A chain has at least 2 tiles; this one has {size}. Price active ones only.")
    return price


def round_up(amount: int, parts: int) -> int:
    """Divide an amount in equal parts, each rounded up to a multiple of $100 (BON-8)."""
    hundreds = 0
    while hundreds * 100 * parts < amount:
        hundreds += 1
    return hundreds * 100


def bonuses(holdings: Mapping[int, int], price: int, chart: str) -> dict[int, int]:
    """Give the bonus of every holder that gets one; the market (MARKET) ranks like a player (TWO-7)."""
    holders = {who: count for who, count in holdings.items() if count > 0}  # BON-3
    if not holders:
        return {}
    places = list(CHARTS[chart][price])
    if len(holders) == 1:  # BON-6
        return dict.fromkeys(holders, places[0] + places[-1])
    # BON-5 needs no separate line: two holders, tied or not, fill the first two places.
    paid: dict[int, int] = {}
    next_place = 0
    for count in sorted(set(holders.values()), reverse=True):
        tied = [who for who in holders if holders[who] == count]
        # BON-4, BON-7: tied holders share the value of the places that they fill, as far as there
        # are places; the next holders take the places after theirs.
        worth = sum(places[next_place : next_place + len(tied)])
        for who in tied:
            if worth > 0:
                paid[who] = round_up(worth, len(tied))
        next_place += len(tied)
    return paid
