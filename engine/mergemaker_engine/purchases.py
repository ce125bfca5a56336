"""Listing every purchase that market and cash allow, in ascending rank (BUY-1, PWR-2, PWR-3).

There are up to 120 purchases, 792 under Buy five, and they are listed in every turn. So the lists that cash and market
do not restrict are made once for each set of chains. The others are joined from rows of up to seven purchases. There is
one row for each beginning of a purchase and each set of chains that may follow it.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, combinations_with_replacement
from operator import or_
from typing import Final

from mergemaker_engine.actions import BUY, BUY_OF_CHAINS, LARGEST_PURCHASE, USUAL_PURCHASE_MAX, Buy
from mergemaker_engine.board import ALL_CHAINS, CHAINS, CHAINS_IN, LABEL
from mergemaker_engine.chains import DEAREST_PRICE, SHARES_PER_CHAIN

NOTHING: Final = BUY[0]
_ONLY_NOTHING: Final = (NOTHING,)
HUNDRED: Final = 100
_DEAREST: Final = DEAREST_PRICE // HUNDRED
_PURSE_MAX: Final = _DEAREST * LARGEST_PURCHASE
_LISTS_KEPT_MAX: Final = 4_096

# By chain: the labels of the chains after it.
_BEHIND: Final = tuple(ALL_CHAINS & ~(2 * LABEL[chain] - 1) for chain in range(CHAINS))
_FROM: Final = tuple(_BEHIND[chain] | LABEL[chain] for chain in range(CHAINS))


def _row(beginning: tuple[int, ...]) -> tuple[tuple[Buy, ...], ...]:
    """By set of labels: the purchases that add one share of a chain in the set to an ascending list of chains."""
    last = beginning[-1] if beginning else 0
    return tuple(
        tuple(BUY_OF_CHAINS[(*beginning, chain)] for chain in CHAINS_IN[labels] if chain >= last)
        for labels in range(ALL_CHAINS + 1)
    )


_SINGLES: Final = _row(())
_PAIRS: Final = tuple(_row((first,)) for first in range(CHAINS))
_TRIPLES: Final = tuple(
    tuple(_row((first, second)) if second >= first else () for second in range(CHAINS)) for first in range(CHAINS)
)


@lru_cache(maxsize=_LISTS_KEPT_MAX)
def _all_purchases(labels: int, most: int) -> tuple[Buy, ...]:
    """Every purchase of up to `most` shares of the chains with these labels, as if cash and market were unlimited."""
    chains = CHAINS_IN[labels]
    return tuple(BUY_OF_CHAINS[bought] for count in range(most + 1) for bought in combinations_with_replacement(chains, count))


# By set of labels. Bit 0 stands for no chain, so every second entry repeats the one before it.
ALL_USUAL: Final = tuple(_all_purchases(labels & ALL_CHAINS, USUAL_PURCHASE_MAX) for labels in range(ALL_CHAINS + 1))


def all_purchases(labels: int, most: int) -> tuple[Buy, ...]:
    """Every purchase of up to `most` shares of the chains with these labels, as if cash and market were unlimited."""
    return ALL_USUAL[labels] if most == USUAL_PURCHASE_MAX else _all_purchases(labels, most)


@lru_cache(maxsize=_LISTS_KEPT_MAX)
def _all_triples_from(first: int, labels: int) -> tuple[Buy, ...]:
    """Every purchase of three shares that begins with chain `first` and continues with chains of a set."""
    return tuple(
        purchase for second in CHAINS_IN[labels & _FROM[first]] for purchase in _TRIPLES[first][second][labels & _FROM[second]]
    )


class Shop:
    """What can be bought now: which chains have shares, and what these cost."""

    __slots__ = ("cheapest", "dearest", "labels", "least", "left", "prices")

    def __init__(self, active: int, market: Sequence[int], prices: Sequence[int]) -> None:
        labels, least = 0, SHARES_PER_CHAIN
        cheapest, dearest = DEAREST_PRICE, 0
        for chain in CHAINS_IN[active]:
            left = market[chain]
            if left:
                labels |= LABEL[chain]
                price = prices[chain]
                # A call of `min` or `max` would take longer than all else here.
                least = left if left < least else least  # noqa: FURB136
                cheapest = price if price < cheapest else cheapest  # noqa: FURB136
                dearest = price if price > dearest else dearest  # noqa: FURB136
        self.labels = labels
        """The labels of the chains with a share for sale."""
        self.cheapest = cheapest
        self.dearest = dearest
        self.least = least
        """The smallest number of shares that any of them has left."""
        self.left = market
        self.prices = prices

    def reach(self) -> list[int]:
        """By money left: the labels of the chains of which one share is affordable."""
        first_affordable = [0] * (_DEAREST + 1)
        for chain in CHAINS_IN[self.labels]:
            first_affordable[self.prices[chain] // HUNDRED] |= LABEL[chain]
        reach = list(accumulate(first_affordable, or_))
        reach += [self.labels] * (_PURSE_MAX - _DEAREST)
        return reach

    def with_at_least(self, count: int) -> int:
        """The labels of the chains with at least `count` shares left."""
        return sum(LABEL[chain] for chain in CHAINS_IN[self.labels] if self.left[chain] >= count)

    def affordable(self, cash: int, most: int) -> Sequence[Buy]:
        """Every affordable purchase of up to `most` shares, including buying nothing."""
        if cash < self.cheapest:
            return _ONLY_NOTHING
        if cash >= most * self.dearest and self.least >= most:
            return all_purchases(self.labels, most)
        purse = min(cash // HUNDRED, _PURSE_MAX)
        prices = [price // HUNDRED for price in self.prices]
        if most == USUAL_PURCHASE_MAX:
            return self._up_to_three(purse, prices)
        return self._up_to(purse, prices, most)

    def _up_to_three(self, purse: int, prices: Sequence[int]) -> list[Buy]:
        """Purchases of up to three shares. Purse and prices are in hundreds, so that money is an index."""
        reach = self.reach()
        labels = self.labels
        if self.least < USUAL_PURCHASE_MAX:
            second_share = self.with_at_least(2)
            third_share = self.with_at_least(3)
            after_one = [_BEHIND[chain] | LABEL[chain] & second_share for chain in range(CHAINS)]
            after_two = [_BEHIND[chain] | LABEL[chain] & third_share for chain in range(CHAINS)]
            carefree = _PURSE_MAX + 1
        else:
            after_one = after_two = list(_FROM)
            carefree = 2 * self.dearest // HUNDRED
        found = [NOTHING]
        found += _SINGLES[reach[purse]]
        pairs = []
        for first in CHAINS_IN[reach[purse]]:
            left = purse - prices[first]
            seconds = reach[left] & after_one[first]
            if seconds:
                found += _PAIRS[first][seconds]
                pairs.append((first, left, seconds))
        for first, left, seconds in pairs:
            if left >= carefree:
                found += _all_triples_from(first, labels)
                continue
            rows = _TRIPLES[first]
            for second in CHAINS_IN[seconds]:
                thirds = reach[left - prices[second]]
                if thirds:
                    found += rows[second][thirds & (after_two if first == second else after_one)[second]]
        return found

    def _up_to(self, purse: int, prices: Sequence[int], most: int) -> list[Buy]:
        """Purchases of up to any number of shares. Purse and prices are in hundreds."""
        reach = self.reach()
        found = [NOTHING]
        beginnings: list[tuple[tuple[int, ...], int]] = [((), purse)]
        for _ in range(most):
            longer: list[tuple[tuple[int, ...], int]] = []
            for chains, money in beginnings:
                longer += [
                    ((*chains, chain), money - prices[chain])
                    for chain in CHAINS_IN[reach[money] & _FROM[chains[-1] if chains else 0]]
                    if chains.count(chain) < self.left[chain]
                ]
            found += [BUY_OF_CHAINS[chains] for chains, _ in longer]
            beginnings = longer
        return found
