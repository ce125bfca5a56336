"""A whole server: it stops cleanly, its matches continue after a restart, folders and ports have one owner."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
import trio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2, spectate_pb2
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Address, Tls
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.matches.making import MadeMatch
from mergemaker_referee.records.files import open_record, record_chunks
from mergemaker_referee.records.secrets_file import secrets_path
from mergemaker_referee.rpc.server import ServerProblem
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_table.terms import CLOCKS
from mergemaker_testkit.live_referee import (
    WAIT_LIMIT_S,
    Clients,
    LiveReferee,
    StreamEnd,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    play_to_the_end,
    spectate_stub,
)
from mergemaker_wire.matches import receipt_from_message


def test_bots_are_told_when_the_referee_closes_and_their_match_goes_on_after_a_restart(tmp_path: Path) -> None:
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        made = referee.create()
        match = made.table.setup.match
        bots = [clients.seated(made, seat) for seat in range(2)]
        started = [bot.until("match_started") for bot in bots]
        first = started[0].match_started.view.turn_seat
        decision = (started[first] if started[first].HasField("decision") else bots[first].until("decision")).decision
        before = made.journal.path.read_bytes()
    ends = [bot.end() for bot in bots]
    assert [(end.code, end.reason) for end in ends] == [(grpc.StatusCode.UNAVAILABLE, "referee-closing")] * 2
    clients.close()
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        again = [clients.seated(made, seat) for seat in range(2)]
        asked = again[first].until("decision")
        assert (asked.decision.id, asked.decision.view) == (decision.id, decision.view)
        again[first].answer(match, decision.id, decision.default_index)
        play_to_the_end(again, match)
        referee.until_over(match)
        clients.close()
        referee.run(_until_gone, secrets_path(made.journal.path))  # a moment after the end is told
    assert made.journal.path.read_bytes().startswith(before)
    verify(record_chunks(made.journal.path))
    assert not list(tmp_path.rglob("*.secrets"))


def test_an_answer_that_was_written_but_not_acknowledged_is_acknowledged_after_a_restart(tmp_path: Path) -> None:
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        made = referee.create()
        match = made.table.setup.match
        bots = [clients.seated(made, seat) for seat in range(2)]
        started = [bot.until("match_started") for bot in bots]
        first = started[0].match_started.view.turn_seat
        decision = (started[first] if started[first].HasField("decision") else bots[first].until("decision")).decision
        bots[first].answer(match, decision.id, decision.default_index)
        bots[first].until("answer_accepted")
        clients.close()
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        again = clients.seated(made, first)
        again.answer(match, decision.id, decision.default_index)
        assert again.until("answer_accepted").answer_accepted.decision == decision.id
        clients.close()


def test_a_folder_that_another_server_uses_is_refused(tmp_path: Path) -> None:
    with live_referee(tmp_path), pytest.raises(RefereeError) as refused, live_referee(tmp_path):
        pass
    assert refused.value.reason == "folder-in-use"


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with live_referee(tmp_path / "one") as referee:
        port = int(referee.target.rpartition(":")[2])
        with pytest.raises(ExceptionGroup) as refused, live_referee(tmp_path / "two", listen=(Address("127.0.0.1", port),)):
            pass
    assert refused.group_contains(ServerProblem)


def test_health_checks_and_reflection_answer(referee: LiveReferee) -> None:
    with referee.channel() as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for service in ("", "mergemaker.v1.RefereeService"):
            status = health.Check(health_pb2.HealthCheckRequest(service=service)).status
            assert status == health_pb2.HealthCheckResponse.SERVING
        reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        (answer,) = reflection.ServerReflectionInfo(iter([request]))
        names = {service.name for service in answer.list_services_response.service}
        assert {"mergemaker.v1.RefereeService", "mergemaker.v1.MatchService", "mergemaker.v1.SpectateService"} <= names


def test_the_operator_makes_lists_cancels_and_fetches_matches(tmp_path: Path) -> None:
    token, settings = operator_settings()
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        clients, stub, metadata = Clients(referee), match_stub(channel), bearer(token)
        seats = [matches_pb2.SeatPlan(name=f"bot {number}") for number in range(2)]
        made = stub.CreateMatch(matches_pb2.CreateMatchRequest(seats=seats, seed=bytes(32)), metadata=metadata)
        assert made.match.phase == matches_pb2.MATCH_PHASE_JOINING
        other = stub.CreateMatch(matches_pb2.CreateMatchRequest(seats=seats), metadata=metadata)
        cancelled = stub.CancelMatch(matches_pb2.CancelMatchRequest(match=other.match.match, why="a test"), metadata=metadata)
        assert cancelled.match.ending == match_pb2.ENDING_VOIDED
        with pytest.raises(grpc.RpcError) as refused:
            list(stub.FetchRecord(matches_pb2.FetchRecordRequest(match=made.match.match), metadata=metadata))
        assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert "not-released" in str(refused.value.details())
        bots = []
        for seat_token in made.seat_tokens:
            bot = clients.bot(seat_token)
            bot.hello()
            bot.take_seat()
            bots.append(bot)
        play_to_the_end(bots, made.match.match)
        clients.close()
        first_page = stub.ListMatches(matches_pb2.ListMatchesRequest(page_size=1), metadata=metadata)
        second_page = stub.ListMatches(
            matches_pb2.ListMatchesRequest(page_size=1, page_token=first_page.next_page_token), metadata=metadata
        )
        assert {page.matches[0].match for page in (first_page, second_page)} == {made.match.match, other.match.match}
        assert not second_page.next_page_token
        found = stub.GetMatch(matches_pb2.GetMatchRequest(match=made.match.match), metadata=metadata).match
        assert (found.phase, len(found.standings)) == (matches_pb2.MATCH_PHASE_OVER, 2)
        pieces = stub.FetchRecord(matches_pb2.FetchRecordRequest(match=made.match.match), metadata=metadata)
        record = b"".join(piece.data for piece in pieces)
        verify([record])


@pytest.mark.parametrize(
    ("request_of", "code", "reason"),
    [
        (lambda stub: stub.GetMatch(matches_pb2.GetMatchRequest(match="nowhere")), "NOT_FOUND", "unknown-match"),
        (lambda stub: stub.CancelMatch(matches_pb2.CancelMatchRequest(match="nowhere")), "NOT_FOUND", "unknown-match"),
        (lambda stub: list(stub.FetchRecord(matches_pb2.FetchRecordRequest(match="n"))), "NOT_FOUND", "unknown-match"),
        (lambda stub: stub.CreateMatch(matches_pb2.CreateMatchRequest()), "INVALID_ARGUMENT", "bad-seats"),
        (
            lambda stub: stub.CreateMatch(matches_pb2.CreateMatchRequest(seats=[matches_pb2.SeatPlan()] * 2, seed=b"short")),
            "INVALID_ARGUMENT",
            "bad-seed",
        ),
        (
            lambda stub: stub.CreateMatch(matches_pb2.CreateMatchRequest(seats=[matches_pb2.SeatPlan(bot_id="nobody")] * 2)),
            "INVALID_ARGUMENT",
            "unknown-bot",
        ),
        (
            lambda stub: stub.CreateMatch(matches_pb2.CreateMatchRequest(seats=[matches_pb2.SeatPlan()] * 2, deal_mode=9)),  # type: ignore[arg-type]
            "INVALID_ARGUMENT",
            "unknown-kind",
        ),
        (lambda stub: stub.ListMatches(matches_pb2.ListMatchesRequest(page_size=9_999)), "INVALID_ARGUMENT", "bad-page-size"),
    ],
)
def test_a_call_that_cannot_be_done_has_a_typed_status(tmp_path: Path, request_of: object, code: str, reason: str) -> None:
    token, settings = operator_settings()

    class WithToken:
        def __init__(self, stub: object) -> None:
            self._stub = stub

        def __getattr__(self, name: str) -> object:
            return lambda request: getattr(self._stub, name)(request, metadata=bearer(token))

    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        with pytest.raises(grpc.RpcError) as refused:
            request_of(WithToken(match_stub(channel)))  # type: ignore[operator]
        assert (refused.value.code().name, (refused.value.details() or "").partition(":")[0]) == (code, reason)


def test_calls_of_the_operator_are_for_nobody_else(referee: LiveReferee) -> None:
    seat_token = referee.create().tokens[0]
    with referee.channel() as channel:
        for token, code in ((None, "UNAUTHENTICATED"), ("mmo_wrong", "UNAUTHENTICATED"), (seat_token, "PERMISSION_DENIED")):
            with pytest.raises(grpc.RpcError) as refused:
                match_stub(channel).ListMatches(matches_pb2.ListMatchesRequest(), metadata=bearer(token))
            assert refused.value.code().name == code


def test_a_known_bot_waits_until_a_match_has_a_seat_for_it(tmp_path: Path) -> None:
    token = fresh_token(TokenKind.BOT)
    with live_referee(tmp_path, bots={"champion": token_hash(token)}) as referee:
        clients = Clients(referee)
        bot = clients.bot(token)
        assert bot.hello(bot_name="somebody else").bot_name == "champion"
        bot.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
        bot.send(referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=1)))
        bot.until("pong")
        made = referee.create(bots=["champion", None])
        assert bot.until("match_offered").match_offered.seat == 0
        assert made.tokens[0] == ""
        clients.close()


def test_a_bot_that_was_not_told_of_the_end_before_the_server_was_gone_is_told_by_the_next(tmp_path: Path) -> None:
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        made = referee.create()
        secrets = secrets_path(made.journal.path)
        kept = secrets.read_bytes()
        results = play_to_the_end([clients.seated(made, seat) for seat in range(2)], made.table.setup.match)
        clients.close()
    record = made.journal.path.read_bytes()
    # As if the server had been killed after the end line.
    secrets.write_bytes(kept)
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        bot = clients.bot(made.tokens[0])
        bot.hello()
        bot.send(referee_pb2.PlayRequest(match=made.table.setup.match, take_seat=referee_pb2.TakeSeat(seat=0)))
        assert bot.until("match_started").match_started.view.over
        assert bot.until("match_ended").match_ended == results[0]
        clients.close()
    with live_referee(tmp_path, limits=Limits(session_keep_ms=0)) as referee:
        referee.run(_until_gone, secrets)
    assert made.journal.path.read_bytes() == record


async def _until_gone(path: Path) -> None:
    with trio.fail_after(WAIT_LIMIT_S):
        while path.exists():  # noqa: ASYNC110, ASYNC240 - nothing reports it, so the test polls
            await trio.sleep(0.01)


def test_spectators_see_what_everybody_may_and_nothing_else(tmp_path: Path) -> None:
    token, settings = operator_settings()
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        clients = Clients(referee)
        made = referee.create(rules="avalon-hill")
        match = made.table.setup.match
        watching = spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match=match), metadata=bearer(token))
        assert next(watching).started.rules.assets
        bots = [clients.seated(made, seat) for seat in range(2)]
        results = play_to_the_end(bots, match)
        responses = list(watching)
        clients.close()
    numbers = [event.number for response in responses for event in response.events]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not any(event.HasField("tiles_received") for response in responses for event in response.events)
    views = [response.view for response in responses if response.HasField("view")]
    assert not any(view.hand for view in views)
    assert not any(player.HasField("cash") for view in views[:-1] for player in view.players if not view.over)
    assert responses[-1].ended.standings
    assert responses[-1].ended.receipt == results[0].receipt
    assert receipt_from_message(responses[-1].ended.receipt) == open_record(made.journal.path).receipt


def test_whoever_wants_to_watch_no_match_is_told_so(tmp_path: Path) -> None:
    with live_referee(tmp_path, spectating_open=True) as referee, referee.channel() as channel:
        with pytest.raises(grpc.RpcError) as refused:
            list(spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match="nowhere")))
        assert refused.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_bot_that_never_says_hello_is_cut_off(tmp_path: Path) -> None:
    with live_referee(tmp_path, limits=Limits(hello_ms_max=10)) as referee:
        clients = Clients(referee)
        goodbye, ended = clients.bot(referee.create().tokens[0]).goodbye()
        clients.close()
    assert (goodbye.reason, ended.code) == ("no-hello", grpc.StatusCode.DEADLINE_EXCEEDED)


def test_a_bot_that_does_not_read_is_cut_off_and_slows_nobody(tmp_path: Path) -> None:
    with live_referee(tmp_path, limits=Limits(unread_bytes_max=16 * 1024)) as referee:
        clients = Clients(referee)
        deaf = clients.bot(referee.create().tokens[0], reads=False)
        deaf.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
        # Each answer has more than a hundred bytes, and a client's own memory takes some before any wait.
        for number in range(5_000):
            deaf.send(referee_pb2.PlayRequest(match="nowhere", take_seat=referee_pb2.TakeSeat(seat=number)))
        other = referee.create()
        results = play_to_the_end([clients.seated(other, seat) for seat in range(2)], other.table.setup.match)
        assert not results[0].standings[0].faults
        deaf.start_reading()
        assert deaf.end().code is grpc.StatusCode.RESOURCE_EXHAUSTED
        clients.close()


def test_a_bot_without_a_pong_is_cut_off_unless_its_match_has_no_clock(tmp_path: Path) -> None:
    with live_referee(tmp_path, limits=Limits(ping_interval_ms=10, pong_ms_max=10)) as referee:
        clients = Clients(referee)
        patient, strict = referee.create(clock=CLOCKS["none"]), referee.create()
        bots = []
        for made in (patient, strict):
            bot = clients.bot(made.tokens[0])
            bot.hello()
            bot.take_seat()
            bots.append(bot)
        silent = bots[1]
        while not isinstance(response := silent._responses.get(timeout=60), StreamEnd):
            assert response.HasField("ping") or response.HasField("goodbye")
        assert (response.code, response.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "no-pong")
        bots[0].send(referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=3)))
        assert bots[0].until("pong").pong.id == 3
        clients.close()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped by POSIX signals")
def test_a_frozen_process_is_noticed_by_the_connections_keepalive(tmp_path: Path) -> None:
    with live_referee(tmp_path, limits=Limits(keepalive_ms=300, keepalive_timeout_ms=300)) as referee:
        made = referee.create()
        program = "from mergemaker_client import run\nrun(lambda turn: turn.default)"
        environment = {"MERGEMAKER_SERVER": f"grpc://{referee.target}", "MERGEMAKER_TOKEN": made.tokens[0]}
        with subprocess.Popen([sys.executable, "-c", program], env={**os.environ, **environment}) as process:
            try:
                referee.run(_until_connected, made, True)
                process.send_signal(signal.SIGSTOP)
                referee.run(_until_connected, made, False)
                assert process.poll() is None, "it is frozen, and has not ended"
            finally:
                process.kill()


async def _until_connected(made: MadeMatch, wanted: bool) -> None:
    with trio.fail_after(WAIT_LIMIT_S):
        while made.table.connected[0] is not wanted:  # noqa: ASYNC110 - a table has no event for this, so the test polls
            await trio.sleep(0.01)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, to make a certificate")
def test_connections_can_be_private_with_a_certificate_of_ones_own(tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    make = f"openssl req -x509 -newkey rsa:2048 -nodes -keyout {key.name} -out {certificate.name} -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*make.split(), *names], cwd=tmp_path, check=True, capture_output=True, timeout=WAIT_LIMIT_S)
    with live_referee(tmp_path / "data", tls=Tls(certificate, key)) as referee:
        made = referee.create()
        program = "from mergemaker_client import run\nrun(lambda turn: turn.default)"
        said = {"MERGEMAKER_SERVER": referee.address, "MERGEMAKER_CA": str(certificate)}
        bots = [
            subprocess.Popen([sys.executable, "-c", program], env={**os.environ, **said, "MERGEMAKER_TOKEN": token})
            for token in made.tokens
        ]
        assert [bot.wait(WAIT_LIMIT_S) for bot in bots] == [0, 0]
