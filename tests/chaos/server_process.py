"""`mergemaker serve` as a separate process that tests kill and start again, with the same folder and port."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
from mergemaker.v1 import matches_pb2_grpc
from mergemaker_referee.records.files import SUFFIX
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash

WAIT_S: Final = 120.0
"""A guard against a hang, far above what any step takes."""
LOOK_S: Final = 0.002
"""How often a harness checks another process."""
PORTS: Final = range(20_000, 32_000)
"""Below those that systems assign on request: such a port stays free while its server is down."""
SERVE: Final = ("-m", "mergemaker_tools", "serve")

Wishes = dict[str, dict[str, Any]]
"""Tables of a configuration file."""


def free_port() -> int:
    """A port without a listener."""
    chance = random.SystemRandom()
    while True:
        port = chance.choice(PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def until(is_so: Callable[[], bool], what: str, limit_s: float = WAIT_S) -> None:
    """Checks repeatedly until a condition holds."""
    give_up = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < give_up, f"for {limit_s:.0f} s it has not come to this: {what}"
        time.sleep(LOOK_S)


@dataclass(slots=True)
class ServerProcess:
    """One server: its configuration, its folder, and its process, if one runs."""

    folder: Path
    bots: Mapping[str, str] = field(default_factory=dict)
    """Tokens of known bots, by name."""
    wishes: Wishes = field(default_factory=dict)
    records: Path | None = None
    """None: in the data folder."""
    program: Sequence[str] = SERVE
    """The Python program to run."""
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    operator_token: str = field(default_factory=lambda: fresh_token(TokenKind.OPERATOR), repr=False)
    process: subprocess.Popen[str] | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        tables: Wishes = {
            "server": {"listen": f"127.0.0.1:{self.port}", "data_folder": str(self.folder / "data")},
            "operator": {"token_hash": token_hash(self.operator_token)},
            "bots": {name: token_hash(token) for name, token in self.bots.items()},
            "log": {"format": "json", "level": "warning"},
        }
        if self.records is None:
            self.records = self.folder / "data" / "records"
        else:
            tables["server"]["records_folder"] = str(self.records)
        for name, table in self.wishes.items():
            tables[name] = tables.get(name, {}) | table
        # JSON's texts, numbers and lists are also valid TOML.
        lines = [
            line
            for name, table in tables.items()
            for line in (f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items()))
        ]
        self.configuration.write_text("\n".join(lines) + "\n", "utf-8")

    @property
    def configuration(self) -> Path:
        return self.folder / "mergemaker.toml"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def url(self) -> str:
        return f"grpc://127.0.0.1:{self.port}"

    # --- the process ---

    def start(self) -> None:
        """Starts the process without waiting."""
        assert self.process is None or self.process.poll() is not None, "the server runs already"
        command = [sys.executable, *self.program, "--json", "--config", str(self.configuration)]
        with self.log.open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **self.environment},
            )

    def wait_until_ready(self) -> bool:
        """Waits until clients can connect; False if the process ended before."""
        assert self.process is not None
        assert self.process.stdout is not None
        guard = threading.Timer(WAIT_S, self.process.kill)
        guard.start()
        try:
            return bool(self.process.stdout.readline())
        finally:
            guard.cancel()

    def serve(self) -> None:
        """Starts the process, and waits until clients can connect."""
        self.start()
        assert self.wait_until_ready(), self.log_text()

    def processes(self) -> list[int]:
        """All its processes: the one that serves, and those that play for it, if it has several."""
        assert self.process is not None
        return [self.process.pid, *self.playing_processes()]

    def playing_processes(self) -> list[int]:
        """The processes that play for it, if it has several."""
        assert self.process is not None
        found = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return sorted(int(pid) for path in found for pid in path.read_text("ascii").split())

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.wait_for_end()

    def wait_for_end(self) -> int:
        """Waits until the process is gone, and returns its status."""
        assert self.process is not None
        status = self.process.wait(WAIT_S)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return status

    def stop(self) -> None:
        """Ends the server in order."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        assert self.wait_for_end() == 0, self.log_text()

    def close(self) -> None:
        """Leaves no process behind."""
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def log_text(self) -> str:
        """All output of its processes to standard error."""
        return self.log.read_text("utf-8") if self.log.exists() else ""

    # --- clients ---

    def channel(self, *options: tuple[str, int]) -> grpc.Channel:
        """A new connection."""
        usual = (("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1))
        return grpc.insecure_channel(f"127.0.0.1:{self.port}", options=(*usual, *options))

    @contextmanager
    def operator(self) -> "Iterator[Operator]":
        """The operator's calls, over a separate connection."""
        with self.channel() as channel:
            yield Operator(matches_pb2_grpc.MatchServiceStub(channel), self.operator_token)

    # --- what the folder holds ---

    def record_paths(self) -> list[Path]:
        """The records, the oldest first."""
        assert self.records is not None
        return sorted(self.records.rglob(f"*{SUFFIX}"), key=lambda path: path.name)

    def secrets_paths(self) -> list[Path]:
        """The files of secrets."""
        assert self.records is not None
        return sorted(self.records.rglob("*.secrets"))


@dataclass(frozen=True, slots=True)
class Operator:
    """Makes calls of `MatchService`, with the operator's token."""

    stub: matches_pb2_grpc.MatchServiceStub
    token: str = field(repr=False)

    def call(self, method: str, request: Any) -> Any:
        metadata = (("authorization", f"Bearer {self.token}"),)
        return getattr(self.stub, method)(request, metadata=metadata, timeout=WAIT_S)


@contextmanager
def server_process(folder: Path, **wishes: Any) -> Iterator[ServerProcess]:
    """A server that starts on request, and always ends."""
    server = ServerProcess(folder, **wishes)
    try:
        yield server
    finally:
        server.close()
