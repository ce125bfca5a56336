"""The order of a game: set-up, turns, and the agenda (SET-3 to SET-5, TRN-1, END-4).

The agenda runs until somebody must be asked.
"""

from functools import lru_cache
from typing import Final

from mergemaker_engine.board import INDEPENDENT, NUMBERS, SEVERAL, SQUARE, squares_of
from mergemaker_engine.decisions import SURELY_ASKED, ChooseTile, DrawTiles, PassTurn
from mergemaker_engine.drawing import (
    HAND_SIZE,
    any_placeable,
    draw,
    fill_hand,
)
from mergemaker_engine.ending import finish
from mergemaker_engine.events import EndReason, StartTilePlaced, TurnBegan
from mergemaker_engine.placing import announce_skip
from mergemaker_engine.rarer import arises
from mergemaker_engine.rules import StartOrder
from mergemaker_engine.state import Log, State

_EVENTS_KEPT_MAX: Final = 4_096

_turn_began: Final = lru_cache(maxsize=_EVENTS_KEPT_MAX)(TurnBegan)


def start_key(order: StartOrder, square: int) -> tuple[int, int]:
    """The rank of a start tile; the lowest plays first (SET-3)."""
    letter, number = divmod(square, NUMBERS)
    return (letter, number) if order is StartOrder.LETTER_FIRST else (number, letter)


def set_up(state: State, log: Log) -> None:
    """Lays the start tiles, deals the hands, and begins the first turn (SET-3, SET-5)."""
    seats = state.tables.seats
    starts = state.deal.cells[:seats]
    state.drawn = seats
    for seat, cell in enumerate(starts):
        state.board[cell] = INDEPENDENT
        if log is not None:
            log.append(StartTilePlaced(seat, SQUARE[cell]))
    for seat in range(seats):
        draw(state, seat, HAND_SIZE, log)
    order = state.tables.rules.start_order
    squares = squares_of(starts)
    first = min(range(seats), key=lambda seat: start_key(order, squares[seat]))
    begin_turn(state, first, log)
    advance(state, log)


def begin_turn(state: State, seat: int, log: Log) -> None:
    """Begins a seat's turn: its steps become the agenda (TRN-1)."""
    state.seat = seat
    state.turn += 1
    state.declared = False
    state.power_used = False
    state.moved = False
    state.agenda = list(state.tables.turns[seat])
    if log is not None:
        log.append(_turn_began(seat, state.turn))


def _pass_turn(state: State, log: Log) -> None:
    """Ends the turn. Ends the game, too, if the end was declared or nothing happened in a whole round (END-2, END-4)."""
    state.idle = 0 if state.moved else state.idle + 1
    if state.declared:
        finish(state, EndReason.DECLARED, log)
    elif state.idle >= state.tables.seats:
        finish(state, EndReason.STUCK, log)
    else:
        begin_turn(state, (state.seat + 1) % state.tables.seats, log)


def advance(state: State, log: Log) -> None:
    """Carries out what needs no answer, until a decision is on top of the agenda or the game is over."""
    while state.agenda:
        step = state.agenda[-1]
        kind = type(step)
        if kind in SURELY_ASKED:
            return
        if kind is DrawTiles:
            fill_hand(state, log)
            if SEVERAL[state.safe]:
                state.agenda.pop()
            else:
                # Without two safe chains no tile is dead, so there is nothing to exchange (DRW-2).
                _pass_turn(state, log)
        elif type(step) is ChooseTile:
            if any_placeable(state):
                return
            state.agenda.pop()
            if step.number == 1:
                announce_skip(state, log)
        elif kind is PassTurn:
            _pass_turn(state, log)
        elif arises(state, step, log):
            return
