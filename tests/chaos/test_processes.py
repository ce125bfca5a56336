"""A server with several processes: from outside it is one, and what one of them plays outlives it.

Every server here is a real one, with real processes that play, killed by SIGKILL. CI kills more often (`CHAOS=full`), and
`python -m tests.chaos.kills --processes 2 3 1` any number of times.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import grpc
import pytest
from mergemaker.v1 import match_pb2, matches_pb2, public_log_pb2, public_log_pb2_grpc, spectate_pb2
from mergemaker_testkit.live_referee import WAIT_LIMIT_S, RawBot, bearer, play_to_the_end, spectate_stub

from tests.chaos import FULL
from tests.chaos.kills import Moment, check_log, survive
from tests.chaos.played_matches import lines_of
from tests.chaos.server_process import SERVE, WAIT_S, Operator, ServerProcess, free_port, server_process, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.checkout,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for a server's processes as Linux shows them"),
]

CLOCK: Final = match_pb2.ClockTerms(name="test", allowance_ms=50, bank_ms=600_000, startup_ms=600_000)
SEED: Final = 20261120
DONE: Final = matches_pb2.MATCH_PHASE_OVER


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    wishes = {
        "server": {"processes": 2},
        "metrics": {"listen": f"127.0.0.1:{free_port()}"},
        "spectating": {"open": True},
        "limits": {"matches_max": 6},
    }
    with server_process(tmp_path / "server", wishes=wishes) as process:
        yield process


@pytest.fixture
def bots() -> Iterator[list[RawBot]]:
    """Clients that the test's end closes."""
    found: list[RawBot] = []
    yield found
    for bot in found:
        bot.close()


def _make(operator: Operator, **wishes: Any) -> matches_pb2.CreateMatchResponse:
    seats = [matches_pb2.SeatPlan(name=name) for name in ("a", "b")]
    request = matches_pb2.CreateMatchRequest(**{"seats": seats, "clock": CLOCK, "seed": bytes(32), **wishes})
    made = operator.call("CreateMatch", request)
    assert isinstance(made, matches_pb2.CreateMatchResponse)
    return made


def _seated(server: ServerProcess, bots: list[RawBot], made: matches_pb2.CreateMatchResponse) -> list[RawBot]:
    found = [RawBot(server, token) for token in made.seat_tokens]
    bots += found
    for bot in found:
        bot.hello()
        bot.take_seat()
    return found


def _pages(operator: Operator, **wishes: Any) -> list[list[str]]:
    pages, token = [], ""
    while True:
        page = operator.call("ListMatches", matches_pb2.ListMatchesRequest(page_size=2, page_token=token, **wishes))
        pages.append([each.match for each in page.matches])
        token = page.next_page_token
        if not token:
            return pages


def _record(operator: Operator, match: str) -> bytes:
    request = matches_pb2.FetchRecordRequest(match=match)
    return b"".join(piece.data for piece in operator.stub.FetchRecord(request, metadata=bearer(operator.token), timeout=WAIT_S))


def _log(server: ServerProcess) -> bytes:
    with server.channel() as channel:
        stub = public_log_pb2_grpc.PublicLogServiceStub(channel)
        return bytes(stub.ReadLog(public_log_pb2.ReadLogRequest(), timeout=WAIT_S).lines)


def _metrics(server: ServerProcess) -> dict[str, float]:
    with urlopen(f"http://{server.wishes['metrics']['listen']}/metrics", timeout=WAIT_LIMIT_S) as page:
        lines = [line.decode("utf-8").rsplit(" ", 1) for line in page if not line.startswith(b"#")]
    return {name: float(value) for name, value in lines}


def _folders(server: ServerProcess, matches: list[str]) -> list[str]:
    """The folders of the records of some matches, one for each process."""
    return [path.parent.name for match in matches for path in server.record_paths() if match in path.name]


def test_from_outside_several_processes_are_one_server(server: ServerProcess, bots: list[RawBot]) -> None:
    server.serve()
    with server.operator() as operator:
        made = [_make(operator, labels={"round": str(number % 2)}) for number in range(3)]
        made.append(_make(operator, idempotency_key="once"))
        ids = [each.match.match for each in made]
        assert _folders(server, ids) == ["records", "process-2"] * 2, "matches are shared out"
        again = _make(operator, idempotency_key="once")
        assert (again.match.match, again.seat_tokens) == (ids[3], made[3].seat_tokens)
        assert _pages(operator) == [[ids[3], ids[2]], [ids[1], ids[0]]], "newest first, over all processes"
        assert _pages(operator, labels={"round": "0"}) == [[ids[2], ids[0]]]
        with server.channel() as channel:
            watching = [spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match=id_)) for id_ in ids[:2]]
            assert all(next(stream).HasField("started") for stream in watching)
            for match in made[:2]:
                results = play_to_the_end(_seated(server, bots, match), match.match.match)
                assert results[0] == results[1]
            assert [list(stream)[-1].ended.ending for stream in watching] == [results[0].ending] * 2
        assert operator.call("CancelMatch", matches_pb2.CancelMatchRequest(match=ids[2])).match.phase == DONE
        with pytest.raises(grpc.RpcError) as refused:
            operator.call("CancelMatch", matches_pb2.CancelMatchRequest(match=ids[2]))
        assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        with pytest.raises(grpc.RpcError) as unknown:
            operator.call("GetMatch", matches_pb2.GetMatchRequest(match="0" * 12))
        assert unknown.value.code() is grpc.StatusCode.NOT_FOUND
        assert _pages(operator, phase=DONE) == [[ids[2], ids[1]], [ids[0]]]
        records = {path.name: path.read_bytes() for path in server.record_paths()}
        for id_ in ids[:2]:
            (name,) = [name for name in records if id_ in name]
            assert _record(operator, id_) == records[name]
        for _ in range(5):
            _make(operator)
        with pytest.raises(grpc.RpcError) as full:
            _make(operator)
        assert (full.value.code(), "too-many-matches" in str(full.value.details())) == (grpc.StatusCode.RESOURCE_EXHAUSTED, True)
    log = _log(server)
    assert [log.count(f'"kind":"{kind}"'.encode()) for kind in ("begin", "end")] == [9, 3], "one log has the matches of all"
    decisions = sum(line["kind"] == "decision" for path in server.record_paths() for line in lines_of(path))
    until(lambda: sum(v for k, v in _metrics(server).items() if k.startswith("mergemaker_matches_over_total")) == 3, "counted")
    assert 0 < _metrics(server)["mergemaker_decision_seconds_count"] <= decisions
    server.stop()
    server.program = (*SERVE, "--processes", "1")
    server.serve()
    with server.operator() as operator:
        assert sum(map(len, _pages(operator))) == 9, "another number of processes finds all matches"
        assert len(_record(operator, ids[1])) > 0
        (bot,) = [RawBot(server, made[3].seat_tokens[0])]
        bots.append(bot)
        bot.hello()
        assert bot.take_seat().seat == 0, "and goes on with them"
    server.stop()
    check_log(server)


@pytest.mark.larger
def test_nobody_can_tell_that_one_of_two_processes_was_killed(tmp_path: Path) -> None:
    """Each bot of the library plays in both processes at once, on one stream, and comes back by itself."""
    processes = (2, 3, 1) if FULL else (2,)
    survived = survive(tmp_path, SEED, 6 if FULL else 1, at_once=4 if FULL else 2, processes=processes, tell=print)
    print(survived)
    assert survived.moments[Moment.PROCESS]
    assert survived.recoveries


def _runs(process: int) -> bool:
    """Whether a process runs. One that has ended may still be listed, if nobody asks how it ended."""
    try:
        told = Path(f"/proc/{process}/stat").read_text("ascii")
    except OSError:
        return False
    return told.rpartition(")")[2].split()[0] not in ("Z", "X")


def test_no_process_outlives_its_server_and_the_next_one_waits_for_their_folders(server: ServerProcess) -> None:
    server.serve()
    before = server.playing_processes()
    assert len(before) == 2
    server.kill()
    server.serve()
    until(lambda: not any(map(_runs, before)), "they have ended")
    server.stop()
    check_log(server)


def test_a_process_that_cannot_begin_ends_the_server_with_its_reason(server: ServerProcess) -> None:
    server.serve()
    with server_process(server.folder / "other", records=server.records, wishes={"server": {"processes": 3}}) as other:
        other.start()
        assert not other.wait_until_ready()
        assert other.wait_for_end() == 1
        assert "is in use by another server" in other.log_text()
        assert "Traceback" not in other.log_text()
    server.stop()
    check_log(server)
