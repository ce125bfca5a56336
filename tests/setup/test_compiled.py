"""The compiled build: what is compiled, what is said where it cannot be, and that nothing else turns it on."""

import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import make_compiled
import pytest
from make_venv import ROOT, SetupError


def _hook() -> dict[str, Any]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hook: dict[str, Any] = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    return hook


def test_the_pure_wheel_is_the_usual_one() -> None:
    assert _hook()["enable-by-default"] is False
    assert (ROOT / _hook()["path"]).is_file()


def test_what_is_left_out_is_there_and_belongs_to_what_is_compiled() -> None:
    compiled, interpreted = _hook()["compiled"], _hook()["interpreted"]
    assert [path for path in interpreted if not (ROOT / path).is_file()] == []
    assert [path for path in interpreted if not path.startswith(tuple(f"{package}/" for package in compiled))] == []
    modules = [path for package in compiled for path in (ROOT / package).rglob("*.py")]
    assert len(interpreted) < len(modules) / 4


def test_without_a_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _: "no-such-compiler -pthread")
    with pytest.raises(SetupError, match=r"no C compiler 'no-such-compiler'.*\n\n    sudo apt install gcc python3"):
        make_compiled.see_compiler()
    assert make_compiled.main([]) == make_compiled.main(["--release"]) == 1
    assert "all works with the pure build" in capsys.readouterr().err


def test_without_pythons_headers_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _: sys.executable)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(SetupError, match=r"there is no .*Python\.h"):
        make_compiled.see_compiler()


def test_only_two_goals_compile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    goals = [goal.partition(":")[0] for goal in makefile.split("\n\n") if "make_compiled.py" in goal]
    assert goals == ["compiled", "release"]
