"""Who gets which bonus: functions of plain numbers (BON-3 to BON-8, TWO-2, TWO-7).

`share_out` says what happens on a tie for first place.
"""

from collections.abc import Sequence
from typing import Final

ROUNDING_UNIT: Final = 100


def rounded_up_share(pool: int, players: int) -> int:
    """One player's part of a split, rounded up to a multiple of $100 (BON-8)."""
    per_unit = ROUNDING_UNIT * players
    return (pool + per_unit - 1) // per_unit * ROUNDING_UNIT


def places_that_count(places: tuple[int, ...], holders: int) -> tuple[int, ...]:
    """The bonuses paid for this number of holders: the chart's places, with two exceptions.

    A sole holder gets the first and the last bonus (BON-6). Exactly two holders share two bonuses (BON-5).
    """
    if holders == 1:
        return (places[0] + places[-1],)
    if holders == 2:
        return places[:2]
    return places


def share_out(places: tuple[int, ...], holdings: Sequence[int]) -> tuple[int, ...]:
    """What each holder is paid for these holdings, by the chart's places (BON-3, BON-4, BON-7).

    Holders are ranked by their shares. Tied holders fill one place each, pool the bonuses of these places, and
    split them. The next holder takes the place after theirs.
    """
    counted = places_that_count(places, len(holdings) - holdings.count(0))
    paid_for = {0: 0}
    place = 0
    for count in sorted({*holdings} - {0}, reverse=True):
        tied = holdings.count(count)
        pool = sum(counted[place : place + tied])
        paid_for[count] = rounded_up_share(pool, tied) if pool else 0
        place += tied
    return tuple([paid_for[count] for count in holdings])


def share_out_with_market(places: tuple[int, ...], holdings: Sequence[int], market_shares: int) -> tuple[int, ...]:
    """The same with the market as another holder, whose part is not paid out (TWO-2, TWO-7)."""
    return share_out(places, (*holdings, market_shares))[:-1]
