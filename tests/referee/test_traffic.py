"""Connections that send more than any bot can need are cut off, and cost nothing more."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.identities import KnownBot
from mergemaker_referee.rpc.accounts import DEBT_S_MAX, FLOOD_REMEMBERED_NS, Account
from mergemaker_referee.rpc.doorkeeper import Doorkeeper
from mergemaker_referee.rpc.sockets import Accepted, Sockets
from mergemaker_referee.rpc.traffic import FLOODED_SHARE, Traffic
from structlog.testing import capture_logs

S = 1_000_000_000
LIMIT_S = 60.0
"""A guard against a hang."""
RATE = 1_000_000
ONE, OTHER = (Accepted(number, number, ("10.0.0.1", 5_000 + number), 0) for number in (1, 2))


def test_a_connection_may_save_up_what_it_may_send_in_a_second() -> None:
    traffic = Traffic(RATE)
    sent = [
        (0, 0),
        (RATE, 0),
        (RATE + RATE // 2, S // 2),
        (RATE + RATE // 2 + 1, S // 2),
        (5 * RATE // 2, 60 * S),
        (4 * RATE, 60 * S),
    ]
    assert [traffic.is_flood(ONE, received, at, has_flooded=False) for received, at in sent] == [
        False,
        False,
        False,
        True,
        False,
        True,
    ]


def test_each_connection_counts_for_itself_and_is_forgotten_with_its_end() -> None:
    traffic = Traffic(RATE)
    assert not traffic.is_flood(ONE, RATE, 0, has_flooded=False)
    assert not traffic.is_flood(OTHER, RATE, 0, has_flooded=False)
    assert traffic.is_flood(ONE, RATE + 1, 0, has_flooded=False)
    traffic.forget_all_but([OTHER])
    assert not traffic.is_flood(ONE, RATE, 0, has_flooded=False)
    assert traffic.is_flood(OTHER, RATE + 1, 0, has_flooded=False)


def test_a_client_that_has_flooded_gets_a_share() -> None:
    traffic = Traffic(RATE)
    assert not traffic.is_flood(ONE, RATE // FLOODED_SHARE, 0, has_flooded=True)
    assert traffic.is_flood(ONE, RATE // FLOODED_SHARE + 1, 0, has_flooded=True)


def test_whose_token_came_through_a_connection_pays_for_its_flood() -> None:
    now = [0]
    limits = Limits(connection_bytes_per_s_max=RATE)
    keeper, account = Doorkeeper(limits, lambda: now[0]), Account(limits, lambda: now[0], "guest")
    with keeper.known("ipv4:10.0.0.1:5001", account), capture_logs() as logs:
        assert keeper.floods([ONE, OTHER], [RATE, None]) == []
        assert not account.has_flooded
        assert keeper.floods([ONE, OTHER], [RATE + 1, RATE + 1]) == [ONE, OTHER]
        assert account.has_flooded
        assert keeper.floods([ONE], [3 * RATE]) == [ONE]
    assert [(log["log_level"], log["client"]) for log in logs] == [("warning", "guest")]
    most_ns = DEBT_S_MAX * S
    assert most_ns - S < account.wait_ns() <= most_ns + 1
    assert not account.is_even
    now[0] = FLOOD_REMEMBERED_NS
    assert not account.has_flooded


def test_the_next_connection_of_a_client_that_has_flooded_gets_less() -> None:
    limits = Limits(connection_bytes_per_s_max=RATE)
    keeper = Doorkeeper(limits, lambda: 0)
    guest, good = Account(limits, lambda: 0, str(KnownBot("guest"))), Account(limits, lambda: 0, "good")
    guest.note_flood()
    with keeper.known("ipv4:10.0.0.1:5001", guest), keeper.known("ipv4:10.0.0.1:5002", good):
        assert keeper.floods([ONE, OTHER], [RATE // FLOODED_SHARE + 1] * 2) == [ONE]


@pytest.fixture
def connected() -> Iterator[tuple[socket.socket, socket.socket, Sockets]]:
    """A client's end, the server's end, and the server's connections."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        client = stack.enter_context(socket.create_connection(listener.getsockname()))
        accepted = stack.enter_context(listener.accept()[0])
        yield client, accepted, Sockets([listener.getsockname()[1]])


needs_linux = pytest.mark.skipif(not hasattr(socket, "TCP_INFO"), reason="only Linux counts a connection's bytes")


@needs_linux
def test_the_system_counts_what_a_connection_has_sent(connected: tuple[socket.socket, socket.socket, Sockets]) -> None:
    client, accepted, sockets = connected
    (seen,) = sockets.look(0)
    before = sockets.received(seen)
    client.sendall(b"x" * 1_000)
    assert accepted.recv(1_000, socket.MSG_WAITALL) == b"x" * 1_000
    assert before is not None
    assert sockets.received(seen) == before + 1_000


@needs_linux
def test_of_a_muted_connection_nothing_comes_any_more(connected: tuple[socket.socket, socket.socket, Sockets]) -> None:
    client, accepted, sockets = connected
    (seen,) = sockets.look(0)
    assert sockets.mute(seen)
    before = sockets.received(seen)
    client.sendall(b"x" * 1_000)
    accepted.setblocking(False)
    with pytest.raises(BlockingIOError):
        accepted.recv(1)
    assert sockets.received(seen) == before
    # The server's responses still go out: only this direction is closed.
    accepted.sendall(b"y")
    assert client.recv(1) == b"y"


@needs_linux
def test_what_is_closed_can_be_neither_counted_nor_muted(connected: tuple[socket.socket, socket.socket, Sockets]) -> None:
    _, accepted, sockets = connected
    (seen,) = sockets.look(0)
    accepted.close()
    assert sockets.received(seen) is None
    assert not sockets.mute(seen)


@needs_linux
def test_a_connection_that_floods_is_ended_and_one_beside_it_is_not() -> None:
    limits = Limits(connection_bytes_per_s_max=64 * 1_024)

    async def flood(listener: socket.socket) -> None:
        keeper = Doorkeeper(limits, time.monotonic_ns)
        loop = asyncio.get_running_loop()
        with ExitStack() as stack:
            ends = []
            for _ in range(2):
                client = stack.enter_context(socket.create_connection(listener.getsockname()))
                ends.append((client, stack.enter_context(listener.accept()[0])))
            (guest, _), (good, at_server) = ends
            watching = asyncio.ensure_future(keeper.run([listener.getsockname()[1]]))
            guest.sendall(bytes(200_000))
            guest.setblocking(False)
            async with asyncio.timeout(LIMIT_S):
                assert await loop.sock_recv(guest, 1) == b""
            good.sendall(b"x")
            assert at_server.recv(1) == b"x"
            watching.cancel()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        asyncio.run(flood(listener))
