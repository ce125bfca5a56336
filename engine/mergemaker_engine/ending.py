"""The end of the game: last bonuses, sale of all stock, places (END-3 to END-6)."""

from collections.abc import Sequence

from mergemaker_engine.board import CHAINS, CHAINS_IN
from mergemaker_engine.events import AssetsShown, EndReason, GameEnded, ResultReached, SharesSold
from mergemaker_engine.settlement import pay_bonuses
from mergemaker_engine.state import Log, State, holdings


def places_of(cash: Sequence[int]) -> tuple[int, ...]:
    """Each seat's place by money: 1 is best, and seats with equal money share a place (END-3)."""
    return tuple(1 + sum(other > money for other in cash) for money in cash)


def finish(state: State, reason: EndReason, log: Log) -> None:
    """Ends the game: shows everything, pays bonuses, sells all stock of active chains (END-3, END-6)."""
    state.agenda.clear()
    state.reason = reason
    seats = state.tables.seats
    if log is not None:
        log.append(GameEnded(reason))
        for seat in range(seats):
            shares = tuple(state.shares[chain * seats + seat] for chain in range(CHAINS))
            log.append(AssetsShown(seat, state.cash[seat], shares))
    for chain in CHAINS_IN[state.active]:
        held = holdings(state, chain)
        if any(held):
            pay_bonuses(state, chain, log)
            _sell_all(state, chain, held, log)
    if log is not None:
        log.append(ResultReached(tuple(state.cash), places_of(state.cash)))


def _sell_all(state: State, chain: int, held: Sequence[int], log: Log) -> None:
    price = state.prices[chain]
    for seat, count in enumerate(held):
        if count:
            state.cash[seat] += count * price
            state.shares[chain * len(held) + seat] = 0
            state.market[chain] += count
            if log is not None:
                log.append(SharesSold(seat, chain, count, count * price))
