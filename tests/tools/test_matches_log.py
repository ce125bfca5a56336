"""`mergemaker matches log`: a server's public log, fetched by anybody, continued and compared with the copy."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mergemaker.v1 import public_log_pb2
from mergemaker_engine.record.public_log import Begin, End, Head
from mergemaker_referee.matches.log_calls import LINES_MAX
from mergemaker_referee.records.log_file import LOG_NAME
from mergemaker_testkit.live_referee import LiveReferee, live_referee, operator_settings
from mergemaker_testkit.logged import begin, end, heads_of, log_of
from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.server.log_copy import copy_log

from tests.tools.conftest import Run

COUNT = 10
ENTRIES: list[Begin | End] = [begin(f"m-{number}") for number in range(COUNT)]
LINES = log_of(ENTRIES)
HEADS = heads_of(ENTRIES)


class Server:
    """Gives pages of three lines."""

    def __init__(self, lines: list[bytes], head: Head, most: int = 3) -> None:
        self.lines = lines
        self.head = head
        self.most = most
        self.asked: list[int] = []

    def page_from(self, first: int) -> public_log_pb2.ReadLogResponse:
        self.asked.append(first)
        head = public_log_pb2.LogHead(entries=self.head.entries, hash=self.head.hash)
        return public_log_pb2.ReadLogResponse(head=head, lines=b"".join(self.lines[first - 1 : first - 1 + self.most]))


def test_a_log_is_fetched_by_pages_and_continued_where_the_copy_ends(tmp_path: Path) -> None:
    copy = tmp_path / "log"
    server = Server(LINES[:4], HEADS[4])
    assert (copy_log(copy, server.page_from).head, copy.read_bytes()) == (HEADS[4], b"".join(LINES[:4]))
    again = Server(LINES, HEADS[-1])
    copied = copy_log(copy, again.page_from)
    assert (copied.head, copied.new, again.asked[0]) == (HEADS[-1], COUNT - 4, 5)
    assert copy.read_bytes() == b"".join(LINES)
    assert copy_log(copy, again.page_from).new == 0


def test_a_torn_copy_is_fixed(tmp_path: Path) -> None:
    copy = tmp_path / "log"
    copy.write_bytes(b"".join(LINES[:4]) + LINES[4][:20])
    assert copy_log(copy, Server(LINES, HEADS[-1]).page_from).new == COUNT - 4
    assert copy.read_bytes() == b"".join(LINES)


OTHER: list[Begin | End] = [*ENTRIES[:2], end("m-0"), *ENTRIES[2:]]
FALSE = {
    "shorter": (Server(LINES[:3], HEADS[3]), "the server's log has 3 entries, and log 4: the log was cut"),
    "as long, and another": (Server(log_of(OTHER)[:4], heads_of(OTHER)[4]), "the log was changed, or is another one"),
    "longer, and another": (
        Server(log_of(OTHER), heads_of(OTHER)[-1]),
        "does not go on from log: line 5: the hash of this line is",
    ),
    "fewer than it says": (Server(LINES[:6], HEADS[-1]), "has 10 entries, and the server sent only 6"),
    "another head than its lines": (Server(LINES, heads_of(OTHER)[COUNT]), "the log was changed, or is another one"),
    "garbage": (
        Server([*LINES[:4], b"{}\n"], HEADS[5]),
        "does not go on from log: line 5: a line of a public log ends with its hash",
    ),
    "no hash": (Server(LINES, Head(COUNT, b"")), "the log was changed, or is another one"),
}


@pytest.mark.parametrize("what", FALSE)
def test_a_server_that_contradicts_the_copy_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.chdir(tmp_path)
    server, said = FALSE[what]
    Path("log").write_bytes(b"".join(LINES[:4]))
    with pytest.raises(CommandFailed) as failed:
        copy_log(Path("log"), server.page_from)
    assert said in str(failed.value)
    assert Path("log").read_bytes().startswith(b"".join(LINES[:4]))


def test_a_file_that_is_no_copy_stays_as_it_is(tmp_path: Path) -> None:
    copy = tmp_path / "log"
    copy.write_bytes(b"my notes\n")
    with pytest.raises(WrongUse, match="is no copy of a public log, and stays as it is: line 1: "):
        copy_log(copy, Server(LINES, HEADS[-1]).page_from)
    assert copy.read_bytes() == b"my notes\n"
    with pytest.raises(WrongUse, match="no regular file"):
        copy_log(tmp_path, Server(LINES, HEADS[-1]).page_from)


# --- a real server ---


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[LiveReferee]:
    _, settings = operator_settings()
    with live_referee(tmp_path / "data", **settings) as referee:
        monkeypatch.setenv("MERGEMAKER_SERVER", referee.address)
        monkeypatch.delenv("MERGEMAKER_TOKEN", raising=False)
        capsys.readouterr()  # what the server logged when it started
        yield referee


def test_anybody_fetches_the_log_of_a_server_and_verifies_it(
    run: Callable[..., Run], server: LiveReferee, tmp_path: Path
) -> None:
    first = run("matches", "log", "--json")
    assert (first.status, first.err) == (0, "")
    nothing = json.loads(first.out)
    assert (nothing["entries"], nothing["new"]) == (0, 0)
    made = server.create()
    assert server.running is not None
    match = server.running.referee._seating.matches[made.table.setup.match]
    server.run(match.begun.wait)
    fetched = run("matches", "log")
    assert (fetched.status, fetched.err) == (0, "")
    assert fetched.out.startswith(f"log: {LOG_NAME} (1 entry, 1 new)\nhead: 1:")
    assert (tmp_path / LOG_NAME).read_bytes() == (tmp_path / "data" / LOG_NAME).read_bytes()
    head = fetched.out.split()[-1]
    checked = run("verify", "--log", LOG_NAME, "--head", head, "--head", nothing["head"])
    assert checked.status == 0
    assert "matches: 1 begun, 0 ended, 1 without an end yet" in checked.out


def test_a_page_has_a_limit_and_a_stranger_needs_no_token(server: LiveReferee) -> None:
    with server.channel() as channel:
        read: Any = channel.unary_unary(
            "/mergemaker.v1.PublicLogService/ReadLog",
            request_serializer=None,
            response_deserializer=public_log_pb2.ReadLogResponse.FromString,
        )
        response = read(public_log_pb2.ReadLogRequest(first=2**64 - 1, lines_max=LINES_MAX).SerializeToString(), timeout=60)
        assert (response.head.entries, len(response.head.hash), response.lines) == (0, 32, b"")
        for request, reason in (
            (public_log_pb2.ReadLogRequest(lines_max=LINES_MAX + 1).SerializeToString(), "bad-page-size"),
            (b"\xff", "unreadable"),
        ):
            with pytest.raises(Exception, match=reason):
                read(request, timeout=60)
