"""Cutting bytes into lines, wherever the pieces end and however many there are."""

from collections.abc import Iterator
from itertools import count, repeat
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.splitting import LINE_BYTES_MAX, RECORD_BYTES_MAX, whole_lines
from mergemaker_testkit.strategies import STEADY

CHUNK: Final = 65_536
GIGABYTE_CHUNKS: Final = 2**30 // CHUNK


def _refused(chunks: Iterator[bytes]) -> tuple[list[bytes], str, int | None]:
    """The lines before the error, its reason, and its line."""
    lines: list[bytes] = []
    with pytest.raises(RecordError) as refusal:
        lines.extend(whole_lines(chunks))
    return lines, refusal.value.reason, refusal.value.line


@STEADY
@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=8), st.data())
def test_lines_are_the_same_wherever_pieces_end(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert list(whole_lines(pieces)) == lines


def test_lines_come_as_soon_as_they_are_there() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"one\ntw"
        raise AssertionError("more was read than the first line needs")

    assert next(whole_lines(pieces())) == b"one"


@pytest.mark.parametrize("pieces", [[], [b""], [b"", b""]], ids=repr)
def test_nothing_is_no_record(pieces: list[bytes]) -> None:
    assert _refused(iter(pieces)) == ([], "empty", None)


def test_what_follows_the_last_end_of_line_is_torn() -> None:
    assert _refused(iter([b"one\ntwo\nthr"])) == ([b"one", b"two"], "torn", 3)
    assert _refused(iter([b"on", b"e"])) == ([], "torn", 1)


def test_a_line_has_a_limit_of_bytes() -> None:
    longest = b"x" * LINE_BYTES_MAX
    assert list(whole_lines([b"one\n", longest, b"\n"])) == [b"one", longest]
    assert _refused(iter([b"one\n" + longest + b"x\ntwo\n"])) == ([b"one"], "long-line", 2)
    assert _refused(iter([b"one\n", longest, b"x"])) == ([b"one"], "long-line", 2)


def test_a_record_has_a_limit_of_bytes() -> None:
    line = b"x" * (CHUNK - 1) + b"\n"
    allowed = RECORD_BYTES_MAX // CHUNK
    assert sum(1 for _ in whole_lines(repeat(line, allowed))) == allowed
    lines, reason, number = _refused(iter([*repeat(line, allowed), b"\n"]))
    assert (len(lines), reason, number) == (allowed, "too-large", allowed + 1)


@pytest.mark.parametrize(
    ("filling", "chunks", "reason"), [(b"\0", 2, "long-line"), (b"\n", 1, "not-json"), (b"x\n", 1, "not-json")]
)
def test_only_the_first_pieces_of_a_gigabyte_of_nonsense_are_read(filling: bytes, chunks: int, reason: str) -> None:
    taken = count()

    def gigabyte() -> Iterator[bytes]:
        for _ in range(GIGABYTE_CHUNKS):
            next(taken)
            yield filling * (CHUNK // len(filling))

    with pytest.raises(RecordError) as refusal:
        read_record(gigabyte())
    assert (refusal.value.reason, refusal.value.line) == (reason, 1)
    assert next(taken) == chunks
