"""The one way to the database: everything that is asked of it, and everything that is entered."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Self, TypeVar

from sqlalchemy import Connection, insert, select

from mergemaker_store import rows
from mergemaker_store.connecting import WRITES, engine_for, shown_url, url_of
from mergemaker_store.errors import Contradiction, StoreAway
from mergemaker_store.limits import StoreLimits
from mergemaker_store.migrating import migrate
from mergemaker_store.schema import MATCHES, TOURNAMENTS
from mergemaker_store.values import MatchResult, Tournament
from mergemaker_store.writing import Writer, is_away, waited, why_away

_Found = TypeVar("_Found")
_USUAL: Final = StoreLimits()


class Store:
    """A database of results. It may be used from several threads, and by several processes at once.

    What is entered is written by one thread. While the database is away, that thread tries again; reading raises `StoreAway`.
    """

    def __init__(self, database: str, limits: StoreLimits = _USUAL) -> None:
        """Opens the database that a URL or a path names, and brings its tables up to date."""
        url = url_of(database)
        self.shown: Final = shown_url(url)
        """The database, for people."""
        self._limits: Final = limits
        self._engine: Final = engine_for(url, limits)
        try:
            with self._engine.execution_options(**{WRITES: True}).begin() as connection:
                migrate(connection)
        except Exception as error:
            self._engine.dispose()
            if is_away(error):
                raise self._away(why_away(error)) from error
            raise
        self._writer: Final = Writer(self._engine, limits.retry_ms / 1_000)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.close()

    def close(self, limit_s: float | None = None) -> int:
        """Waits until all is written, but not longer than this, and returns how much was not.

        That is not lost: its records are the outbox, and are entered again with the next `enter`.
        """
        left = self._writer.close(self._limits.answer_ms / 1_000 if limit_s is None else limit_s)
        self._engine.dispose()
        return left

    @property
    def away(self) -> str | None:
        """Why nothing can be written now; None while all is well."""
        return self._writer.away

    def save_tournament(self, tournament: Tournament) -> None:
        """Enters a tournament. The same one may be entered again."""

        def write(connection: Connection) -> None:
            found = _tournament(connection, tournament.id)
            if found is None:
                connection.execute(insert(TOURNAMENTS).values(rows.of_tournament(tournament)))
            elif found.manifest != tournament.manifest:
                raise Contradiction(
                    "other-tournament", f"{self.shown} has another tournament {tournament.id}: use another database"
                )

        self._written(self._writer.post(write))

    def tournament(self, name: str) -> Tournament | None:
        """The tournament with this id."""
        return self._read(lambda connection: _tournament(connection, name))

    def tournaments(self) -> tuple[Tournament, ...]:
        """All tournaments, by id."""
        return self._read(rows.tournaments)

    def enter(self, result: MatchResult) -> bool:
        """Enters a result, and waits until it is written. False if it was there already."""
        return self._written(self.enter_soon(result))

    def enter_soon(self, result: MatchResult) -> "Future[bool]":
        """Enters a result as soon as the database takes it."""
        return self._writer.post(lambda connection: rows.enter(connection, result))

    def results(self, tournament: str | None = None) -> tuple[MatchResult, ...]:
        """All results, or those of a tournament, in the order of their blocks and ids, however they were entered."""
        return self._read(lambda connection: rows.results(connection, tournament))

    def missing(self, matches: Iterable[str]) -> tuple[str, ...]:
        """Which of these matches have not been entered, in the order given."""
        wanted = tuple(matches)
        known = self._read(lambda connection: set(connection.execute(select(MATCHES.c.id)).scalars()))
        return tuple(match for match in wanted if match not in known)

    def _read(self, read: Callable[[Connection], _Found]) -> _Found:
        try:
            with self._engine.begin() as connection:
                return read(connection)
        except Exception as error:
            if is_away(error):
                raise self._away(why_away(error)) from error
            raise

    def _written(self, done: "Future[_Found]") -> _Found:
        try:
            return waited(done, self._limits.answer_ms / 1_000)
        except TimeoutError as error:
            raise self._away(self._writer.away or str(error)) from error

    def _away(self, why: str) -> StoreAway:
        return StoreAway(
            "database-away", f"the database {self.shown} takes nothing now: {why}\nRecords are kept; try again when it is back"
        )


def _tournament(connection: Connection, name: str) -> Tournament | None:
    row = connection.execute(select(TOURNAMENTS).where(TOURNAMENTS.c.id == name)).one_or_none()
    return None if row is None else rows.tournament_of(row)
