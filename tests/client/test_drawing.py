"""Notes that draw: what a drawing refuses. What it makes is in `clients/vectors/drawings.jsonl`, for all languages."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from drawing_vectors import drawing_lines
from mergemaker_client import BotError, Drawing, Noted, Tone
from mergemaker_client.answer import NOTE_BYTES_MAX
from mergemaker_client.drawing import MARKS_MAX

VECTORS = Path(__file__).parents[2] / "clients" / "vectors" / "drawings.jsonl"


def test_a_note_is_json_that_goes_with_an_answer() -> None:
    drawing = Drawing("block").square(28).arrow(28, 31, Tone.BAD).label(41, "safe", "good").number(0, -5)
    noted = Noted(3, drawing.note())
    assert json.loads(noted.note) == {
        "text": "block",
        "marks": [
            {"at": "5C"},
            {"from": "5C", "to": "8C", "tone": "bad"},
            {"at": "6D", "text": "safe", "tone": "good"},
            {"at": "1A", "text": -5},
        ],
    }


def test_the_vectors_have_what_is_written_and_every_reason() -> None:
    lines = [json.loads(line) for line in VECTORS.read_text("ascii").splitlines()]
    assert lines == [*drawing_lines()]
    for line in lines:
        assert (line["note"] is None) is (line["reason"] is not None)
        if line["note"] is not None:
            note = json.loads(line["note"])
            assert note.get("text", "") == line["text"]
            assert len(note["marks"]) == len(line["marks"]) <= MARKS_MAX
            assert len(line["note"].encode()) <= NOTE_BYTES_MAX
    reasons = {"arrow-to-itself", "bad-label", "no-such-square", "note-too-long", "too-many-marks"}
    assert {line["reason"] for line in lines} == {None, *reasons}


@pytest.mark.parametrize(
    ("draw", "reason", "said"),
    [
        (lambda: Drawing(5), "bad-note", "what a note says is text, not 5"),  # type: ignore[arg-type]  # a mistake of a bot
        (lambda: Drawing("\ud800"), "bad-note", "without half of a surrogate pair"),
        (lambda: Drawing().square("5C"), "no-such-square", "a number from 0 to 107, as in actions, not '5C'"),  # type: ignore[arg-type]  # likewise
        (lambda: Drawing().square(-1), "no-such-square", "not -1"),
        (lambda: Drawing().square(True), "no-such-square", "not True"),
        (lambda: Drawing().square(1, "red"), "no-such-tone", "a tone is one of plain, good, bad, not 'red'"),
        (lambda: Drawing().label(1, 5), "bad-note", "is text, not 5"),  # type: ignore[arg-type]  # likewise
        (lambda: Drawing().label(1, "thirteen long"), "bad-label", "1 to 12 characters, not 13"),
        (lambda: Drawing().number(1, 1.5), "bad-label", "not 1.5"),  # type: ignore[arg-type]  # likewise
        (lambda: Drawing().number(1, True), "bad-label", "not True"),
        (lambda: Drawing("x" * 1_100).note(), "note-too-long", "at most 1024 bytes of UTF-8, and 0 marks with this text make 11"),
    ],
)
def test_what_is_refused(draw: Callable[[], object], reason: str, said: str) -> None:
    with pytest.raises(BotError, match=said) as refused:
        draw()
    assert refused.value.reason == reason
