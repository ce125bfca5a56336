"""Servers, clients and other work as processes: starts them, asks for their progress, and ends them.

Each line sent to a process is answered by a line of JSON. A process ends when its standard input ends, as its parent has gone.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Self

from mergemaker_tools.problems import CommandFailed

START_LIMIT_S: Final = 60.0
ANSWER_LIMIT_S: Final = 30.0
ENDING_LIMIT_S: Final = 10.0
_ERROR_CHARACTERS_MAX: Final = 2_000
_STATM: Final = Path("/proc/self/statm")


class Child:
    """A module of this package that runs as a process, from the parent's side."""

    def __init__(self, module: str, plan: Mapping[str, object], python: str = sys.executable) -> None:
        self._module: Final = module
        self._errors: Final = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._process: Final = subprocess.Popen(  # noqa: S603 - our own module
            [python, "-m", f"mergemaker_bench.{module}", json.dumps(plan)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )
        self._lines: Final[queue.SimpleQueue[str]] = queue.SimpleQueue()
        self._reader: Final = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.ready: Mapping[str, Any] = {}
        """Its report when it was ready."""

    def __enter__(self) -> Self:
        try:
            self.ready = self._next(START_LIMIT_S)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, what: str = "") -> Mapping[str, Any]:
        """Its answer to a line; an empty line asks for its progress."""
        assert self._process.stdin is not None, "it was started with a pipe"
        try:
            self._process.stdin.write(f"{what}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._failure("has ended") from error
        return self._next(ANSWER_LIMIT_S)

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        self._process.send_signal(number)

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait(ENDING_LIMIT_S)
        self._reader.join(ENDING_LIMIT_S)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, "it was started with pipes"
            with contextlib.suppress(OSError):  # the rest of its input has no reader any more
                pipe.close()
        self._errors.close()

    def _read(self) -> None:
        assert self._process.stdout is not None, "it was started with a pipe"
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _next(self, limit_s: float) -> Mapping[str, Any]:
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty:
            raise self._failure(f"said nothing for {limit_s:.0f} s") from None
        if not line:
            raise self._failure("has ended")
        told: Mapping[str, Any] = json.loads(line)
        return told

    def _failure(self, what: str) -> CommandFailed:
        self._errors.seek(0)
        complaints = self._errors.read().decode("utf-8", "replace")[-_ERROR_CHARACTERS_MAX:]
        return CommandFailed(f"the process {self._module} {what}: {complaints or 'it wrote no error'}")


def mind_parent(ready: Mapping[str, object], report: Callable[[], Mapping[str, object]]) -> None:
    """Reports to the parent that this process is ready, and from now on, on a thread, its progress."""
    # Ctrl-C reaches all processes of a terminal; the parent ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_answer_parent, args=(ready, report), daemon=True).start()


def _answer_parent(ready: Mapping[str, object], report: Callable[[], Mapping[str, object]]) -> None:
    print(json.dumps(ready), flush=True)
    for _ in sys.stdin:
        print(json.dumps({**process_report(), **report()}), flush=True)
    os._exit(0)  # nothing here needs cleaning up


def process_report() -> dict[str, object]:
    """The resources that this process has used so far, and the time."""
    return {"now_ns": time.monotonic_ns(), "cpu_ns": time.process_time_ns(), "rss_bytes": rss_bytes()}


def rss_bytes() -> int | None:
    """The memory that this process uses; None if the system does not report it as Linux does."""
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
