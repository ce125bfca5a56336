"""The board: squares, neighbours, connected groups, and what a tile would do there.

A board is a plain dictionary from each covered square ('9F') to the name of its chain, or to
'independent'. It remembers nothing: it counts sizes and searches groups each time.
"""

from collections.abc import Iterable, Mapping, Sequence

LETTERS = "ABCDEFGHI"
COLUMNS = range(1, 13)
# SET-1: 9 rows A-I by 12 columns; named number then letter; in the number order of DEAL.md.
SQUARES: list[str] = [f"{column}{letter}" for letter in LETTERS for column in COLUMNS]

INDEPENDENT = "independent"
SAFE_SIZE_TILES = 11  # MRG-3
ENDING_SIZE_TILES = 41  # END-1
MOST_CHAINS = 7  # SET-2

Board = Mapping[str, str]


def column_of(square: str) -> int:
    """Give the number in a square's name: 9 for '9F'."""
    return int(square[:-1])


_PLACE_IN_ORDER = {square: place for place, square in enumerate(SQUARES)}


def letter_of(square: str) -> str:
    """Give the letter in a square's name: 'F' for '9F'."""
    return square[-1]


def in_deal_order(squares: Iterable[str]) -> list[str]:
    """Sort squares by letter, then number, as DEAL.md numbers them."""
    return sorted(squares, key=_PLACE_IN_ORDER.__getitem__)


def _find_neighbours(square: str) -> list[str]:
    """List the squares side by side with this one; never diagonal (PLC-2)."""
    column, row = column_of(square), LETTERS.index(letter_of(square))
    beside = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
    return [f"{c}{LETTERS[r]}" for c, r in beside if c in COLUMNS and 0 <= r < len(LETTERS)]


_NEIGHBOURS = {square: _find_neighbours(square) for square in SQUARES}


def neighbours(square: str) -> list[str]:
    """Give the squares side by side with this one."""
    return _NEIGHBOURS[square]


def connected_tiles(square: str, board: Board) -> set[str]:
    """Find all covered squares connected with this one, including itself."""
    found = {square}
    to_visit = [square]
    while to_visit:
        for beside in neighbours(to_visit.pop()):
            if beside in board and beside not in found:
                found.add(beside)
                to_visit.append(beside)
    return found


def size_of(chain: str, board: Board) -> int:
    """Count the tiles of a chain; 0 when it is inactive."""
    return list(board.values()).count(chain)


def active_chains(board: Board, chains: Sequence[str]) -> list[str]:
    """List the chains that are on the board, in chain order."""
    owners = set(board.values())
    return [chain for chain in chains if chain in owners]


def touched_chains(square: str, board: Board) -> set[str]:
    """Name the different chains beside a square."""
    owners = {board[beside] for beside in neighbours(square) if beside in board}
    return owners - {INDEPENDENT}


def touches_independent(square: str, board: Board) -> bool:
    """Say whether an independent tile is beside a square (SET-4: a start tile is one, too)."""
    return any(board.get(beside) == INDEPENDENT for beside in neighbours(square))


def is_safe(chain: str, board: Board) -> bool:
    """Say whether a chain can never be acquired (MRG-3)."""
    return size_of(chain, board) >= SAFE_SIZE_TILES


def is_dead(square: str, board: Board) -> bool:
    """Say whether a tile would join two or more safe chains, whatever else it touches (PLC-7)."""
    return sum(1 for chain in touched_chains(square, board) if is_safe(chain, board)) >= 2


def would_found(square: str, board: Board) -> bool:
    """Say whether a tile touches independent tiles and nothing else (PLC-4)."""
    return touches_independent(square, board) and not touched_chains(square, board)


def can_be_placed(square: str, board: Board, chains: Sequence[str]) -> bool:
    """Say whether a tile may be put on the board now (PLC-7, PLC-8)."""
    if is_dead(square, board):
        return False
    if would_found(square, board):
        return len(active_chains(board, chains)) < MOST_CHAINS
    return True


def end_may_be_declared(board: Board, chains: Sequence[str]) -> bool:
    """Say whether a chain has 41 tiles, or there is a chain and all are safe (END-1)."""
    active = active_chains(board, chains)
    if any(size_of(chain, board) >= ENDING_SIZE_TILES for chain in active):
        return True
    return bool(active) and all(is_safe(chain, board) for chain in active)
