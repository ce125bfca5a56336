"""The drawings of `clients/vectors/drawings.jsonl`: notes that draw, and drawings that are refused with their reason."""

from collections.abc import Iterator
from typing import Any, Final

from mergemaker_client.drawing import LABEL_CHARACTERS_MAX, MARKS_MAX, Drawing, Tone
from mergemaker_client.errors import BotError
from mergemaker_engine.board import SQUARES

Mark = dict[str, Any]


def _mark(kind: str, at: int, tone: Tone = Tone.PLAIN, **more: object) -> Mark:
    return {"kind": kind, "at": at, "tone": str(tone), **more}


_SQUARE: Final = _mark("square", 28)
_DRAWINGS: Final[dict[str, tuple[str, list[Mark]]]] = {
    "nothing": ("", []),
    "a text alone": ("block the merger", []),
    "every kind of mark": (
        "block the merger",
        [
            _SQUARE,
            _mark("arrow", 28, Tone.BAD, to=31),
            _mark("label", 41, Tone.GOOD, text="safe"),
            _mark("number", 41, Tone.GOOD, number=12),
        ],
    ),
    "corners of the board": ("", [_mark("square", square) for square in (0, 11, SQUARES - 12, SQUARES - 1)]),
    "numbers": ("", [_mark("number", 0, number=number) for number in (0, -1, 999_999_999_999, -99_999_999_999)]),
    "characters that JSON escapes": ('a "quoted" \\ path/\n\t\b\f\r\x00\x1f\x7f\x80', [_mark("label", 5, text='"\\\n\x01')]),
    "characters that some writers escape": ("<b>&amp;</b> '=+` \u2028\u2029\ufeff", [_mark("label", 5, text="<&>\u2028")]),
    "other scripts": (
        "größer als 合併 😀",
        [_mark("label", 5, text="合併"), _mark("label", 6, text="😀" * LABEL_CHARACTERS_MAX)],
    ),
    "right to left": ("\u202e\u05d0\u05d1", [_mark("label", 5, text="\u05d0\u202e")]),
    "as many marks as there may be": ("", [_mark("square", square) for square in range(MARKS_MAX)]),
    "as long as a note may be": ("ä" * 506, []),
    "a byte too long": ("ä" * 506 + "x", []),
    "too long by its marks": ("", [_mark("label", square, Tone.BAD, text="t" * LABEL_CHARACTERS_MAX) for square in range(30)]),
    "a mark too many": ("", [_mark("square", square) for square in range(MARKS_MAX + 1)]),
    "a label without a text": ("", [_mark("label", 5, text="")]),
    "a label too long": ("", [_mark("label", 5, text="😀" * (LABEL_CHARACTERS_MAX + 1))]),
    "a number too long": ("", [_mark("number", 5, number=-999_999_999_999)]),
    "an arrow to itself": ("", [_mark("arrow", 5, to=5)]),
    "no such square": ("", [_mark("square", SQUARES)]),
    "an arrow out of the board": ("", [_mark("arrow", 5, to=SQUARES)]),
    "the first of two mistakes": ("", [_mark("label", 5, text=""), _mark("square", SQUARES)]),
}


def drawing_lines() -> Iterator[dict[str, Any]]:
    """Each drawing with its note, or with the reason why there is none."""
    for name, (text, marks) in _DRAWINGS.items():
        note = reason = None
        try:
            note = note_of(text, marks)
        except BotError as error:
            reason = error.reason
        yield {"drawing": name, "text": text, "marks": marks, "note": note, "reason": reason}


def note_of(text: str, marks: list[Mark]) -> str:
    """The note of a line's marks."""
    drawing = Drawing(text)
    for mark in marks:
        match mark["kind"]:
            case "square":
                drawing.square(mark["at"], mark["tone"])
            case "arrow":
                drawing.arrow(mark["at"], mark["to"], mark["tone"])
            case "label":
                drawing.label(mark["at"], mark["text"], mark["tone"])
            case "number":
                drawing.number(mark["at"], mark["number"], mark["tone"])
            case other:
                raise ValueError(f"there is no mark {other}")
    return drawing.note()
