"""What stands between the client and the scripted referee, so that a connection can be cut, and be slow, as on a bad line."""

import contextlib
import socket
import struct
import threading
import time
from typing import Final

PIECE_BYTES: Final = 65_536
SLOW_PIECE_BYTES: Final = 40
SLOW_PAUSE_MS: Final = 2
"""Between two pieces of what the referee sends, where it is to be slow."""
_HOST: Final = "127.0.0.1"
_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER: closing resets the connection at once."""


class Relay:
    """Listens on a port of the loopback, and hands on what comes to another one."""

    def __init__(self, *, is_slow: bool = False) -> None:
        self._is_slow: Final = is_slow
        self._listening: Final = socket.create_server((_HOST, 0))
        self.port: Final[int] = self._listening.getsockname()[1]
        self.target: int | None = None
        """The port that is spoken to; None: connections are closed at once."""
        self._lock: Final = threading.Lock()
        self._open: Final[set[socket.socket]] = set()
        self.connections = 0
        """How many came."""
        threading.Thread(target=self._accept, name="conformance-relay", daemon=True).start()

    def cut(self) -> None:
        """Resets every connection."""
        with self._lock:
            found = tuple(self._open)
            self._open.clear()
        for each in found:
            _reset(each)

    def close(self) -> None:
        """Ends it all."""
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
            for source, sink, is_slow in ((client, server, False), (server, client, self._is_slow)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                arguments = (source, sink, is_slow)
                threading.Thread(target=self._hand_on, args=arguments, name="conformance-relay", daemon=True).start()

    def _hand_on(self, source: socket.socket, sink: socket.socket, is_slow: bool) -> None:
        try:
            while piece := source.recv(SLOW_PIECE_BYTES if is_slow else PIECE_BYTES):
                if is_slow:
                    time.sleep(SLOW_PAUSE_MS / 1_000)
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # Either side is gone: so is the other.
            with self._lock:
                self._open.difference_update((source, sink))
            _reset(source)
            _reset(sink)


def _reset(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        connection.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        connection.close()
