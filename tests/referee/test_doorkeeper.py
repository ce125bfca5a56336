"""Which connections must go if there are too many, and connections as the system knows them."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.rpc.accounts import Account
from mergemaker_referee.rpc.doorkeeper import Doorkeeper
from mergemaker_referee.rpc.sockets import (
    Accepted,
    Sockets,
    address_of,
    connections_that_fit,
    descriptors_folder,
    peer_of,
    plain_host,
)

needs_descriptors = pytest.mark.skipif(descriptors_folder() is None, reason="this system does not list descriptors")


MS = 1_000_000
ACCOUNT = Account(Limits(), lambda: 0, "somebody")


def doorkeeper(**limits: int) -> Doorkeeper:
    return Doorkeeper(Limits(**limits), lambda: 0)


def connections(*hosts: str) -> list[Accepted]:
    """Connections from these addresses, the oldest first."""
    return [Accepted(number, 1_000 + number, (host, 5_000 + number), number) for number, host in enumerate(hosts)]


def gone(keeper: Doorkeeper, seen: list[Accepted]) -> list[int]:
    return sorted(each.descriptor for each in keeper.surplus(seen))


def test_of_an_address_with_too_many_strangers_the_oldest_go() -> None:
    seen = connections("10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.1")
    assert gone(doorkeeper(newcomers_per_address_max=2), seen) == [0, 2]
    assert gone(doorkeeper(newcomers_per_address_max=4), seen) == []


def test_who_has_shown_a_token_never_goes_and_does_not_count() -> None:
    keeper = doorkeeper(newcomers_per_address_max=1, connections_max=2)
    seen = connections("10.0.0.1", "10.0.0.1", "10.0.0.1")
    with (
        keeper.known("ipv4:10.0.0.1:5000", ACCOUNT),
        keeper.known("ipv4:10.0.0.1:5000", ACCOUNT),
        keeper.known("ipv4:10.0.0.1:5001", ACCOUNT),
    ):
        with keeper.known("ipv4:10.0.0.1:5002", ACCOUNT):
            assert gone(keeper, seen) == []
        assert gone(keeper, seen[:2]) == []
        assert gone(doorkeeper(newcomers_per_address_max=1), seen) == [0, 1]
    assert gone(keeper, seen) == [0, 1]


def test_a_tenth_of_all_places_is_kept_free_by_the_oldest_strangers() -> None:
    seen = connections(*[f"10.0.0.{number}" for number in range(10)])
    keeper = doorkeeper(connections_max=10)
    with keeper.known("ipv4:10.0.0.0:5000", ACCOUNT):
        assert gone(keeper, seen) == [1]
        assert gone(keeper, seen[:9]) == []


def test_ipv6_addresses_of_one_network_are_one_address() -> None:
    seen = connections("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
    assert gone(doorkeeper(newcomers_per_address_max=1), seen) == [0]


def test_calls_without_a_token_have_room_by_address_and_in_all() -> None:
    keeper = doorkeeper(open_calls_max=3, open_calls_per_address_max=2)

    calls: list[ExitStack] = []

    def come(host: str) -> bool:
        calls.append(ExitStack())
        return calls[-1].enter_context(keeper.admitted(f"ipv4:{host}:1"))

    assert [come("10.0.0.1") for _ in range(3)] == [True, True, False]
    assert come("10.0.0.2")
    assert not come("10.0.0.3")
    calls[2].close()
    assert not come("10.0.0.3")
    calls[0].close()
    assert come("10.0.0.3")


def test_who_makes_no_call_goes_in_time() -> None:
    now = [0]
    keeper = Doorkeeper(Limits(handshake_ms_max=1_000), lambda: now[0])
    silent, calling, open_call = connections("10.0.0.1", "10.0.0.1", "10.0.0.1")
    seen = [silent, calling, open_call]
    with keeper.known("ipv4:10.0.0.1:5001", ACCOUNT), keeper.admitted("ipv4:10.0.0.1:5002"):
        now[0] = 2_000 * MS
        assert gone(keeper, seen) == []
        now[0] += 1
        assert gone(keeper, seen) == [0]
    # Its time begins anew when its last call ends.
    now[0] += 2_000 * MS
    assert gone(keeper, seen) == [0]
    now[0] += 1
    assert gone(keeper, seen) == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "peer"),
    [
        ("ipv4:127.0.0.1:5", ("127.0.0.1", 5)),
        ("ipv6:%5B::1%5D:5", ("::1", 5)),
        ("ipv6:[::1]:5", ("::1", 5)),
        ("ipv6:[::ffff:10.0.0.1]:5", ("10.0.0.1", 5)),
        ("ipv6:[fe80::1%25eth0]:5", ("fe80::1", 5)),
        ("unix:/a", None),
        ("", None),
    ],
)
def test_a_peer_is_read_as_grpc_writes_it(text: str, peer: tuple[str, int] | None) -> None:
    assert peer_of(text) == peer


def test_addresses_have_one_form() -> None:
    assert [plain_host(host) for host in ("::FFFF:1.2.3.4", "0:0::1", "1.2.3.4", "a name")] == [
        "1.2.3.4",
        "::1",
        "1.2.3.4",
        "a name",
    ]
    assert [address_of(host) for host in ("1.2.3.4", "2001:db8::5", "a name")] == ["1.2.3.4", "2001:db8::/64", "a name"]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


@needs_descriptors
def test_accepted_connections_are_found_and_ended(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    sockets = Sockets([port])
    with ExitStack() as stack:
        clients = []
        for address in ("127.0.0.5", "127.0.0.6"):
            client = stack.enter_context(socket.socket())
            client.bind((address, 0))
            client.connect(("127.0.0.1", port))
            clients.append((client, stack.enter_context(listener.accept()[0])))
            sockets.look(len(clients))
        stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        seen = sockets.look(9)
        assert [each.peer for each in seen] == [client.getsockname() for client, _ in clients]
        assert [each.since_ns for each in seen] == [1, 2]
        assert sockets.end(seen[0])
        assert clients[0][0].recv(1) == clients[0][1].recv(1) == b""
        clients[1][0].send(b"x")
        assert clients[1][1].recv(1) == b"x"
        # It is gone, and another has its number.
        clients[0][1].close()
        os.dup2(clients[1][1].fileno(), seen[0].descriptor)
        assert not sockets.end(seen[0])
        os.close(seen[0].descriptor)
        assert not sockets.end(seen[0])
        clients[1][0].send(b"x")
        assert clients[1][1].recv(1) == b"x"
        assert [each.peer for each in sockets.look(10)] == [clients[1][0].getsockname()]


@pytest.mark.skipif(os.name != "posix", reason="other systems have no limit of descriptors")
def test_descriptors_are_raised_as_far_as_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    limits = [1_000, 4_000]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda _, new: limits.__setitem__(slice(2), list(new)))
    assert (connections_that_fit(500, 100), limits) == (500, [1_000, 4_000])
    assert (connections_that_fit(2_000, 100), limits) == (2_000, [2_100, 4_000])
    assert (connections_that_fit(9_000, 500), limits) == (3_500, [4_000, 4_000])
    assert (connections_that_fit(9_000, 3_000), limits) == (3_000, [4_000, 4_000])
    limits[:] = [resource.RLIM_INFINITY, resource.RLIM_INFINITY]
    assert connections_that_fit(9_000, 500) == 9_000
