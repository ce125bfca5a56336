"""The value of a view's stock to its seat: the numbers that `GREEDY.md` defines, and nothing that a view hides.

All are whole numbers. Negative numbers are never divided, so rounding down is the same in every language.
"""

from typing import Final

from mergemaker_engine.board import CHAINS
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.tables import tables_for
from mergemaker_engine.views import View

from mergemaker_client.holdings import shown_tops, tops_of_others

BONUS_SHARES: Final = 15
"""The combined worth of the first and the second bonus, in shares."""
DOUBT: Final = 16
"""Shares, squared, that nobody has yet and that may still take a lead away."""


def bonus_now(price: int, held: int, first: int, second: int) -> int:
    """The bonus for a holding if bonuses were paid now, given the two largest of the others.

    By the two-holder card, and without rounding up.
    """
    if held == 0 or held < second:
        return 0
    if first == 0:
        return 15 * price
    if held > first:
        return 10 * price
    if held == first:
        return 5 * price if held == second else 15 * price // 2
    return 5 * price // 2 if held == second else 5 * price


def hoped_bonus(price: int, held: int, first: int, second: int) -> int:
    """The mean of a holding's bonus if paid now, and its part by the squares of the holdings."""
    squares = held * held + first * first + second * second
    part = BONUS_SHARES * price * held * held // (squares + DOUBT)
    return (part + bonus_now(price, held, first, second)) // 2


def rival_bonus(price: int, held: int, first: int, second: int) -> int:
    """The same for all others together."""
    others = first * first + second * second
    part = BONUS_SHARES * price * others // (held * held + others + DOUBT)
    paid = BONUS_SHARES * price if held or first else 0
    return (part + paid - bonus_now(price, held, first, second)) // 2


class Worth:
    """A view in the terms of `GREEDY.md`."""

    __slots__ = ("_prices_by_size", "cash", "first", "market", "mine", "pile", "prices", "rest", "rivals", "second", "sizes")

    def __init__(self, view: View) -> None:
        seat = view.seat
        assert seat is not None, "only a seat is asked"
        cash, mine = view.cash[seat], view.shares[seat]
        assert cash is not None, "a seat's own cash is never hidden"
        assert mine is not None, "a seat's own shares are never hidden"
        self.cash: Final = cash
        self.mine: Final = mine
        self.rivals: Final = view.seats - 1
        self.prices: Final = view.prices
        self.sizes: Final = view.sizes
        self.market: Final = view.market
        self.pile: Final = view.pile
        self._prices_by_size: Final = tables_for(view.rules, view.seats).prices
        self.rest: Final = tuple([SHARES_PER_CHAIN - view.market[chain] - mine[chain] for chain in range(CHAINS)])
        """By chain: the shares of all others together."""
        tops = tops_of_others(view, seat)
        self.first: Final = tuple([first for first, _ in tops])
        """By chain: the largest holding of another."""
        self.second: Final = tuple([second for _, second in tops])

    def price_at(self, chain: int, size: int) -> int:
        """The price of a chain's share at a size."""
        return self._prices_by_size[chain][size]

    def standing(self, chain: int, size: int) -> tuple[int, ...]:
        """All that the value of a chain of this size rests on: equal for chains that are worth the same."""
        price = self._prices_by_size[chain][size]
        return price, self.market[chain], self.mine[chain], self.first[chain], self.second[chain]

    def own(self, chain: int, price: int, held: int) -> int:
        """The value of this many shares of a chain to this seat at a price."""
        return price * held + hoped_bonus(price, held, self.first[chain], self.second[chain])

    def bought(self, chain: int, count: int) -> int:
        """The value added to the seat's shares of a chain by this many more; fewer, if it is negative."""
        price, held = self.prices[chain], self.mine[chain]
        return self.own(chain, price, held + count) - self.own(chain, price, held)

    def lead(self, chain: int, price: int, held: int) -> int:
        """Their value times the number of rivals, less the value of all rivals' shares to the rivals."""
        against = price * self.rest[chain] + rival_bonus(price, held, self.first[chain], self.second[chain])
        return self.rivals * self.own(chain, price, held) - against

    def lead_now(self, chain: int) -> int:
        """The same for the current holding at today's price."""
        return self.lead(chain, self.prices[chain], self.mine[chain])

    def paid_lead(self, chain: int) -> int:
        """The same if the bonuses are paid and all shares are sold now."""
        price, held, rest = self.prices[chain], self.mine[chain], self.rest[chain]
        bonus = bonus_now(price, held, self.first[chain], self.second[chain])
        paid = BONUS_SHARES * price if held + rest else 0
        return self.rivals * (price * held + bonus) - (price * rest + paid - bonus)

    def closing(self, chain: int, held: int) -> int:
        """The proceeds of this many shares of a chain if the game ended now."""
        price = self.prices[chain]
        return price * held + bonus_now(price, held, self.first[chain], self.second[chain])


def is_ahead(view: View, worth: Worth) -> bool:
    """Whether nobody would have more money than the view's seat if the game ended now, as far as the view shows."""
    cash = [amount for amount in view.cash if amount is not None]
    shares = [held for held in view.shares if held is not None]
    if len(shares) < view.seats:
        return _seems_ahead(view, worth)
    totals = []
    for seat in range(view.seats):
        tops = shown_tops(shares[:seat] + shares[seat + 1 :])
        prices = view.prices
        stock = [prices[c] * shares[seat][c] + bonus_now(prices[c], shares[seat][c], *tops[c]) for c in range(CHAINS)]
        totals.append(cash[seat] + sum(stock))
    assert view.seat is not None, "only a seat is asked"
    return totals[view.seat] == max(totals)


def _seems_ahead(view: View, worth: Worth) -> bool:
    """With hidden holdings: whether the seat's stock would bring a fifth more than an equal part of all."""
    mine = everything = 0
    for chain in range(CHAINS):
        out = worth.mine[chain] + worth.rest[chain]
        mine += worth.closing(chain, worth.mine[chain])
        if out:
            everything += worth.prices[chain] * (out + BONUS_SHARES)
    return mine * view.seats * 5 >= everything * 6
