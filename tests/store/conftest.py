"""Databases for the tests: each test that takes `database` runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from mergemaker_testkit.postgres import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "results.sqlite")
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()
