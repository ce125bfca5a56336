"""The command in this process or a new one, with an 80-column screen and no colour; bots and replays to begin with."""

import os
import select
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from mergemaker.v1 import matches_pb2_grpc
from mergemaker_testkit.launched_bots import LIMIT_S, Launcher
from mergemaker_testkit.toy_operator import TOKEN, Toy
from mergemaker_testkit.watched_replay import story_of
from mergemaker_tools.cli import main
from mergemaker_tools.replaying.player import Player, begin

COLUMNS = 80
COLOUR_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM")


@dataclass(frozen=True, slots=True)
class Run:
    status: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Run]:
    """Runs the command in this process, in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    for name in COLOUR_VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def command(*arguments: str) -> Run:
        status = main(arguments)
        return Run(status, *capsys.readouterr())

    return command


@pytest.fixture
def command_line() -> list[str]:
    """The command line that starts the command as a process."""
    return [sys.executable, "-m", "mergemaker_tools"]


@pytest.fixture
def plain_environment() -> dict[str, str]:
    """The environment without settings for or against colour, and with buffered output as usual."""
    unwanted = (*COLOUR_VARIABLES, "PYTHONUNBUFFERED")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    return environment | {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}


@pytest.fixture
def launch(tmp_path: Path) -> Launcher:
    """Makes launches of bots with logs in a folder of the test."""
    return Launcher(tmp_path)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The path of a pipe that processes can hold, and a wait until nobody does."""
    path = tmp_path / "held"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    # A pipe that nobody has held yet does not count as free.
    ours = [os.open(path, os.O_WRONLY)]

    def wait_until_free() -> None:
        os.close(ours.pop())
        while True:
            ready, _, _ = select.select([reader], [], [], LIMIT_S)
            assert ready, f"after {LIMIT_S} s somebody still holds the pipe"
            if not os.read(reader, 1):
                return

    yield str(path), wait_until_free
    os.close(reader)


@pytest.fixture
def player() -> Player:
    """A match at its beginning, with everything visible."""
    return begin(story_of(), 0, None)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Sequence[bytes]], str]:
    """Writes a record's lines to a file, and returns its path."""

    def write(lines: Sequence[bytes], name: str = "match.jsonl") -> str:
        path = tmp_path / name
        path.write_bytes(b"".join(lines))
        return str(path)

    return write


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    """A server named in the environment, behind a dead proxy."""
    server = grpc.server(ThreadPoolExecutor(2))
    made = Toy()
    matches_pb2_grpc.add_MatchServiceServicer_to_server(made, server)
    made.port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    monkeypatch.setenv("MERGEMAKER_SERVER", f"grpc://127.0.0.1:{made.port}")
    monkeypatch.setenv("MERGEMAKER_TOKEN", TOKEN)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("MERGEMAKER_CA", raising=False)
    yield made
    stopped: threading.Event = server.stop(None)
    stopped.wait()
