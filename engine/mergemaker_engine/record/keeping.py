"""What a reader keeps of the lines of a record, so that no file fills the memory.

Members of `run` that are lists or objects are checked like all others. They are kept only if this format knows them. All that
is kept is counted: `Budget` refuses a record of which there is too much.
"""

from dataclasses import replace
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.lines import DecisionLine, Incident

KEPT_BYTES_MAX: Final = 16 * 1024 * 1024
"""What a reader keeps of one record, counted as below: some 8,000 decisions. The longest match so far has 700."""

_NESTED: Final = frozenset({"evidence", "commitments"})
"""The lists and objects in `run` of decisions and incidents that are kept."""

# What values take in CPython, rounded up. Other versions and systems differ little, and all of them stay below.
_LINE_BYTES: Final = 856
"""With three texts and the object of its `run`, all of them empty."""
_TEXT_BYTES: Final = 80
_NUMBER_BYTES: Final = 40
_LIST_BYTES: Final = 88
_OBJECT_BYTES: Final = 104
_MEMBER_BYTES: Final = 96
_CHARACTER_BYTES_MAX: Final = 4
_USUAL_MEMBER_BYTES: Final = _MEMBER_BYTES + _TEXT_BYTES + _NUMBER_BYTES

_LARGE: Final[frozenset[type]] = frozenset({list, dict})


def slim(line: DecisionLine | Incident) -> DecisionLine | Incident:
    """The line without lists and objects in `run` that this format does not know."""
    run = line.run
    if not _LARGE & {*map(type, run.values())}:
        return line
    known = {name: value for name, value in run.items() if name in _NESTED or type(value) not in _LARGE}
    return line if len(known) == len(run) else replace(line, run=known)


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
        run = line.run
        texts = (line.asked, line.answer, line.note or "") if isinstance(line, DecisionLine) else (line.what, line.why or "")
        size = _LINE_BYTES + len("".join((*texts, *run))) * _CHARACTER_BYTES_MAX + len(run) * _USUAL_MEMBER_BYTES
        for value in run.values():
            if type(value) is not int:
                size += kept_bytes(value)
        self._taken += size
        if self._most is not None and self._taken > self._most:
            raise RecordError("too-much", f"of one record at most {self._most:,} bytes are kept in memory, and this one has more")
