"""The board as people see it: a letter for each chain, in colour where possible, and a list of the chains."""

from typing import Final

from mergemaker_engine.board import CHAINS, LETTERS, NUMBERS
from mergemaker_engine.chains import SAFE_SIZE
from mergemaker_engine.views import EMPTY_SQUARE, FIRST_CHAIN_SQUARE, INDEPENDENT_SQUARE, View
from rich.text import Text

_CHAIN_STYLES: Final = (
    "black on yellow",
    "black on bright_red",
    "white on blue",
    "black on green",
    "white on magenta",
    "black on cyan",
    "black on white",
)
_EMPTY_STYLE: Final = "dim"
_CHAINS_FROM_ROW: Final = 1
"""The chains stand beside the board's rows from this one on: seven of the nine."""


def mark_of(view: View, square: int) -> str:
    """A square's mark: a dot, `o` for an independent tile, or a chain's first letter."""
    held = view.board[square]
    if held >= FIRST_CHAIN_SQUARE:
        return view.rules.chain_names[held - FIRST_CHAIN_SQUARE][0]
    return {EMPTY_SQUARE: ".", INDEPENDENT_SQUARE: "o"}[held]


def board_rows(view: View) -> list[str]:
    """The board in nine texts of twelve marks each."""
    return ["".join(mark_of(view, row * NUMBERS + column) for column in range(NUMBERS)) for row in range(len(LETTERS))]


def board_picture(view: View) -> Text:
    """The board with names of rows and columns, and the chains beside it. The letters are enough without colour."""
    picture = Text("   " + "".join(f"{number:^3}" for number in range(1, NUMBERS + 1)))
    for row, letter in enumerate(LETTERS):
        picture.append(f"\n{letter}  ")
        for column in range(NUMBERS):
            square = row * NUMBERS + column
            picture.append(f" {mark_of(view, square)} ", style=_style_of(view.board[square]))
        chain = row - _CHAINS_FROM_ROW
        if 0 <= chain < CHAINS:
            picture.append("   ")
            picture.append(_chain_line(view, chain), style="" if view.sizes[chain] else _EMPTY_STYLE)
    return picture


def _style_of(held: int) -> str:
    if held >= FIRST_CHAIN_SQUARE:
        return _CHAIN_STYLES[held - FIRST_CHAIN_SQUARE]
    return _EMPTY_STYLE if held == EMPTY_SQUARE else ""


def _chain_line(view: View, chain: int) -> str:
    name = view.rules.chain_names[chain]
    size = view.sizes[chain]
    if not size:
        return f"{name:16} {'-':>3}"
    safe = " safe" if size >= SAFE_SIZE else ""
    return f"{name:16} {size:>3} tiles ${view.prices[chain]:,}{safe}"
