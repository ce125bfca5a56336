"""Names from outside are only names: none of them becomes part of a path, whatever it contains."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2, spectate_pb2
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import record_chunks
from mergemaker_testkit.live_referee import (
    Clients,
    LiveReferee,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    spectate_stub,
)

HOSTILE = (
    "..",
    ".",
    "../../escaped",
    "/tmp/escaped",  # noqa: S108 - a name, nothing is written there
    "..\\..\\escaped",
    "C:\\escaped",
    "\\\\server\\share\\escaped",
    "file:///escaped",
    "~/escaped",
    "$HOME/escaped",
    "a\0b",
    "CON",
    "nul.jsonl",
    "COM1",
    "a:stream",
    "x" * 300,
    "ä\N{RIGHT-TO-LEFT OVERRIDE}lnosj.",
    "'; rm -rf escaped",
    "-rf",
    "%2e%2e%2fescaped",
    ".mergemaker.lock",
    "records",
)
RECORD = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{12}\.jsonl(\.secrets)?")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[LiveReferee, str, Path]]:
    """A server whose folder is deep inside another one; all names in that are checked."""
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    monkeypatch.setenv("HOME", str(deep))
    token, settings = operator_settings()
    with live_referee(deep / "data", spectating_open=True, **settings) as referee:
        yield referee, token, tmp_path


def files(folder: Path) -> list[str]:
    """All files except correct records."""
    found = [Path(place) / name for place, _, names in os.walk(folder) for name in names]
    records = folder / "a" / "b" / "c" / "data" / "records"
    return sorted(str(path.relative_to(folder)) for path in found if not (path.parent == records and RECORD.fullmatch(path.name)))


def test_names_in_calls_go_nowhere(house: tuple[LiveReferee, str, Path]) -> None:
    referee, token, folder = house
    before = files(folder)
    with referee.channel() as channel:
        stub = match_stub(channel)
        for name in HOSTILE:
            plain = name.replace("\0", "")
            seats = [matches_pb2.SeatPlan(name=name), matches_pb2.SeatPlan(bot_id=plain)]
            for seat_plans in (seats, [matches_pb2.SeatPlan(name=plain[:64]), matches_pb2.SeatPlan(name=name)]):
                for request in (
                    matches_pb2.CreateMatchRequest(seats=seat_plans),
                    matches_pb2.CreateMatchRequest(seats=seat_plans, clock=match_pb2.ClockTerms(name=name)),
                ):
                    with contextlib.suppress(grpc.RpcError):
                        stub.CreateMatch(request, metadata=bearer(token))
            calls = [
                lambda name=name: stub.GetMatch(matches_pb2.GetMatchRequest(match=name), metadata=bearer(token)),
                lambda name=name: stub.CancelMatch(matches_pb2.CancelMatchRequest(match=name), metadata=bearer(token)),
                lambda name=name: list(stub.FetchRecord(matches_pb2.FetchRecordRequest(match=name), metadata=bearer(token))),
                lambda name=name: list(spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match=name))),
            ]
            for call in calls:
                with pytest.raises(grpc.RpcError) as refused:
                    call()  # type: ignore[no-untyped-call]
                assert isinstance(refused.value, grpc.Call)
                assert refused.value.code() is grpc.StatusCode.NOT_FOUND, name
            with pytest.raises(grpc.RpcError, match="bad-page-token"):
                stub.ListMatches(matches_pb2.ListMatchesRequest(page_token=name), metadata=bearer(token))
    assert files(folder) == before


def test_names_of_bots_go_nowhere_and_their_records_verify(house: tuple[LiveReferee, str, Path]) -> None:
    referee, token, folder = house
    before = files(folder)
    clients = Clients(referee)
    printable = [name for name in HOSTILE if len(name) <= 64 and name.isprintable()]
    with referee.channel() as channel:
        for one, other in zip(printable[::2], printable[1::2], strict=False):
            seats = [matches_pb2.SeatPlan(name=one), matches_pb2.SeatPlan(name=other)]
            made = match_stub(channel).CreateMatch(matches_pb2.CreateMatchRequest(seats=seats), metadata=bearer(token))
            bots = [clients.bot(seat_token) for seat_token in made.seat_tokens]
            for bot, name in zip(bots, (one, other), strict=True):
                bot.hello(bot_name=name, bot_version=name, library=name)
                bot.take_seat(made.match.match)
            bots[0].until("match_started")
            match_stub(channel).CancelMatch(matches_pb2.CancelMatchRequest(match=made.match.match), metadata=bearer(token))
            piece = match_stub(channel).FetchRecord(
                matches_pb2.FetchRecordRequest(match=made.match.match), metadata=bearer(token)
            )
            assert b"".join(part.data for part in piece)
    clients.close()
    assert files(folder) == before
    records = sorted((folder / "a" / "b" / "c" / "data" / "records").glob("*.jsonl"))
    assert len(records) == len(printable) // 2
    names = [verify(record_chunks(record)).record.header.bots for record in records]
    assert sorted(names) == sorted(zip(printable[::2], printable[1::2], strict=False))


@pytest.mark.parametrize("name", [name for name in HOSTILE if not name.isprintable() or len(name) > 64])
def test_a_name_that_cannot_be_shown_is_refused(referee: LiveReferee, name: str) -> None:
    clients = Clients(referee)
    for kind in ("bot_name", "bot_version", "library"):
        bot = clients.bot(referee.create().tokens[0])
        bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], **{kind: name})))  # type: ignore[arg-type]
        assert bot.goodbye()[0].reason == "bad-name"
    clients.close()


@pytest.fixture(scope="module")
def referee(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveReferee]:
    with live_referee(tmp_path_factory.mktemp("server")) as running:
        yield running
