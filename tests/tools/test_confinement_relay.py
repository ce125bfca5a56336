"""The relay between a confined bot and its referee, over real sockets, polled by hand: so tests choose the order."""

import contextlib
import select
import socket
import struct
import sys
from collections.abc import Iterator
from typing import Final

import pytest
from mergemaker_processes.confinement.relay import CONNECTIONS_MAX, HELD_BYTES_MAX, Relay

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="confining needs Linux")

QUIET_MS: Final = 20
"""If nothing arrives for this long, nothing more will: the loopback delivers at once."""
ROUNDS_MAX: Final = 10_000
"""A relay with more work than this is in an endless loop."""
LIMIT_S: Final = 30.0
BUFFER_BYTES: Final = 8_192
"""What the system may buffer on each side of a bot's connection, so that the relay buffers the rest."""
LITTLE_BYTES: Final = 100_000
assert 4 * BUFFER_BYTES < LITTLE_BYTES < HELD_BYTES_MAX, "the relay is to hold some of it, and not to be full"


class Between:
    """A relay, and the two sides that it connects."""

    def __init__(self) -> None:
        self._referee: Final = socket.create_server(("127.0.0.1", 0))
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        self._address: Final = listener.getsockname()
        self._poll: Final = select.poll()
        self.relay: Final = Relay(self._poll, [listener], self._referee.getsockname())
        self._opened: Final[list[socket.socket]] = [self._referee]

    def connected(self) -> tuple[socket.socket, socket.socket]:
        """A bot's connection, and the referee's end of it."""
        bot = self.knock()
        self._referee.settimeout(LIMIT_S)
        referee, _ = self._referee.accept()
        referee.settimeout(LIMIT_S)
        self._opened.append(referee)
        self.pump()
        return bot, referee

    def knock(self) -> socket.socket:
        """A bot's connection, whatever the relay does with it."""
        bot = socket.socket()
        self._opened.append(bot)
        bot.settimeout(LIMIT_S)
        bot.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        bot.connect(self._address)
        self.pump()
        return bot

    def pump(self) -> None:
        """Makes the relay do all its work."""
        for _ in range(ROUNDS_MAX):
            if not self.turn(QUIET_MS):
                return
        pytest.fail("the relay is never at rest")

    def turn(self, wait_ms: int) -> bool:
        """Makes the relay do its present work; False if there was none."""
        events = self._poll.poll(wait_ms)
        for file, event in events:
            self.relay.attend(file, event)
        return bool(events)

    def close(self) -> None:
        self.relay.close()
        for each in self._opened:
            each.close()


@pytest.fixture
def between() -> Iterator[Between]:
    with contextlib.closing(Between()) as made:
        yield made


def fill(between: Between, sender: socket.socket) -> int:
    """Sends until neither the relay nor the system takes more; returns the number of bytes."""
    sender.setblocking(False)
    sent = 0
    while True:
        try:
            sent += sender.send(b"x" * 65_536)
        except BlockingIOError:
            between.pump()
            try:
                sent += sender.send(b"x" * 65_536)
            except BlockingIOError:
                break
    sender.settimeout(LIMIT_S)
    assert sent > HELD_BYTES_MAX
    return sent


def read_to_the_end(between: Between, reader: socket.socket) -> int:
    """How many bytes come until the other side ends."""
    came = 0
    reader.setblocking(False)
    for _ in range(ROUNDS_MAX):
        try:
            data = reader.recv(65_536)
        except BlockingIOError:
            between.turn(QUIET_MS)
            continue
        if not data:
            return came
        came += len(data)
    pytest.fail("it never ends")


@pytest.mark.parametrize("is_little", [True, False], ids=["the relay holds the rest", "the relay is full"])
def test_who_has_said_all_gets_the_rest_of_what_the_other_said_before_it_hung_up(between: Between, is_little: bool) -> None:
    bot, referee = between.connected()
    bot.shutdown(socket.SHUT_WR)
    between.pump()
    assert referee.recv(1) == b""
    if is_little:
        sent = LITTLE_BYTES
        referee.sendall(bytes(sent))
        between.pump()
    else:
        sent = fill(between, referee)
    referee.close()
    between.pump()
    assert read_to_the_end(between, bot) == sent
    between.pump()
    assert between.relay.connections == 0


def test_a_side_that_is_gone_for_good_ends_the_connection_behind_what_it_said(between: Between) -> None:
    bot, referee = between.connected()
    bot.sendall(b"question")
    between.pump()
    assert referee.recv(100) == b"question"
    referee.sendall(b"answer")
    between.pump()
    referee.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # makes closing break it
    referee.close()
    between.pump()
    assert read_to_the_end(between, bot) == len(b"answer")
    assert between.relay.connections == 0


def test_a_bot_that_has_gone_is_missed_though_it_has_read_nothing(between: Between) -> None:
    bot, referee = between.connected()
    fill(between, referee)
    bot.close()
    between.pump()
    assert between.relay.connections == 0


def test_what_a_bot_sent_before_it_was_gone_reaches_a_referee_that_reads_late(between: Between) -> None:
    bot, referee = between.connected()
    sent = fill(between, bot)
    bot.close()
    between.pump()
    assert read_to_the_end(between, referee) == sent


def test_one_connection_too_many_is_closed_at_once(between: Between) -> None:
    for _ in range(CONNECTIONS_MAX):
        between.connected()
    assert between.knock().recv(1) == b""
    assert between.relay.connections == CONNECTIONS_MAX
