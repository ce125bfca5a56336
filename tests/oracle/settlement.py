"""Paying the bonuses of one chain, at a merger (MRG-5) and at the end (END-3)."""

from .board import column_of
from .money import MARKET, bonuses
from .table import Table


def pay_bonuses(table: Table, chain: str, price: int) -> None:
    """Draw for the market if it counts as a holder, then pay by ascending seat."""
    holdings = {seat: table.shares[seat][chain] for seat in range(table.seats)}
    if sum(holdings.values()) == 0:  # BON-3; TWO-6: no draw, either
        return
    if table.rules.two_player_market and table.seats == 2:  # TWO-6
        holdings[MARKET] = _market_holding(table, chain)
    paid = bonuses(holdings, price, table.rules.bonus_chart)
    for seat in range(table.seats):  # TWO-2: the market's own part stays in the bank
        if seat in paid:
            table.cash[seat] += paid[seat]
            table.say("BonusPaid", seat=seat, chain=chain, amount=paid[seat])


def _market_holding(table: Table, chain: str) -> int:
    if not table.pile:  # TWO-4: also announced, and uses no number
        table.say("MarketDrew", chain=chain, square=None, shares=0)
        return 0
    # TWO-1, TWO-5: the tile goes back, and the pile keeps its order.
    square = table.draw_market(table.market_draws, tuple(table.pile))
    table.market_draws += 1
    table.say("MarketDrew", chain=chain, square=square, shares=column_of(square))
    return column_of(square)
