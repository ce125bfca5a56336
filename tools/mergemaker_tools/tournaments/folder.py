"""The folder of a tournament: everything that it needs to be continued, and to be proved.

manifest.json      what is played
tournament.toml    the settings, to be changed or used again
secret             the seed of all deals, until it is published; for its owner alone
records/           finished blocks; what has not ended is in a private place there
results.sqlite     the results of the records, unless another database was named
standings.json     the published table, and the seed
lock               held while somebody plays
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.tournaments.course import Leavings
from mergemaker_tools.tournaments.plan import MANIFEST_FORMAT, TournamentPlan, manifest_text
from mergemaker_tools.tournaments.settings import file_text

_PRIVATE: Final = 0o600
MANIFEST_BYTES_MAX: Final = 16_777_216


class TournamentFolder:
    """The paths in a tournament's folder."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self.manifest: Final = path / "manifest.json"
        self.settings: Final = path / "tournament.toml"
        self.secret: Final = path / "secret"
        self.records: Final = path / "records"
        self.logs: Final = path / "logs"
        self.results: Final = path / "results.sqlite"
        self.leavings: Final = path / "leavings.json"
        self.standings: Final = path / "standings.json"
        self.lock: Final = path / "lock"

    def __str__(self) -> str:
        return shown_path(self.path)

    @property
    def is_begun(self) -> bool:
        """Whether a tournament is there."""
        return self.manifest.exists()

    def make(self) -> None:
        """Makes the folder, unless it is there."""
        try:
            self.records.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritten(error) from error

    def begin(self, plan: TournamentPlan) -> None:
        """Writes down what is played. The manifest comes last: without it, nothing has begun."""
        try:
            self._write_private(self.secret, plan.seed.hex() + "\n")
            # The name of a database may hold a password.
            self._write_private(self.settings, file_text(plan.settings))
            self.write(self.manifest, plan.manifest_text)
        except OSError as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> CommandFailed:
        where = shown_path(error.filename or self.path)
        return CommandFailed(f"cannot write {where}: {reason_of(error)}; make room, or choose another --folder")

    @staticmethod
    def _write_private(path: Path, text: str) -> None:
        """Writes a file that only its owner can read."""
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())

    def write(self, path: Path, text: str) -> None:
        """Writes a file whole or not at all."""
        part = path.with_name(path.name + ".part")
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)

    def read_manifest(self) -> dict[str, Any]:
        """The manifest; an error says what is wrong with it."""
        return read_manifest(self.manifest)

    def read_seed(self) -> bytes:
        """The secret seed."""
        try:
            return bytes.fromhex(self.secret.read_text("ascii").strip())
        except (OSError, ValueError) as error:
            why = reason_of(error)
            raise WrongUse(f"the seed of the tournament cannot be read from {shown_path(self.secret)}: {why}") from error

    def write_leavings(self, leavings: Leavings) -> None:
        """Keeps what went otherwise than it was meant to, before anything follows from it."""
        try:
            self.write(self.leavings, json.dumps(leavings.document()) + "\n")
        except OSError as error:
            raise CommandFailed(f"cannot write {shown_path(self.leavings)}: {reason_of(error)}; make room, and go on") from error

    def read_leavings(self) -> Leavings:
        """What went otherwise than it was meant to, so far."""
        if not self.leavings.exists():
            return Leavings()
        found = _document(self.leavings, "a list of what was left out")
        try:
            return Leavings.of(found)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise WrongUse(f"{shown_path(self.leavings)} was changed after it was written: restore it") from error

    def read_standings(self) -> dict[str, Any]:
        """The published table."""
        return _document(self.standings, "the published standings")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps a second program from playing the same tournament at the same time."""
        file = self.lock.open("a+")
        try:
            try:
                _hold(file.fileno())
            except OSError as error:
                raise CommandFailed(f"another program is playing the tournament in {self}: wait for it, or end it") from error
            yield
        finally:
            file.close()


def _hold(descriptor: int) -> None:
    """Takes a lock that the system gives back when this process is gone, however it went."""
    if os.name == "nt":
        import msvcrt  # noqa: PLC0415 - only there

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # only there
        return
    import fcntl  # noqa: PLC0415 - not on Windows

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_manifest(path: Path) -> dict[str, Any]:
    """A tournament's manifest."""
    found = _document(path, "the manifest of a tournament")
    if found.get("manifest") != MANIFEST_FORMAT:
        raise WrongUse(f"{shown_path(path)} is no manifest of format {MANIFEST_FORMAT}, the one that this program reads")
    missing = [name for name in ("name", "bots", "seats", "format", "seed_sha256", "score", "forfeits") if name not in found]
    if missing or manifest_text(found) != path.read_text("utf-8"):
        raise WrongUse(f"{shown_path(path)} was changed after it was written: restore it")
    return found


def _document(path: Path, what: str) -> dict[str, Any]:
    try:
        if path.stat().st_size > MANIFEST_BYTES_MAX:
            raise WrongUse(f"{shown_path(path)} is not {what}: it is too long")
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise WrongUse(f"{shown_path(path)}, {what}, cannot be read: {reason_of(error)}") from error
    except ValueError as error:
        raise WrongUse(f"{shown_path(path)} is not {what}: {error}") from error
    if not isinstance(found, dict):
        raise WrongUse(f"{shown_path(path)} is not {what}")
    return found
