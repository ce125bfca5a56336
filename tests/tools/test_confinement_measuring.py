"""What confined bots use and try, measured and reported; the relay between them and the referee."""

import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Final

import pytest
from mergemaker_processes.confinement import measuring
from mergemaker_processes.confinement.troubles import Trouble
from mergemaker_testkit.systems import linux

LIMIT_S: Final = 60


@linux
@pytest.mark.parametrize("measure", [measuring.used_by_proc, measuring.used_by_ps])
def test_what_comes_from_a_process_is_measured_by_both_ways(measure: Callable[[int], measuring.Used]) -> None:
    text = "held = bytearray(b'x' * 40_000_000); print('there', flush=True); input()"
    before = measure(os.getpid()).processes
    child = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"there\n"
        used = measure(os.getpid())
    finally:
        child.communicate(b"\n", LIMIT_S)
    assert used.processes == before + 1
    assert used.memory_bytes > 40_000_000


@linux
def test_memory_that_forked_processes_share_counts_once_if_measured_exactly() -> None:
    text = """
import os
held = bytearray(b"x" * 40_000_000)
ends = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        os.close(ends[1])
        os.read(ends[0], 1)
        os._exit(0)
print("there", flush=True)
input()
"""
    child = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"there\n"
        rough, exact = (measuring.used_below(os.getpid(), exactly=exactly).memory_bytes for exactly in (False, True))
    finally:
        child.communicate(b"\n", LIMIT_S)
    assert rough > 200_000_000
    assert 40_000_000 < exact < 160_000_000


def test_troubles_are_told_in_words_and_for_programs() -> None:
    memory = Trouble.from_report('{"kind": "memory", "limit": 67108864, "measured": 70000000, "ended": true}')
    assert str(memory) == "it came to its limit of 64 MiB of memory (67 MiB measured), and was ended"
    assert memory.document() == {"kind": "memory", "limit": 67_108_864, "measured": 70_000_000, "ended": True}
    assert str(Trouble("processes", 24, 24)) == "it came to its limit of 24 processes and threads (24 measured), and got no more"
    assert str(Trouble("looked", None, None, "the records")).endswith("found nothing there: the records")
    assert str(Trouble("network", None, 3)).startswith("it tried to reach other networks, 3 times")


@linux
def test_what_had_nowhere_to_go_is_counted_by_both_versions() -> None:
    from mergemaker_processes.confinement.outside import no_routes  # noqa: PLC0415 - only on Linux

    version_4 = "Ip: Forwarding OutNoRoutes\nIp: 2 4\nIcmp: InMsgs\nIcmp: 0\n"
    assert no_routes(version_4, "Ip6InReceives                   \t9\nIp6OutNoRoutes \t3\n") == 7


@linux
def test_the_relay_holds_no_more_than_its_limit_and_ends_what_is_one_too_many() -> None:
    from mergemaker_processes.confinement import relay as relaying  # noqa: PLC0415 - as the others here

    sent = got = 0
    most = relaying.HELD_BYTES_MAX + relaying.READ_BYTES
    poll = select.poll()
    with (
        socket.create_server(("127.0.0.1", 0)) as referee,
        socket.create_server(("127.0.0.1", 0)) as listener,
        ExitStack() as stack,
    ):
        for each in (referee, listener):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)  # keeps little on its way
        relay = relaying.Relay(poll, [listener], referee.getsockname()[:2])
        stack.callback(relay.close)

        def turn() -> None:
            for file, events in poll.poll(20):
                relay.attend(file, events)

        bot = stack.enter_context(socket.create_connection(listener.getsockname()))
        bot.setblocking(False)
        while not relay.connections:
            turn()
        peer, _ = referee.accept()
        stack.enter_context(peer)
        stuck = 0
        while stuck < 5:  # nobody reads: finally, the bot can send no more
            turn()
            try:
                sent += bot.send(bytes(65_536))
                stuck = 0
            except BlockingIOError:
                stuck += 1
        assert max(len(way.held) for connection, _ in relay._sides.values() for way in connection.ways) <= most
        assert poll.poll(0) == [], "what cannot be handed on is asked for again and again"
        bot.shutdown(socket.SHUT_WR)
        peer.setblocking(False)
        is_done = False
        while relay.connections:
            turn()
            with suppress(BlockingIOError):
                if data := peer.recv(65_536):
                    got += len(data)
                elif not is_done:
                    is_done = True
                    peer.shutdown(socket.SHUT_WR)
        assert got == sent > most
        many = [
            stack.enter_context(socket.create_connection(listener.getsockname())) for _ in range(relaying.CONNECTIONS_MAX + 1)
        ]
        while poll.poll(0) and relay.connections < relaying.CONNECTIONS_MAX:
            turn()
        turn()
        assert relay.connections == relaying.CONNECTIONS_MAX
        many[-1].settimeout(LIMIT_S)
        assert many[-1].recv(1) == b""
