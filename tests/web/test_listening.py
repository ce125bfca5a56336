"""The pages' listener: who may connect and for how long, and what this relies on in hypercorn.

If a newer hypercorn fails here, `mergemaker_web/server/listening.py` must follow it before the pin in pyproject.toml moves.
"""

import contextlib
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio
import trio.testing
from mergemaker_referee.configuration.settings import WebSettings
from mergemaker_testkit.live_pages import LivePages, PlayedMatch, live_pages
from mergemaker_testkit.live_referee import WAIT_LIMIT_S
from mergemaker_web.server import listening

CONNECTIONS = 4
STREAMS = 2


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivePages]:
    web = WebSettings(spectators_per_address_max=STREAMS, requests_per_s_max=10_000)
    with live_pages(tmp_path_factory.mktemp("pages"), web=web) as served:
        yield served


def connected(pages: LivePages) -> socket.socket:
    parts = urlsplit(pages.address)
    return socket.create_connection((parts.hostname, parts.port), timeout=WAIT_LIMIT_S)


def asked(pages: LivePages, path: str) -> socket.socket:
    """A connection that has sent a request, and got the head of its answer."""
    found = connected(pages)
    found.sendall(f"GET {path} HTTP/1.1\r\nHost: test\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        piece = found.recv(4_096)
        assert piece, head
        head += piece
    assert head.startswith(b"HTTP/1.1 200"), head
    return found


def test_a_browser_that_goes_is_noticed_and_makes_room(pages: LivePages) -> None:
    match = PlayedMatch(pages)
    path = f"/api/stream?match={match.id}:1"
    for _ in range(3):
        streams = [asked(pages, path) for _ in range(STREAMS)]
        answer, _ = pages.ask(path)
        assert answer.status == 429
        for stream in streams:
            stream.close()
        pages.until_followed_by(0)
    match.finish()


def test_connections_of_one_address_are_limited(tmp_path: Any) -> None:
    with live_pages(tmp_path, web=WebSettings(connections_per_address_max=CONNECTIONS)) as pages:
        held = [connected(pages) for _ in range(CONNECTIONS)]
        more = connected(pages)
        with contextlib.suppress(ConnectionResetError):
            assert more.recv(1) == b""  # closed at once
        for each in (*held, more):
            each.close()


def test_a_connection_without_a_request_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(listening, "HEADER_S_MAX", 0.05)
    with live_pages(tmp_path) as pages:
        silent, slow = connected(pages), connected(pages)
        slow.sendall(b"GET / HTTP/1.1\r\nHost: te")
        for each in (silent, slow):
            while each.recv(4_096):  # an answer may say why
                pass
            each.close()


def test_a_client_that_does_not_read_is_cut_off() -> None:
    async def send() -> None:
        listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
        with trio.fail_after(1_000):
            client = await trio.testing.open_stream_to_socket_listener(listener)
            served = listening.Bounded(await listener.accept())
            with pytest.raises(trio.BrokenResourceError):
                await served.send_all(b"x" * 100_000_000)
            await client.aclose()
        await listener.aclose()

    trio.run(send, clock=trio.testing.MockClock(autojump_threshold=0.02))


def test_the_pages_end_while_browsers_follow(tmp_path: Any) -> None:
    with live_pages(tmp_path) as pages:
        match = PlayedMatch(pages)
        stream = asked(pages, f"/api/stream?match={match.id}:1")
        match.finish()
    while stream.recv(4_096):
        pass
    stream.close()
