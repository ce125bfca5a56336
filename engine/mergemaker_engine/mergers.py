"""Mergers: who survives, who is settled next, and how a merger ends (MRG-1 to MRG-5, MRG-9 to MRG-11)."""

from functools import lru_cache
from typing import Final

from mergemaker_engine.actions import NAME_ACQUIRED, NAME_SURVIVOR, Action, NameAcquired, NameSurvivor
from mergemaker_engine.board import CELL, CHAINS_IN, INDEPENDENT, LABEL, SQUARE, spread
from mergemaker_engine.decisions import ChooseAcquired, ChooseDisposal, ChooseSurvivor, SettleNext
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.events import ChainSurvives, HoldingsShown, MergerBegan, MergerEnded
from mergemaker_engine.refusals import wrong_kind
from mergemaker_engine.settlement import pay_bonuses
from mergemaker_engine.state import Log, State, holdings, set_size
from mergemaker_engine.unchecked import Unchecked

_STEPS_KEPT_MAX: Final = 1_024

_choose_disposal: Final = lru_cache(maxsize=_STEPS_KEPT_MAX)(ChooseDisposal)


def largest_of(state: State, chains: tuple[int, ...]) -> tuple[int, ...]:
    """The chains with the most tiles among these (MRG-1, MRG-4)."""
    sizes = state.sizes
    most = max([sizes[chain] for chain in chains])
    return tuple([chain for chain in chains if sizes[chain] == most])


def begin_merger(state: State, cell: int, labels: int, log: Log) -> None:
    """Begins the merger of the chains with these labels. Asks for the survivor if the largest are equal."""
    chains = CHAINS_IN[labels]
    if log is not None:
        log.append(MergerBegan(state.seat, chains))
    largest = largest_of(state, chains)
    if len(largest) > 1:
        state.agenda.append(ChooseSurvivor(state.seat, SQUARE[cell], chains))
    else:
        _survive(state, SQUARE[cell], largest[0], chains, log)


def _survive(state: State, square: int, survivor: int, chains: tuple[int, ...], log: Log) -> None:
    acquired = tuple(chain for chain in chains if chain != survivor)
    if log is not None:
        log.append(ChainSurvives(survivor))
    state.agenda.append(SettleNext(square, survivor, acquired, acquired))


def survivor_options(state: State, step: ChooseSurvivor) -> list[NameSurvivor]:
    """The equal largest chains (MRG-2)."""
    return [NAME_SURVIVOR[chain] for chain in largest_of(state, step.chains)]


def answer_survivor(state: State, step: ChooseSurvivor, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is not NameSurvivor:
        raise wrong_kind(step, action, "MRG-2")
    if action.chain not in largest_of(state, step.chains):
        name = state.tables.rules.chain_names[action.chain]
        raise IllegalAction("not-tied", f"{name} is none of the equal largest chains of this merger", "MRG-2")
    name_survivor(state, step, action.chain, log)


def name_survivor(state: State, step: ChooseSurvivor, chain: int, log: Log) -> None:
    """Makes a chain the survivor."""
    state.agenda.pop()
    _survive(state, step.square, chain, step.chains, log)


def settle_next(state: State, step: SettleNext, log: Log) -> None:
    """Settles the largest waiting chain, asks which one if several are equal, or ends the merger (MRG-4)."""
    if not step.waiting:
        _end_merger(state, step, log)
        return
    largest = largest_of(state, step.waiting)
    if len(largest) > 1:
        state.agenda.append(ChooseAcquired(state.seat, step.survivor))
    else:
        _settle(state, step, largest[0], log)


def _merger_in_hand(state: State) -> SettleNext:
    """The merger that the open question belongs to."""
    step = state.agenda[-2]
    assert isinstance(step, SettleNext), step
    return step


def acquired_options(state: State) -> list[NameAcquired]:
    """The equal largest chains still to be settled (MRG-4)."""
    return [NAME_ACQUIRED[chain] for chain in largest_of(state, _merger_in_hand(state).waiting)]


def answer_acquired(state: State, step: ChooseAcquired, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is not NameAcquired:
        raise wrong_kind(step, action, "MRG-4")
    if action.chain not in largest_of(state, _merger_in_hand(state).waiting):
        name = state.tables.rules.chain_names[action.chain]
        raise IllegalAction("not-tied", f"{name} is none of the equal largest chains still to be settled", "MRG-4")
    name_acquired(state, action.chain, log)


def name_acquired(state: State, chain: int, log: Log) -> None:
    """Settles the named chain next."""
    merger = _merger_in_hand(state)
    state.agenda.pop()
    _settle(state, merger, chain, log)


def _settle(state: State, merger: SettleNext, chain: int, log: Log) -> None:
    """Shows the holdings, pays the bonuses, and asks every holder in seat order, mergemaker first (MRG-5, MRG-11)."""
    held = holdings(state, chain)
    if log is not None:
        log.append(HoldingsShown(chain, tuple(held)))
    waiting = tuple(other for other in merger.waiting if other != chain)
    agenda = state.agenda
    agenda[-1] = SettleNext(merger.square, merger.survivor, merger.acquired, waiting)
    if any(held):
        pay_bonuses(state, chain, log)
        seats = len(held)
        for place in range(seats - 1, -1, -1):
            seat = (state.seat + place) % seats
            if held[seat]:
                agenda.append(_choose_disposal(seat, chain, merger.survivor))


def _end_merger(state: State, merger: SettleNext, log: Log) -> None:
    """Gives the survivor all tiles, the merging tile, and every independent tile now connected (MRG-10)."""
    state.agenda.pop()
    survivor = merger.survivor
    size = state.sizes[survivor]
    joining = INDEPENDENT
    for chain in merger.acquired:
        joining |= LABEL[chain]
        set_size(state, chain, 0)
    size += spread(state.board, CELL[merger.square], LABEL[survivor], joining)
    set_size(state, survivor, size)
    if log is not None:
        log.append(MergerEnded(survivor, size))
