"""Stands for a broken client that another process forks (`forking`): `python -I -S forked.py ADDRESS BREAK …`.

It starts with every trial, so it imports little.
"""

import contextlib
import json
import os
import signal
import socket
import sys


def main(address: str, arguments: list[str]) -> int:
    """Has the client forked, and returns its status."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        socket.send_fds(line, [b"\n"], [0, 1, 2])
        line.sendall(json.dumps([arguments, dict(os.environ)]).encode() + b"\n")
        heard = line.makefile("rb")
        client = int(heard.readline())

        def pass_on(number: int, _: object) -> None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(client, number)

        signal.signal(signal.SIGTERM, pass_on)
        return int(heard.readline())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
