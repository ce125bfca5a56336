"""A backup restores to either database, whole or not at all."""

import hashlib
import json
from pathlib import Path

import pytest
from mergemaker_store.backups import backup, restore
from mergemaker_store.errors import StoreAway, StoreError
from mergemaker_store.gateway import Store
from mergemaker_store.values import BotVersion, MatchResult, Place, SeatResult, Tournament
from mergemaker_testkit.postgres import Postgres
from mergemaker_tools.cli import main


def _result(number: int) -> MatchResult:
    seat = SeatResult(bot=BotVersion(f"bot{number % 3}", "é"), cash=number, place=1, status="finished", faults=())
    return MatchResult(
        match=f"m{number}",
        rules="f0",
        ended="stuck",
        game="g",
        line="l",
        started="",
        place=Place("t", number, 0),
        seats=(seat,),
    )


def _sealed(text: str) -> str:
    """A backup whose last line agrees with what was changed in it."""
    *lines, last = text.splitlines(keepends=True)
    end = json.loads(last) | {"sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}
    return "".join(lines) + json.dumps(end) + "\n"


RESULTS = tuple(map(_result, range(7)))


def _filled(database: str) -> None:
    with Store(database) as store:
        store.save_tournament(Tournament(id="t", name="T", manifest="{}", made=""))
        for result in RESULTS:
            store.enter(result)


def test_a_backup_restores_to_the_other_database(database: str, postgres: Postgres, tmp_path: Path) -> None:
    _filled(database)
    copy = tmp_path / "copy.jsonl"
    assert backup(database, copy) == 1 + 3 + 2 * len(RESULTS)
    for name in (str(tmp_path / "other.sqlite"), postgres.new_database()):
        assert restore(copy, name) == 1 + 3 + 2 * len(RESULTS)
        with Store(name) as store:
            assert store.results("t") == RESULTS
            # A new bot gets a number that no restored one has.
            new = _result(9)
            assert store.enter(new)
            assert store.results("t") == (*RESULTS, new)


def test_a_backup_that_was_changed_restores_nothing(database: str, tmp_path: Path) -> None:
    source, copy = str(tmp_path / "source.sqlite"), tmp_path / "copy.jsonl"
    _filled(source)
    backup(source, copy)
    good = copy.read_text("utf-8")
    lines = good.splitlines(keepends=True)
    for bad in (
        good.replace('"cash": 3', '"cash": 4'),
        "".join(lines[:-1]),
        "".join(lines[:4] + lines[5:]),
        good[:-20],
        "[]\n",
        "",
        _sealed(good.replace('"revision": "0002"', '"revision": "0007"')),
    ):
        copy.write_text(bad, "utf-8")
        with pytest.raises(StoreError) as refused:
            restore(copy, database)
        assert refused.value.reason in {"bad-backup", "other-revision"}
    with Store(database) as store:
        assert store.results() == ()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    source, copy = str(tmp_path / "source.sqlite"), tmp_path / "copy.jsonl"
    _filled(source)
    backup(source, copy)
    with pytest.raises(StoreError, match="not written over"):
        backup(source, copy)
    with pytest.raises(StoreError, match="restore into an empty database"):
        restore(copy, source)
    with pytest.raises(StoreError, match="there is no database"):
        backup(str(tmp_path / "missing.sqlite"), tmp_path / "none.jsonl")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(StoreError, match="open the database once"):
        backup(str(tmp_path / "empty.sqlite"), tmp_path / "none.jsonl")
    (tmp_path / "text.sqlite").write_text("no database, but long enough to be looked at\n" * 40)
    with pytest.raises(StoreAway, match="file is not a database"):
        backup(str(tmp_path / "text.sqlite"), tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists()


def test_the_command_backs_up_and_restores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, copy, other = (str(tmp_path / name) for name in ("source.sqlite", "copy.jsonl", "other.sqlite"))
    _filled(source)
    assert main(["store", "backup", source, copy]) == 0
    assert main(["store", "restore", copy, other]) == 0
    assert capsys.readouterr().out == f"18 rows of {source} are in {copy}\n18 rows of {copy} are in {other}\n"
    assert main(["store", "restore", copy, other]) == 1
    assert "restore into an empty database" in capsys.readouterr().err
    assert main(["store", "restore", str(tmp_path / "none.jsonl"), other]) == 1
    assert "No such file" in capsys.readouterr().err
