"""The purchase, on each of three terms (BUY-1 to BUY-3, PWR-2, PWR-3, END-5)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from mergemaker_engine.actions import (
    BUY_CODE,
    BUY_END,
    LARGE_BUY_CODE,
    LARGEST_PURCHASE,
    USUAL_PURCHASE_MAX,
    USUAL_PURCHASES,
    Action,
    Buy,
)
from mergemaker_engine.board import CHAINS_IN, LABEL
from mergemaker_engine.decisions import ChoosePurchase, PurchaseTerms
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.events import SharesBought
from mergemaker_engine.placing import declare
from mergemaker_engine.purchases import ALL_USUAL, Shop
from mergemaker_engine.refusals import check_may_declare, wrong_kind
from mergemaker_engine.state import Log, State, end_allowed
from mergemaker_engine.unchecked import Unchecked

_EVENTS_KEPT_MAX: Final = 16_384

_LIMIT_RULE: Final = {
    PurchaseTerms.USUAL: "BUY-1",
    PurchaseTerms.BUY_FIVE: "PWR-3",
    PurchaseTerms.THREE_FREE: "PWR-2",
}
_shares_bought: Final = lru_cache(maxsize=_EVENTS_KEPT_MAX)(SharesBought)


def purchase_max(terms: PurchaseTerms) -> int:
    """The most shares that can be bought on these terms (BUY-1, PWR-2, PWR-3)."""
    return LARGEST_PURCHASE if terms is PurchaseTerms.BUY_FIVE else USUAL_PURCHASE_MAX


def shop(state: State) -> Shop:
    """What is for sale now."""
    return Shop(state.active, state.market, state.prices)


def purchases(state: State, step: ChoosePurchase) -> Sequence[Buy]:
    """Every possible purchase without declaring the end."""
    if step.terms is PurchaseTerms.THREE_FREE:
        goods = shop(state)
        return goods.affordable(USUAL_PURCHASE_MAX * goods.dearest, USUAL_PURCHASE_MAX)[1:]
    if step.terms is PurchaseTerms.BUY_FIVE:
        return shop(state).affordable(state.cash[step.seat], LARGEST_PURCHASE)
    return usual_purchases(state, step.seat)


def usual_purchases(state: State, seat: int) -> Sequence[Buy]:
    """Every purchase of up to three shares that a seat can make (BUY-1)."""
    cash = state.cash[seat]
    # Two quick checks of all chains find the usual case. The shop checks the chains on the board.
    if cash >= USUAL_PURCHASE_MAX * max(state.prices) and min(state.market) >= USUAL_PURCHASE_MAX:
        return ALL_USUAL[state.active]
    return shop(state).affordable(cash, USUAL_PURCHASE_MAX)


def purchase_options(state: State, step: ChoosePurchase) -> Sequence[Buy]:
    """Every possible purchase, and the same with the end declared, if allowed (END-5)."""
    plain = purchases(state, step)
    if state.declared or not end_allowed(state):
        return plain
    return with_declaration(plain)


def only_nothing(state: State, step: ChoosePurchase) -> bool:
    """Whether buying nothing is the only usual purchase, found without listing purchases."""
    if end_allowed(state) and not state.declared:
        return False
    cash = state.cash[step.seat]
    return all(state.prices[chain] > cash or not state.market[chain] for chain in CHAINS_IN[state.active])


def with_declaration(plain: Sequence[Buy]) -> list[Buy]:
    """These purchases, and the same with the end declared, in the order of their codes."""
    usual = [purchase for purchase in plain if purchase.code < LARGE_BUY_CODE]
    large = plain[len(usual) :]
    return [
        *usual,
        *(BUY_END[purchase.code - BUY_CODE] for purchase in usual),
        *large,
        *(BUY_END[purchase.code - LARGE_BUY_CODE + USUAL_PURCHASES] for purchase in large),
    ]


def answer_purchase(state: State, step: ChoosePurchase, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is not Buy:
        raise wrong_kind(step, action, "BUY-1")
    cost = 0
    if action.count:
        cost = _checked_cost(state, step, action)
    elif step.terms is PurchaseTerms.THREE_FREE:
        raise IllegalAction("too-few-shares", "Three free takes at least one share", "PWR-2")
    if action.declare:
        check_may_declare(state)
        declare(state, log)
    buy(state, step, action, cost, log)


def _checked_cost(state: State, step: ChoosePurchase, action: Buy) -> int:
    """Refuses a purchase that terms, market or cash do not allow. Returns its cost."""
    most = purchase_max(step.terms)
    if action.count > most:
        rule = _LIMIT_RULE[step.terms]
        raise IllegalAction("too-many-shares", f"a purchase is of {most} shares at most, not {action.count}", rule)
    cost = 0
    names = state.tables.rules.chain_names
    for chain, count in action.parts:
        if not state.active & LABEL[chain]:
            raise IllegalAction("chain-inactive", f"{names[chain]} is not on the board", "BUY-1")
        left = state.market[chain]
        if count > left:
            raise IllegalAction("market-short", f"the market has {left} of {names[chain]}, not {count}", "BUY-1")
        cost += count * state.prices[chain]
    if step.terms is PurchaseTerms.THREE_FREE:
        return 0
    if cost > state.cash[step.seat]:
        raise IllegalAction("no-money", f"this costs ${cost}, and seat {step.seat} has ${state.cash[step.seat]}", "BUY-3")
    return cost


def buy(state: State, step: ChoosePurchase, action: Buy, cost: int, log: Log) -> None:
    """Moves shares and money."""
    state.agenda.pop()
    if action.count:
        state.moved = True
        seat, seats = step.seat, state.tables.seats
        cash, market, shares = state.cash, state.market, state.shares
        # Not `-=` and `+=`: for these, compiled code makes objects of both numbers.
        cash[seat] = cash[seat] - cost
        for chain, count in action.parts:
            held = chain * seats + seat
            market[chain] = market[chain] - count
            shares[held] = shares[held] + count
    if log is not None:
        log.append(_shares_bought(step.seat, action.shares, cost))


def can_buy_any(state: State, seat: int) -> bool:
    """Whether a seat can buy any share (PWR-7)."""
    return len(shop(state).affordable(state.cash[seat], 1)) > 1


def can_take_any(state: State) -> bool:
    """Whether the market has a share of an active chain (PWR-7)."""
    return shop(state).labels != 0
