"""`clients/TRANSCRIPT.md` shows what a bot and the referee really send each other."""

import re

import pytest
from make_conversation import PATH, made, main
from mergemaker.v1 import referee_pb2

LINES_MAX = 160


def test_the_page_is_what_the_script_makes() -> None:
    assert PATH.read_text(encoding="utf-8") == made(), "run tools/project/make_conversation.py, and read what has changed"


def test_the_page_goes_from_hello_to_the_end_and_shows_no_token() -> None:
    text = PATH.read_text(encoding="utf-8")
    said = re.findall(r"^(?:>>>|<<<) (\w+)", text, re.MULTILINE)
    order = ["hello", "welcome", "take_seat", "match_offered", "match_started", "decision", "answer", "match_ended"]
    places = [said.index(each) for each in order]
    assert places == sorted(places)
    assert set(order) <= {*referee_pb2.PlayRequest.DESCRIPTOR.fields_by_name, *referee_pb2.PlayResponse.DESCRIPTOR.fields_by_name}
    assert "mms_" not in text
    assert "mmr_" not in text
    assert len(text.splitlines()) < LINES_MAX


def test_a_page_that_says_something_else_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("make_conversation.made", lambda: "# something else\n")
    assert main(["--check"]) == 1
    assert "TRANSCRIPT.md is not what" in capsys.readouterr().out
