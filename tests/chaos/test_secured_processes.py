"""A server with several processes, and what makes one trusted: TLS, signed ends, records that outlive a loss of power, forks."""

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from mergemaker.v1 import matches_pb2, matches_pb2_grpc
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.signatures import read_signature
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.matches.forking import ForkWish
from mergemaker_referee.matches.making import MatchMaker
from mergemaker_referee.records.ed25519 import is_right, make_key, read_key
from mergemaker_referee.records.files import open_record, record_chunks
from mergemaker_testkit.live_referee import RawBot, play_to_the_end
from mergemaker_tools.conformance.certificates import AUTHORITY, certificate

from tests.chaos.server_process import Operator, ServerProcess, until
from tests.chaos.test_processes import CLOCK, DONE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.checkout,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for a server's processes as Linux shows them"),
]

NOTES_SYNCS: Final = """
import os
sync = os.fsync
def noted(descriptor):
    sync(descriptor)
    with open({notes!r}, "a") as notes:
        notes.write(os.readlink(f"/proc/self/fd/{{descriptor}}") + "\\n")
os.fsync = noted
"""
"""What every process of the server runs first: it notes each file that was put on the disk, when it is there."""


class SecuredServer(ServerProcess):
    """Its clients connect with TLS, and trust one authority."""

    def channel(self, *options: tuple[str, int]) -> grpc.Channel:
        trusted = grpc.ssl_channel_credentials(AUTHORITY.read_bytes())
        usual = (("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1))
        return grpc.secure_channel(f"localhost:{self.port}", trusted, options=(*usual, *options))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SecuredServer]:
    folder = tmp_path / "server"
    folder.mkdir()
    (folder / "chain.pem").write_bytes(certificate().chain)
    (folder / "key.pem").write_bytes(certificate().key)
    make_key(folder / "signing.pem")
    (folder / "sitecustomize.py").write_text(NOTES_SYNCS.format(notes=str(folder / "synced.txt")), "utf-8")
    wishes: dict[str, dict[str, Any]] = {
        "server": {"processes": 2, "signing_key": str(folder / "signing.pem")},
        "tls": {"certificate": "chain.pem", "key": "key.pem"},
        "matches": {"durability": "power"},
    }
    found = SecuredServer(folder, wishes=wishes, environment={"PYTHONPATH": str(folder)})
    yield found
    found.close()


def _make(operator: Operator) -> matches_pb2.CreateMatchResponse:
    seats = [matches_pb2.SeatPlan(name=name) for name in ("a", "b")]
    made = operator.call("CreateMatch", matches_pb2.CreateMatchRequest(seats=seats, clock=CLOCK, seed=bytes(32)))
    assert isinstance(made, matches_pb2.CreateMatchResponse)
    return made


def _played(server: ServerProcess, match: str, tokens: list[str]) -> None:
    bots = [RawBot(server, token) for token in tokens]
    try:
        for bot in bots:
            bot.hello()
            bot.take_seat(match)
        play_to_the_end(bots, match)
    finally:
        for bot in bots:
            bot.close()


def _get(operator: Operator, match: str) -> matches_pb2.GetMatchResponse:
    found = operator.call("GetMatch", matches_pb2.GetMatchRequest(match=match))
    assert isinstance(found, matches_pb2.GetMatchResponse)
    return found


def _record_of(server: ServerProcess, match: str) -> Path:
    (found,) = [path for path in server.record_paths() if match in path.name]
    return found


def test_several_processes_keep_private_sign_and_put_on_the_disk_what_one_does(server: SecuredServer) -> None:
    server.serve()
    with ServerProcess.channel(server) as channel, pytest.raises(grpc.RpcError) as refused:
        _make(Operator(matches_pb2_grpc.MatchServiceStub(channel), server.operator_token))
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE, "nobody is served without TLS"
    with server.operator() as operator:
        made = [_make(operator) for _ in range(2)]
        ids = [each.match.match for each in made]
        assert {_record_of(server, id_).parent.name for id_ in ids} == {"records", "process-2"}, "one in each process"
        for each in made:
            _played(server, each.match.match, list(each.seat_tokens))
        until(lambda: all(_get(operator, id_).end_signature for id_ in ids), "both ends are signed")
        signatures = [read_signature(_get(operator, id_).end_signature) for id_ in ids]
    server.stop()
    public = read_key(server.folder / "signing.pem").public
    synced = Counter((server.folder / "synced.txt").read_text("utf-8").split("\n"))
    for id_, signature in zip(ids, signatures, strict=True):
        path = _record_of(server, id_)
        record = open_record(path)
        assert record.receipt is not None
        signature.check(record.receipt, None)
        assert is_right(signature, public)
        answered = sum(line.by is AnsweredBy.BOT for line in record.decisions)
        assert synced[str(path)] >= answered > 0, "each answer was on the disk before the next one was asked for"


def test_a_fork_that_was_broken_off_goes_on_in_the_process_whose_folder_it_is_in(server: SecuredServer) -> None:
    server.serve()
    with server.operator() as operator:
        made = [_make(operator) for _ in range(2)]
        for each in made:
            _played(server, each.match.match, list(each.seat_tokens))
        until(lambda: all(_get(operator, each.match.match).match.phase == DONE for each in made), "both are over")
    server.stop()
    (parent,) = [path for path in server.record_paths() if path.parent.name == "process-2"]
    maker = MatchMaker(folder=parent.parent, software="test", today=lambda: datetime(2026, 11, 20, tzinfo=UTC))
    fork = maker.make(ForkWish(record=open_record(parent), decision=10, bots=("c", "d")))
    fork.journal.close()
    match = fork.table.setup.match
    server.serve()
    with server.operator() as operator:
        assert _get(operator, match).match.phase != DONE
        _played(server, match, list(fork.tokens))
        until(lambda: bool(_get(operator, match).end_signature), "its end is signed, too")
    server.stop()
    assert verify(record_chunks(fork.journal.path)).record.header.parent is not None
