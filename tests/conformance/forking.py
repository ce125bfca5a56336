"""Starts broken clients at a third of the cost: one process imports what all of them import, and forks for each.

A trial still starts a program, `forked.py`. It hands its arguments, environment and open files to the process that forks, passes
SIGTERM on, and ends with the client's status. A client whose program is killed ends at once, too.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from mergemaker_tools.problems import FAILED

from tests.conformance import broken_client

PROGRAM: Final = Path(__file__).with_name("forked.py")
_ROOT: Final = Path(__file__).resolve().parents[2]


@contextmanager
def forking() -> Iterator[tuple[str, ...]]:
    """Yields the beginning of the command that starts a broken client, as long as there is a process that forks."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-broken-") as folder:
        address = str(Path(folder) / "line")
        command = [sys.executable, "-m", "tests.conformance.forking", address]
        # gRPC reads the variable when it is imported; each client would set it before that.
        environment = {**os.environ, "GRPC_VERBOSITY": "NONE"}
        with subprocess.Popen(
            command, cwd=_ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError("the process that forks broken clients did not start; it has said why")
            try:
                yield (sys.executable, "-I", "-S", str(PROGRAM), address)
            finally:
                process.stdin.close()


def serve(address: str) -> None:
    """Forks a client for each program that connects, until standard input ends. It has one thread, so forking is safe."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            line, _ = listening.accept()
            if not os.fork():
                listening.close()
                _become_client(line)
            line.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass  # each client that has ended


def _become_client(line: socket.socket) -> NoReturn:
    _, files, _, _ = socket.recv_fds(line, 1, 3)
    arguments, environment = json.loads(line.makefile("rb").readline())
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    line.sendall(f"{os.getpid()}\n".encode())
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    status = FAILED
    try:
        status = broken_client.main(arguments)
    except SystemExit as left:  # as after SIGTERM
        status = left.code if isinstance(left.code, int) else FAILED
    except BaseException:  # noqa: BLE001 - as Python itself does with whatever nobody handles
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    line.sendall(f"{status}\n".encode())
    os._exit(status)


def _end_with(line: socket.socket) -> NoReturn:
    """Ends this process when the program that it was forked for has ended."""
    line.recv(1)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process goes on")


if __name__ == "__main__":
    serve(sys.argv[1])
