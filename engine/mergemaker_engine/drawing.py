"""Drawing tiles, and exchanging tiles that cannot be placed (DRW-1 to DRW-3, PLC-9)."""

from bisect import bisect
from functools import lru_cache
from typing import Final

from mergemaker_engine.actions import EXCHANGE_DEAD, KEEP_DEAD, Action, Exchange
from mergemaker_engine.board import ALL_CHAINS, BESIDE, BOARD_CELLS, INDEPENDENT, ROW, SEVERAL, SQUARE, is_dead, near, squares_of
from mergemaker_engine.decisions import ChooseExchange
from mergemaker_engine.events import HandShown, TilesDrawn, TilesReceived, TilesSetAside
from mergemaker_engine.refusals import wrong_kind
from mergemaker_engine.state import Log, State, pile_size
from mergemaker_engine.unchecked import Unchecked

HAND_SIZE: Final = 6

_EVENTS_KEPT_MAX: Final = 4_096

_tiles_drawn: Final = lru_cache(maxsize=_EVENTS_KEPT_MAX)(TilesDrawn)


@lru_cache(maxsize=_EVENTS_KEPT_MAX)
def _tile_received(seat: int, square: int) -> TilesReceived:
    return TilesReceived(seat, (square,))


# A single cell as bytes, made once: hands change one cell at a time.
CELL_BYTES: Final = tuple(bytes((cell,)) for cell in range(BOARD_CELLS))


def any_placeable(state: State) -> bool:
    """Whether the player in turn can place any tile."""
    hand = state.hands[state.seat]
    safe = state.safe
    full = state.active == ALL_CHAINS
    if not full and not SEVERAL[safe]:
        return bool(hand)  # as in `placeable`
    board = state.board
    for cell in hand:
        touched = board[cell - ROW] | board[cell - 1] | board[cell + 1] | board[cell + ROW]
        if touched == INDEPENDENT:
            if not full:
                return True
        elif not SEVERAL[touched & safe]:
            return True
    return False


def dead_tiles(state: State, seat: int) -> bytes:
    """The dead tiles of a hand (PLC-7). Tiles that would found an eighth chain are not dead (DRW-3)."""
    if not has_dead_tile(state, seat):
        return b""
    return bytes([cell for cell in state.hands[seat] if is_dead(near(state.board, cell), state.safe)])


def has_dead_tile(state: State, seat: int) -> bool:
    """Whether a hand has a dead tile (PLC-7)."""
    safe = state.safe
    if SEVERAL[safe]:
        board = state.board
        for cell in state.hands[seat]:
            above, left, right, below = BESIDE[cell]
            if SEVERAL[(board[above] | board[left] | board[right] | board[below]) & safe]:
                return True
    return False


def draw(state: State, seat: int, count: int, log: Log) -> None:
    """Moves `count` tiles from the pile to a hand, or all that are left."""
    drawn = state.drawn
    taken = state.deal.cells[drawn : drawn + count]
    if not taken:
        return
    state.drawn = drawn + len(taken)
    state.hands[seat] = bytes(sorted(state.hands[seat] + taken))
    state.moved = True
    if log is not None:
        log.append(_tiles_drawn(seat, len(taken)))
        log.append(TilesReceived(seat, squares_of(bytes(sorted(taken)))))


def fill_hand(state: State, log: Log) -> None:
    """Fills the hand to six at the end of the turn (DRW-1)."""
    seat = state.seat
    hand = state.hands[seat]
    missing = HAND_SIZE - len(hand)
    drawn = state.drawn
    cells = state.deal.cells
    if missing == 1 and drawn < len(cells):
        # The same as `draw`, for the single tile that nearly every turn draws.
        cell = cells[drawn]
        state.drawn = drawn + 1
        at = bisect(hand, cell)
        state.hands[seat] = hand[:at] + CELL_BYTES[cell] + hand[at:]
        state.moved = True
        if log is not None:
            log.append(_tiles_drawn(seat, 1))
            log.append(_tile_received(seat, SQUARE[cell]))
    elif missing > 0:
        draw(state, seat, missing, log)


def _set_aside(state: State, tiles: bytes, log: Log) -> None:
    """Takes tiles of a hand out of the game, face up, and draws as many new ones, as far as the pile has them."""
    seat = state.seat
    state.hands[seat] = bytes(cell for cell in state.hands[seat] if cell not in tiles)
    state.aside += tiles
    state.moved = True
    if log is not None:
        log.append(TilesSetAside(seat, squares_of(tiles)))
    draw(state, seat, len(tiles), log)


def redraw_hand(state: State, log: Log) -> None:
    """At the start of the turn, shows and replaces an unplayable hand, if the pile is not empty (PLC-9)."""
    hand = state.hands[state.seat]
    if not hand or not pile_size(state) or any_placeable(state):
        return
    if log is not None:
        log.append(HandShown(state.seat, squares_of(hand)))
    _set_aside(state, hand, log)


def exchange_dead(state: State, log: Log) -> None:
    """Exchanges all dead tiles of the hand, if there are any and the pile is not empty (DRW-2)."""
    if pile_size(state):
        tiles = dead_tiles(state, state.seat)
        if tiles:
            _set_aside(state, tiles, log)


def exchange_arises(state: State, step: ChooseExchange) -> bool:
    """Whether there is anything to exchange (DRW-2)."""
    return pile_size(state) > 0 and has_dead_tile(state, step.seat)


def exchange_options() -> tuple[Exchange, ...]:
    """Keep them, or exchange them."""
    return (KEEP_DEAD, EXCHANGE_DEAD)


def answer_exchange(state: State, step: ChooseExchange, action: Unchecked[Action], log: Log) -> None:
    """Carries out the answer. With `forced-then-optional`, the question may be asked again (DRW-2)."""
    if type(action) is not Exchange:
        raise wrong_kind(step, action, "DRW-2")
    carry_out_exchange(state, exchange=action.exchange, log=log)


def carry_out_exchange(state: State, *, exchange: bool, log: Log) -> None:
    """Exchanges the dead tiles, or leaves them."""
    if exchange:
        exchange_dead(state, log)
    if not exchange or not state.tables.exchange_again:
        state.agenda.pop()
