"""Stands between client and scripted referee: it can cut a connection, let it go dead, slow it down, and send pings of HTTP/2."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Final

from mergemaker_tools.conformance.frames import Splitter

PIECE_BYTES: Final = 65_536
SLOW_PIECE_BYTES: Final = 40
SLOW_PAUSE_MS: Final = 2
"""The pause between two pieces of what the referee sends, on a slow connection."""
_HOST: Final = "127.0.0.1"
_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER: closing resets the connection at once."""


class Relay:
    """Listens on a port of the loopback, and passes on to another port what comes.

    With `keeps`, it cuts connections into HTTP/2 frames, asks `keeps` about each frame of the client, and drops those for which
    the answer is no. Only such a relay can `send` to the client. It needs a connection without TLS.
    """

    def __init__(self, *, is_slow: bool = False, keeps: Callable[[bytes], bool] | None = None) -> None:
        self._is_slow: Final = is_slow
        self._keeps: Final = keeps
        self._listening: Final = socket.create_server((_HOST, 0))
        self.port: Final[int] = self._listening.getsockname()[1]
        self.target: int | None = None
        """The port that it passes on to; None: it closes connections at once."""
        self._lock: Final = threading.Lock()
        self._open: Final[set[socket.socket]] = set()
        self._dead: Final[set[socket.socket]] = set()
        """Connections on which nothing comes through any more, in either direction."""
        self._clients: Final[dict[socket.socket, threading.Lock]] = {}
        """The clients' ends, each with the lock that keeps frames whole."""
        self.connections = 0
        """How many connections came."""
        threading.Thread(target=self._accept, name="conformance-relay", daemon=True).start()

    def cut(self) -> None:
        """Resets every connection."""
        with self._lock:
            found = tuple(self._open)
            self._open.clear()
        for each in found:
            _reset(each)

    def let_die(self) -> None:
        """Lets every connection go dead: it stays open, and nothing comes through. New connections work."""
        with self._lock:
            self._dead.update(self._open)

    def send(self, frame: bytes) -> None:
        """Sends a frame to every client, between two frames of the server's."""
        with self._lock:
            found = [(client, lock) for client, lock in self._clients.items() if client in self._open]
        for client, lock in found:
            with lock, contextlib.suppress(OSError):
                client.sendall(frame)

    def close(self) -> None:
        """Resets every connection, and takes no more."""
        self.target = None
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return  # closed
            self.connections += 1
            target = self.target
            try:
                if target is None:
                    _reset(client)
                    continue
                server = socket.create_connection((_HOST, target))
            except OSError:
                _reset(client)  # the server has just been stopped
                continue
            with self._lock:
                self._open.update((client, server))
                self._clients[client] = threading.Lock()
            for source, sink in ((client, server), (server, client)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                arguments = (source, sink, source is client)
                threading.Thread(target=self._pass_on, args=arguments, name="conformance-relay", daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, is_from_client: bool) -> None:
        splitter = None if self._keeps is None else Splitter(is_from_client)
        is_slow = self._is_slow and not is_from_client
        try:
            while piece := source.recv(SLOW_PIECE_BYTES if is_slow else PIECE_BYTES):
                if is_slow:
                    time.sleep(SLOW_PAUSE_MS / 1_000)
                if source in self._dead:
                    continue
                if splitter is None:
                    sink.sendall(piece)
                else:
                    self._pass_frames(splitter.frames(piece), sink, is_from_client)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One side is gone, and so the other one goes as well.
            with self._lock:
                self._open.difference_update((source, sink))
            _reset(source)
            _reset(sink)

    def _pass_frames(self, frames: list[bytes], sink: socket.socket, is_from_client: bool) -> None:
        if is_from_client:
            assert self._keeps is not None, "a relay that cuts into frames"
            sink.sendall(b"".join(frame for frame in frames if self._keeps(frame)))
            return
        with self._clients[sink]:
            sink.sendall(b"".join(frames))


def _reset(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        connection.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        connection.close()
