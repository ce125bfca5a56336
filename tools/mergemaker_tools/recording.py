"""The record of a game that is played in this process: each line is written before anybody is told of what it says."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Self

from mergemaker_engine.record.lines import STATUS_OF, By, DealLine, DecisionLine, Header, Incident, PlayIncident, Status
from mergemaker_engine.record.scribe import Scribe
from mergemaker_referee.journal import Journal, record_name
from mergemaker_referee.secrets_file import forget_secrets, write_secrets

from mergemaker_tools.problems import CommandFailed

if TYPE_CHECKING:
    from pathlib import Path

    from mergemaker_engine.actions import Action
    from mergemaker_engine.decisions import Decision
    from mergemaker_engine.game import Game
    from mergemaker_engine.record.scribe import Secrets

MATCH_ID_BYTES: Final = 6


def utc_now() -> datetime:
    """The time of day, for names and headers."""
    return datetime.now(UTC)


def fresh_match_id() -> str:
    """A new match's id."""
    return secrets.token_hex(MATCH_ID_BYTES)


def time_text(moment: datetime) -> str:
    """A moment as a header gives it."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


class Recorder:
    """Writes the record of one game, from its header to its end line."""

    def __init__(self, folder: Path, header: Header, hidden: Secrets, started: datetime) -> None:
        self._hidden = hidden
        self._statuses = [Status.FINISHED] * header.seats
        self._scribe = Scribe()
        self._game: Game | None = None
        """The game while it is played."""
        self.path: Final = folder / record_name(started, header.match)
        try:
            write_secrets(self.path, hidden)
            self._journal = Journal.create(self.path)
            self._journal.append(self._scribe.header(header))
        except OSError as error:
            raise CommandFailed(
                f"cannot write the record {self.path}: {error.strerror or error}; choose another folder with --records"
            ) from error

    def begin(self, deal: DealLine, game: Game) -> None:
        """Writes the deal's line of a record that is repeated."""
        self._append(self._scribe.line(deal))
        self._game = game

    def repeat(self, line: DecisionLine | Incident) -> None:
        """Writes a line of a record that is repeated."""
        self._append(self._scribe.line(line))
        if isinstance(line, Incident) and line.seat is not None and line.what in STATUS_OF:
            self._statuses[line.seat] = STATUS_OF[line.what]

    def decision(self, decision: Decision, answer: Action, by: By, after: Game) -> None:
        """Writes a decision; `after` is the game with the answer given."""
        self._append(self._scribe.decision(decision, answer, by, after))

    def end(self, game: Game) -> None:
        """Writes the end, and forgets the secrets that it has told."""
        self._append(self._scribe.end(game, self._hidden, self._statuses))
        self._game = None
        forget_secrets(self.path)

    def void(self, game: Game, why: str) -> None:
        """Ends the record of a game that was broken off: nobody's loss."""
        self._append(self._scribe.incident(Incident(what=PlayIncident.VOIDED, why=why)))
        self._append(self._scribe.end(game, self._hidden, self._statuses, voided=True))
        forget_secrets(self.path)

    def _append(self, line: bytes) -> None:
        try:
            self._journal.append(line)
        except OSError as error:
            raise CommandFailed(f"the record cannot be written on, so the game stops: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is not None and self._game is not None and not issubclass(kind, CommandFailed):
                self.void(self._game, "interrupted" if issubclass(kind, KeyboardInterrupt) else "a fault of the program")
        finally:
            self._journal.close()


def software_text() -> str:
    """The program and its version, as a header names it."""
    from importlib import metadata  # noqa: PLC0415 - slow to import, and not every command records

    try:
        return f"mergemaker {metadata.version('mergemaker')}"
    except metadata.PackageNotFoundError:
        return "mergemaker"
