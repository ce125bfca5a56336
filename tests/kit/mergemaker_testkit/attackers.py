"""Connections that follow no rule: bytes of HTTP/2 as an attack sends them, from any loopback address."""

import contextlib
import json
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self

from mergemaker.v1 import referee_pb2

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, CONTINUATION = 0, 1, 4, 9
END_STREAM, END_HEADERS = 1, 4
CONNECT_LIMIT_S: Final = 60.0
"""A guard against a hang."""
PAUSE_S: Final = 0.02
"""The pause between checks for closed connections, so that the attack does not use the whole machine."""
PLAY: Final = "/mergemaker.v1.RefereeService/Play"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"", length: int | None = None) -> bytes:
    """A frame of HTTP/2, whose stated length may be wrong."""
    said = len(payload) if length is None else length
    return said.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


GREETING: Final = PREFACE + frame(SETTINGS, 0, 0)


def header_block(fields: Sequence[tuple[str, str]]) -> bytes:
    """Headers in HPACK's encoding, without its tables."""
    return b"".join(b"\x10" + _text(name) + _text(value) for name, value in fields)


def _text(text: str) -> bytes:
    data = text.encode()
    length = len(data)
    if length < 127:
        return bytes([length]) + data
    rest, digits = length - 127, b"\x7f"
    while rest >= 128:
        digits += bytes([rest % 128 + 128])
        rest //= 128
    return digits + bytes([rest]) + data


def call_headers(path: str = PLAY, token: str | None = None, more: Sequence[tuple[str, str]] = ()) -> bytes:
    """The headers of a call."""
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "referee")]
    fields += [("content-type", "application/grpc"), ("te", "trailers")]
    if token is not None:
        fields.append(("authorization", f"Bearer {token}"))
    return header_block([*fields, *more])


def call(path: str = PLAY, token: str | None = None, stream: int = 1, more: Sequence[tuple[str, str]] = ()) -> bytes:
    """A greeting, and an open call that sends nothing."""
    return GREETING + frame(HEADERS, END_HEADERS, stream, call_headers(path, token, more))


def message(payload: bytes) -> bytes:
    """A message of gRPC, without a frame around it."""
    return b"\0" + len(payload).to_bytes(4, "big") + payload


HELLO: Final = message(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])).SerializeToString())

KINDS: Final[dict[str, bytes]] = {
    "says nothing": b"",
    "sends half a preface": PREFACE[:10],
    "greets and says nothing": GREETING,
    "begins headers": GREETING + frame(HEADERS, 0, 1, call_headers()[:9], length=200),
    "never ends headers": GREETING + frame(HEADERS, 0, 1, call_headers()),
    "opens a stream without a token": call(),
    "opens a stream with a wrong token": call(token="mms_nobody-has-this-one"),  # noqa: S106 - nobody's
    "calls without a request": call("/mergemaker.v1.MatchService/ListMatches"),
    "checks health without a request": call("/grpc.health.v1.Health/Check"),
    "reflects without a request": call("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"),
    "calls what is not there": call("/nobody.Service/Call"),
    "speaks HTTP/1": b"POST / HTTP/1.1\r\nHost: referee\r\nContent-Length: 100000\r\n\r\n",
    "speaks TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
}
"""What an attack's connections send before they fall silent."""


def connect(target: str, address: str = "127.0.0.1") -> socket.socket:
    """Connects from a loopback address."""
    host, _, port = target.rpartition(":")
    found = socket.socket()
    try:
        found.settimeout(CONNECT_LIMIT_S)
        found.bind((address, 0))
        found.connect((host, int(port)))
    except BaseException:
        found.close()
        raise
    return found


def is_closed(connection: socket.socket) -> bool:
    """Whether the server has closed a connection; throws away what it sent before."""
    try:
        while select.select([connection], [], [], 0)[0]:
            if not connection.recv(65_536):
                return True
    except OSError:
        return True
    return False


@dataclass(slots=True)
class Flood:
    """Connections of one kind from some addresses. It replaces those that the server closes, up to a number."""

    target: str
    addresses: Sequence[str]
    says: bytes
    trickle: bool = False
    """Whether they keep sending, byte by byte."""
    open: list[socket.socket] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    _next: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.open:
            connection.close()
        self.open.clear()

    def add(self, count: int) -> None:
        """Opens this many, from each address in turn."""
        for _ in range(count):
            address = self.addresses[self._next % len(self.addresses)]
            self._next += 1
            with contextlib.suppress(OSError):  # the server may close it during the handshake
                connection = connect(self.target, address)
                self.open.append(connection)
                self.opened += 1
                if self.says and not self.trickle:
                    connection.sendall(self.says)

    def look(self, sent: int = 0) -> int:
        """Drops the connections that the server has closed, and returns their number."""
        left = []
        for connection in self.open:
            if self.trickle and sent < len(self.says):
                with contextlib.suppress(OSError):
                    connection.send(self.says[sent : sent + 1])
            if is_closed(connection):
                connection.close()
            else:
                left.append(connection)
        gone = len(self.open) - len(left)
        self.open[:] = left
        self.closed += gone
        return gone

    def keep_up(self, until: Callable[[], bool], most: int) -> None:
        """Replaces what the server closes, until a condition holds or the maximum number has been opened."""
        sent = 0
        while not until():
            gone = self.look(sent)
            sent += 1
            self.add(min(gone, most - self.opened))
            time.sleep(PAUSE_S)


@contextmanager
def attacking(flood: Flood, at_once: int, most: int) -> Iterator[None]:
    """Runs a flood in its own process; starts once the first connections are open."""
    plan = {"target": flood.target, "addresses": list(flood.addresses), "says": flood.says.hex(), "trickle": flood.trickle}
    command = [sys.executable, __file__, json.dumps({**plan, "at_once": at_once, "most": most})]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield
            assert process.poll() is None, "the attack ended before it was to"
            told, _ = process.communicate(timeout=CONNECT_LIMIT_S)
            assert process.returncode == 0
            print(f"the attack opened {told.strip()} connections")
        finally:
            process.kill()


def _attack(plan: dict[str, Any]) -> None:
    enough = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        enough.set()

    flood = Flood(plan["target"], plan["addresses"], bytes.fromhex(plan["says"]), plan["trickle"])
    with flood:
        flood.add(plan["at_once"])
        print("ready", flush=True)
        threading.Thread(target=wait, daemon=True).start()
        flood.keep_up(enough.is_set, plan["most"])
        print(flood.opened, flush=True)


def many_addresses(count: int, network: int = 1) -> Iterator[str]:
    """Loopback addresses."""
    return (f"127.0.{network}.{number + 1}" for number in range(count))


if __name__ == "__main__":
    _attack(json.loads(sys.argv[1]))
