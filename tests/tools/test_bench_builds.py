"""The race of the compiled build against the pure one, in `mergemaker bench engine`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from mergemaker_bench import build_race, engine_speed
from mergemaker_bench.record_speed import QUICK
from mergemaker_tools.problems import CommandFailed

LITTLE: Final = replace(QUICK, rounds=1, games=2, warm_up=1)


def test_both_builds_are_needed_for_their_race(tmp_path: Path) -> None:
    assert build_race.find_builds(tmp_path) is None
    for folder in (".venv", ".venv-compiled"):
        assert build_race.find_builds(tmp_path) is None
        python = tmp_path / folder / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.touch()
    assert build_race.find_builds(tmp_path) == {
        "pure": tmp_path / ".venv" / "bin" / "python",
        "compiled": tmp_path / ".venv-compiled" / "bin" / "python",
    }


def test_a_race_of_a_build_against_itself_is_refused() -> None:
    python = Path(sys.executable)
    with pytest.raises(CommandFailed, match=r"runs the build '.*', not the (pure|compiled) one: run `make setup compiled`"):
        build_race.race_builds({"pure": python, "compiled": python}, LITTLE)


def test_a_race_compares_the_sums_of_the_least_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_race, "_times", lambda *_: {"pure": [6, 10], "compiled": [2, 4]})
    assert build_race.race_builds({}, LITTLE) == {"games": 16 / 6, "playouts": 16 / 6}
    monkeypatch.setattr(engine_speed, "find_builds", dict)
    monkeypatch.setattr(engine_speed, "race_builds", lambda *_: {"games": 2.8, "playouts": 2.9})
    rows = {row.id: row for row in engine_speed._build_rows(engine_speed.QUICK)}
    assert [(rows[name].met(rows[name].must), rows[name].measured) for name in rows] == [(None, None)] * 2
    monkeypatch.setattr(engine_speed, "find_builds", lambda: {"pure": Path("a"), "compiled": Path("b")})
    rows = {row.id: row for row in engine_speed._build_rows(engine_speed.QUICK)}
    assert [(row.measured, row.met(row.must), row.met(row.aim)) for row in rows.values()] == [
        (2.8, True, False),
        (2.9, False, False),
    ]
