"""What a server accepts from strangers: this much, for this long, and no more.

gRPC ignores unknown options, so each is tested at work.
"""

import contextlib
import socket
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from mergemaker.v1 import matches_pb2, spectate_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.rpc.server import _options
from mergemaker_referee.rpc.sockets import descriptors_folder
from mergemaker_testkit.attackers import (
    CONTINUATION,
    END_HEADERS,
    GREETING,
    HEADERS,
    SETTINGS,
    call_headers,
    connect,
    frame,
    header_block,
    is_closed,
)
from mergemaker_testkit.live_referee import (
    WAIT_LIMIT_S,
    Clients,
    LiveReferee,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    spectate_stub,
)

RST_STREAM, ACK, CONCURRENT_STREAMS, REFUSED_STREAM = 3, 1, 3, 7
"""A frame, a flag, a setting and an error of HTTP/2."""
needs_descriptors = pytest.mark.skipif(descriptors_folder() is None, reason="this system does not list descriptors")
SMALL = Limits(
    connections_max=5,
    newcomers_per_address_max=100,
    streams_per_connection_max=3,
    header_bytes_max=2_048,
    open_calls_max=5,
    open_calls_per_address_max=3,
    request_bytes_max=1_024,
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveReferee]:
    """A server that accepts little."""
    with live_referee(tmp_path_factory.mktemp("server"), limits=SMALL, spectating_open=True) as running:
        yield running


def status_of(problem: grpc.RpcError) -> tuple[grpc.StatusCode, str]:
    assert isinstance(problem, grpc.Call)
    return problem.code(), problem.details() or ""


def test_metadata_have_a_limit(small: LiveReferee) -> None:
    with small.channel() as channel:
        for size, code in ((1_000, "UNAUTHENTICATED"), (2_048, "RESOURCE_EXHAUSTED"), (100_000, "RESOURCE_EXHAUSTED")):
            with pytest.raises(grpc.RpcError) as refused:
                match_stub(channel).GetMatch(matches_pb2.GetMatchRequest(), metadata=(("x-much", "x" * size),))
            assert status_of(refused.value)[0].name == code, size


PACKINGS = [grpc.Compression.Gzip, grpc.Compression.Deflate]


@pytest.mark.parametrize("packing", PACKINGS)
def test_packed_requests_are_refused(small: LiveReferee, packing: grpc.Compression) -> None:
    with small.channel(("grpc.default_compression_algorithm", packing.value)) as channel:
        play: Any = channel.stream_stream("/mergemaker.v1.RefereeService/Play", request_serializer=None)
        calls = (
            lambda: match_stub(channel).GetMatch(matches_pb2.GetMatchRequest(match="m" * 500)),
            lambda: health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="s" * 500)),
            lambda: list(play(iter([b"x" * 500]), metadata=bearer("mms_nobody's"))),
            lambda: list(spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match="m" * 500))),
        )
        for call in calls:
            with pytest.raises(grpc.RpcError) as refused:
                call()
            code, said = status_of(refused.value)
            assert (code.name, said) == ("UNIMPLEMENTED", f"Compression algorithm '{packing.name.lower()}' is disabled.")


@pytest.mark.parametrize("packing", PACKINGS)
def test_packed_requests_are_never_unpacked(packing: grpc.Compression) -> None:
    # As if they were allowed.
    options = [option for option in _options(SMALL, 1) if option[0] != "grpc.compression_enabled_algorithms_bitset"]
    came: list[bytes] = []

    def answer(request: bytes, _: grpc.ServicerContext) -> bytes:
        came.append(request)
        return b""

    handler: Any = grpc.unary_unary_rpc_method_handler(answer)
    with ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads, [grpc.method_handlers_generic_handler("any", {"Call": handler})], options=options)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            with grpc.insecure_channel(f"127.0.0.1:{port}", compression=packing) as channel:
                call: Any = channel.unary_unary("/any/Call")
                call(b"x" * 100_000, timeout=WAIT_LIMIT_S)
        finally:
            server.stop(None).wait()
    (request,) = came
    assert len(request) < SMALL.request_bytes_max
    assert zlib.decompress(request, zlib.MAX_WBITS | 32) == b"x" * 100_000, "it is as it came"


def test_responses_are_not_packed(small: LiveReferee) -> None:
    wanted = reflection_pb2.ServerReflectionRequest(file_containing_symbol="mergemaker.v1.RefereeService")
    # A client that accepts packed responses, but would not unpack them.
    with small.channel(("grpc.per_message_decompression", 0)) as channel:
        (said,) = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([wanted]))
    (file,) = said.file_descriptor_response.file_descriptor_proto[:1]
    assert len(file) > 1_000
    assert b"mergemaker.v1" in file


@needs_descriptors
def test_headers_without_an_end_are_not_taken_for_ever(tmp_path: Path) -> None:
    more = frame(CONTINUATION, 0, 1, header_block([("x-much", "x" * 1_000)]))
    with live_referee(tmp_path, limits=Limits(handshake_ms_max=100)) as referee, connect(referee.target) as connection:
        connection.sendall(GREETING + frame(HEADERS, 0, 1, call_headers()))
        until = time.monotonic() + WAIT_LIMIT_S
        while not is_closed(connection):
            with contextlib.suppress(OSError):  # the next check sees that it is closed
                connection.sendall(more)
            assert time.monotonic() < until


def test_a_connection_has_so_many_calls_at_once(small: LiveReferee) -> None:
    watch = call_headers("/grpc.health.v1.Health/Watch")
    with connect(small.target) as connection:
        connection.sendall(GREETING)
        received = frames(connection)
        settings = next(payload for kind, _, payload in received if kind == SETTINGS)
        connection.sendall(frame(SETTINGS, ACK, 0))
        said = {int.from_bytes(settings[at : at + 2], "big"): settings[at + 2 : at + 6] for at in range(0, len(settings), 6)}
        assert int.from_bytes(said[CONCURRENT_STREAMS], "big") == SMALL.streams_per_connection_max
        # A client that respects this delays its other streams. If one does not, they are refused.
        connection.sendall(b"".join(frame(HEADERS, END_HEADERS, stream, watch) for stream in range(1, 31, 2)))
        refused = set()
        for kind, stream, payload in received:
            if kind == RST_STREAM and int.from_bytes(payload, "big") == REFUSED_STREAM:
                refused.add(stream)
            if 29 in refused:
                break
    assert refused == set(range(7, 31, 2))


def frames(connection: socket.socket) -> Iterator[tuple[int, int, bytes]]:
    """The server's frames: kinds, streams and contents."""
    data = b""
    while True:
        while len(data) < 9 or len(data) < 9 + int.from_bytes(data[:3], "big"):
            more = connection.recv(65_536)
            if not more:
                return
            data += more
        length = int.from_bytes(data[:3], "big")
        yield data[3], int.from_bytes(data[5:9], "big"), data[9 : 9 + length]
        data = data[9 + length :]


def test_the_first_request_has_a_limit(small: LiveReferee) -> None:
    clients = Clients(small)
    bot = clients.bot(small.create().tokens[0])
    bot.send(bytes(2_000))
    assert bot.end().code is grpc.StatusCode.RESOURCE_EXHAUSTED
    clients.close()


def test_connections_have_a_limit_in_all(small: LiveReferee) -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(connect(small.target, f"127.0.0.{number}")) for number in range(10, 40)]
        for connection in opened:
            connection.settimeout(WAIT_LIMIT_S)
        closed = 0
        while closed < len(opened) - SMALL.connections_max:
            closed = sum(map(is_closed, opened))
        assert closed == len(opened) - SMALL.connections_max, "no more are closed than the limit asks for"


def test_calls_without_a_token_have_a_limit_for_each_address(small: LiveReferee) -> None:
    with small.channel() as channel, small.channel() as other:
        match = small.create().table.setup.match
        watch = health_pb2_grpc.HealthStub(channel).Watch
        watching = [watch(health_pb2.HealthCheckRequest()) for _ in range(2)]
        for each in watching:
            next(each)
        onlooker = spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match=match))
        assert next(onlooker).HasField("started")
        for one_more in (
            lambda: health_pb2_grpc.HealthStub(other).Check(health_pb2.HealthCheckRequest()),
            lambda: next(health_pb2_grpc.HealthStub(other).Watch(health_pb2.HealthCheckRequest())),
            lambda: next(spectate_stub(other).Watch(spectate_pb2.WatchRequest(match=match))),
            lambda: next(
                reflection_pb2_grpc.ServerReflectionStub(other).ServerReflectionInfo(
                    iter([reflection_pb2.ServerReflectionRequest(list_services="")])
                )
            ),
        ):
            with pytest.raises(grpc.RpcError) as refused:
                one_more()
            code, details = status_of(refused.value)
            assert (code, details.partition(":")[0]) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "too-many-calls")
        for each in (*watching, onlooker):
            each.cancel()


# Reflection takes any number of requests, so none can be missing.
WITHOUT_REQUEST = (
    ("mergemaker.v1.MatchService/ListMatches", "no-request"),
    ("mergemaker.v1.MatchService/FetchRecord", "no-request"),
    ("mergemaker.v1.SpectateService/Watch", "no-request"),
    ("grpc.health.v1.Health/Check", "no-request"),
    ("grpc.health.v1.Health/Watch", "no-request"),
    ("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "too-long"),
)


def test_a_call_whose_request_never_comes_ends_in_time(tmp_path: Path) -> None:
    token, settings = operator_settings()
    with live_referee(tmp_path, limits=Limits(hello_ms_max=20), **settings) as referee, referee.channel() as channel:
        for method, reason in WITHOUT_REQUEST:
            assert how_it_ends(channel, method, Never(), token) == ("DEADLINE_EXCEEDED", reason), method


def test_a_call_that_ends_without_its_request_is_told_so(tmp_path: Path) -> None:
    # With the usual limit: on a busy machine, the end of a call comes late.
    token, settings = operator_settings()
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        for method, reason in WITHOUT_REQUEST:
            if reason == "no-request":
                assert how_it_ends(channel, method, iter(()), token) == ("INVALID_ARGUMENT", reason), method


def how_it_ends(channel: grpc.Channel, method: str, requests: Iterator[bytes], token: str) -> tuple[str, str]:
    play: Any = channel.stream_stream(f"/{method}")
    with pytest.raises(grpc.RpcError) as refused:
        list(play(requests, metadata=bearer(token), timeout=WAIT_LIMIT_S))
    code, details = status_of(refused.value)
    return code.name, details.partition(":")[0]


class Never:
    """Requests that never arrive."""

    def __init__(self) -> None:
        self._left, self._right = socket.socketpair()

    def __iter__(self) -> "Never":
        return self

    def __next__(self) -> bytes:
        self._left.recv(1)
        raise StopIteration

    def __del__(self) -> None:
        self._right.close()


@pytest.mark.parametrize("method", ["Check", "Watch"])
def test_what_is_no_request_of_a_standard_call_is_said(referee: LiveReferee, method: str) -> None:
    with referee.channel() as channel:
        call: Any = channel.stream_stream(f"/grpc.health.v1.Health/{method}")
        with pytest.raises(grpc.RpcError) as refused:
            list(call(iter([b"\xff\xff"])))
        code, details = status_of(refused.value)
        assert (code, details.partition(":")[0]) == (grpc.StatusCode.INVALID_ARGUMENT, "unreadable")
