"""The special powers (PWR-1 to PWR-7). Placing four and the purchases' terms are in `placing` and `buying`."""

from typing import Final, assert_never

from mergemaker_engine.actions import (
    ENOUGH_SWAPS,
    NO_POWER,
    POWERS,
    TRADE_PAIRS,
    USE_POWER,
    Action,
    EndTrading,
    Power,
    TradePair,
    UsePower,
)
from mergemaker_engine.board import CHAINS_IN, LABEL
from mergemaker_engine.buying import can_buy_any, can_take_any
from mergemaker_engine.decisions import (
    ChoosePairTrade,
    ChoosePower,
    ChoosePurchase,
    ChooseTile,
    PowerPhase,
    PurchaseTerms,
)
from mergemaker_engine.drawing import any_placeable, draw
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.events import PairTraded, PowerUsed
from mergemaker_engine.refusals import wrong_kind
from mergemaker_engine.state import Log, State, holding, pile_size
from mergemaker_engine.unchecked import Unchecked

TILES_TAKEN: Final = 5
TILES_PLACED_MAX: Final = 4
PAIR_TRADES_MAX: Final = 3

_PHASE_OF: Final = {
    Power.TAKE_FIVE: PowerPhase.START,
    Power.PLACE_FOUR: PowerPhase.PLACING,
    Power.THREE_FREE: PowerPhase.BUYING,
    Power.BUY_FIVE: PowerPhase.BUYING,
    Power.TRADE_TWO: PowerPhase.BUYING,
}


def _is_used(state: State, seat: int, power: Power) -> bool:
    return bool(state.powers_used[seat] >> POWERS.index(power) & 1)


def _does_something(state: State, seat: int, power: Power) -> bool:
    """Whether a power can do anything now (PWR-7)."""
    match power:
        case Power.TAKE_FIVE:
            return pile_size(state) > 0
        case Power.PLACE_FOUR:
            return any_placeable(state)
        case Power.THREE_FREE:
            return can_take_any(state)
        case Power.BUY_FIVE:
            return can_buy_any(state, seat)
        case Power.TRADE_TWO:
            return bool(_pair_trades(state, seat))
        case _:
            assert_never(power)


def _offered(state: State, step: ChoosePower) -> list[Power]:
    if state.power_used:
        return []
    return [
        power
        for power, phase in _PHASE_OF.items()
        if phase is step.phase and not _is_used(state, step.seat, power) and _does_something(state, step.seat, power)
    ]


def power_arises(state: State, step: ChoosePower) -> bool:
    """Whether a power of this phase can be used (PWR-1, PWR-7)."""
    return bool(_offered(state, step))


def power_options(state: State, step: ChoosePower) -> list[UsePower]:
    """Use none, or one of the powers that can be used now."""
    return [NO_POWER, *(USE_POWER[POWERS.index(power)] for power in _offered(state, step))]


def answer_power(state: State, step: ChoosePower, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is not UsePower:
        raise wrong_kind(step, action, "PWR-1")
    power = action.power
    if power is not None:
        if _PHASE_OF[power] is not step.phase:
            raise IllegalAction("wrong-phase", f"{power} belongs to the phase {_PHASE_OF[power]}, not {step.phase}", "PWR-1")
        if _is_used(state, step.seat, power):
            raise IllegalAction("power-used", f"seat {step.seat} has used {power} already", "PWR-1")
        if not _does_something(state, step.seat, power):
            raise IllegalAction("power-idle", f"{power} could do nothing now", "PWR-7")
    use_power(state, step, power, log)


def use_power(state: State, step: ChoosePower, power: Power | None, log: Log) -> None:
    """Uses a power: marks it as used, and puts what it changes on the agenda."""
    agenda = state.agenda
    agenda.pop()
    if power is None:
        return
    seat = step.seat
    state.powers_used[seat] |= 1 << POWERS.index(power)
    state.power_used = True
    state.moved = True
    if log is not None:
        log.append(PowerUsed(seat, power))
    match power:
        case Power.TAKE_FIVE:
            draw(state, seat, TILES_TAKEN, log)
        case Power.PLACE_FOUR:
            agenda[-1] = ChooseTile(seat, 1, TILES_PLACED_MAX)
        case Power.THREE_FREE:
            agenda[-1] = ChoosePurchase(seat, PurchaseTerms.THREE_FREE)
        case Power.BUY_FIVE:
            agenda[-1] = ChoosePurchase(seat, PurchaseTerms.BUY_FIVE)
        case Power.TRADE_TWO:
            agenda.append(ChoosePairTrade(seat, 1))
        case _:
            assert_never(power)


def _pair_trades(state: State, seat: int) -> list[TradePair]:
    """Every trade of two shares of an active chain for one of another that the market has (PWR-4)."""
    active = CHAINS_IN[state.active]
    give = {chain for chain in active if holding(state, seat, chain) > 1}
    take = {chain for chain in active if state.market[chain]}
    if not give or not take:
        return []
    return [trade for trade in TRADE_PAIRS if trade.give in give and trade.take in take]


def pair_trade_arises(state: State, step: ChoosePairTrade) -> bool:
    """Whether there is a possible trade."""
    return bool(_pair_trades(state, step.seat))


def pair_trade_options(state: State, step: ChoosePairTrade) -> list[TradePair | EndTrading]:
    """Every possible trade; from the second trade on, also enough."""
    trades: list[TradePair | EndTrading] = [*_pair_trades(state, step.seat)]
    if step.number > 1:
        trades.append(ENOUGH_SWAPS)
    return trades


def answer_pair_trade(state: State, step: ChoosePairTrade, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is EndTrading:
        if step.number == 1:
            raise IllegalAction("must-trade", "Trade two makes at least one trade", "PWR-4")
        state.agenda.pop()
        return
    if type(action) is not TradePair:
        raise wrong_kind(step, action, "PWR-4")
    names = state.tables.rules.chain_names
    for chain in (action.give, action.take):
        if not state.active & LABEL[chain]:
            raise IllegalAction("chain-inactive", f"{names[chain]} is not on the board", "PWR-4")
    held = holding(state, step.seat, action.give)
    if held < 2:
        raise IllegalAction("too-many-shares", f"seat {step.seat} has {held} of {names[action.give]}, and gives 2", "PWR-4")
    if not state.market[action.take]:
        raise IllegalAction("market-short", f"the market has no share of {names[action.take]}", "PWR-4")
    trade_pair(state, step, action, log)


def trade_pair(state: State, step: ChoosePairTrade, action: TradePair, log: Log) -> None:
    """Moves the pair to the market, and one share from it."""
    seats = state.tables.seats
    state.market[action.give] += 2
    state.shares[action.give * seats + step.seat] -= 2
    state.market[action.take] -= 1
    state.shares[action.take * seats + step.seat] += 1
    if step.number < PAIR_TRADES_MAX:
        state.agenda[-1] = ChoosePairTrade(step.seat, step.number + 1)
    else:
        state.agenda.pop()
    if log is not None:
        log.append(PairTraded(step.seat, action.give, action.take))


def used_powers(state: State, seat: int) -> tuple[Power, ...]:
    """The powers that a seat has used."""
    return tuple(power for power in POWERS if _is_used(state, seat, power))
