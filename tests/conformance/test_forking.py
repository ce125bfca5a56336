"""Broken clients that one process forks behave as those that import everything themselves."""

import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from queue import SimpleQueue

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_client.environment import SERVER_VARIABLE, TOKEN_VARIABLE
from mergemaker_tools.conformance.cases import all_cases
from mergemaker_tools.conformance.checks import PROTOCOL
from mergemaker_tools.conformance.streams import ScriptedServer, Stream

from .broken import BROKEN, PLAIN, Trial
from .forking import forking

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")

LIMIT_S = 60
LIMITS = referee_pb2.Limits(
    request_bytes_max=65_536,
    note_bytes_max=1_024,
    unread_bytes_max=1_048_576,
    requests_per_s_max=1_000,
    matches_max=1,
    pong_ms_max=30_000,
)
CASES = {case.id: case for case in all_cases()}


@pytest.fixture(scope="module")
def program() -> Iterator[tuple[str, ...]]:
    with forking() as command:
        yield command


def test_arguments_output_and_status_are_the_clients(program: tuple[str, ...]) -> None:
    forked, plain = (
        subprocess.run([*command, "no-such"], capture_output=True, timeout=LIMIT_S, check=False, text=True)
        for command in (program, PLAIN)
    )
    assert (forked.returncode, forked.stdout, forked.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert forked.returncode == 2
    assert all(name in forked.stderr for name in BROKEN)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        # It fails by what it says.
        ("reports-no-evidence", "says-void"),
        # It fails by its status.
        ("fails-on-wrong-settings", "missing-token"),
        # It passes, for it ends on SIGTERM.
        ("comes-back-at-once", "terminate"),
    ],
)
def test_it_fails_and_passes_the_same_cases(name: str, case: str, program: tuple[str, ...]) -> None:
    assert Trial(name, CASES[case]).run(threading.Event(), program) is None


def test_a_client_whose_program_is_killed_ends(program: tuple[str, ...]) -> None:
    streams: SimpleQueue[Stream] = SimpleQueue()
    server = ScriptedServer(streams, None)
    address = {SERVER_VARIABLE: f"grpc://127.0.0.1:{server.port}", TOKEN_VARIABLE: "a-token"}
    command = [*program, "traces-tokens"]
    with ExitStack() as ending, subprocess.Popen(command, env={**os.environ, **address}, stdout=subprocess.PIPE) as process:
        ending.callback(server.stop)
        stream = streams.get(timeout=LIMIT_S)
        assert stream.requests.get(timeout=LIMIT_S) is not None, "its Hello"
        # Welcomed, it waits for a match as long as it takes.
        welcome = referee_pb2.Welcome(protocol=PROTOCOL, session="one", limits=LIMITS)
        stream.send(referee_pb2.PlayResponse(welcome=welcome).SerializeToString())
        assert stream.requests.get(timeout=LIMIT_S) is not None, "its wish for a seat"
        process.kill()
        # Its stream may end otherwise, too. Only the client has this pipe, until it ends.
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], LIMIT_S)[0]
        assert process.stdout.read() == b""
