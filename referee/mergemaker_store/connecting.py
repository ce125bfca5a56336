"""Engines of SQLAlchemy for the two databases, with everything that must be set for each connection."""

from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from mergemaker_store.errors import StoreError
from mergemaker_store.limits import StoreLimits

WRITES: Final = "mergemaker_writes"
"""The execution option of connections that will write."""
_POSTGRES: Final = "postgresql+psycopg"
_EXPECTED: Final = "a database is a file, sqlite:///FILE, or postgresql://USER:PASSWORD@HOST/NAME"


def url_of(database: str) -> URL:
    """The URL for a URL or for the path of a file."""
    if "://" not in database:
        if not database:
            raise StoreError("bad-database", f"this names no database: {_EXPECTED}")
        return URL.create("sqlite", database=database)
    try:
        url = make_url(database)
    except (ArgumentError, ValueError) as error:
        raise StoreError("bad-database", f"this URL cannot be read: {_EXPECTED}") from error
    match url.drivername:
        case "sqlite":
            if url.database in {None, "", ":memory:"}:
                raise StoreError("bad-database", "results are kept in a file: sqlite:///results.sqlite")
            return url
        case "postgresql" | "postgres" | "postgresql+psycopg":
            return url.set(drivername=_POSTGRES)
        case other:
            raise StoreError("bad-database", f"{other} is no database for results: {_EXPECTED}")


def shown_url(url: URL) -> str:
    """The URL for people, without its password."""
    return url.database or "" if url.drivername == "sqlite" else url.render_as_string(hide_password=True)


def engine_for(url: URL, limits: StoreLimits) -> Engine:
    """An engine for a URL of `url_of`. It connects only when it is used."""
    return _sqlite(url, limits) if url.drivername == "sqlite" else _postgres(url, limits)


def _sqlite(url: URL, limits: StoreLimits) -> Engine:
    engine = create_engine(url, connect_args={"timeout": limits.lock_ms / 1_000})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - the driver's connection
        # Python's module would begin transactions by itself, and too late: `begin` below does it.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        # A loss of power may undo the last transactions; they are entered again from the records.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that turned into a writer would fail at once if somebody else has written in between.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get(WRITES) else "BEGIN")

    return engine


def _postgres(url: URL, limits: StoreLimits) -> Engine:
    settings = {
        "statement_timeout": limits.statement_ms,
        "lock_timeout": limits.lock_ms,
        "idle_in_transaction_session_timeout": limits.statement_ms,
    }
    arguments = {
        "connect_timeout": max(1, limits.connect_ms // 1_000),
        "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
        "tcp_user_timeout": limits.statement_ms,
        "application_name": "mergemaker",
    }
    try:
        # Looks at a connection before it is used again: the server may have been restarted.
        return create_engine(url, connect_args=arguments, pool_pre_ping=True, pool_timeout=limits.connect_ms / 1_000)
    except ModuleNotFoundError as error:
        raise StoreError(
            "no-driver", 'PostgreSQL needs an extra: install it with `pip install "mergemaker[postgres]"`'
        ) from error
