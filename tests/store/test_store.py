"""The gateway does the same on both databases."""

import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from mergemaker_store.connecting import engine_for, shown_url, url_of
from mergemaker_store.errors import Contradiction, StoreAway, StoreError
from mergemaker_store.gateway import Store
from mergemaker_store.limits import StoreLimits
from mergemaker_store.migrating import NEWEST, migrate, revision_of
from mergemaker_store.schema import METADATA
from mergemaker_store.values import BotVersion, MatchResult, Place, SeatFault, SeatResult, Tournament
from mergemaker_testkit.postgres import Postgres

from tests.chaos.server_process import until

SPRING = Tournament(id="spring", name="Spring", manifest='{"bots":["a","b"]}', made="2026-11-18T15:38:32Z")
LIMIT_S = 60
"""A guard against a hang, far above what any step takes."""
QUICK = StoreLimits(connect_ms=LIMIT_S * 1_000, lock_ms=1, statement_ms=LIMIT_S * 1_000, answer_ms=50, retry_ms=5)
"""For a database that is away: nobody waits long for an answer that does not come. What must come is waited for by its future."""


def result(match: str, place: Place | None = None, cash: tuple[int | None, ...] = (30_000, 28_000)) -> MatchResult:
    seats = tuple(
        SeatResult(
            bot=BotVersion(name, version),
            cash=money,
            place=None if money is None else 1 + sum((other or 0) > money for other in cash),
            status="finished",
            faults=(SeatFault("network", "timeout", 2),) if name == "b" else (),
            decisions=40,
            total_ms=900,
            longest_ms=77,
            joined_ms=300,
        )
        for name, version, money in zip("ab", ("1", ""), cash, strict=True)
    )
    return MatchResult(
        match=match,
        rules="f0",
        ended="declared" if None not in cash else "voided",
        game=f"game-{match}",
        line=f"line-{match}",
        started="2026-11-18T15:38:32Z",
        host="lab",
        host_speed=250,
        place=place,
        seats=seats,
    )


def test_what_is_entered_is_read_again(database: str) -> None:
    with Store(database) as store:
        store.save_tournament(SPRING)
        late = result("m2", Place("spring", 1, 0))
        early = result("m1", Place("spring", 0, 1), cash=(20_000, 20_000))
        alone = result("m3")
        assert [store.enter(each) for each in (late, early, alone)] == [True, True, True]
        assert store.results("spring") == (early, late)
        assert set(store.results()) == {early, late, alone}
        assert store.tournament("spring") == SPRING
        assert store.tournament("autumn") is None
    with Store(database) as store:
        assert store.results("spring") == (early, late)


def test_a_result_is_entered_once(database: str) -> None:
    with Store(database) as store:
        assert store.enter(result("m1"))
        assert not store.enter(result("m1"))
        assert store.missing(["m1", "m2"]) == ("m2",)
        with pytest.raises(Contradiction, match="with another record") as refused:
            store.enter(replace(result("m1"), line="forged"))
        assert refused.value.reason == "two-records"
        assert store.results() == (result("m1"),)


def test_a_place_in_a_tournament_has_one_match_for_each_attempt(database: str) -> None:
    with Store(database) as store:
        with pytest.raises(StoreError, match="enter that first"):
            store.enter(result("m1", Place("spring", 0, 0)))
        store.save_tournament(SPRING)
        void = result("m1", Place("spring", 0, 0), cash=(None, None))
        assert store.enter(void)
        assert void.is_void
        with pytest.raises(Contradiction, match="says the same of itself"):
            store.enter(result("m2", Place("spring", 0, 0)))
        assert store.enter(result("m2", Place("spring", 0, 0, attempt=1)))
        assert [each.is_void for each in store.results("spring")] == [True, False]


def test_a_tournament_is_never_replaced_by_another(database: str) -> None:
    with Store(database) as store:
        store.save_tournament(SPRING)
        store.save_tournament(SPRING)
        with pytest.raises(Contradiction, match="use another database"):
            store.save_tournament(replace(SPRING, manifest="{}"))


def test_many_threads_and_stores_enter_at_once(database: str) -> None:
    with Store(database) as one, Store(database) as other:
        wanted = [result(f"m{number}") for number in range(24)]
        # Both stores enter all of it, so each match and each bot is entered by two at once.
        pending = [store.enter_soon(each) for each in wanted for store in (one, other)]
        entered = [done.result(60) for done in pending]
        assert sum(entered) == len(wanted)
        assert set(one.results()) == set(wanted)


def test_the_migrations_make_the_tables_of_the_schema(database: str) -> None:
    engine = engine_for(url_of(database), QUICK)
    with engine.begin() as connection:
        assert revision_of(connection) is None
        migrate(connection)
        assert revision_of(connection) == NEWEST
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_tables_of_a_newer_program_are_left_alone(database: str) -> None:
    Store(database).close()
    engine = engine_for(url_of(database), QUICK)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    with pytest.raises(StoreError, match="install a newer one") as refused:
        Store(database)
    assert refused.value.reason == "newer-store"


def test_a_database_that_comes_back_has_lost_nothing(postgres: Postgres) -> None:
    with Store(postgres.new_database(), QUICK) as store:
        assert store.enter_soon(result("m1")).result(LIMIT_S)
        postgres.stop()
        try:
            pending = [store.enter_soon(result(f"m{number}")) for number in (2, 3)]
            with pytest.raises(StoreAway, match="try again when it is back"):
                store.enter(result("m4"))
            with pytest.raises(StoreAway):
                store.results()
        finally:
            postgres.start()
        assert [done.result(LIMIT_S) for done in pending] == [True, True]
        assert not store.enter_soon(result("m4")).result(LIMIT_S), "it was entered though nobody waited for it any more"
        assert {each.match for each in store.results()} == {"m1", "m2", "m3", "m4"}
        assert store.away is None


def test_a_locked_file_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Store(str(path), QUICK) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        pending = store.enter_soon(result("m1"))
        until(lambda: store.away is not None, "an attempt fails")
        with pytest.raises(StoreAway, match="locked"):
            store.enter(result("m1"))
        other.execute("ROLLBACK")
        other.close()
        assert pending.result(LIMIT_S)
        assert not store.enter_soon(result("m1")).result(LIMIT_S)


def test_closing_says_how_much_was_not_written(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    store = Store(str(path), QUICK)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    pending = [store.enter_soon(result(f"m{number}")) for number in range(3)]
    assert store.close(limit_s=0.01) == 3
    assert all(done.cancelled() for done in pending)
    other.execute("ROLLBACK")
    other.close()
    with Store(str(path)) as again:
        assert again.missing(["m0", "m1", "m2"]) == ("m0", "m1", "m2")


@pytest.mark.parametrize(
    ("database", "text"),
    [
        ("", "names no database"),
        ("mysql://host/x", "mysql is no database for results"),
        ("sqlite://", "kept in a file"),
        ("sqlite:///:memory:", "kept in a file"),
        ("post gres://x", "is no database|cannot be read"),
    ],
)
def test_a_name_that_is_no_database_is_refused(database: str, text: str) -> None:
    with pytest.raises(StoreError, match=text):
        Store(database)


def test_a_database_that_cannot_be_reached_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(StoreAway, match="unable to open") as refused:
        Store(str(tmp_path / "missing" / "results.sqlite"))
    assert "missing" in str(refused.value)
    with pytest.raises(StoreAway) as refused:
        Store(f"postgresql://ada:secret@/x?host={tmp_path}", QUICK)
    assert "ada" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "secret" not in shown_url(url_of("postgres://ada:secret@db/x"))


def test_the_writer_is_one_thread_that_ends(tmp_path: Path) -> None:
    before = threading.active_count()
    with Store(str(tmp_path / "results.sqlite")):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
