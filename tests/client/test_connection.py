"""A bot over a real connection: streams that break, proxies, tokens, certificates, and the trace."""

import json
import re
import socket
import ssl
import threading
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from mergemaker.v1 import referee_pb2
from mergemaker.v1.referee_pb2 import PlayRequest
from mergemaker_client.answer import Answer
from mergemaker_client.bot import AsyncBot, Bot
from mergemaker_client.bots import parse
from mergemaker_client.connection import channel_options, open_channel
from mergemaker_client.environment import Environment, Target
from mergemaker_client.factories import AnyKind
from mergemaker_client.problems import BadSetting, RefusedByReferee, TakenOver, Unreachable
from mergemaker_client.reconnecting import Patience
from mergemaker_client.running import play
from mergemaker_client.turn import MatchResult, Turn
from mergemaker_client.wishes import EventMode, Wishes
from mergemaker_testkit.toy_referee import TOKEN, Plan, ToyReferee, toy_referee

QUICK = Patience(reconnect_ms_min=1, reconnect_ms_max=2, first_contact_ms_max=50, give_up_ms=10_000)
PONG_LIMIT_S = 20
OFTEN = set(range(2, 40, 5))


def environment(target: str, token: str = TOKEN, trace: Path | None = None) -> Environment:
    variables = {"MERGEMAKER_SERVER": target, "MERGEMAKER_TOKEN": token}
    return Environment.read(variables | ({"MERGEMAKER_TRACE": str(trace)} if trace else {}))


def played(toy: ToyReferee, bot: AnyKind, wishes: Wishes | None = None) -> tuple[MatchResult, ...]:
    return play(bot, environment(toy.target), wishes, on_error="raise", report=lambda _: None, patience=QUICK)


class Default(Bot):
    pass


class AsyncDefault(AsyncBot):
    pass


@pytest.mark.parametrize("bot", [Default, AsyncDefault, parse("random"), lambda turn: turn.default])
def test_a_bot_of_any_kind_plays_a_match_to_its_end(bot: AnyKind) -> None:
    with toy_referee() as toy:
        (result,) = played(toy, bot)
    assert result.why == "declared"
    assert [standing.seat for standing in result.standings] == [0, 1]
    assert toy.matches[0].ended
    assert toy.metadata[0]["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("bot", [Default, AsyncDefault])
def test_several_matches_at_once_each_have_a_bot_of_their_own(bot: type[Bot | AsyncBot]) -> None:
    made: list[Bot | AsyncBot] = []

    def factory() -> Bot | AsyncBot:
        made.append(bot())
        return made[-1]

    with toy_referee(Plan(matches=3)) as toy:
        results = played(toy, factory, Wishes(matches_at_once=2))
    assert len(results) == len(made) == 3
    assert all(match.ended for match in toy.matches)


@pytest.mark.parametrize("bot", [Default, AsyncDefault])
@pytest.mark.parametrize("forget", [False, True])
def test_a_stream_that_breaks_again_and_again_costs_no_decision(bot: AnyKind, forget: bool) -> None:
    plan = Plan(drop_unanswered=set(OFTEN), drop_unacknowledged={number + 1 for number in OFTEN}, forget_sessions=forget)
    with toy_referee(plan) as toy:
        played(toy, bot)
    answered = [number for number, _ in toy.matches[0].answers]
    assert answered == list(range(1, len(answered) + 1))
    assert toy.streams > 10


def test_after_progress_the_next_break_is_waited_out_as_the_first() -> None:
    waits: list[int] = []

    def report(text: str) -> None:
        if found := re.search("trying again in ([0-9]+) ms", text):
            waits.append(int(found[1]))

    with toy_referee(Plan(drop_unacknowledged=set(OFTEN))) as toy:
        play(Default, environment(toy.target), report=report, patience=Patience(reconnect_ms_min=8))
    assert len(waits) == len(OFTEN)
    assert all(4 <= wait <= 8 for wait in waits)


def test_a_bot_without_chance_plays_the_same_with_and_without_breaks() -> None:
    positions = []
    for often in (set(), set(OFTEN)):
        with toy_referee(Plan(drop_unacknowledged=often)) as toy:
            played(toy, parse("random"))
        positions.append([type(event).__name__ for event in toy.matches[0].seen])
    assert positions[0] == positions[1]


def test_a_ping_is_answered_while_the_bot_thinks() -> None:
    pong = threading.Event()
    waited: list[bool] = []

    def heard(request: PlayRequest) -> None:
        if request.WhichOneof("kind") == "pong":
            pong.set()

    class Thinker(Bot):
        def answer(self, turn: Turn) -> Answer:
            if not waited:
                waited.append(pong.wait(PONG_LIMIT_S))
            return turn.default

    with toy_referee(Plan(ping=True, on_request=heard)) as toy:
        played(toy, Thinker)
    assert waited == [True]


def test_who_is_taken_over_stops_and_does_not_come_back() -> None:
    with toy_referee(Plan(take_over=True)) as toy:
        with pytest.raises(TakenOver, match="another process"):
            played(toy, Default)
        assert toy.streams == 1


def test_a_wrong_token_is_an_error_that_names_the_variable() -> None:
    with toy_referee(Plan(token="another")) as toy, pytest.raises(RefusedByReferee, match="MERGEMAKER_TOKEN") as caught:  # noqa: S106 - a toy
        played(toy, Default)
    assert caught.value.reason == "unauthenticated"
    assert "nobody has this token" in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_a_referee_without_a_match_says_so() -> None:
    with toy_referee(Plan(matches=0)) as toy, pytest.raises(RefusedByReferee, match="no match for this token") as caught:
        played(toy, Default)
    assert caught.value.reason == "no-match"


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (grpc.StatusCode.FAILED_PRECONDITION, "update what is older"),
        (grpc.StatusCode.INVALID_ARGUMENT, "MERGEMAKER_TRACE"),
        (grpc.StatusCode.UNIMPLEMENTED, "MERGEMAKER_SERVER"),
    ],
)
def test_a_final_status_says_what_to_do(code: grpc.StatusCode, advice: str) -> None:
    with toy_referee(Plan(abort_with=(code, "so"))) as toy:
        with pytest.raises(RefusedByReferee, match=advice):
            played(toy, Default)
        assert toy.streams == 1


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_a_referee_that_is_not_there_is_given_up() -> None:
    notices: list[str] = []
    # Long enough for two attempts, even if the first one compiles gRPC on a busy machine.
    patience = replace(QUICK, reconnect_ms_max=100, first_contact_ms_max=3_000)
    with pytest.raises(Unreachable, match="is the referee running there"):
        play(Default, environment(f"grpc://127.0.0.1:{free_port()}"), report=notices.append, patience=patience)
    assert "trying again" in notices[0]


@pytest.mark.parametrize("bot", [Default, AsyncDefault])
def test_a_bot_that_is_to_leave_does_not_look_for_its_referee_any_longer(bot: type[Bot | AsyncBot]) -> None:
    leaving = threading.Event()
    said: list[str] = []

    def report(text: str) -> None:
        said.append(text)
        leaving.set()

    patience = Patience(first_contact_ms_max=3_600_000, reconnect_ms_min=3_600_000, reconnect_ms_max=3_600_000)
    assert play(bot, environment(f"grpc://127.0.0.1:{free_port()}"), report=report, patience=patience, leaving=leaving) == ()
    assert len(said) == 1
    assert "trying again in " in said[0]


def test_a_bot_waits_for_a_referee_that_comes_later() -> None:
    port = free_port()
    tried = threading.Event()
    done: list[tuple[MatchResult, ...]] = []
    patience = Patience(reconnect_ms_min=1, reconnect_ms_max=20, first_contact_ms_max=30_000)

    def report(_: str) -> None:
        tried.set()

    def run() -> None:
        done.append(play(Default, environment(f"grpc://127.0.0.1:{port}"), report=report, patience=patience))

    thread = threading.Thread(target=run)
    thread.start()
    assert tried.wait(PONG_LIMIT_S)
    with toy_referee(port=port):
        thread.join(PONG_LIMIT_S)
    assert len(done) == 1


@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy", "grpc_proxy"])
def test_a_proxy_in_the_environment_does_not_stand_before_loopback(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, f"http://127.0.0.1:{free_port()}")
    for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    with toy_referee() as toy:
        assert played(toy, Default)


def test_only_loopback_goes_past_a_proxy() -> None:
    def ask_proxy(text: str) -> object:
        return dict(channel_options(Target.parse(text))).get("grpc.enable_http_proxy")

    assert ask_proxy("grpc://localhost:1") == ask_proxy("grpc://[::1]:1") == 0
    assert ask_proxy("grpcs://referee.example:1") is None


def test_the_trace_tells_all_messages_and_no_token(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with toy_referee(Plan(drop_unacknowledged={3})) as toy:
        play(Default, environment(toy.target, trace=path), report=lambda _: None, patience=QUICK)
    text = path.read_text(encoding="utf-8")
    messages = [json.loads(line) for line in text.splitlines()]
    sent = [line["message"] for line in messages if line["direction"] == "sent"]
    assert len(sent) == len(toy.heard)
    assert [line["what"] for line in messages if line["direction"] == "stream"] == [
        "ended UNAVAILABLE: the toy dropped the stream",
        "ended OK",
    ]
    assert TOKEN not in text
    assert "mmr_resume" not in text


def test_events_come_as_the_bot_wishes() -> None:
    with toy_referee() as toy:
        played(toy, Default, Wishes(events=EventMode.IMMEDIATE))
    assert toy.heard[0].hello.event_mode == referee_pb2.EVENT_MODE_IMMEDIATE


def test_certificates_that_cannot_be_read_are_refused_before_anything_starts(tmp_path: Path) -> None:
    secure = Target("referee.example", 1, secure=True)
    with pytest.raises(BadSetting, match="cannot be read"):
        open_channel(secure, tmp_path / "none.pem")
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    with pytest.raises(BadSetting, match="MERGEMAKER_CA"):
        open_channel(secure, wrong)


def test_without_a_file_of_certificates_those_of_the_machine_are_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    trusted: list[bytes | None] = []

    def credentials(certificates: bytes | None) -> object:
        trusted.append(certificates)
        return grpc.local_channel_credentials()

    monkeypatch.setattr(grpc, "ssl_channel_credentials", credentials)
    machine = tmp_path / "machine.pem"
    machine.write_bytes(b"pem")
    for file in (str(machine), None):
        paths = ssl.DefaultVerifyPaths(file, None, "", "", "", "")  # type: ignore[arg-type]  # None is the value on a machine without any
        monkeypatch.setattr(ssl, "get_default_verify_paths", lambda paths=paths: paths)
        open_channel(Target("referee.example", 1, secure=True), None).close()
    assert trusted == [b"pem", None]
