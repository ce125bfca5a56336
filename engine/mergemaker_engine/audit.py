"""The auditor: it checks every invariant of a game from scratch, and lists all that are broken.

It recomputes what the rules update step by step, so the two disagree only if one of them is wrong.
"""

from collections.abc import Iterator
from typing import Final

from mergemaker_engine.agenda_audit import agenda_faults
from mergemaker_engine.board import CELL, CHAINS, CHAINS_IN, EMPTY, LABEL, ROW, SQUARE, group
from mergemaker_engine.chains import GIANT_SIZE, SAFE_SIZE, SHARES_PER_CHAIN
from mergemaker_engine.decisions import ChooseFounded, ChooseSurvivor, Decision, SettleNext
from mergemaker_engine.errors import NotationError
from mergemaker_engine.shown import shown
from mergemaker_engine.state import State
from mergemaker_engine.wording import square_name

ASKS_NOTHING: Final = "the game is not over and asks nothing"
"""The only fault of a position in which a step must be carried out before the next question."""

_CASH_UNIT: Final = 100
_ALL_CELLS: Final = sorted(CELL)


def audit(state: State) -> tuple[str, ...]:
    """Everything that is wrong with a game, in words; empty when nothing is."""
    check_state(state)
    return (
        *_tiles(state),
        *_shares(state),
        *_money(state),
        *_chains(state),
        *_groups(state),
        *_agenda(state),
        *_turn(state),
    )


def check_state(state: object) -> None:
    """Refuses anything but a game."""
    if not isinstance(state, State):
        raise NotationError("bad-position", f"a position is a Game, such as Game(rules, seats, deal), not {shown(state)}")


def _tiles(state: State) -> Iterator[str]:
    """Each tile is in exactly one place: board, a hand, the pile, or out of the game (SET-1)."""
    places = {"the board": bytes(cell for cell in CELL if state.board[cell])}
    for seat, hand in enumerate(state.hands):
        places[f"the hand of seat {seat}"] = hand
        if list(hand) != sorted(hand):
            yield f"the hand of seat {seat} is out of order"
    places["the pile"] = state.deal.cells[state.drawn :]
    places["the tiles set aside"] = state.aside
    if sorted(b"".join(places.values())) == _ALL_CELLS:
        return
    for cell in CELL:
        found = [place for place, cells in places.items() for _ in range(cells.count(cell))]
        if len(found) != 1:
            where = ", ".join(found) or "nowhere"
            yield f"tile {square_name(SQUARE[cell])} is in {len(found)} places: {where}"


def _shares(state: State) -> Iterator[str]:
    """There are 25 shares of each chain, and no holding is below zero (SET-2)."""
    seats = state.tables.seats
    for chain, name in enumerate(state.tables.rules.chain_names):
        held = state.shares[chain * seats : (chain + 1) * seats]
        for seat, count in enumerate(held):
            if count < 0:
                yield f"seat {seat} has {count} shares of {name}; 0 are the fewest"
        out, left = sum(held), state.market[chain]
        if out > SHARES_PER_CHAIN:
            yield (
                f"the seats have {out} shares of {name} ({' + '.join(map(str, held))}), and there are {SHARES_PER_CHAIN}: "
                f"take away {out - SHARES_PER_CHAIN}"
            )
        if out + left != SHARES_PER_CHAIN:
            yield f"there are {out + left} shares of {name}, not {SHARES_PER_CHAIN}: the seats have {out}, the market has {left}"


def _money(state: State) -> Iterator[str]:
    """Nobody is in debt, and all money is in hundreds (BUY-3, BON-8)."""
    for seat, cash in enumerate(state.cash):
        if cash < 0 or cash % _CASH_UNIT:
            yield f"seat {seat} has ${cash}"


def _chains(state: State) -> Iterator[str]:
    """Sizes, active and safe chains agree with the board (MRG-3, END-1)."""
    names = state.tables.rules.chain_names
    for chain in range(CHAINS):
        label = LABEL[chain]
        tiles = state.board.count(label)
        if tiles != state.sizes[chain]:
            yield f"{names[chain]} has {tiles} tiles on the board and the size {state.sizes[chain]}"
        if tiles == 1:
            yield f"{names[chain]} is a chain of one tile"
        if bool(state.active & label) != bool(tiles):
            yield f"{names[chain]} has {tiles} tiles, and active is {bool(state.active & label)}"
        if state.prices[chain] != state.tables.prices[chain][tiles]:
            yield f"{names[chain]} has {tiles} tiles and costs ${state.prices[chain]}"
        if bool(state.safe & label) != (tiles >= SAFE_SIZE):
            yield f"{names[chain]} has {tiles} tiles, and safe is {bool(state.safe & label)}"
    if state.giant != (max(state.sizes) >= GIANT_SIZE):
        yield f"the largest chain has {max(state.sizes)} tiles, and giant is {state.giant}"


def _unsettled_cells(state: State) -> set[int]:
    """The tile of a founding or merger that is not settled yet. It may touch chains without belonging to one (MRG-1)."""
    return {CELL[step.square] for step in state.agenda if isinstance(step, ChooseFounded | ChooseSurvivor | SettleNext)}


def _groups(state: State) -> Iterator[str]:
    """Each chain is one connected group that touches no other chain and no independent tile (PLC-4 to PLC-6)."""
    board = state.board
    unsettled = _unsettled_cells(state)
    names = state.tables.rules.chain_names
    for chain in CHAINS_IN[state.active]:
        tiles = board.count(LABEL[chain])
        if tiles and len(group(board, board.index(LABEL[chain]))) != tiles:
            yield f"{names[chain]} is not connected"
    for cell in CELL:
        label = board[cell]
        if not label:
            continue
        for beside in (cell + 1, cell + ROW):
            if board[beside] not in (EMPTY, label) and not unsettled & {cell, beside}:
                pair = f"{square_name(SQUARE[cell])} and {square_name(SQUARE[beside])}"
                yield f"{pair} touch and belong to different chains"


def _agenda(state: State) -> Iterator[str]:
    """A running game asks a question that its turn can reach. A game that is over asks none and has a reason."""
    if state.reason is not None:
        if state.agenda:
            yield "the game is over and goes on"
        return
    if not (state.agenda and isinstance(state.agenda[-1], Decision)):
        yield ASKS_NOTHING
    yield from agenda_faults(state)


def _turn(state: State) -> Iterator[str]:
    """Turns count from 1, an idle round ends the game, and powers are used only if the rules have them (END-4, PWR-1)."""
    if state.turn < 1:
        yield f"it is turn {state.turn}, and the first turn is 1"
    if state.reason is None and state.idle >= state.tables.seats:
        yield f"{state.idle} turns in a row did nothing, and {state.tables.seats} end the game"
    if not state.tables.powers and (state.power_used or any(state.powers_used)):
        yield "a power was used, and these rules have none"
