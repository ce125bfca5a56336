"""The state of a game: small, mutable, and cheap to copy. The rules are functions over it, one module for each part.

Nobody outside the engine changes a state. Only immutable values leave the engine: actions, events, views.
"""

from typing import Final, TypeAlias

from mergemaker_engine.board import CHAINS, LABEL, empty_board
from mergemaker_engine.chains import GIANT_SIZE, SAFE_SIZE, SHARES_PER_CHAIN, START_CASH
from mergemaker_engine.deal import Deal
from mergemaker_engine.decisions import Step
from mergemaker_engine.events import EndReason, Event
from mergemaker_engine.tables import Tables

Log: TypeAlias = list[Event] | None
"""Where events go; None if nobody reads them, as in a bot's playouts."""


PARTS: Final = (
    "active",
    "agenda",
    "aside",
    "board",
    "cash",
    "deal",
    "declared",
    "drawn",
    "giant",
    "hands",
    "idle",
    "market",
    "market_draws",
    "moved",
    "power_used",
    "powers_used",
    "prices",
    "reason",
    "safe",
    "seat",
    "shares",
    "sizes",
    "tables",
    "turn",
)


class State:
    """Everything that makes up a game. `copy_into` copies it; a new part must be added there, too."""

    __slots__ = PARTS

    def __init__(self, tables: Tables, deal: Deal) -> None:
        seats = tables.seats
        self.tables = tables
        self.deal = deal
        self.drawn = 0
        """How many tiles have come off the pile."""
        self.market_draws = 0
        """How many tiles have been drawn for the market (TWO-1), which is the number of the next draw."""
        self.board = empty_board()
        self.sizes = [0] * CHAINS
        self.prices = [0] * CHAINS
        """By chain: what a share costs now (BUY-2); 0 for a chain that is not on the board."""
        self.active = 0
        """The labels of the chains on the board."""
        self.safe = 0
        """The labels of the safe chains (MRG-3)."""
        self.giant = False
        """Whether a chain has reached the size at which the end may be declared (END-1). Such a chain never shrinks."""
        self.market = [SHARES_PER_CHAIN] * CHAINS
        self.shares = [0] * (CHAINS * seats)
        """By chain, then seat: `shares[chain * seats + seat]`."""
        self.cash = [START_CASH] * seats
        self.hands = [b""] * seats
        """By seat: cells, ascending."""
        self.aside = b""
        self.powers_used = [0] * seats
        """By seat: one bit for each power, in the order of `POWERS`."""
        self.seat = 0
        """Whose turn it is."""
        self.turn = 0
        self.declared = False
        """Whether the end has been declared in this turn (END-2)."""
        self.power_used = False
        """Whether a power was used in this turn (PWR-1)."""
        self.moved = False
        """Whether anything happened in this turn that END-4 counts."""
        self.idle = 0
        """How many turns in a row had nothing that END-4 counts."""
        self.agenda: list[Step] = []
        """What comes next; the next step is the last item. Empty when the game is over."""
        self.reason: EndReason | None = None

    def copy_into(self, other: "State") -> None:
        """Makes another state equal to this one and independent of it."""
        other.tables = self.tables
        other.deal = self.deal
        other.drawn = self.drawn
        other.market_draws = self.market_draws
        other.board = self.board[:]
        other.sizes = self.sizes[:]
        other.prices = self.prices[:]
        other.active = self.active
        other.safe = self.safe
        other.giant = self.giant
        other.market = self.market[:]
        other.shares = self.shares[:]
        other.cash = self.cash[:]
        other.hands = self.hands[:]
        other.aside = self.aside
        other.powers_used = self.powers_used[:]
        other.seat = self.seat
        other.turn = self.turn
        other.declared = self.declared
        other.power_used = self.power_used
        other.moved = self.moved
        other.idle = self.idle
        other.agenda = self.agenda[:]
        other.reason = self.reason


def pile_size(state: State) -> int:
    """How many tiles are left in the pile."""
    return len(state.deal.cells) - state.drawn


def end_allowed(state: State) -> bool:
    """Whether the end may be declared now: a chain has 41 tiles, or there are chains and all are safe (END-1)."""
    return state.giant or (state.active != 0 and state.safe == state.active)


def set_size(state: State, chain: int, size: int) -> None:
    """Sets a chain's size, 0 when it leaves the board, and updates what follows from it."""
    label = LABEL[chain]
    state.sizes[chain] = size
    state.prices[chain] = state.tables.prices[chain][size]
    if not size:
        state.active &= ~label
        return
    state.active |= label
    if size >= SAFE_SIZE:
        state.safe |= label
        if size >= GIANT_SIZE:
            state.giant = True


def holding(state: State, seat: int, chain: int) -> int:
    """How many shares of a chain a seat has."""
    return state.shares[chain * state.tables.seats + seat]


def holdings(state: State, chain: int) -> list[int]:
    """How many shares of a chain each seat has."""
    seats = state.tables.seats
    return state.shares[chain * seats : (chain + 1) * seats]
