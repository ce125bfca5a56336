"""The board: squares, their names, and the padded array of one-hot cells.

A *square* is a number from 0 to 107, by letter, then number: 1A is 0, 12A is 11, 1B is 12 (SET-1). Actions, events
and views use squares. A *cell* is the same place in the padded array in which a game keeps its board. The border of
the array is always empty, so that the four neighbours of a cell are plain offsets. A cell holds no bit if it is empty,
or one bit: an independent tile, or one of seven chains. What a tile would touch is then one expression, `near`, which
reads like the placement rule (PLC-2 to PLC-8).
"""

from collections.abc import Iterable
from typing import Final

NUMBERS: Final = 12
LETTERS: Final = "ABCDEFGHI"
SQUARES: Final = NUMBERS * len(LETTERS)

CHAINS: Final = 7

# A row of the array is twelve squares and one border cell, which serves both ends of the row.
ROW: Final = NUMBERS + 1
BOARD_CELLS: Final = ROW * (len(LETTERS) + 2) + 1

EMPTY: Final = 0
INDEPENDENT: Final = 1
LABEL: Final = tuple(2 << chain for chain in range(CHAINS))
ALL_CHAINS: Final = sum(LABEL)

CELL: Final = tuple(ROW * (square // NUMBERS + 1) + square % NUMBERS + 1 for square in range(SQUARES))
# By cell: the four cells beside it; nothing is asked of a border cell.
BESIDE: Final = tuple((cell - ROW, cell - 1, cell + 1, cell + ROW) for cell in range(BOARD_CELLS))
# -1 for border cells: no border cell is ever in a hand, a pile or an event.
SQUARE: Final = tuple(CELL.index(cell) if cell in CELL else -1 for cell in range(BOARD_CELLS))
SQUARE_NAMES: Final = tuple(f"{square % NUMBERS + 1}{LETTERS[square // NUMBERS]}" for square in range(SQUARES))
SQUARE_OF_NAME: Final = {name: square for square, name in enumerate(SQUARE_NAMES)}

# For every set of bits: the chains in it, in chain order. Bit 0 (independent) names no chain.
CHAINS_IN: Final = tuple(tuple(chain for chain in range(CHAINS) if bits & LABEL[chain]) for bits in range(256))
# For every set of bits: whether it has two or more.
SEVERAL: Final = tuple(bits & (bits - 1) != 0 for bits in range(256))

_CELLS_OF_SQUARES: Final = bytes(CELL) + bytes(256 - SQUARES)
_SQUARES_OF_CELLS: Final = bytes(max(square, 0) for square in SQUARE) + bytes(256 - BOARD_CELLS)


def empty_board() -> list[int]:
    """A board with nothing on it. Of all arrays, Python and mypyc read a list fastest."""
    return [EMPTY] * BOARD_CELLS


def cells_of(squares: Iterable[int]) -> bytes:
    """The cells of squares, in their order."""
    return bytes(squares).translate(_CELLS_OF_SQUARES)


def squares_of(cells: bytes) -> tuple[int, ...]:
    """The squares of cells, in their order."""
    return tuple(cells.translate(_SQUARES_OF_CELLS))


def number_of(square: int) -> int:
    """The number on a tile, 1 to 12: how many shares the market holds when the tile is drawn (TWO-1)."""
    return square % NUMBERS + 1


def near(board: list[int], cell: int) -> int:
    """The bits of the four cells beside a cell; diagonals do not count (PLC-2)."""
    return board[cell - ROW] | board[cell - 1] | board[cell + 1] | board[cell + ROW]


def is_dead(touched: int, safe: int) -> bool:
    """Whether a tile that touches these bits would join two safe chains (PLC-7)."""
    return SEVERAL[touched & safe]


def spread(board: list[int], cell: int, label: int, over: int = INDEPENDENT) -> int:
    """Gives a label to a cell and to every cell connected to it through cells with one of the bits `over`.

    Returns how many cells these are. The label is none of these bits.
    """
    board[cell] = label
    taken = 1
    frontier = [cell]
    while frontier:
        for beside in BESIDE[frontier.pop()]:
            if board[beside] & over:
                board[beside] = label
                taken += 1
                frontier.append(beside)
    return taken


def group(board: list[int], cell: int) -> set[int]:
    """All cells connected to a cell through cells with the same bit. For checks, not for play."""
    label = board[cell]
    found = {cell}
    frontier = [cell]
    while frontier:
        for beside in BESIDE[frontier.pop()]:
            if board[beside] == label and beside not in found:
                found.add(beside)
                frontier.append(beside)
    return found
