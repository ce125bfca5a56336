"""The board as the viewer draws it (board_view.js), for the first HTML of a page: it is there before any script has run."""

from typing import Final

from mergemaker_engine.board import CHAINS, LETTERS, NUMBERS, SQUARES
from mergemaker_engine.chains import SAFE_SIZE, TIERS
from mergemaker_engine.views import INDEPENDENT_SQUARE, View, chain_at
from mergemaker_engine.wording import square_name

from mergemaker_web.server.markup import Markup, Node, isolated, money, tag

NONE: Final = "\u2013"
"""A dash, where there is nothing."""
_CELL: Final = 40
_MARGIN: Final = 26
_WIDTH: Final = _MARGIN + NUMBERS * _CELL + 4
_HEIGHT: Final = _MARGIN + len(LETTERS) * _CELL + 4
_HOUSE: Final = "M-12 14v-18l12 -11l12 11v18z"


def board_picture(view: View, last: int | None) -> Markup:
    """The board of a view as SVG, in the classes of the style sheet."""
    parts: list[Node] = [_edge(_middle(column)[0], _MARGIN - 8, str(column + 1)) for column in range(NUMBERS)]
    parts += [_edge(_MARGIN // 2, _middle(row * NUMBERS)[1] + 5, letter) for row, letter in enumerate(LETTERS)]
    parts += [_square(view, square) for square in range(SQUARES)]
    parts += [_house(view, chain) for chain in range(CHAINS) if view.sizes[chain]]
    if last is not None:
        x, y = _corner(last)
        parts.append(tag("rect", {"class": "last", "x": x + 2, "y": y + 2, "width": _CELL - 4, "height": _CELL - 4, "rx": 5}))
    frame: dict[str, str | int | float | bool | None] = {
        "class": "picture",
        "viewBox": f"0 0 {_WIDTH} {_HEIGHT}",
        "role": "img",
        "aria-label": board_words(view, last),
    }
    return tag("svg", frame, *parts)


def board_words(view: View, last: int | None) -> str:
    """The board in words."""
    names = view.rules.chain_names
    chains = ", ".join(f"{names[chain]} {size}" for chain, size in enumerate(view.sizes) if size)
    tile = "" if last is None else f" The last tile is {square_name(last)}."
    return f"Board. Chains: {chains or 'none'}.{tile}"


def board_table(view: View) -> Markup:
    """The board as a table, for those who read it."""
    head = tag("tr", None, tag("td"), [tag("th", {"scope": "col"}, str(column + 1)) for column in range(NUMBERS)])
    rows = []
    for row, letter in enumerate(LETTERS):
        cells = [_cell(view, row * NUMBERS + column) for column in range(NUMBERS)]
        rows.append(tag("tr", None, tag("th", {"scope": "row"}, letter), cells))
    return tag(
        "table", {"class": "boardtable"}, tag("caption", None, "Board"), tag("thead", None, head), tag("tbody", None, rows)
    )


def players_table(view: View, bots: tuple[str, ...]) -> Markup:
    """Who plays, with cash and worth where everybody may know them."""
    titles = [tag("th", {"scope": "col"}, text) for text in ("Player", "Cash", "Worth", "Tiles")]
    rows = []
    for seat, bot in enumerate(bots):
        cash, held = view.cash[seat], view.shares[seat]
        worth = None if cash is None or held is None else cash + sum(map(_product, held, view.prices))
        is_turn = view.turn_seat == seat and view.over is None and view.turn > 0
        name = tag("th", {"scope": "row"}, tag("span", {"class": "name"}, f"{seat} {isolated(bot)}"))
        cells = [tag("td", {"class": "number"}, "?" if amount is None else money(amount)) for amount in (cash, worth)]
        tiles = tag("td", {"class": "tiles"}, f"{view.hand_sizes[seat]} hidden")
        rows.append(tag("tr", {"class": f"s{seat}{' turn' if is_turn else ''}"}, name, cells, tiles))
    caption = tag("caption", {"class": "sr"}, "Players")
    return tag("table", {"class": "players"}, caption, tag("thead", None, tag("tr", None, titles)), tag("tbody", None, rows))


def chains_table(view: View) -> Markup:
    """The chains: size, price, shares left."""
    titles = [tag("th", {"scope": "col"}, text) for text in ("Chain", "Size", "Price", "Left")]
    rows = []
    for chain, name in enumerate(view.rules.chain_names):
        size = view.sizes[chain]
        dots = tag("span", {"class": "tier", "aria-hidden": "true"}, "•" * (view.rules.tier(chain) + 1))
        chip = tag("span", {"class": f"chip c{chain}"}, name[0], dots)
        cells = (
            f"{size}{'✓' if size >= SAFE_SIZE else ''}" if size else NONE,
            money(view.prices[chain]) if size else NONE,
            str(view.market[chain]),
        )
        head = tag("th", {"scope": "row"}, chip, tag("span", {"class": "chainname"}, f" {name}"))
        rows.append(tag("tr", {"class": None if size else "off"}, head, [tag("td", {"class": "number"}, text) for text in cells]))
    caption = tag("caption", {"class": "sr"}, f"Chains; dots: {', '.join(TIERS)}")
    return tag("table", {"class": "holdings"}, caption, tag("thead", None, tag("tr", None, titles)), tag("tbody", None, rows))


def _edge(x: int, y: int, text: str) -> Markup:
    return tag("text", {"class": "edge", "x": x, "y": y}, text)


def _product(one: int, other: int) -> int:
    return one * other


def _corner(square: int) -> tuple[int, int]:
    row, column = divmod(square, NUMBERS)
    return _MARGIN + column * _CELL, _MARGIN + row * _CELL


def _middle(square: int) -> tuple[int, int]:
    x, y = _corner(square)
    return x + _CELL // 2, y + _CELL // 2


def _kind(view: View, square: int) -> str:
    chain = chain_at(view, square)
    if chain is not None:
        return f"chain c{chain}"
    return "lone" if view.board[square] == INDEPENDENT_SQUARE else "empty"


def _square(view: View, square: int) -> list[Node]:
    chain, kind = chain_at(view, square), _kind(view, square)
    (left, top), (x, y) = _corner(square), _middle(square)
    words = square_name(square) if chain is None else view.rules.chain_names[chain][0]
    return [
        tag("rect", {"class": f"tile {kind}", "x": left + 1, "y": top + 1, "width": _CELL - 2, "height": _CELL - 2, "rx": 4}),
        tag("text", {"class": f"held {kind}", "x": x, "y": y}, words),
    ]


def _cell(view: View, square: int) -> Markup:
    chain = chain_at(view, square)
    if chain is not None:
        name = view.rules.chain_names[chain]
        return tag("td", {"class": f"c{chain}"}, name[0])
    return tag("td", None, "o" if view.board[square] == INDEPENDENT_SQUARE else "·")


def _house(view: View, chain: int) -> Markup:
    squares = [square for square in range(SQUARES) if chain_at(view, square) == chain]
    places = [divmod(square, NUMBERS) for square in squares]
    down, right = (sum(part) for part in zip(*places, strict=True))
    count = len(places)
    row, column = min(places, key=lambda place: (count * place[0] - down) ** 2 + (count * place[1] - right) ** 2)
    x, y = _middle(row * NUMBERS + column)
    letter = tag("text", {"y": 11}, view.rules.chain_names[chain][0])
    return tag("g", {"class": f"house c{chain}", "transform": f"translate({x} {y})"}, tag("path", {"d": _HOUSE}), letter)
