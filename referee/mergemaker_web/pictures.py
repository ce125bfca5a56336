"""A position as a PNG, and a match as a GIF, drawn with Pillow (the extra `pictures`)."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_engine.board import CHAINS, LETTERS, NUMBERS, SQUARE_NAMES, SQUARES
from mergemaker_engine.board_svg import PAINTS, Paint
from mergemaker_engine.views import EMPTY_SQUARE, View, chain_at

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError:  # without the extra, whatever draws says so
    HAS_PILLOW = False
else:
    HAS_PILLOW = True

GIF_BYTES_MAX: Final = 300_000
"""How large a GIF may be: of a longer one, some frames are left out."""
FRAME_MS: Final = 600
LAST_FRAME_MS: Final = 4_000

_CELL: Final = 40
_MARGIN: Final = 28
_HEAD: Final = 30
_LEGEND: Final = _MARGIN + NUMBERS * _CELL + 16
_LEGEND_ROW: Final = 50
_WIDTH: Final = _LEGEND + 190
_SEATS_TOP: Final = _HEAD + _MARGIN + len(LETTERS) * _CELL + 8
_SEATS_IN_ROW: Final = 3
_SEAT_ROW: Final = 20
_PAPER: Final = "#fbfaf7"
_DARK: Final = "#1f2328"
_DIM: Final = "#5b574e"
_EMPTY: Final = Paint("#ebe8e0", "#605b50")
_INDEPENDENT: Final = Paint("#6e6a62", "#ffffff")
_CAPTION_CHARACTERS: Final = 88
_NAME_CHARACTERS: Final = 16
_SHADES: Final = 3
"""How many colours a GIF has between that of a text and that of its ground."""
_UNUSED: Final = b"\xff\x00\xff"
"""A colour that no picture has: in a GIF it stands for what did not change."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture."""

    view: View
    last: int | None
    """The square of the last tile."""
    caption: str
    seats: Sequence[str]
    """What is known of each seat: name and money."""


class NoPillow(Exception):
    """Pictures need an extra that is not installed."""


def png_of(frame: Frame) -> bytes:
    """A picture as the bytes of a PNG."""
    _check_pillow()
    packed = io.BytesIO()
    _drawn(frame).quantize(palette=_palette(_colours()), dither=Image.Dither.NONE).save(packed, "PNG", optimize=True)
    return packed.getvalue()


def gif_of(frames: Sequence[Frame]) -> tuple[bytes, int]:
    """Pictures as the bytes of a GIF, and how many of them are in it.

    If all are too large, these are the ones with a new tile, or every second, third … of them. The last one is always there.
    """
    _check_pillow()
    colours = _colours()
    palette = _palette(colours)
    images = [_drawn(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    chosen = images
    packed = _gif(chosen, colours)
    step = 0
    while len(packed) > GIF_BYTES_MAX and len(chosen) > 1:
        step += 1
        telling = [image for image, is_new in zip(images, _new_boards(frames), strict=True) if is_new]
        chosen = telling[len(telling) - 1 :: -step][::-1]
        packed = _gif(chosen, colours)
    return packed, len(chosen)


def _new_boards(frames: Sequence[Frame]) -> list[bool]:
    """For each frame: whether its board is not that of the frame before; the first and the last one count as such."""
    boards = [frame.view.board for frame in frames]
    changed = [board != before for board, before in zip(boards[1:-1], boards, strict=False)]
    return [True, *changed, True][: len(frames)]


def _check_pillow() -> None:
    if not HAS_PILLOW:
        raise NoPillow("pictures need an extra: `pip install 'mergemaker[pictures]'`")


def _gif(images: "Sequence[Image.Image]", colours: bytes) -> bytes:
    """A GIF of images that share a palette. Each frame has the changed part alone, and nothing where that did not change.

    One palette for all frames, and rows in their order, make it smaller than Pillow would by itself.
    """
    packed = io.BytesIO()
    images[0].save(
        packed,
        "GIF",
        save_all=True,
        append_images=images[1:],
        duration=[FRAME_MS] * (len(images) - 1) + [LAST_FRAME_MS],
        loop=0,
        optimize=True,
        interlace=False,
        palette=colours,
        transparency=len(colours) // len(_UNUSED) - 1,
    )
    return packed.getvalue()


def _colours() -> bytes:
    """All colours of the pictures, with those between texts and their grounds, and last the one for what did not change."""
    pairs = [*PAINTS, _EMPTY, _INDEPENDENT, *(Paint(_PAPER, ink) for ink in (_DARK, _DIM))]
    shades = (_between(paint.fill, paint.ink, shade / (_SHADES - 1)) for paint in pairs for shade in range(_SHADES))
    return b"".join([*dict.fromkeys(shades), _UNUSED])


def _palette(colours: bytes) -> "Image.Image":
    image = Image.new("P", (1, 1))
    image.putpalette(colours[: -len(_UNUSED)])
    return image


def _between(one: str, other: str, part: float) -> bytes:
    colours = ([int(text[at : at + 2], 16) for at in (1, 3, 5)] for text in (one, other))
    return bytes(round(low + (high - low) * part) for low, high in zip(*colours, strict=True))


def _font(size: int) -> "ImageFont.FreeTypeFont | ImageFont.ImageFont":
    return ImageFont.load_default(size)


def _drawn(frame: Frame) -> "Image.Image":
    rows = (len(frame.seats) + _SEATS_IN_ROW - 1) // _SEATS_IN_ROW
    image = Image.new("RGB", (_WIDTH, _SEATS_TOP + rows * _SEAT_ROW + 8), _PAPER)
    draw = ImageDraw.Draw(image)
    draw.text((10, 8), _cut(frame.caption, _CAPTION_CHARACTERS), _DARK, _font(14))
    for column in range(NUMBERS):
        draw.text(_middle(column, -16), str(column + 1), _DIM, _font(13), "mm")
    for row, letter in enumerate(LETTERS):
        draw.text((_MARGIN / 2, _middle(row * NUMBERS)[1]), letter, _DIM, _font(13), "mm")
    for square in range(SQUARES):
        _draw_square(draw, frame.view, square)
    if frame.last is not None:
        left, top = _corner(frame.last)
        draw.rounded_rectangle((left + 2, top + 2, left + _CELL - 3, top + _CELL - 3), 4, None, _DARK, 3)
    for chain in range(CHAINS):
        _draw_chain(draw, frame.view, chain)
    for seat, text in enumerate(frame.seats):
        at = (10 + seat % _SEATS_IN_ROW * _WIDTH // _SEATS_IN_ROW, _SEATS_TOP + seat // _SEATS_IN_ROW * _SEAT_ROW)
        draw.text(at, text, _DARK, _font(13))
    return image


def _corner(square: int) -> tuple[int, int]:
    row, column = divmod(square, NUMBERS)
    return _MARGIN + column * _CELL, _HEAD + _MARGIN + row * _CELL


def _middle(square: int, down: float = _CELL / 2) -> tuple[float, float]:
    left, top = _corner(square)
    return left + _CELL / 2, top + down


def _draw_square(draw: "ImageDraw.ImageDraw", view: View, square: int) -> None:
    chain = chain_at(view, square)
    if chain is not None:
        paint, text, size = PAINTS[chain], view.rules.chain_names[chain][0], 19
    else:
        paint, text, size = _EMPTY if view.board[square] == EMPTY_SQUARE else _INDEPENDENT, SQUARE_NAMES[square], 11
    left, top = _corner(square)
    draw.rounded_rectangle((left + 1, top + 1, left + _CELL - 2, top + _CELL - 2), 4, paint.fill)
    draw.text(_middle(square), text, paint.ink, _font(size), "mm")


def _draw_chain(draw: "ImageDraw.ImageDraw", view: View, chain: int) -> None:
    top = _HEAD + _MARGIN + 4 + chain * _LEGEND_ROW
    size, name = view.sizes[chain], view.rules.chain_names[chain]
    paint = PAINTS[chain] if size else _EMPTY
    draw.rounded_rectangle((_LEGEND, top, _LEGEND + 36, top + 36), 4, paint.fill)
    draw.text((_LEGEND + 18, top + 18), name[0], paint.ink, _font(19), "mm")
    draw.text((_LEGEND + 46, top), name, _DARK if size else _DIM, _font(14))
    state = f"{size} tiles, ${view.prices[chain]:,}" if size else "not on the board"
    draw.text((_LEGEND + 46, top + 17), state, _DARK if size else _DIM, _font(11))
    draw.text((_LEGEND + 46, top + 30), f"{view.market[chain]} shares left", _DIM, _font(11))


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def seat_text(seat: int, name: str, money: int) -> str:
    """What a picture says of a seat."""
    return f"{seat} {_cut(name, _NAME_CHARACTERS)} ${money:,}"
