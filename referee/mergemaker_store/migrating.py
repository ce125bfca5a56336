"""Brings a database's tables to the revision that this program knows."""

import importlib.resources
from typing import Final

from sqlalchemy import Connection, text

from mergemaker_store.errors import StoreError

NEWEST: Final = "0002"
"""The last revision in `migrations`."""
_LOCK: Final = 0x6D65726765
"""The number of the lock in PostgreSQL by which only one process at a time changes tables."""


def migrate(connection: Connection) -> None:
    """Makes missing tables and changes old ones, in the transaction of this connection."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    found = revision_of(connection)
    if found == NEWEST:
        return
    if found is not None and found not in _known():
        raise StoreError(
            "newer-store",
            f"the tables of this database have revision {found}, and this program knows them up to {NEWEST}: install a newer one",
        )
    # Slow to import, and a database that is up to date does not need it.
    from alembic import command  # noqa: PLC0415 - as said
    from alembic.config import Config  # noqa: PLC0415 - as said

    configuration = Config(attributes={"connection": connection})
    configuration.set_main_option("script_location", _script_location().replace("%", "%%"))
    configuration.set_main_option("path_separator", "os")
    command.upgrade(configuration, "head")


def revision_of(connection: Connection) -> str | None:
    """The revision of the tables; None for a database without any."""
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _known() -> set[str]:
    """All revisions that this program has."""
    folder = importlib.resources.files("mergemaker_store.migrations") / "versions"
    return {each.name[1:5] for each in folder.iterdir() if each.name.startswith("r0")}


def _script_location() -> str:
    return str(importlib.resources.files("mergemaker_store.migrations"))
