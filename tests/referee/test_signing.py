"""A server with a key signs the ends of records, off the path of matches, and says its keys to everybody."""

import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
import trio
from mergemaker.v1 import matches_pb2, server_pb2
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.record.signatures import read_signature
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records import ed25519
from mergemaker_referee.records.disks import SystemDisk
from mergemaker_referee.records.ed25519 import SigningKey, is_right, make_key, read_key
from mergemaker_referee.records.files import open_record, pack, signature_path
from mergemaker_referee.records.signing import RecordEnd, Signing
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit.in_process import InlineWriter
from mergemaker_testkit.live_referee import (
    Clients,
    LiveReferee,
    RawBot,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    play_to_the_end,
)

TOKEN, SETTINGS = operator_settings()
WAIT_S: Final = 60.0
"""A guard against a signature that never comes."""
EARLIER: Final = (bytes(range(32)),)


def today() -> datetime:
    return datetime(2026, 11, 18, 12, 30, tzinfo=UTC)


def sign(signing: Signing, *ends: RecordEnd) -> None:
    trio.run(signing.sign, ends)


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return make_key(tmp_path / "key.pem")


def play(referee: LiveReferee) -> Path:
    """Plays a match; the path of its record."""
    made = referee.create()
    clients = Clients(referee)
    play_to_the_end([clients.seated(made, seat) for seat in range(2)], made.table.setup.match)
    clients.close()
    return made.journal.path


def signature(referee: LiveReferee, record: Path) -> bytes:
    """What the server says is the signature of a record, once it is there."""
    request = matches_pb2.GetMatchRequest(match=open_record(record).header.match)
    until = time.monotonic() + WAIT_S
    with referee.channel() as channel:
        while time.monotonic() < until:
            if found := match_stub(channel).GetMatch(request, metadata=bearer(TOKEN)).end_signature:
                return bytes(found)
    raise AssertionError("the end is not signed")


def server_of(referee: LiveReferee) -> server_pb2.GetServerResponse:
    """What anyone learns without a token."""
    with referee.channel() as channel:
        call: Any = channel.unary_unary(
            "/mergemaker.v1.ServerService/GetServer",
            request_serializer=server_pb2.GetServerRequest.SerializeToString,
            response_deserializer=server_pb2.GetServerResponse.FromString,
        )
        found: server_pb2.GetServerResponse = call(server_pb2.GetServerRequest())
    return found


def check(content: bytes, record: Path, key: SigningKey) -> None:
    found = read_signature(content)
    whole = open_record(record)
    assert whole.receipt is not None
    assert whole.header.promise is not None
    found.check(whole.receipt, whole.header.promise.commitment)
    assert is_right(found, key.public)


def test_an_end_is_signed_beside_its_record_and_the_operator_gets_it(tmp_path: Path, key: SigningKey) -> None:
    with live_referee(tmp_path, signing_key=tmp_path / "key.pem", **SETTINGS) as referee:
        record = play(referee)
        content = signature(referee, record)
    assert signature_path(record).read_bytes() == content
    check(content, record, key)


def test_the_keys_are_said_in_each_welcome_and_to_anyone_without_a_token(tmp_path: Path, key: SigningKey) -> None:
    token = fresh_token(TokenKind.BOT)
    changes = {"signing_key": tmp_path / "key.pem", "earlier_signing_keys": EARLIER, "bots": {"a": token_hash(token)}}
    with live_referee(tmp_path, **changes) as referee:
        said = server_of(referee)
        bot = RawBot(referee, token)
        welcome = bot.hello()
        bot.close()
    for told in (said, welcome):
        assert (told.signing_key, tuple(told.earlier_signing_keys)) == (key.public, EARLIER)
    assert said.software == welcome.software


def test_a_server_without_a_key_signs_nothing_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with live_referee(tmp_path, **SETTINGS) as referee:
        record = play(referee)
        assert server_of(referee).signing_key == b""
    logged = capsys.readouterr()
    assert "there is no server.signing_key" in logged.out + logged.err
    assert not signature_path(record).exists()


def test_the_next_start_signs_what_is_not_signed_and_leaves_the_rest(tmp_path: Path, key: SigningKey) -> None:
    with live_referee(tmp_path, signing_key=tmp_path / "key.pem", **SETTINGS) as referee:
        records = [play(referee) for _ in range(3)]
        kept = [signature(referee, record) for record in records]
    signature_path(records[0]).unlink()
    signature_path(records[1]).write_bytes(kept[1][:100])  # the power went
    packed = pack(records[0], ".gz")
    other = make_key(tmp_path / "other.pem")
    with live_referee(tmp_path, signing_key=tmp_path / "other.pem", **SETTINGS) as referee:
        found = [signature(referee, record) for record in (packed, *records[1:])]
    check(found[0], packed, other)
    assert signature_path(packed) == signature_path(records[0])
    assert found[2] == kept[2], "what is signed stays as it is"
    check(found[2], records[2], key)


def test_no_match_waits_for_a_signature(tmp_path: Path, key: SigningKey, monkeypatch: pytest.MonkeyPatch) -> None:
    is_free = threading.Event()
    signs = Signing._sign

    def stands_still(self: Signing, end: RecordEnd) -> None:
        assert is_free.wait(WAIT_S), "the test frees it"
        signs(self, end)

    monkeypatch.setattr(Signing, "_sign", stands_still)
    with live_referee(tmp_path, signing_key=tmp_path / "key.pem", **SETTINGS) as referee:
        records = [play(referee) for _ in range(2)]
        assert not any(signature_path(record).exists() for record in records), "both ends were told before"
        is_free.set()
        for record in records:
            check(signature(referee, record), record, key)


def test_half_a_signature_is_made_whole(tmp_path: Path, key: SigningKey) -> None:
    end = RecordEnd(tmp_path / "a.jsonl", Receipt("m-1", bytes(32), bytes(32)), None)
    signature_path(end.record).write_bytes(b'{"match":"m-1","line":')
    sign(Signing(key, SystemDisk(), InlineWriter(), today), end)
    found = read_signature(signature_path(end.record).read_bytes())
    found.check(end.receipt, None)
    assert is_right(found, key.public)


def test_a_signature_of_something_else_is_left_alone_and_logged(
    tmp_path: Path, key: SigningKey, capsys: pytest.CaptureFixture[str]
) -> None:
    one = RecordEnd(tmp_path / "a.jsonl", Receipt("m-1", bytes(32), bytes(32)), None)
    signing = Signing(key, SystemDisk(), InlineWriter(), today)
    sign(signing, one)
    before = signature_path(one.record).read_bytes()
    sign(signing, one._replace(receipt=Receipt("m-1", bytes(32), bytes([1] * 32))))
    assert signature_path(one.record).read_bytes() == before
    logged = capsys.readouterr()
    assert "a signature lies beside a record of which it is not" in logged.out + logged.err


class FullDisk(SystemDisk):
    """Takes no more files."""

    def create(self, path: Path, mode: int) -> int:  # noqa: ARG002 - as the real one
        raise OSError(28, "No space left on device", str(path))


def test_a_disk_that_refuses_is_logged_and_the_others_are_tried(
    tmp_path: Path, key: SigningKey, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = [RecordEnd(tmp_path / f"{name}.jsonl", Receipt(name, bytes(32), bytes(32)), None) for name in ("m-1", "m-2")]
    sign(Signing(key, FullDisk(), InlineWriter(), today), *ends)
    logged = capsys.readouterr()
    lines = [line for line in (logged.out + logged.err).splitlines() if "is not signed; the next start" in line]
    assert [name for name in ("m-1", "m-2") for line in lines if name in line] == ["m-1", "m-2"]
    assert not any(signature_path(end.record).exists() for end in ends)


def test_a_public_key_is_never_taken_for_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = iter(["-A", "-", "A-"])
    monkeypatch.setattr(ed25519, "key_text", lambda _: next(texts))
    make_key(tmp_path / "key.pem")
    assert next(texts, None) is None, "it drew until the text began with something else"


@pytest.mark.parametrize("content", [b"", b"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"])
def test_a_server_does_not_start_with_what_is_no_key(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key.pem").write_bytes(content)
    with pytest.raises(RefereeError, match="has no private key in PEM"):
        read_key(tmp_path / "key.pem")


def test_a_call_without_a_token_is_all_that_a_stranger_gets(tmp_path: Path) -> None:
    with live_referee(tmp_path, **SETTINGS) as referee, referee.channel() as channel:
        assert server_of(referee).software
        with pytest.raises(grpc.RpcError) as refused:
            match_stub(channel).GetMatch(matches_pb2.GetMatchRequest(match="m-1"))
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
