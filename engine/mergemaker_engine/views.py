"""What one seat may know, and what everybody may know (VIS-1 to VIS-4).

A view is built up from what is allowed, never cut down from the whole.
"""

from typing import Final

from mergemaker_engine.actions import Power
from mergemaker_engine.board import BOARD_CELLS, CHAINS, LABEL, NUMBERS, ROW, squares_of
from mergemaker_engine.decisions import ChooseDisposal, ChooseSurvivor, Decision, SettleNext, Step
from mergemaker_engine.errors import SetupError
from mergemaker_engine.events import EndReason
from mergemaker_engine.powers import used_powers
from mergemaker_engine.rules import Assets, Rules
from mergemaker_engine.shown import shown
from mergemaker_engine.state import State, end_allowed, holdings, pile_size
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.values import dataclass

EMPTY_SQUARE: Final = 0
INDEPENDENT_SQUARE: Final = 1
FIRST_CHAIN_SQUARE: Final = 2
"""On a view's board, chain c is the byte `FIRST_CHAIN_SQUARE + c`."""

_LABEL_TO_SQUARE: Final = bytes(max(label.bit_length(), 0) for label in range(256))
_ROW_STARTS: Final = range(ROW + 1, BOARD_CELLS - ROW - 1, ROW)


@dataclass(frozen=True, slots=True)
class MergerView:
    """A merger that is not settled yet. All of this has been announced."""

    square: int
    """The tile that caused it, which is independent until all is settled (MRG-1)."""
    survivor: int | None
    """None until it is named."""
    chains: tuple[int, ...]
    """While there is no survivor, all chains of the merger; then those still to be settled."""
    acquired: int | None
    """The chain whose shares are being disposed of."""
    holdings: tuple[int, ...]
    """How many shares of `acquired` each seat holds now, shown to all (MRG-9); empty if it is None."""


@dataclass(frozen=True, slots=True)
class View:
    """A game as one seat may know it, or as everybody may."""

    rules: Rules
    seats: int
    seat: int | None
    """The seat that this view is for; None for the public."""
    turn: int
    turn_seat: int
    board: bytes
    """One byte for each square: empty, independent, or a chain."""
    sizes: tuple[int, ...]
    prices: tuple[int, ...]
    """By chain; 0 for a chain that is not on the board."""
    market: tuple[int, ...]
    """Shares left, by chain (TBL-2)."""
    pile: int
    """How many tiles are left in the pile."""
    set_aside: tuple[int, ...]
    """Squares of the tiles that are out of the game, ascending."""
    hand: tuple[int, ...]
    """This seat's tiles, ascending; empty for the public."""
    hand_sizes: tuple[int, ...]
    cash: tuple[int | None, ...]
    """By seat; None where it is hidden (VIS-3)."""
    shares: tuple[tuple[int, ...] | None, ...]
    """By seat, then chain; None where they are hidden (VIS-3)."""
    powers_used: tuple[tuple[Power, ...], ...]
    declared: bool
    """Whether the end has been declared in this turn."""
    end_allowed: bool
    """Whether the condition for declaring the end holds (END-1)."""
    power_used: bool
    """Whether a power was used in this turn."""
    moved: bool
    """Whether anything happened in this turn that END-4 counts."""
    idle: int
    """How many turns in a row had nothing that END-4 counts."""
    merger: MergerView | None
    decision: Decision | None
    """What this seat is asked; None while it is asked nothing."""
    agenda: tuple[Step, ...]
    """For the seat that is asked: the steps of the turn still to come. The open decision is the last item."""
    over: EndReason | None


def _merger_view(state: State) -> MergerView | None:
    for step in reversed(state.agenda):
        if isinstance(step, ChooseSurvivor):
            return MergerView(step.square, None, step.chains, None, ())
        if isinstance(step, SettleNext):
            top = state.agenda[-1]
            if isinstance(top, ChooseDisposal):
                shown = tuple(holdings(state, top.acquired))
                return MergerView(step.square, step.survivor, step.waiting, top.acquired, shown)
            return MergerView(step.square, step.survivor, step.waiting, None, ())
    return None


def board_bytes(state: State) -> bytes:
    """The board in the form of a view: one byte for each square."""
    board = bytes(state.board)
    return b"".join([board[start : start + NUMBERS] for start in _ROW_STARTS]).translate(_LABEL_TO_SQUARE)


def _build(state: State, seat: int | None) -> View:
    tables = state.tables
    seats = tables.seats
    is_open = tables.rules.assets is Assets.OPEN or state.reason is not None
    asked = state.agenda[-1] if state.agenda else None
    is_asked = isinstance(asked, Decision) and asked.seat == seat
    return View(
        rules=tables.rules,
        seats=seats,
        seat=seat,
        turn=state.turn,
        turn_seat=state.seat,
        board=board_bytes(state),
        sizes=tuple(state.sizes),
        prices=tuple(state.prices),
        market=tuple(state.market),
        pile=pile_size(state),
        set_aside=tuple(sorted(squares_of(state.aside))),
        hand=() if seat is None else squares_of(state.hands[seat]),
        hand_sizes=tuple([len(hand) for hand in state.hands]),
        cash=tuple([state.cash[other] if is_open or other == seat else None for other in range(seats)]),
        shares=tuple([tuple(state.shares[other::seats]) if is_open or other == seat else None for other in range(seats)]),
        powers_used=tuple([used_powers(state, other) for other in range(seats)]) if tables.powers else (),
        declared=state.declared,
        end_allowed=end_allowed(state),
        power_used=state.power_used,
        moved=state.moved,
        idle=state.idle,
        merger=_merger_view(state),
        decision=asked if is_asked and isinstance(asked, Decision) else None,
        agenda=tuple(state.agenda) if is_asked else (),
        over=state.reason,
    )


def view_of(state: State, seat: Unchecked[int]) -> View:
    """What a seat may know (VIS-1, VIS-3)."""
    if type(seat) is not int or not 0 <= seat < state.tables.seats:
        raise SetupError("no-such-seat", f"the seats are 0 to {state.tables.seats - 1}, not {shown(seat)}")
    return _build(state, seat)


def public_view_of(state: State) -> View:
    """What everybody may know."""
    return _build(state, None)


def chain_at(view: View, square: int) -> int | None:
    """The chain on a square of a view's board, or None."""
    mark = view.board[square]
    return mark - FIRST_CHAIN_SQUARE if mark >= FIRST_CHAIN_SQUARE else None


def labels_of(board: bytes) -> bytes:
    """A view's board, with the engine's labels."""
    return board.translate(bytes((EMPTY_SQUARE, INDEPENDENT_SQUARE, *LABEL)) + bytes(256 - FIRST_CHAIN_SQUARE - CHAINS))
