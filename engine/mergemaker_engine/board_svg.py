"""The board as a picture: one SVG, made from a view alone, for notebooks and web pages."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from mergemaker_engine.board import CHAINS, LETTERS, NUMBERS, SQUARE_NAMES, SQUARES
from mergemaker_engine.chains import SAFE_SIZE
from mergemaker_engine.errors import NotationError, ViewError
from mergemaker_engine.shown import shown
from mergemaker_engine.views import EMPTY_SQUARE, View, chain_at


class Paint(NamedTuple):
    """The colour of a chain, and of the text on it."""

    fill: str
    ink: str


_DARK: Final = "#1f2328"
_LIGHT: Final = "#ffffff"
PAINTS: Final = (
    Paint("#f0e442", _DARK),
    Paint("#e69f00", _DARK),
    Paint("#0072b2", _LIGHT),
    Paint("#00805d", _LIGHT),
    Paint("#c4451c", _LIGHT),
    Paint("#d48db6", _DARK),
    Paint("#7cc4f0", _DARK),
)
"""By chain. Most people can tell them apart, including those with red-green colour blindness; the letters need no colour."""

_PAPER: Final = "#fbfaf7"
_EMPTY_PAINT: Final = Paint("#ebe8e0", "#6b665b")
_INDEPENDENT_PAINT: Final = Paint("#6e6a62", _LIGHT)
_DIM: Final = "#6f6a60"

# All lengths are in pixels at the picture's default size.
_CELL: Final = 40
_GAP: Final = 2
_MARGIN: Final = 26
_BOARD_WIDTH: Final = NUMBERS * _CELL
_BOARD_HEIGHT: Final = len(LETTERS) * _CELL
_LEGEND_LEFT: Final = _MARGIN + _BOARD_WIDTH + 18
_LEGEND_ROW: Final = 50
_WIDTH: Final = _LEGEND_LEFT + 196
_HEIGHT: Final = _MARGIN + _BOARD_HEIGHT + 12
_SWATCH: Final = 36


def board_svg(view: View, last: int | None = None) -> str:
    """The board of a view as the text of an SVG document, 720 by 398 pixels, and sharp at every size.

    A chain is marked by its colour and its first letter, and has a building on the tile nearest its middle; the place of
    the building has no meaning (FND-1). Beside the board are all seven chains with size, price and the shares left in the
    market. A dashed line marks the tiles of the view's hand, and a thick line the square `last`, if it is given.

    A position has a view for each seat, `game.view(0)`, and one for everybody, `game.public_view()`, which notebooks draw
    for a game. Equal views make equal texts. The text can be embedded in a page: it has no script, style sheet, id or
    link, and no foreign text but the chains' names, which are letters.
    """
    if not isinstance(view, View):
        raise ViewError("no-view", f"a board is drawn from a View, such as game.public_view(), not {shown(view)}")
    if last is not None and (type(last) is not int or not 0 <= last < SQUARES):
        raise NotationError("bad-square", f"the last tile's square is 0 to {SQUARES - 1}, or None, not {shown(last)}")
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    style = 'role="img" font-family="system-ui, sans-serif" text-anchor="middle"'
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>',
            f"<title>Board, turn {view.turn}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="{_PAPER}"/>',
            *_coordinates(),
            *(part for square in range(SQUARES) for part in _square(view, square)),
            *(_building(view, chain) for chain in range(CHAINS) if view.sizes[chain]),
            *([] if last is None else _last_tile(last)),
            *(part for chain in range(CHAINS) for part in _legend(view, chain)),
            "</svg>",
        )
    )


def _text(x: float, y: float, size: int, colour: str, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"{more}>{text}</text>'


def _corner(square: int) -> tuple[int, int]:
    """The upper left corner of a square."""
    row, column = divmod(square, NUMBERS)
    return _MARGIN + column * _CELL, _MARGIN + row * _CELL


def _coordinates() -> Iterator[str]:
    for column in range(NUMBERS):
        yield _text(_MARGIN + (column + 0.5) * _CELL, _MARGIN - 8, 13, _DIM, str(column + 1))
    for row, letter in enumerate(LETTERS):
        yield _text(_MARGIN / 2, _MARGIN + (row + 0.5) * _CELL + 5, 13, _DIM, letter)


def _square(view: View, square: int) -> Iterator[str]:
    """A square: empty or an independent tile with its name, or a chain's tile with the chain's letter."""
    x, y = _corner(square)
    chain = chain_at(view, square)
    if chain is not None:
        paint, text, size = PAINTS[chain], view.rules.chain_names[chain][0], 17
    else:
        paint = _EMPTY_PAINT if view.board[square] == EMPTY_SQUARE else _INDEPENDENT_PAINT
        text, size = SQUARE_NAMES[square], 11
    side = _CELL - _GAP
    yield f'<rect x="{x + 1}" y="{y + 1}" width="{side}" height="{side}" rx="4" fill="{paint.fill}"/>'
    yield _text(x + _CELL / 2, y + _CELL / 2 + size * 0.36, size, paint.ink, text)
    if square in view.hand:
        yield _frame(square, f'stroke="{_DARK}" stroke-width="2" stroke-dasharray="4 3"')


def _frame(square: int, stroke: str) -> str:
    x, y = _corner(square)
    return f'<rect x="{x + 2}" y="{y + 2}" width="{_CELL - 4}" height="{_CELL - 4}" rx="4" fill="none" {stroke}/>'


def _last_tile(square: int) -> Iterator[str]:
    """A thick dark line with a light one on both sides, visible on every colour."""
    yield _frame(square, f'stroke="{_LIGHT}" stroke-width="6"')
    yield _frame(square, f'stroke="{_DARK}" stroke-width="3"')


def _middle(view: View, chain: int) -> int:
    """The tile nearest the middle of a chain; of several, the first."""
    places = [divmod(square, NUMBERS) for square in range(SQUARES) if chain_at(view, square) == chain]
    count = len(places)
    down, right = (sum(part) for part in zip(*places, strict=True))
    row, column = min(places, key=lambda place: (count * place[0] - down) ** 2 + (count * place[1] - right) ** 2)
    return row * NUMBERS + column


def _building(view: View, chain: int) -> str:
    """The headquarters: a house in the colour of the text, with the letter in the colour of the chain."""
    x, y = _corner(_middle(view, chain))
    return _house(x + _CELL / 2, y + _CELL / 2, PAINTS[chain], view.rules.chain_names[chain][0])


def _house(x: float, y: float, paint: Paint, letter: str) -> str:
    walls = f"M{x - 12:g} {y + 14:g}v-18l12 -11l12 11v18z"
    return f'<path d="{walls}" fill="{paint.ink}"/>' + _text(x, y + 10, 17, paint.fill, letter, ' font-weight="bold"')


def _legend(view: View, chain: int) -> Iterator[str]:
    """The legend of one chain: colour, letter, name, size, price and market."""
    top = _MARGIN + chain * _LEGEND_ROW + (_BOARD_HEIGHT - CHAINS * _LEGEND_ROW) / 2
    paint, name, size = PAINTS[chain], view.rules.chain_names[chain], view.sizes[chain]
    fill = paint.fill if size else _EMPTY_PAINT.fill
    yield f'<rect x="{_LEGEND_LEFT}" y="{top + 6:g}" width="{_SWATCH}" height="{_SWATCH}" rx="4" fill="{fill}"/>'
    at = (_LEGEND_LEFT + _SWATCH / 2, top + 6 + _SWATCH / 2)
    yield _house(*at, paint, name[0]) if size else _house(*at, Paint(_EMPTY_PAINT.fill, _DIM), name[0])
    left = ' text-anchor="start"'
    safe = " · safe" if size >= SAFE_SIZE else ""
    state = f"{size} tiles · ${view.prices[chain]:,}{safe}" if size else "not on the board"
    x = _LEGEND_LEFT + _SWATCH + 10
    yield _text(x, top + 19, 14, _DARK if size else _DIM, name, f'{left} font-weight="bold"')
    yield _text(x, top + 32, 11, _DARK if size else _DIM, state, left)
    yield _text(x, top + 45, 11, _DIM, f"{view.market[chain]} shares left", left)
