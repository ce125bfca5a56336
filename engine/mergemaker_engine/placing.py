"""Placing a tile. It does nothing, founds, enlarges or merges (PLC-1 to PLC-9, END-2)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from mergemaker_engine.actions import ENOUGH_TILES, PLACE, PLACE_END, STOP, Action, EndPlacing, Place, StopPlay
from mergemaker_engine.board import (
    ALL_CHAINS,
    BOARD_CELLS,
    CELL,
    CHAINS_IN,
    INDEPENDENT,
    LABEL,
    ROW,
    SEVERAL,
    SQUARE,
    is_dead,
    near,
    spread,
    squares_of,
)
from mergemaker_engine.decisions import ChooseFounded, ChooseTile
from mergemaker_engine.drawing import CELL_BYTES
from mergemaker_engine.ending import finish
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.events import ChainGrew, EndDeclared, EndReason, HandShown, PlacingSkipped, TilePlaced
from mergemaker_engine.mergers import begin_merger
from mergemaker_engine.refusals import check_may_declare, name_of_square, wrong_kind
from mergemaker_engine.state import Log, State, end_allowed, set_size
from mergemaker_engine.unchecked import Unchecked

_EVENTS_KEPT_MAX: Final = 4_096

# By cell, for the hot path. Border cells have the action of square 0 and are never looked up.
_PLACE_AT: Final = tuple(PLACE[max(SQUARE[cell], 0)] for cell in range(BOARD_CELLS))

_choose_founded: Final = lru_cache(maxsize=_EVENTS_KEPT_MAX)(ChooseFounded)
_tile_placed: Final = lru_cache(maxsize=_EVENTS_KEPT_MAX)(TilePlaced)
_chain_grew: Final = lru_cache(maxsize=_EVENTS_KEPT_MAX)(ChainGrew)


def announce_skip(state: State, log: Log) -> None:
    """Announces that nothing can be placed this turn, and shows the hand if the rules say so (PLC-9)."""
    if log is None:
        return
    hand = state.hands[state.seat]
    if hand and state.tables.show_hand:
        log.append(HandShown(state.seat, squares_of(hand)))
    log.append(PlacingSkipped(state.seat))


def placeable(state: State) -> list[Place]:
    """The tiles of the hand that can be placed, in order (PLC-7, PLC-8)."""
    hand = state.hands[state.seat]
    safe = state.safe
    full = state.active == ALL_CHAINS
    if not full and not SEVERAL[safe]:
        # With a name left to give, and without two safe chains to join, no tile is unplayable.
        return [_PLACE_AT[cell] for cell in hand]
    board = state.board
    tiles = []
    for cell in hand:
        touched = board[cell - ROW] | board[cell - 1] | board[cell + 1] | board[cell + ROW]
        if touched == INDEPENDENT:
            if full:
                continue
        elif SEVERAL[touched & safe]:
            continue
        tiles.append(_PLACE_AT[cell])
    return tiles


def tile_options(state: State, step: ChooseTile) -> Sequence[Place | StopPlay | EndPlacing]:
    """Every placeable tile; the same with the end declared, if allowed; stop; and enough, under Place four."""
    tiles = placeable(state)
    may_declare = end_allowed(state) and not state.declared
    may_stop = state.tables.may_stop and (may_declare or state.declared)
    if not may_declare and not may_stop and step.number == 1:
        return tiles
    options: list[Place | StopPlay | EndPlacing] = [*tiles]
    if may_declare:
        options += [PLACE_END[tile.square] for tile in tiles]
    if may_stop:
        options.append(STOP)
    if step.number > 1:
        options.append(ENOUGH_TILES)
    return options


def answer_tile(state: State, step: ChooseTile, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is Place:
        cell = CELL[action.square]
        board = state.board
        touched = board[cell - ROW] | board[cell - 1] | board[cell + 1] | board[cell + ROW]
        if cell not in state.hands[step.seat] or touched == INDEPENDENT or touched & state.safe:
            _check_placeable(state, cell, action)
        if action.declare:
            check_may_declare(state)
            declare(state, log)
        place(state, step, cell, touched, log)
    elif type(action) is StopPlay:
        if not state.tables.may_stop:
            raise IllegalAction("cannot-stop", "these rules have no stopping instead of placing a tile", "END-2")
        if not state.declared:
            check_may_declare(state)
        stop(state, log)
    elif type(action) is EndPlacing:
        if step.number == 1:
            raise IllegalAction("must-place", "who can place a tile must place one", "PLC-1")
        state.agenda.pop()
    else:
        raise wrong_kind(step, action, "PLC-1")


def _check_placeable(state: State, cell: int, action: Place) -> None:
    """Refuses a tile that cannot be placed."""
    if cell not in state.hands[state.seat]:
        name = name_of_square(action.square)
        raise IllegalAction("not-your-tile", f"{name} is not among the tiles of seat {state.seat}", "PLC-1")
    touched = near(state.board, cell)
    if touched == INDEPENDENT:
        if state.active == ALL_CHAINS:
            name = name_of_square(action.square)
            raise IllegalAction("eighth-chain", f"{name} would found a chain while all seven are on the board", "PLC-8")
    elif is_dead(touched, state.safe):
        raise IllegalAction("dead-tile", f"{name_of_square(action.square)} would join two safe chains", "PLC-7")


def declare(state: State, log: Log) -> None:
    """Announces that the game ends with this turn (END-2)."""
    state.declared = True
    if log is not None:
        log.append(EndDeclared(state.seat))


def stop(state: State, log: Log) -> None:
    """Ends the game at once: nothing more is placed, bought, drawn or exchanged (END-2)."""
    if not state.declared:
        declare(state, log)
    finish(state, EndReason.DECLARED, log)


def place(state: State, step: ChooseTile, cell: int, touched: int, log: Log) -> None:
    """Places a tile, which must be placeable; `touched` is what it touches."""
    seat = step.seat
    hands = state.hands
    hands[seat] = hands[seat].replace(CELL_BYTES[cell], b"")
    state.moved = True
    agenda = state.agenda
    if step.number < step.most:
        agenda[-1] = ChooseTile(seat, step.number + 1, step.most)
    else:
        agenda.pop()
    if log is not None:
        log.append(_tile_placed(seat, SQUARE[cell]))
    board = state.board
    chains = touched & ALL_CHAINS
    if not touched:
        board[cell] = INDEPENDENT
    elif not chains:
        board[cell] = INDEPENDENT
        agenda.append(_choose_founded(seat, SQUARE[cell]))
    elif SEVERAL[chains]:
        board[cell] = INDEPENDENT
        begin_merger(state, cell, chains, log)
    else:
        _grow(state, cell, touched, log)


def _grow(state: State, cell: int, touched: int, log: Log) -> None:
    """Adds a tile and every independent tile now connected to the one chain it touches (PLC-5)."""
    chain = CHAINS_IN[touched][0]
    size = state.sizes[chain]
    if touched & INDEPENDENT:
        size += spread(state.board, cell, LABEL[chain])
    else:
        state.board[cell] = LABEL[chain]
        size += 1
    set_size(state, chain, size)
    if log is not None:
        log.append(_chain_grew(chain, size))
