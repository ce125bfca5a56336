"""Backups as text: one JSON line for each row, the same for every database, so that one restores to either.

The first line says which revision the tables have, the last how many rows there are and the SHA-256 of all lines before it.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from mergemaker_store.connecting import WRITES, engine_for, shown_url, url_of
from mergemaker_store.errors import StoreAway, StoreError
from mergemaker_store.limits import StoreLimits
from mergemaker_store.migrating import NEWEST, migrate, revision_of
from mergemaker_store.schema import BOTS, METADATA
from mergemaker_store.writing import why_away

FORMAT: Final = 1
ROWS_AT_ONCE: Final = 500
_USUAL: Final = StoreLimits()


def backup(database: str, path: Path, limits: StoreLimits = _USUAL) -> int:
    """Writes all rows, as of one moment, to a new file. Matches may be entered meanwhile. Returns how many rows."""
    url = url_of(database)
    if url.drivername == "sqlite" and not Path(url.database or "").is_file():
        raise StoreError("no-database", f"there is no database {shown_url(url)}")
    if path.exists():
        raise StoreError("file-exists", f"{path} is there already, and is not written over: name another file")
    engine = engine_for(url, limits)
    part = path.with_name(path.name + ".part")
    digest, rows = hashlib.sha256(), 0
    try:
        with engine.connect() as plain:
            # One moment for all tables. SQLite has no other way to read.
            connection = plain if engine.dialect.name == "sqlite" else plain.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin(), part.open("w", encoding="utf-8", newline="\n") as file:
                for line in _lines(connection):
                    file.write(line)
                    digest.update(line.encode())
                    rows += 1
                rows -= 1  # the first line is no row
                file.write(json.dumps({"rows": rows, "sha256": digest.hexdigest()}) + "\n")
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except DBAPIError as error:
        raise _away(shown_url(url), error) from error
    finally:
        part.unlink(missing_ok=True)
        engine.dispose()
    return rows


def _away(database: str, error: DBAPIError) -> StoreAway:
    return StoreAway("database-away", f"the database {database} does not do this now: {why_away(error)}")


def _lines(connection: Connection) -> Iterator[str]:
    revision = revision_of(connection)
    if revision != NEWEST:
        raise StoreError("other-revision", f"the tables have revision {revision}, not {NEWEST}: open the database once")
    yield json.dumps({"store": FORMAT, "revision": revision}) + "\n"
    for table in METADATA.sorted_tables:
        query = select(table).order_by(*table.primary_key.columns)
        for row in connection.execute(query).mappings():
            yield json.dumps({"table": table.name, "row": dict(row)}, ensure_ascii=False) + "\n"


def restore(path: Path, database: str, limits: StoreLimits = _USUAL) -> int:
    """Enters all rows of a backup into an empty database: all of them, or if anything is wrong none. Returns how many."""
    _check_whole(path)
    url = url_of(database)
    engine = engine_for(url, limits)
    try:
        with engine.execution_options(**{WRITES: True}).begin() as connection:
            migrate(connection)
            for table in METADATA.sorted_tables:
                if connection.execute(select(func.count()).select_from(table)).scalar_one():
                    raise StoreError("not-empty", f"{shown_url(url)} has rows already: restore into an empty database")
            return _restored(path, connection)
    except DBAPIError as error:
        raise _away(shown_url(url), error) from error
    finally:
        engine.dispose()


def _restored(path: Path, connection: Connection) -> int:
    tables = {table.name: table for table in METADATA.sorted_tables}
    waiting: list[dict[str, Any]] = []
    name, rows = "", 0
    for line in _rows(path):
        if waiting and (line["table"] != name or len(waiting) == ROWS_AT_ONCE):
            connection.execute(insert(tables[name]), waiting)
            waiting = []
        name = line["table"]
        waiting.append(line["row"])
        rows += 1
    if waiting:
        connection.execute(insert(tables[name]), waiting)
    if connection.dialect.name == "postgresql":
        # Numbers that were given do not count for the sequence that gives the next.
        connection.execute(
            text("SELECT setval(pg_get_serial_sequence('bots', 'id'), :next, false)"),
            {"next": (connection.execute(select(func.max(BOTS.c.id))).scalar() or 0) + 1},
        )
    return rows


def _check_whole(path: Path) -> None:
    """Refuses a file of which any byte differs from what was written."""
    digest, lines, last = hashlib.sha256(), 0, ""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            digest.update(last.encode())
            last, lines = line, lines + 1
    if lines < 2 or _read(path, last) != {"rows": lines - 2, "sha256": digest.hexdigest()}:
        raise StoreError("bad-backup", f"{path} is no whole backup: it was cut short or changed")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a whole backup, without its first and its last line."""
    with path.open(encoding="utf-8", newline="\n") as file:
        head = _read(path, next(file))
        if head.get("store") != FORMAT or head.get("revision") != NEWEST:
            raise StoreError(
                "other-revision",
                f"{path} is a backup in format {head.get('store')}, revision {head.get('revision')}, and this program reads "
                f"format {FORMAT}, revision {NEWEST}: restore it with the version that made it",
            )
        for line in file:
            found = _read(path, line)
            if "sha256" not in found:
                yield found


def _read(path: Path, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise StoreError("bad-backup", f"{path} is no whole backup: a line is no JSON ({error})") from error
    if not isinstance(found, dict):
        raise StoreError("bad-backup", f"{path} is no backup: a line is no object")
    return found
