"""The trace: every message, and no token."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_client.problems import BadSetting
from mergemaker_client.trace import REMOVED, Trace, without_tokens

NOON = datetime(2026, 11, 18, 12, 0, 0, 250_000, UTC)
SECRET = "mms_secret"  # noqa: S105 - a toy


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_message_is_a_line_with_time_and_direction(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with Trace(path, SECRET, lambda: NOON) as trace:
        trace.sent(PlayRequest(match="m", answer=referee_pb2.Answer(decision=3, index=0, note="größer")))
        trace.received(PlayResponse(match="m", answer_accepted=referee_pb2.AnswerAccepted(decision=3)))
        trace.stream("ended OK")
    at = "2026-11-18T12:00:00.250000Z"
    assert lines(path) == [
        {"at": at, "direction": "sent", "message": {"match": "m", "answer": {"decision": "3", "index": "0", "note": "größer"}}},
        {"at": at, "direction": "received", "message": {"match": "m", "answer_accepted": {"decision": "3"}}},
        {"at": at, "direction": "stream", "what": "ended OK"},
    ]


def test_no_token_is_written(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    resume = referee_pb2.Resume(resume_token="mmr_one")  # noqa: S106 - a toy
    with Trace(path, SECRET) as trace:
        trace.sent(PlayRequest(hello=referee_pb2.Hello(bot_name=f"I have {SECRET}", resume=resume)))
        trace.received(PlayResponse(welcome=referee_pb2.Welcome(resume_token="mmr_two")))  # noqa: S106 - a toy
    text = path.read_text(encoding="utf-8")
    assert all(token not in text for token in (SECRET, "mmr_one", "mmr_two"))
    assert text.count(REMOVED) == 3


def test_tokens_are_found_however_deep() -> None:
    content = {"a": [{"seat_token": "x", "b": {"token": "y"}}], "token": "", "tokens": "kept"}
    assert without_tokens(content) == {"a": [{"seat_token": REMOVED, "b": {"token": REMOVED}}], "token": "", "tokens": "kept"}


def test_a_trace_goes_on_behind_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    for what in ("one", "two"):
        with Trace(path, SECRET) as trace:
            trace.stream(what)
    assert [line["what"] for line in lines(path)] == ["one", "two"]


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as caught:
        Trace(tmp_path / "no" / "t.jsonl", SECRET)
    assert caught.value.reason == "bad-trace"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that takes nothing, as Linux has")
def test_a_disk_that_is_full_is_said_once_and_stops_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Trace(Path("/dev/full"), SECRET) as trace:
        for _ in range(3):
            trace.stream("x")
    assert capsys.readouterr().err.count("the trace ends here") == 1


def test_nothing_is_written_behind_the_end(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    trace = Trace(path, SECRET)
    trace.close()
    trace.stream("late")
    assert lines(path) == []
