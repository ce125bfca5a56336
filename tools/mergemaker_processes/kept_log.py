"""A bot's log as it is written: the beginning, the end, and how much is left out between."""

import os

TAIL_SHARE = 16
"""One part in this many of a log is for its end, where a bot says why it fails."""


class KeptLog:
    """Takes what a bot writes, and keeps a limited part of it in a file.

    What is beyond the limit is not written; the last of it waits in memory, and follows when the bot has ended.
    A file that takes no more is no reason to stop the bot: `problem` is then the system's error number.
    """

    __slots__ = ("_file", "_left_out", "_room", "_tail", "_tail_bytes_max", "problem")

    def __init__(self, path: str, bytes_max: int) -> None:
        self._tail_bytes_max = bytes_max // TAIL_SHARE
        self._room = bytes_max - self._tail_bytes_max
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._tail = b""
        self._left_out = 0
        self.problem = 0

    def take(self, data: bytes) -> None:
        """Takes the next bytes."""
        if self._room:
            kept, data = data[: self._room], data[self._room :]
            self._room -= len(kept)
            self._write(kept)
            if not self._room:
                self._write(b"\n[mergemaker: this log is full; its end follows when the bot has ended]\n")
        if data:
            joined = self._tail + data
            self._tail = joined[-self._tail_bytes_max :] if self._tail_bytes_max else b""
            self._left_out += len(joined) - len(self._tail)

    def finish(self) -> None:
        """Writes what waits, and closes the file."""
        if self._left_out:
            self._write(f"[mergemaker: {self._left_out} bytes are left out here]\n".encode())
        self._write(self._tail)
        os.close(self._file)

    def _write(self, data: bytes) -> None:
        while data and not self.problem:
            try:
                data = data[os.write(self._file, data) :]
            except OSError as error:
                self.problem = error.errno or -1
