"""What a reader keeps of the lines of a record, so that no file fills the memory.

Members of `run` that are lists or objects are checked like all others. They are kept only if this format knows them. All that
is kept is counted: `Budget` refuses a record of which there is too much.
"""

from dataclasses import replace
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.lines import DecisionLine, Incident

KEPT_BYTES_MAX: Final = 48 * 1024 * 1024
"""What a reader keeps of one record, counted as below: some 40,000 decisions. The longest match so far has 700."""

_NESTED: Final = frozenset({"evidence", "commitments"})
"""The lists and objects in `run` of decisions and incidents that are kept."""

# What values take in CPython, rounded up. Other versions and systems differ little, and all of them stay below.
_LINE_BYTES: Final = 512
_TEXT_BYTES: Final = 80
_NUMBER_BYTES: Final = 40
_LIST_BYTES: Final = 88
_OBJECT_BYTES: Final = 104
_MEMBER_BYTES: Final = 96
_CHARACTER_BYTES_MAX: Final = 4


def slim(line: DecisionLine | Incident) -> DecisionLine | Incident:
    """The line without lists and objects in `run` that this format does not know."""
    for name, value in line.run.items():
        if isinstance(value, list | dict) and name not in _NESTED:
            break
    else:
        return line
    known = {name: value for name, value in line.run.items() if name in _NESTED or not isinstance(value, list | dict)}
    return replace(line, run=known)


def kept_bytes(value: object) -> int:
    """At least what a value of JSON takes in memory."""
    if isinstance(value, str):
        return _TEXT_BYTES + len(value) * (1 if value.isascii() else _CHARACTER_BYTES_MAX)
    if isinstance(value, dict):
        return _OBJECT_BYTES + sum(_MEMBER_BYTES + kept_bytes(name) + kept_bytes(item) for name, item in value.items())
    if isinstance(value, list):
        return _LIST_BYTES + sum(map(kept_bytes, value))
    return _NUMBER_BYTES


class Budget:
    """How much of a record may still be kept."""

    __slots__ = ("_most", "_taken")

    def __init__(self, most: int | None) -> None:
        self._most: Final = most
        self._taken = 0

    def take(self, line: DecisionLine | Incident) -> None:
        """Counts a line; refuses it if there is no room for it."""
        texts = (line.asked, line.answer, line.note) if isinstance(line, DecisionLine) else (line.what, line.why)
        size = _LINE_BYTES + _OBJECT_BYTES
        for text in texts:
            if text is not None:
                size += kept_bytes(text)
        for name, value in line.run.items():
            size += _MEMBER_BYTES + kept_bytes(name) + kept_bytes(value)
        self._taken += size
        if self._most is not None and self._taken > self._most:
            raise RecordError("too-much", f"of one record at most {self._most:,} bytes are kept in memory, and this one has more")
