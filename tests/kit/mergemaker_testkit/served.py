"""`mergemaker serve` as a separate process, with any configuration."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc

WAIT_LIMIT_S: Final = 60.0
"""A guard against a hang."""


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    process: subprocess.Popen[bytes]
    said: dict[str, Any]
    """Its first output line."""
    log: Path

    @property
    def url(self) -> str:
        found = self.said["addresses"][0]
        assert isinstance(found, str)
        return found

    @property
    def target(self) -> str:
        return self.url.partition("://")[2]

    def channel(self, *options: tuple[str, int]) -> grpc.Channel:
        usual = (("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1))
        return grpc.insecure_channel(self.target, options=(*usual, *options))

    def kill(self) -> None:
        """Ends it without warning."""
        self.process.kill()
        self.process.wait(WAIT_LIMIT_S)


@contextmanager
def served(folder: Path, configuration: str, before: str = "") -> Iterator[Served]:
    """Starts a server, which ends with the block at the latest; its process runs the Python code `before` first."""
    file = folder / "mergemaker.toml"
    file.write_text(configuration, "utf-8")
    log = folder / "server.log"
    command = [sys.executable, "-c", f"{before}\nimport sys\nfrom mergemaker_tools.cli import main\nsys.exit(main(sys.argv[1:]))"]
    command += ["serve", "--json", "--config", str(file)]
    with log.open("ab") as errors, subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors) as process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline() or b"null")
            assert said, log.read_text("utf-8")
            yield Served(process, said, log)
        finally:
            process.kill()


def environment(url: str, token: str, more: Mapping[str, str] = {}) -> dict[str, str]:
    """The environment of a bot's process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MERGEMAKER_")}
    return {**kept, "MERGEMAKER_SERVER": url, "MERGEMAKER_TOKEN": token, **more}
