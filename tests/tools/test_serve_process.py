"""A real server, real bots and the operator's command, each as a separate process, on loopback."""

import json
import os
import signal
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mergemaker_engine.record.lines import Ending
from mergemaker_referee.records.files import open_record
from mergemaker_referee.records.secrets_file import secrets_path

from tests.tools.conftest import Run

WAIT_S = 60
"""A guard against a hang, far above what any step takes."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems have no signals to stop a server with")


@dataclass(frozen=True, slots=True)
class Served:
    """A running server, and its first output."""

    process: subprocess.Popen[str]
    url: str
    token: str
    said: dict[str, Any]
    errors: Path


@pytest.fixture
def serve(command_line: list[str], plain_environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Starts servers in the test's folder, and leaves none behind."""
    started: list[subprocess.Popen[str]] = []

    @contextmanager
    def served(*arguments: str, token: str = "") -> Iterator[Served]:
        errors = tmp_path / f"server-{len(started)}.err"
        command = [*command_line, "serve", "--json", *arguments]
        with errors.open("wb") as file:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=file, env=plain_environment, cwd=tmp_path, text=True
            )
        started.append(process)
        assert process.stdout
        said = json.loads(process.stdout.readline() or "null")
        assert said, errors.read_text("utf-8")
        yield Served(process, said["addresses"][0], said.get("operator_token", token), said, errors)

    yield served
    for process in started:
        process.kill()
        process.wait(WAIT_S)
        assert process.stdout
        process.stdout.close()


@pytest.fixture
def operator(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Calls `mergemaker matches` for a server, and returns its document."""
    # Even if there is a proxy, addresses on this machine do not use it.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    def call(server: Served, *arguments: str) -> Any:
        called = run("matches", *arguments, "--server", server.url, "--token", server.token, "--json")
        assert (called.status, called.err) == (0, "")
        return json.loads(called.out)

    return call


@pytest.fixture
def start_bot(command_line: list[str], plain_environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a built-in bot with the printed settings of its seat, and leaves none behind."""
    started: list[subprocess.Popen[str]] = []

    def start(bot: str, seat: dict[str, Any]) -> subprocess.Popen[str]:
        environment = plain_environment | seat["environment"] | {"http_proxy": "http://127.0.0.1:9"}
        command = [*command_line, "bot", bot, "--json"]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=WAIT_S)


def _results(bots: list[subprocess.Popen[str]]) -> list[Any]:
    found = []
    for bot in bots:
        out, err = bot.communicate(timeout=WAIT_S)
        assert bot.returncode == 0, err
        found += json.loads(out)["matches"]
    return found


def _ended(server: Served, number: signal.Signals) -> str:
    """Ends a server with a signal; returns the rest of its standard error."""
    server.process.send_signal(number)
    assert server.process.stdout
    rest = server.process.stdout.read()
    assert server.process.wait(WAIT_S) == 0
    return rest


def test_metrics_are_shown_where_the_server_says(serve: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "metrics.toml").write_text(
        "[server]\nlisten = '127.0.0.1:0'\n[metrics]\nlisten = '127.0.0.1:0'\n", encoding="utf-8"
    )
    with serve("--config", "metrics.toml") as server:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(server.said["metrics"], timeout=WAIT_S) as response:
            page = response.read().decode("utf-8")
        _ended(server, signal.SIGTERM)
    assert 'mergemaker_matches{phase="playing"} 0.0' in page


def test_bots_play_on_a_server_and_the_record_is_fetched_and_verifies(
    serve: Callable[..., Any],
    operator: Callable[..., Any],
    start_bot: Callable[..., subprocess.Popen[str]],
    run: Callable[..., Run],
) -> None:
    with serve("--listen", "127.0.0.1:0", "--log", "json") as server:
        made = operator(server, "create", "--seat", "alice", "--seat", "bob", "--rules", "corporations", "--clock", "slow")
        match = made["match"]["match"]
        not_yet = run("matches", "fetch", match, "--server", server.url, "--token", server.token)
        assert (not_yet.status, "released when the match is over" in not_yet.err) == (1, True)
        results = _results([start_bot(bot, seat) for bot, seat in zip(("random", "greedy"), made["seats"], strict=True)])
        shown = operator(server, "get", match)
        fetched = operator(server, "fetch", match, "-o", "fetched.jsonl")
        listed = operator(server, "list", "--phase", "over")["matches"]
        assert _ended(server, signal.SIGTERM) == ""
    record = open_record(Path("fetched.jsonl"))
    assert record.header.bots == ("alice", "bob")
    assert record.header.clock["name"] == "slow"
    assert record.end
    assert record.end.cash == tuple(standing["money"] for standing in shown["standings"])
    assert [result["standings"] for result in results] == [
        [{name: standing[name] for name in ("seat", "bot", "place", "money", "status")} for standing in shown["standings"]]
    ] * 2
    assert (shown["phase"], fetched["verified"], [each["match"] for each in listed]) == ("over", True, [match])
    # Neither the log nor a file has a token.
    tokens = [server.token, *(seat["token"] for seat in made["seats"])]
    texts = [path.read_text("utf-8") for path in (server.errors, *Path("data").rglob("*")) if path.is_file()]
    assert [token for token in tokens for text in texts if token in text] == []
    assert [json.loads(line)["event"] for line in server.errors.read_text("utf-8").splitlines()][-1] == "stopping"


def test_a_match_whose_server_was_killed_is_played_on_the_next_one(
    serve: Callable[..., Any],
    operator: Callable[..., Any],
    start_bot: Callable[..., subprocess.Popen[str]],
    run: Callable[..., Run],
) -> None:
    token = json.loads(run("serve", "--init", ".", "--json").out)["operator_token"]
    with serve("--config", "mergemaker.toml", "--listen", "127.0.0.1:0", token=token) as server:
        assert "operator_token" not in server.said
        made = operator(server, "create", "--seat", "a", "--seat", "b")
        server.process.kill()
        server.process.wait(WAIT_S)
    (secrets,) = Path("data/records").glob("*.secrets")
    with serve("--config", "mergemaker.toml", "--listen", server.url.removeprefix("grpc://"), token=token) as again:
        assert again.url == server.url
        results = _results([start_bot("random", seat) for seat in made["seats"]])
        document = operator(again, "fetch", made["match"]["match"])
        assert _ended(again, signal.SIGINT) == ""
    record = open_record(Path(document["record"]))
    assert record.end
    assert record.end.why is not Ending.VOIDED
    assert len(results) == 2
    assert not secrets.exists()
    assert not secrets_path(Path(document["record"])).exists()


def test_bots_play_over_private_connections_with_the_certificate_that_init_makes(
    serve: Callable[..., Any],
    operator: Callable[..., Any],
    start_bot: Callable[..., subprocess.Popen[str]],
    run: Callable[..., Run],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = json.loads(run("serve", "--init", ".", "--host", "127.0.0.1", "--json").out)
    with serve("--config", "mergemaker.toml", "--listen", "127.0.0.1:0", token=made["operator_token"]) as server:
        assert server.url.startswith("grpcs://")
        not_trusted = run("matches", "list", "--server", server.url, "--token", server.token)
        assert (not_trusted.status, "is not trusted: set MERGEMAKER_CA" in not_trusted.err) == (1, True)
        monkeypatch.setenv("MERGEMAKER_CA", made["ca"])
        match = operator(server, "create", "--seat", "a", "--seat", "b")
        for result in _results([start_bot("random", seat) for seat in match["seats"]]):
            assert result["standings"]
        assert _ended(server, signal.SIGTERM) == ""


def test_a_taken_port_and_a_taken_folder_are_said(
    serve: Callable[..., Any], command_line: list[str], plain_environment: dict[str, str], tmp_path: Path
) -> None:
    with serve("--listen", "127.0.0.1:0") as server:
        address = server.url.removeprefix("grpc://")
        for arguments, said in [
            (("--listen", "127.0.0.1:0"), f"the folder data is in use by another server (process {server.process.pid})"),
            (("--listen", address, "--data", "other"), f"cannot listen on {address}"),
        ]:
            command = [*command_line, "serve", *arguments]
            second = subprocess.run(
                command, capture_output=True, env=plain_environment, cwd=tmp_path, text=True, timeout=WAIT_S, check=False
            )
            assert (second.returncode, second.stdout) == (1, "")
            assert second.stderr.startswith(f"mergemaker serve: {said}")
            assert second.stderr.count("\n") == 1


def test_a_bot_that_waits_is_ended_by_a_signal_and_a_wrong_token_is_said(
    serve: Callable[..., Any], operator: Callable[..., Any], start_bot: Callable[..., subprocess.Popen[str]]
) -> None:
    with serve("--listen", "127.0.0.1:0") as server:
        made = operator(server, "create", "--seat", "a", "--seat", "b", "--clock", "none")
        wrong = start_bot("random", {"environment": made["seats"][0]["environment"] | {"MERGEMAKER_TOKEN": "mms_wrong"}})
        out, err = wrong.communicate(timeout=WAIT_S)
        assert (wrong.returncode, out) == (1, "")
        assert "mms_wrong" not in err
        assert "token" in err
        waiting = start_bot("random", made["seats"][0])
        while not operator(server, "get", made["match"]["match"])["connected"][0]:
            assert waiting.poll() is None
        waiting.terminate()
        assert waiting.wait(WAIT_S) == 0
        waiting.communicate()
        cancelled = operator(server, "cancel", made["match"]["match"], "--why", "no time")
        assert (cancelled["phase"], cancelled["ending"]) == ("over", "voided")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("gredy",), 2, "did you mean greedy?"),
        (("random:x=1",), 2, "random has no option 'x'"),
        (("random", "--matches", "0"), 2, "takes a whole number from 1"),
        (("random", "--name", "x" * 65), 2, "a bot's name has at most 64 characters"),
        (("random", "--token", "a b"), 2, "a token is printable ASCII"),
        (("random", "--token", ""), 2, "the server wants a bot's or a seat's token"),
    ],
)
def test_wrong_use_of_a_bot_is_said(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, said: str
) -> None:
    monkeypatch.delenv("MERGEMAKER_TOKEN", raising=False)
    given = () if "--token" in arguments else ("--token", "mms_a")
    refused = run("bot", *arguments, *given, "--server", "grpc://127.0.0.1:9")
    assert (refused.status, refused.out) == (status, "")
    assert said in refused.err
