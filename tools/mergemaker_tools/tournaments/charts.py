"""Pictures of a page, drawn as SVG: no script, no style sheet, no reference to anything outside.

Each picture has a title, and its numbers also stand in a table of the page, for those who cannot see it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#8a8f00")
"""Most people can tell them apart, including those with red-green colour blindness. They are used in turn."""
DASHES: Final = ("", "6 3", "2 3", "8 3 2 3")
"""With more lines than colours, dashes tell them apart."""
INK: Final = "#1f2328"
DIM: Final = "#6f6a60"
RULE: Final = "#d8d4ca"
PLACE_COLOURS: Final = ("#00805d", "#7cc4f0", "#e8d174", "#e69f00", "#d48db6", "#c4451c")
"""From the first place to the sixth."""

# Lengths are in pixels at the usual size.
_WIDTH: Final = 760
_LABEL: Final = 190
_ROW: Final = 26
_TOP: Final = 30
_TICKS: Final = 6
_LINES_HEIGHT: Final = 300
_LEGEND_ROW: Final = 18
LABEL_CHARACTERS_MAX: Final = 26


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval."""

    label: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """Values over time."""

    label: str
    points: tuple[tuple[float, float], ...]


def ticks(low: float, high: float) -> list[float]:
    """Round numbers within these bounds, some five of them."""
    span = high - low
    if span <= 0:
        return [low]
    raw = span / _TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = math.ceil(low / step - 1e-9)
    return [round(index * step, 12) for index in range(first, math.floor(high / step + 1e-9) + 1)]


class _Scale:
    """From values to pixels."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        low, high = min(values), max(values)
        room = (high - low) * 0.05 or max(abs(high) * 0.05, 0.01)
        self.low, self.high = low - room, high + room
        self._first, self._last = first, last

    def __call__(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return round(self._first + part * (self._last - self._first), 1)


def _picture(height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" width="{_WIDTH}" height="{height:.0f}" '
        f'role="img" font-family="sans-serif" font-size="12"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = INK) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float, colour: str = RULE, width: float = 1) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="{width:g}"/>'


def short_label(text: str) -> str:
    """A label, cut to its column."""
    return text if len(text) <= LABEL_CHARACTERS_MAX else text[: LABEL_CHARACTERS_MAX - 1] + "…"


def points_text(value: float) -> str:
    """A score as points of a hundred, with its sign."""
    return f"{100 * value:+.1f}"


def intervals(title: str, bars: Sequence[Bar]) -> str:
    """Values with their intervals, one below the other, and a line at zero."""
    values = [0.0, *(each for bar in bars for each in (bar.value, bar.low, bar.high) if each is not None)]
    scale = _Scale(values, _LABEL, _WIDTH - 20)
    bottom = _TOP + len(bars) * _ROW
    parts = []
    for tick in ticks(scale.low, scale.high):
        parts += [_rule(scale(tick), _TOP - 8, scale(tick), bottom), _text(scale(tick), 14, points_text(tick), "middle", DIM)]
    parts.append(_rule(scale(0), _TOP - 8, scale(0), bottom, DIM, 1.5))
    for index, bar in enumerate(bars):
        y = _TOP + index * _ROW + _ROW / 2
        parts.append(_text(_LABEL - 10, y + 4, short_label(bar.label), "end"))
        if bar.value is None:
            parts.append(_text(scale(0) + 8, y + 4, "too few blocks", colour=DIM))
            continue
        if bar.low is not None and bar.high is not None:
            parts.append(_rule(scale(bar.low), y, scale(bar.high), y, COLOURS[0], 2.5))
            parts += [_rule(scale(end), y - 5, scale(end), y + 5, COLOURS[0], 2.5) for end in (bar.low, bar.high)]
        parts.append(f'<circle cx="{scale(bar.value):g}" cy="{y:g}" r="4.5" fill="{COLOURS[0]}"/>')
    return _picture(bottom + 8, title, parts)


def lines(title: str, series: Sequence[Line], across: str) -> str:
    """Values over time, one line each, with a legend below."""
    xs = [x for line in series for x, _ in line.points]
    ys = [0.0, *(y for line in series for _, y in line.points)]
    across_scale = _Scale(xs, 60, _WIDTH - 20)
    up = _Scale(ys, _LINES_HEIGHT, _TOP)
    parts = []
    for tick in ticks(up.low, up.high):
        parts += [_rule(60, up(tick), _WIDTH - 20, up(tick)), _text(52, up(tick) + 4, points_text(tick), "end", DIM)]
    for tick in ticks(across_scale.low, across_scale.high):
        if tick == int(tick):
            parts.append(_text(across_scale(tick), _LINES_HEIGHT + 18, f"{tick:,.0f}", "middle", DIM))
    parts.append(_text(_WIDTH - 20, _LINES_HEIGHT + 34, across, "end", DIM))
    for index, line in enumerate(series):
        colour, dash = COLOURS[index % len(COLOURS)], DASHES[index // len(COLOURS) % len(DASHES)]
        path = " ".join(f"{across_scale(x):g},{up(y):g}" for x, y in line.points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>')
        x, y = 60 + (index % 3) * 230, _LINES_HEIGHT + 54 + (index // 3) * _LEGEND_ROW
        parts.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 24}" y2="{y - 4}" stroke="{colour}" stroke-width="3"{dashed}/>')
        parts.append(_text(x + 30, y, short_label(line.label)))
    return _picture(_LINES_HEIGHT + 60 + math.ceil(len(series) / 3) * _LEGEND_ROW, title, parts)


def shares(title: str, rows: Sequence[tuple[str, Sequence[tuple[str, float]]]]) -> str:
    """How a whole is divided, one row each: places, the first at the left. A part has a text if there is room for it."""
    parts = []
    right = _WIDTH - 20
    for index, (label, divided) in enumerate(rows):
        y = _TOP - 12 + index * _ROW
        parts.append(_text(_LABEL - 10, y + 17, short_label(label), "end"))
        total = sum(size for _, size in divided)
        x = float(_LABEL)
        for number, (text, size) in enumerate(divided):
            width = (right - _LABEL) * size / total if total else 0.0
            colour = PLACE_COLOURS[number % len(PLACE_COLOURS)]
            parts.append(f'<rect x="{x:.1f}" y="{y + 3:g}" width="{width:.1f}" height="{_ROW - 6}" fill="{colour}"/>')
            if width > 44:
                ink = "#ffffff" if number in {0, 5} else INK
                parts.append(_text(round(x + width / 2, 1), y + 17, text, "middle", ink))
            x += width
    return _picture(_TOP + len(rows) * _ROW, title, parts)
