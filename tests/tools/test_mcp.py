"""`mergemaker mcp`: a seat for a language model, played by the client of the official SDK to the end of a match."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mergemaker_client.in_words import read_reply
from mergemaker_client.testing import play_match
from mergemaker_client.turn import Turn
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import open_record, record_chunks
from mergemaker_tools.play.desk import Desk, DeskBot

from tests.tools.conftest import Run

anyio = pytest.importorskip("anyio", reason="needs the extra mcp")
mcp = pytest.importorskip("mcp", reason="needs the extra mcp")

LIMIT_S = 600
CALLS_MAX = 400


async def _said(client: Any, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    (content,) = result.content
    text: str = content.text
    return text


async def _played(command: list[str], folder: Path, answer: str) -> list[str]:
    """Everything that the server said to a client that gives this answer whenever it is asked."""
    server = mcp.StdioServerParameters(command=command[0], args=command[1:], cwd=folder)
    said: list[str] = []
    async with mcp.Client(server, read_timeout_seconds=LIMIT_S) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"question", "answer", "rules"}
        assert tools["answer"].input_schema["required"] == ["answer"]
        assert "MRG-1" in await _said(client, "rules")
        said.append(await _said(client, "question"))
        said.append(await _said(client, "answer", answer="13Z"))
        said.append(await _said(client, "answer", answer="999"))
        while "The match is over" not in said[-1] and len(said) < CALLS_MAX:
            said.append(await _said(client, "answer", answer=answer, reason="because"))
        said.append(await _said(client, "question"))
    return said


def test_the_sdks_own_client_plays_to_the_end_of_a_match(command_line: list[str], tmp_path: Path) -> None:
    command = [*command_line, "mcp", "--against", "greedy", "--seed", "5"]
    said = anyio.run(_played, command, tmp_path, "default")
    first, wrong_square, wrong_number, *_, end, again = said
    assert "You are seat 0 of 2." in first
    assert "Legal answers:\n  1. " in first
    assert "That is not an answer" in wrong_square
    assert "there is no answer 999: they are numbered 1 to " in wrong_number
    assert end == again
    assert "place 1: seat" in end
    (path,) = (tmp_path / "records").iterdir()
    record = verify(record_chunks(path)).record
    own = [line for line in record.decisions if line.seat == 0 and line.note]
    assert own
    assert {line.note for line in own} == {"because"}
    assert record.header.bots == ("model", "greedy")
    assert open_record(path).end is not None


def test_answers_may_be_left_out(command_line: list[str], tmp_path: Path) -> None:
    async def first() -> str:
        command = [*command_line, "mcp", "--against", "greedy", "--seed", "5", "--no-answers"]
        server = mcp.StdioServerParameters(command=command[0], args=command[1:], cwd=tmp_path)
        async with mcp.Client(server, read_timeout_seconds=LIMIT_S) as client:
            return await _said(client, "question")

    question = anyio.run(first)
    assert "Legal answers" not in question
    assert "Answers are written as in" in question


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--against", "remote"), "remote cannot play here"),
        (("--against", "nobody"), "nobody"),
        (("--against", *["greedy"] * 6), "2 to 6 seats"),
        (("--against", "greedy", "--server", "grpc://127.0.0.1:1"), "leave out one of them"),
        ((), "which server?"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_served(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], why: str
) -> None:
    monkeypatch.delenv("MERGEMAKER_SERVER", raising=False)
    done = run("mcp", *arguments)
    assert (done.status, done.out) == (2, "")
    assert why in done.err


def test_the_tools_can_be_listed_for_programs(run: Callable[..., Run]) -> None:
    listed = json.loads(run("mcp", "--json").out)["tools"]
    assert [tool["name"] for tool in listed] == ["question", "answer", "rules"]
    assert listed[1]["input"]["required"] == ["answer"]
    assert all(tool["description"] for tool in listed)


def test_without_the_extra_the_command_says_what_to_install(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    refused = run("mcp", "--against", "greedy")
    assert (refused.status, refused.out) == (1, "")
    assert "pip install 'mergemaker[mcp]'" in refused.err


# --- the desk ------------------------------------------------------------------------------------------------


def test_a_desk_hands_questions_over_and_answers_back() -> None:
    import threading  # noqa: PLC0415 - for this test alone

    desk = Desk()
    played: list[Any] = []
    thread = threading.Thread(target=lambda: played.append(play_match([lambda: DeskBot(desk), "random"], seed=4)), daemon=True)
    thread.start()
    first = desk.question(LIMIT_S)
    assert isinstance(first, Turn)
    assert desk.question(0) is first
    count = 0
    turn: Turn | None = first
    while turn is not None:
        assert desk.give(turn, read_reply("default", turn))
        assert not desk.give(turn, read_reply("default", turn))
        count += 1
        turn = desk.question(LIMIT_S)
    thread.join(LIMIT_S)
    assert desk.is_over
    assert desk.result == played[0].result
    assert count == sum(1 for line in played[0].record.decisions if line.seat == 0 and str(line.by) == "bot")


def test_who_leaves_the_desk_ends_the_wait_of_the_bot() -> None:
    desk = Desk()
    desk.end("the client has left")
    played = play_match([lambda: DeskBot(desk), "random"], seed=4, on_error="default")
    assert "the one who answers has left" in played.faults[0].text
    assert desk.question(0) is None
