"""Cutting the bytes of a record into lines, with a limit on every size."""

from collections.abc import Iterable, Iterator
from typing import Final

from mergemaker_engine.errors import RecordError

LINE_BYTES_MAX: Final = 65_536
RECORD_BYTES_MAX: Final = 64 * 1024 * 1024
"""After unpacking. The longest match played so far has less than a hundredth of this."""
_PIECE_BYTES: Final = 65_536
"""How much is cut into lines at a time: a chunk of a million empty lines is no million objects."""


def whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a record, without their LF.

    Text after the last LF is not a line, but part of a torn one. It raises an error of its own, after all whole lines
    were yielded.
    """
    rest = b""
    size = 0
    number = 1
    for chunk in chunks:
        _check_size(len(chunk), number)
        for begin in range(0, len(chunk), _PIECE_BYTES):
            *lines, rest = (rest + chunk[begin : begin + _PIECE_BYTES]).split(b"\n")
            for line in lines:
                check_length(line, number)
                size += len(line) + 1
                _check_size(size, number)
                yield line
                number += 1
            check_length(rest, number)
            _check_size(size + len(rest), number)
    if rest:
        raise RecordError("torn", "the last line is torn off: it has no end of line; the match may still be running", line=number)
    if number == 1:
        raise RecordError("empty", "there is nothing in it; a record begins with a header line")


def _check_size(size: int, number: int) -> None:
    if size > RECORD_BYTES_MAX:
        raise RecordError("too-large", f"a record has at most {RECORD_BYTES_MAX:,} bytes; this one goes on", line=number)


def check_length(line: bytes, number: int) -> None:
    """Refuses a line that is too long without its LF."""
    if len(line) > LINE_BYTES_MAX:
        raise RecordError("long-line", f"a line has at most {LINE_BYTES_MAX:,} bytes; this one is longer", line=number)
