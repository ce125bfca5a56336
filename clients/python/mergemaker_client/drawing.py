"""Notes that draw: squares, arrows, labels and numbers, which the viewer shows on the board after the match."""

from enum import StrEnum
from typing import Final, Self

from mergemaker_engine.board import SQUARE_NAMES, SQUARES
from mergemaker_engine.shown import shown

from mergemaker_client.answer import NOTE_BYTES_MAX
from mergemaker_client.errors import BotError

MARKS_MAX: Final = 60
"""How many marks a note may have."""
LABEL_CHARACTERS_MAX: Final = 12
"""How long a label may be, in characters of Unicode."""
_FIRST_PRINTABLE: Final = " "


class Tone(StrEnum):
    """What a mark means, shown by its colour and form."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"


class Drawing:
    """Builds a note that draws. Squares are given as in actions: `Drawing("block").square(tile.square).note()`.

    Every language's library makes the same note of the same marks, byte for byte.
    """

    def __init__(self, text: str = "") -> None:
        self._head = f'"text":{_quoted(text)},' if text else ""
        self._marks: list[str] = []

    def square(self, square: int, tone: str = Tone.PLAIN) -> Self:
        """A frame around a square."""
        return self._add(_at(square), tone)

    def arrow(self, start: int, end: int, tone: str = Tone.PLAIN) -> Self:
        """An arrow from one square to another."""
        first, last = _name(start), _name(end)
        if first == last:
            raise BotError("arrow-to-itself", f"an arrow leads to another square, not from {first} to {last}")
        return self._add(f'"from":"{first}","to":"{last}"', tone)

    def label(self, square: int, text: str, tone: str = Tone.PLAIN) -> Self:
        """A short text on a square."""
        quoted = _quoted(text)
        if not 1 <= len(text) <= LABEL_CHARACTERS_MAX:
            raise BotError("bad-label", f"a label has 1 to {LABEL_CHARACTERS_MAX} characters, not {len(text)}: {shown(text)}")
        return self._add(f'{_at(square)},"text":{quoted}', tone)

    def number(self, square: int, number: int, tone: str = Tone.PLAIN) -> Self:
        """A whole number on a square."""
        if type(number) is not int or len(str(number)) > LABEL_CHARACTERS_MAX:
            raise BotError(
                "bad-label", f"a number is a whole one of at most {LABEL_CHARACTERS_MAX} characters, not {shown(number)}"
            )
        return self._add(f'{_at(square)},"text":{number}', tone)

    def note(self) -> str:
        """The note, for `Noted(answer, drawing.note())`."""
        note = f'{{{self._head}"marks":[{",".join(self._marks)}]}}'
        size = len(note.encode())
        if size > NOTE_BYTES_MAX:
            raise BotError(
                "note-too-long",
                f"a note is at most {NOTE_BYTES_MAX} bytes of UTF-8, and {len(self._marks)} marks with this text make {size}: "
                "leave some out",
            )
        return note

    def _add(self, mark: str, tone: str) -> Self:
        if tone not in list(Tone):
            raise BotError("no-such-tone", f"a tone is one of {', '.join(Tone)}, not {shown(tone)}")
        if len(self._marks) == MARKS_MAX:
            raise BotError("too-many-marks", f"a note has at most {MARKS_MAX} marks: leave some out")
        end = "" if tone == Tone.PLAIN else f',"tone":"{Tone(tone)}"'
        self._marks.append(f"{{{mark}{end}}}")
        return self


def _at(square: int) -> str:
    return f'"at":"{_name(square)}"'


def _name(square: int) -> str:
    if type(square) is not int or not 0 <= square < SQUARES:
        raise BotError("no-such-square", f"a square is a number from 0 to {SQUARES - 1}, as in actions, not {shown(square)}")
    return SQUARE_NAMES[square]


def _quoted(text: str) -> str:
    """A text as JSON, in the one way that all libraries write it: only what must be is escaped."""
    if not isinstance(text, str):
        raise BotError("bad-note", f"what a note says is text, not {shown(text)}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BotError("bad-note", "a note is Unicode, without half of a surrogate pair") from error
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character >= _FIRST_PRINTABLE else f"\\u{ord(character):04x}"
