"""The viewer shows every mark of the notes that the libraries' drawings make."""

import json
from pathlib import Path
from typing import Any, Final

from drawing_vectors import drawing_lines

from tests.web.test_display_engine import node_output

READER: Final = Path(__file__).with_name("marks.mjs")
KINDS: Final = {"square": "square", "arrow": "arrow", "label": "label", "number": "label"}


def shown_of(mark: dict[str, Any]) -> dict[str, Any]:
    """A mark of a drawing, as the viewer has it."""
    found = {"kind": KINDS[mark["kind"]], "square": mark["at"], "tone": mark["tone"]}
    if mark["kind"] == "arrow":
        return found | {"to": mark["to"]}
    if mark["kind"] == "number":
        return found | {"text": str(mark["number"])}
    return found | ({"text": mark["text"]} if mark["kind"] == "label" else {})


def test_every_mark_of_a_drawing_is_shown() -> None:
    drawings = [line for line in drawing_lines() if line["note"] is not None]
    shown = json.loads(node_output(READER, stdin=json.dumps([line["note"] for line in drawings])))
    harmless = 0
    for line, (text, marks) in zip(drawings, shown, strict=True):
        assert text == line["text"]
        expected = [shown_of(mark) for mark in line["marks"]]
        for mark, wanted in zip(marks, expected, strict=True):
            if "text" in wanted and not wanted["text"].isprintable():
                # Controls, and marks that reverse a line, are shown as such.
                harmless += 1
                assert all(character == " " or character.isprintable() for character in mark.pop("text"))
                del wanted["text"]
            assert mark == wanted
    assert harmless
