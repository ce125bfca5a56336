"""Paying the bonuses of a chain, in a merger and at the end, with the market as a stockholder (MRG-5, BON, TWO)."""

from mergemaker_engine.board import SQUARE, number_of
from mergemaker_engine.bonuses import share_out, share_out_with_market
from mergemaker_engine.events import BonusPaid, MarketDrew
from mergemaker_engine.state import Log, State, holdings, pile_size


def draw_for_market(state: State, chain: int, log: Log) -> int:
    """Draws the tile that says how many shares the market holds. The pile does not change (TWO-1, TWO-4, TWO-5)."""
    left = pile_size(state)
    square: int | None = None
    shares = 0
    if left:
        index = state.deal.market_index(state.market_draws, left)
        state.market_draws += 1
        square = SQUARE[state.deal.cells[state.drawn + index]]
        shares = number_of(square)
    if log is not None:
        log.append(MarketDrew(chain, square, shares))
    return shares


def pay_bonuses(state: State, chain: int, log: Log) -> None:
    """Pays the bonuses of a chain with at least one holder, by its present size (MRG-7, BON-3)."""
    held = holdings(state, chain)
    places = state.tables.places[state.prices[chain]]
    if state.tables.market_plays:
        paid = share_out_with_market(places, held, draw_for_market(state, chain, log))
    else:
        paid = share_out(places, held)
    for seat, amount in enumerate(paid):
        if amount:
            state.cash[seat] += amount
            if log is not None:
                log.append(BonusPaid(seat, chain, amount))
