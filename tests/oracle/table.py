"""The table: everything that the game changes, and the few moves of tiles and shares."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field

from .board import (
    INDEPENDENT,
    SQUARES,
    active_chains,
    can_be_placed,
    column_of,
    end_may_be_declared,
    in_deal_order,
    is_dead,
    letter_of,
    size_of,
)
from .money import price_of_share
from .rules import Rules
from .texts import Shown, line

SHARES_OF_A_CHAIN = 25  # SET-2
STARTING_CASH = 6000  # SET-2, dollars
HAND_TILES = 6  # SET-5, DRW-1

DrawMarket = Callable[[int, Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Question:
    """An open decision; `answers` is None if there are too many to list (ChooseOffer)."""

    seat: int
    text: str
    answers: list[str] | None


# A part of the game: it yields questions, receives the text of each answer, and ends.
Script = Generator[Question, str, None]


@dataclass(slots=True)
class Table:
    """The state of a game, in plain dictionaries and lists."""

    rules: Rules
    seats: int
    pile: list[str]
    draw_market: DrawMarket
    board: dict[str, str] = field(default_factory=dict)
    hands: list[list[str]] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)
    cash: list[int] = field(default_factory=list)
    shares: list[dict[str, int]] = field(default_factory=list)
    market: dict[str, int] = field(default_factory=dict)
    powers: list[set[str]] = field(default_factory=list)
    seat: int = 0
    turn: int = 0
    market_draws: int = 0
    declared: bool = False
    stopped: bool = False  # the declarer stopped instead of placing (END-2)
    power_this_turn: bool = False  # PWR-1
    active_turn: bool = False  # END-4 counts something as activity
    quiet_turns: int = 0  # turns in a row without it
    over: bool = False
    events: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for _ in range(self.seats):
            self.hands.append([])
            self.cash.append(STARTING_CASH)
            self.shares.append(dict.fromkeys(self.rules.chains, 0))
            self.powers.append(set())
        self.market = dict.fromkeys(self.rules.chains, SHARES_OF_A_CHAIN)

    # --- looking -------------------------------------------------------------------------

    def say(self, name: str, **fields: Shown) -> None:
        """Announce an event."""
        self.events.append(line(name, **fields))

    def active(self) -> list[str]:
        """List the active chains in chain order."""
        return active_chains(self.board, self.rules.chains)

    def inactive(self) -> list[str]:
        """List the chains that may be founded, in chain order."""
        active = self.active()
        return [chain for chain in self.rules.chains if chain not in active]

    def size(self, chain: str) -> int:
        """Count the tiles of a chain."""
        return size_of(chain, self.board)

    def price(self, chain: str) -> int:
        """Give the price of one share at the chain's size now (BUY-2)."""
        return price_of_share(self.rules.tier[chain], self.size(chain))

    def placeable(self, seat: int) -> list[str]:
        """List the tiles of a hand that can be placed now."""
        hand = in_deal_order(self.hands[seat])
        return [square for square in hand if can_be_placed(square, self.board, self.rules.chains)]

    def dead(self, seat: int) -> list[str]:
        """List the dead tiles of a hand (PLC-7)."""
        return [square for square in in_deal_order(self.hands[seat]) if is_dead(square, self.board)]

    def end_may_be_declared(self) -> bool:
        """Say whether the end may be declared, and has not been yet, in this turn (END-5)."""
        return not self.declared and end_may_be_declared(self.board, self.rules.chains)

    def seats_from(self, first: int) -> list[int]:
        """List all seats clockwise from this one."""
        return [(first + step) % self.seats for step in range(self.seats)]

    # --- moving --------------------------------------------------------------------------

    def draw(self, seat: int, wanted: int) -> None:
        """Move tiles from the pile to a hand, as far as the pile goes (PLC-10)."""
        drawn = self.pile[:wanted]
        if not drawn:
            return
        self.pile = self.pile[len(drawn) :]
        self.hands[seat].extend(drawn)
        self.active_turn = True
        self.say("TilesDrawn", seat=seat, count=len(drawn))
        self.say("TilesReceived", seat=seat, squares=in_deal_order(drawn))

    def put_aside(self, seat: int, tiles: Iterable[str]) -> int:
        """Move tiles out of a hand and out of the game, and say how many they were."""
        gone = in_deal_order(tiles)
        self.hands[seat] = [square for square in self.hands[seat] if square not in gone]
        self.set_aside.extend(gone)
        self.active_turn = True
        self.say("TilesSetAside", seat=seat, squares=gone)
        return len(gone)

    def take_shares(self, seat: int, chain: str, count: int) -> None:
        """Move shares from the market to a seat."""
        if count > 0:
            self.active_turn = True
        self.market[chain] -= count
        self.shares[seat][chain] += count

    def return_shares(self, seat: int, chain: str, count: int) -> None:
        """Move shares from a seat back to the market."""
        self.shares[seat][chain] -= count
        self.market[chain] += count

    def paint(self, tiles: Iterable[str], owner: str) -> None:
        """Let covered squares belong to a chain."""
        for square in tiles:
            self.board[square] = owner


def first_seat(table: Table, start_tiles: Sequence[str]) -> int:
    """Say who begins: the seat whose start tile comes first in `start_order` (SET-3)."""
    if table.rules.start_order == "letter-first":
        ranked = sorted(start_tiles, key=lambda square: (letter_of(square), column_of(square)))
    else:
        ranked = sorted(start_tiles, key=lambda square: (column_of(square), letter_of(square)))
    return start_tiles.index(ranked[0])


def set_up(table: Table) -> None:
    """Place the start tiles and deal the hands (SET-3, SET-4, SET-5)."""
    if sorted(table.pile) != sorted(SQUARES):
        raise ValueError(
            f"Expected each of the 108 tiles once in the order, got {len(table.pile)} tiles, "
            f"{len(set(table.pile) & set(SQUARES))} different real ones. Give all of them once."
        )
    start_tiles = table.pile[: table.seats]
    table.pile = table.pile[table.seats :]
    for seat, square in enumerate(start_tiles):
        table.paint([square], INDEPENDENT)
        table.say("StartTilePlaced", seat=seat, square=square)
    for seat in range(table.seats):
        table.draw(seat, HAND_TILES)
    table.seat = first_seat(table, start_tiles)
