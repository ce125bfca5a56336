"""Disposing of shares of an acquired chain: keep, sell, trade (MRG-6 to MRG-8)."""

from functools import lru_cache
from typing import Final

from mergemaker_engine.actions import DISPOSALS, Action, Dispose
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.decisions import ChooseDisposal
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.events import StockDisposed
from mergemaker_engine.refusals import wrong_kind
from mergemaker_engine.state import Log, State, holding
from mergemaker_engine.unchecked import Unchecked

_LISTS_MAX: Final = (SHARES_PER_CHAIN + 1) * (SHARES_PER_CHAIN // 2 + 1)


@lru_cache(maxsize=_LISTS_MAX)
def disposals(held: int, pairs: int) -> tuple[Dispose, ...]:
    """Every disposal of `held` shares with at most `pairs` trades."""
    return tuple(disposal for disposal in DISPOSALS if disposal.sell + disposal.trade <= held and disposal.trade // 2 <= pairs)


def disposal_options(state: State, step: ChooseDisposal) -> tuple[Dispose, ...]:
    """Every mix of keep, sell and trade that the holding and the survivor's market allow (MRG-6, MRG-8)."""
    held = holding(state, step.seat, step.acquired)
    return disposals(held, min(held // 2, state.market[step.survivor]))


def answer_disposal(state: State, step: ChooseDisposal, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is not Dispose:
        raise wrong_kind(step, action, "MRG-6")
    held = holding(state, step.seat, step.acquired)
    names = state.tables.rules.chain_names
    if action.sell + action.trade > held:
        raise IllegalAction(
            "too-many-shares",
            f"seat {step.seat} has {held} of {names[step.acquired]}, not {action.sell + action.trade}",
            "MRG-6",
        )
    left = state.market[step.survivor]
    if action.trade // 2 > left:
        raise IllegalAction("market-short", f"the market has {left} of {names[step.survivor]}, not {action.trade // 2}", "MRG-8")
    dispose(state, step, action, log)


def dispose(state: State, step: ChooseDisposal, action: Dispose, log: Log) -> None:
    """Moves shares and money. Shares given up are back in the market before the next holder decides (MRG-8)."""
    state.agenda.pop()
    seat, acquired, survivor = step.seat, step.acquired, step.survivor
    seats = state.tables.seats
    given = action.sell + action.trade
    received = action.trade // 2
    income = action.sell * state.prices[acquired]
    shares, market, cash = state.shares, state.market, state.cash
    left, taken = acquired * seats + seat, survivor * seats + seat
    # Not `-=` and `+=`: for these, compiled code makes objects of both numbers.
    shares[left] = shares[left] - given
    shares[taken] = shares[taken] + received
    market[acquired] = market[acquired] + given
    market[survivor] = market[survivor] - received
    cash[seat] = cash[seat] + income
    if log is not None:
        kept = holding(state, seat, acquired)
        log.append(StockDisposed(seat, acquired, kept, action.sell, action.trade, income, received))
