"""Founding a chain and the founder's reward (FND-1 to FND-4)."""

from mergemaker_engine.actions import NAME_FOUNDED, Action, NameFounded
from mergemaker_engine.board import ALL_CHAINS, CELL, CHAINS_IN, LABEL, spread
from mergemaker_engine.decisions import ChooseFounded
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.events import ChainFounded, FounderRewarded
from mergemaker_engine.refusals import wrong_kind
from mergemaker_engine.state import Log, State, set_size
from mergemaker_engine.unchecked import Unchecked


def founded_options(state: State) -> list[NameFounded]:
    """Every chain that is not on the board (FND-1)."""
    return [NAME_FOUNDED[chain] for chain in CHAINS_IN[ALL_CHAINS & ~state.active]]


def answer_founded(state: State, step: ChooseFounded, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is not NameFounded:
        raise wrong_kind(step, action, "FND-1")
    chain = action.chain
    if state.active & LABEL[chain]:
        name = state.tables.rules.chain_names[chain]
        raise IllegalAction("chain-active", f"{name} is on the board already", "FND-1")
    found(state, step, chain, log)


def found(state: State, step: ChooseFounded, chain: int, log: Log) -> None:
    """Makes a chain of the founding tile and all tiles connected to it, and rewards the founder."""
    state.agenda.pop()
    size = spread(state.board, CELL[step.square], LABEL[chain])
    set_size(state, chain, size)
    shares, cash = _reward(state, step.seat, chain)
    if log is not None:
        log.append(ChainFounded(step.seat, chain, size))
        log.append(FounderRewarded(step.seat, chain, shares, cash))


def _reward(state: State, seat: int, chain: int) -> tuple[int, int]:
    """Gives the founder one free share, or what the rules give instead. Returns shares and cash (FND-2)."""
    if state.market[chain]:
        state.market[chain] -= 1
        state.shares[chain * state.tables.seats + seat] += 1
        return 1, 0
    if state.tables.founder_cash:
        price = state.prices[chain]
        state.cash[seat] += price
        return 0, price
    return 0, 0
