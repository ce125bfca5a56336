"""Floods of connections: playing bots continue undisturbed, and a newcomer gets in."""

import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.records.files import open_record
from mergemaker_referee.rpc.sockets import descriptors_folder
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_table.terms import CLOCKS
from mergemaker_testkit.attackers import KINDS, Flood, attacking, call, connect, is_closed, many_addresses
from mergemaker_testkit.live_referee import WAIT_LIMIT_S, Clients, LiveReferee, RawBot, bearer, live_referee, play_to_the_end

HANDSHAKE_MS = 10_000
NEWCOMER_LIMIT_S = 2 * HANDSHAKE_MS / 1_000
CONNECTIONS_MAX = 100
LIMITS = Limits(handshake_ms_max=HANDSHAKE_MS, hello_ms_max=1_000, connections_max=CONNECTIONS_MAX, newcomers_per_address_max=20)
NAMES = ("one", "two")
FLOODS = (
    "greets and says nothing",
    "never ends headers",
    "opens a stream with a wrong token",
    "checks health without a request",
    "speaks TLS",
)
NEWCOMERS = 3
OPENED_MAX = 30_000
"""A bound for the attack, which must stay below it."""
GET = "/mergemaker.v1.MatchService/GetMatch"
SLOW = CLOCKS["slow"]

pytestmark = pytest.mark.skipif(descriptors_folder() is None, reason="limits for each address need descriptors that are listed")


@contextmanager
def a_server(folder: Path) -> Iterator[tuple[LiveReferee, list[RawBot]]]:
    """A server with two connected bots."""
    tokens = {name: fresh_token(TokenKind.BOT) for name in NAMES}
    hashes = {name: token_hash(token) for name, token in tokens.items()}
    with live_referee(folder, limits=LIMITS, bots=hashes) as referee:
        clients = Clients(referee)
        bots = [clients.bot(tokens[name]) for name in NAMES]
        for bot in bots:
            bot.hello()
        yield referee, bots
        clients.close()


@contextmanager
def playing(referee: LiveReferee, bots: list[RawBot]) -> Iterator[None]:
    """The bots play one match after another, whatever happens meanwhile: none is at fault, or pays with its bank."""
    enough = threading.Event()
    problems: list[BaseException] = []

    def play() -> None:
        try:
            while not enough.is_set():
                made = referee.create(clock=SLOW, bots=NAMES)
                for bot in bots:
                    bot.take_seat(made.table.setup.match)
                results = play_to_the_end(bots, made.table.setup.match)
                assert not [standing.faults for result in results for standing in result.standings if standing.faults]
                decisions = open_record(made.journal.path).decisions
                assert {line.run.get("bank_ms", SLOW.bank_ms) for line in decisions} == {SLOW.bank_ms}
        except BaseException as problem:  # noqa: BLE001 - raised where the test waits
            problems.append(problem)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join(WAIT_LIMIT_S)
    assert not thread.is_alive()
    if problems:
        raise problems[0]


def newcomer_gets_in(referee: LiveReferee) -> None:
    """A new bot gets its welcome within the limit, on the first connection that stays open."""
    token = referee.create().tokens[0]
    hello = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])).SerializeToString()
    options = (("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 200))
    with referee.channel(*options) as channel:
        play: Any = channel.stream_stream(
            "/mergemaker.v1.RefereeService/Play", response_deserializer=referee_pb2.PlayResponse.FromString
        )
        requests: SimpleQueue[bytes | None] = SimpleQueue()
        requests.put(hello)
        stream = play(iter(requests.get, None), metadata=bearer(token), timeout=NEWCOMER_LIMIT_S, wait_for_ready=True)
        assert next(stream).HasField("welcome")
        requests.put(None)
        assert all(response.HasField("ping") for response in stream)


def attack(referee: LiveReferee, bots: list[RawBot], flood: Flood) -> None:
    """Keeps up a flood while bots play and newcomers come.

    It opens more connections than there are places, and replaces closed ones.
    """
    with playing(referee, bots), attacking(flood, CONNECTIONS_MAX + 50, OPENED_MAX):
        for _ in range(NEWCOMERS):
            newcomer_gets_in(referee)


@pytest.fixture
def long(is_long: bool) -> None:
    if not is_long:
        pytest.skip("pytest tests/security --long has it")


@pytest.mark.slow
def test_a_flood_from_one_address_keeps_nobody_out(tmp_path: Path) -> None:
    with a_server(tmp_path) as (referee, bots):
        attack(referee, bots, Flood(referee.target, ["127.0.0.66"], KINDS["says nothing"]))


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("kind", FLOODS)
def test_no_kind_of_flood_keeps_anybody_out(tmp_path: Path, kind: str) -> None:
    with a_server(tmp_path) as (referee, bots):
        attack(referee, bots, Flood(referee.target, ["127.0.0.66"], KINDS[kind]))


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("kind", ["greets and says nothing", "opens a stream with a wrong token"])
def test_a_flood_from_everywhere_keeps_nobody_out(tmp_path: Path, kind: str) -> None:
    with a_server(tmp_path) as (referee, bots):
        attack(referee, bots, Flood(referee.target, list(many_addresses(CONNECTIONS_MAX + 50)), KINDS[kind]))


@pytest.mark.usefixtures("long")
def test_a_flood_from_the_bots_own_address_keeps_nobody_out(tmp_path: Path) -> None:
    with a_server(tmp_path) as (referee, bots):
        attack(referee, bots, Flood(referee.target, ["127.0.0.1"], KINDS["says nothing"]))


@pytest.mark.usefixtures("long")
def test_connections_that_trickle_keep_nobody_out(tmp_path: Path) -> None:
    with a_server(tmp_path) as (referee, bots):
        attack(
            referee,
            bots,
            Flood(referee.target, list(many_addresses(40)), KINDS["opens a stream with a wrong token"], trickle=True),
        )


@pytest.mark.usefixtures("long")
def test_who_has_a_token_and_never_says_hello_keeps_nobody_out(tmp_path: Path) -> None:
    with a_server(tmp_path) as (referee, bots):
        token = referee.create(clock=SLOW).tokens[0]
        attack(referee, bots, Flood(referee.target, list(many_addresses(40)), call(token=token)))


def test_whoever_says_no_more_is_cut_off_however_far_he_came(tmp_path: Path) -> None:
    limits = Limits(handshake_ms_max=200, hello_ms_max=200)
    with live_referee(tmp_path, limits=limits) as referee, ExitStack() as stack:
        token = referee.create(clock=CLOCKS["none"]).tokens[0]
        with_token = {"has a token and no hello": call(token=token), "has a token and no request": call(GET, token)}
        connections = {}
        for kind, says in {**KINDS, **with_token}.items():
            connections[kind] = stack.enter_context(connect(referee.target))
            connections[kind].sendall(says)
        wait_until_closed(connections)


def wait_until_closed(connections: dict[str, socket.socket]) -> None:
    left = dict(connections)
    limit = time.monotonic() + WAIT_LIMIT_S
    while left := {kind: connection for kind, connection in left.items() if not is_closed(connection)}:
        assert time.monotonic() < limit, list(left)
        select.select(list(left.values()), [], [], WAIT_LIMIT_S)
