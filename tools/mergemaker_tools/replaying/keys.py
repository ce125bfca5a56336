"""Keys by their names, from the bytes that a terminal sends for them."""

import re
from typing import Final

_ESCAPE: Final = 0x1B
_SEQUENCE_BYTES_MAX: Final = 32
"""No key sends more; longer sequences are discarded."""

_CONTROL: Final = {
    0x03: "interrupt",
    0x08: "backspace",
    0x0A: "enter",
    0x0C: "redraw",
    0x0D: "enter",
    0x1A: "suspend",
    0x7F: "backspace",
}
_FINAL_LETTERS: Final = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERED: Final = {"1": "home", "7": "home", "4": "end", "8": "end", "5": "page-up", "6": "page-down"}
# ESC [ parameters letter, or ESC O letter, as in ESC [ 1 ; 5 C for the right arrow with Ctrl.
_WHOLE: Final = re.compile(rb"\x1b(?:\[(?P<parts>[0-?]*)[ -/]*(?P<end>[@-~])|O(?P<letter>[ -~]))", re.DOTALL)
_BEGUN: Final = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?", re.DOTALL)


class KeyDecoder:
    """Puts together what arrives in pieces. A lone escape is a key only when nothing follows it: `flush`."""

    def __init__(self) -> None:
        self._waiting = b""

    @property
    def is_waiting(self) -> bool:
        """Whether the input so far may be the beginning of a longer sequence."""
        return bool(self._waiting)

    def feed(self, arrived: bytes) -> list[str]:
        """The keys that are complete."""
        data = self._waiting + arrived
        self._waiting = b""
        keys: list[str] = []
        while data:
            if data[0] != _ESCAPE:
                keys += _plain(data[0])
                data = data[1:]
            elif whole := _WHOLE.match(data):
                keys += _named(whole)
                data = data[whole.end() :]
            elif _BEGUN.fullmatch(data) and len(data) <= _SEQUENCE_BYTES_MAX:
                self._waiting = data
                data = b""
            else:  # an escape, and then something that does not belong to it
                keys.append("escape")
                data = data[1:]
        return keys

    def flush(self) -> list[str]:
        """The key of an incomplete sequence: the escape key, or none."""
        waiting, self._waiting = self._waiting, b""
        return ["escape"] if waiting == b"\x1b" else []


def _plain(byte: int) -> list[str]:
    """The key of a single byte; letters beyond ASCII have no meaning here."""
    if byte in _CONTROL:
        return [_CONTROL[byte]]
    return [chr(byte)] if 0x20 <= byte < 0x7F else []


def _named(whole: re.Match[bytes]) -> list[str]:
    letter = (whole["end"] or whole["letter"]).decode("ascii")
    number = (whole["parts"] or b"").decode("ascii").partition(";")[0]
    found = _NUMBERED.get(number) if letter == "~" else _FINAL_LETTERS.get(letter)
    return [found] if found else []


# What msvcrt gives after a first character of "\x00" or "\xe0".
_WINDOWS: Final = {
    "H": "up",
    "P": "down",
    "M": "right",
    "K": "left",
    "G": "home",
    "O": "end",
    "I": "page-up",
    "Q": "page-down",
}
WINDOWS_PREFIXES: Final = ("\x00", "\xe0")


def windows_key(first: str, second: str = "") -> list[str]:
    """The key for a Windows console's input: one character, or a prefix and another."""
    if first in WINDOWS_PREFIXES:
        found = _WINDOWS.get(second)
        return [found] if found else []
    if first == "\x1b":
        return ["escape"]
    return _plain(ord(first))
