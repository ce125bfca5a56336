"""The record of a game that is played in this process: each line is written before anybody is told of what it says."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Self

from mergemaker_engine.record.commitments import NONCE_BYTES, DealMode, commitment
from mergemaker_engine.record.lines import STATUS_OF, By, DealLine, DecisionLine, Header, Incident, PlayIncident, Promise, Status
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_referee.journal import Committer, Durability, Journal, record_name
from mergemaker_referee.secrets_file import forget_secrets, write_secrets

from mergemaker_tools.problems import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mergemaker_engine.actions import Action
    from mergemaker_engine.decisions import Decision
    from mergemaker_engine.game import Game
    from mergemaker_engine.rules import Rules

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

    def __init__(
        self, folder: Path, header: Header, hidden: Secrets, started: datetime, committer: Committer | None = None
    ) -> None:
        self._hidden = hidden
        self._statuses = [Status.FINISHED] * header.seats
        self._scribe = Scribe()
        self._game: Game | None = None
        """The game while it is played."""
        self.path: Final = folder / record_name(started, header.match)
        try:
            write_secrets(self.path, hidden)
            self._journal = Journal.create(self.path, committer)
            self._journal.append(self._scribe.header(header))
        except OSError as error:
            raise CommandFailed(
                f"cannot write the record {self.path}: {error.strerror or error}; "
                "choose another folder with --records, or play without with --no-record"
            ) from error

    def deal(self, game: Game) -> None:
        """Writes that the deal is made, when nothing has been answered yet."""
        self._append(self._scribe.deal(game))
        self._game = game

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


@contextmanager
def committing(durability: Durability) -> Iterator[Committer | None]:
    """Who has lines on the disk, where they are to outlive the machine's power."""
    if durability is Durability.PROCESS:
        yield None
        return
    committer = Committer()
    try:
        yield committer
    finally:
        committer.close()


def recorder_for(
    folder: Path,
    rules: Rules,
    bots: tuple[str, ...],
    seed: bytes,
    *,
    promised: bool,
    committer: Committer | None = None,
    now: Callable[[], datetime] = utc_now,
) -> Recorder:
    """A recorder for a new game. Where its seed is fresh, it is promised beforehand; a seed that somebody gave is not."""
    started = now()
    match = fresh_match_id()
    nonce = secrets.token_bytes(NONCE_BYTES)
    promise = Promise(match, commitment(match, nonce, seed)) if promised else None
    hidden = Secrets(seed, seed, nonce) if promised else Secrets(seed)
    header = Header(
        rules=rules,
        seats=len(bots),
        mode=DealMode.SERVER if promised else DealMode.PLAIN,
        match=match,
        bots=bots,
        promise=promise,
        software=software_text(),
        started=time_text(started),
    )
    return Recorder(folder, header, hidden, started, committer)


def software_text() -> str:
    """The program and its version, as a header names it."""
    from importlib import metadata  # noqa: PLC0415 - slow to import, and not every command records

    try:
        return f"mergemaker {metadata.version('mergemaker')}"
    except metadata.PackageNotFoundError:
        return "mergemaker"
