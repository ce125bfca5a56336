"""What `make match` and `make test` set up, even on machines that lack something."""

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import make_venv
import pytest
from toy_checkout import BASE_PYTHON, COMMAND_LIMIT_S, TOY_PIP, Toy, write_program, write_wheel

MADE = "set-up: making .venv"
UPDATED = "set-up: bringing .venv up to date"
PLAYED = "leaf|1.0|match|greedy|greedy|random|random\n"


def installed(toy: Toy) -> list[str]:
    found: list[str] = json.loads(toy.stamp.read_text(encoding="utf-8"))["installed"]
    return found


def test_match_installs_what_a_match_needs_and_plays(toy_with_pip: Toy, tmp_path: Path) -> None:
    toy = toy_with_pip
    # Personal settings that would install packages elsewhere.
    diverted = {"PIP_USER": "1", "PIP_TARGET": str(tmp_path / "target"), "PYTHONPATH": str(tmp_path)}
    played = toy.make("match", **diverted)
    assert (played.returncode, played.stdout.splitlines(keepends=True)[-1]) == (0, PLAYED)
    assert MADE in played.stdout
    assert installed(toy) == ["leaf==1.0", "mergemaker==0.1.0"], "the constrained versions, and no extra"
    assert (toy.root / "built-with.txt").read_text(encoding="utf-8") == "1.0", "the build is constrained, too"
    assert not (tmp_path / "target").exists()


def test_second_run_needs_no_network_and_no_pip(toy: Toy) -> None:
    assert toy.make("match").returncode == 0
    toy.unplug()
    write_program(toy.path / "pip3", "echo pip was called; exit 1")
    again = toy.make("match", "BOTS=random 'python my_bot.py'")
    assert (again.returncode, again.stdout) == (0, "leaf|1.0|match|random|python my_bot.py\n")


def test_test_adds_what_tests_need(toy: Toy) -> None:
    assert toy.make("match").returncode == 0
    tested = toy.make("test", "ARGS=-k 'one or two'", PYTHONDONTWRITEBYTECODE="1")
    assert (tested.returncode, tested.stdout.splitlines()[-1]) == (
        0,
        "twig|1.0|compiles once|-n|auto|--dist|worksteal|-rfEs|-k|one or two",
    )
    assert UPDATED in tested.stdout
    assert installed(toy) == ["leaf==1.0", "mergemaker==0.1.0", "twig==1.0"]
    toy.unplug()
    for goal in ("match", "test", "setup"):
        again = toy.make(goal)
        assert (again.returncode, "set-up:" in again.stdout) == (0, False)


def damage_stamp(toy: Toy) -> None:
    toy.stamp.write_text(toy.stamp.read_text(encoding="utf-8")[:40], encoding="utf-8")


def damage_python(toy: Toy) -> None:
    (toy.venv / "bin" / "python").unlink()
    (toy.venv / "bin" / "python").symlink_to("/nowhere/python")


def damage_package(toy: Toy) -> None:
    for part in toy.venv.glob("lib/python*/site-packages/leaf*"):
        part.unlink() if part.is_file() else shutil.rmtree(part)


def damage_path_entry(toy: Toy) -> None:
    (entry,) = toy.venv.glob("lib/python*/site-packages/mergemaker-toy.pth")
    entry.unlink()


def damage_folder(toy: Toy) -> None:
    shutil.rmtree(toy.venv)
    toy.venv.write_text("not a folder", encoding="utf-8")


def damage_interpreter(toy: Toy) -> None:
    stamp = json.loads(toy.stamp.read_text(encoding="utf-8"))
    toy.stamp.write_text(json.dumps(stamp | {"python": "cpython-310 /usr/bin/python3.10"}), encoding="utf-8")


@pytest.mark.parametrize(
    "damage",
    [damage_stamp, damage_python, damage_package, damage_path_entry, damage_folder, damage_interpreter],
)
def test_broken_environment_is_made_anew(toy: Toy, damage: Callable[[Toy], None]) -> None:
    assert toy.make("match").returncode == 0
    damage(toy)
    again = toy.make("match")
    assert (again.returncode, MADE in again.stdout, again.stdout.endswith(PLAYED)) == (0, True, True)


def test_half_made_environment_is_made_anew(toy: Toy) -> None:
    pip = (toy.path / "pip3").read_text(encoding="utf-8")
    write_program(toy.path / "pip3", 'case "$*" in --version) echo pip 23.0 from here;; *) exit 1;; esac')
    failed = toy.make("match")
    assert failed.returncode != 0
    assert not toy.stamp.exists()
    assert "leaf|" not in failed.stdout
    (toy.path / "pip3").write_text(pip, encoding="utf-8")
    again = toy.make("match")
    assert (again.returncode, MADE in again.stdout, again.stdout.endswith(PLAYED)) == (0, True, True)


@pytest.mark.parametrize("kept", [False, True], ids=["moved", "copied"])
def test_checkout_is_set_up_where_it_is(toy: Toy, kept: bool) -> None:
    assert toy.make("match").returncode == 0
    there = toy.root.with_name("elsewhere")
    if kept:
        shutil.copytree(toy.root, there, symlinks=True)
    else:
        toy.root.rename(there)
    other = Toy(there, toy.path, toy.wheels)
    again = other.make("match")
    assert (again.returncode, MADE in again.stdout, again.stdout.endswith(PLAYED)) == (0, True, True)
    (entry,) = other.venv.glob("lib/python*/site-packages/mergemaker-toy.pth")
    assert entry.read_text(encoding="utf-8").strip() == str(there / "tools")


@pytest.mark.parametrize("words", [["PYTHON=/nowhere/python"], []], ids=["argument", "environment"])
def test_takes_no_other_python_than_was_asked_for(toy: Toy, words: list[str]) -> None:
    played = toy.make("match", *words, PYTHON="python3" if words else "/nowhere/python")
    assert played.returncode != 0
    assert "PYTHON=/nowhere/python will not do" in played.stdout


def test_other_constraints_bring_it_up_to_date(toy: Toy) -> None:
    assert toy.make("setup").returncode == 0
    kept = toy.venv / "of my own.txt"
    kept.touch()
    (toy.root / "constraints.txt").write_text("kiln==2.0\nleaf==2.0\ntwig==1.0\n", encoding="utf-8")
    played = toy.make("match")
    assert (played.returncode, UPDATED in played.stdout) == (0, True)
    assert installed(toy) == ["leaf==2.0", "mergemaker==0.1.0", "twig==1.0"]
    assert kept.exists()


def test_settings_of_tools_do_not_concern_it(toy: Toy) -> None:
    assert toy.make("match").returncode == 0
    with (toy.root / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[tool.ruff]\nline-length = 80\n")
    assert toy.make("match").stdout == PLAYED
    with (toy.root / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[tool.hatch.build]\ndev-mode-dirs = []\n")
    assert UPDATED in toy.make("match").stdout


def test_nothing_is_compiled(toy_with_pip: Toy, tmp_path: Path) -> None:
    (toy_with_pip.root / "constraints.txt").write_text("kiln==1.0\nleaf==3.0\n", encoding="utf-8")
    source = tmp_path / "leaf-3.0"
    source.mkdir()
    ran = tmp_path / "compiled.txt"
    (source / "setup.py").write_text(f"open({str(ran)!r}, 'w').close()\n", encoding="utf-8")
    with tarfile.open(toy_with_pip.wheels / "leaf-3.0.tar.gz", "w:gz") as archive:
        archive.add(source, "leaf-3.0")
    write_wheel(toy_with_pip.wheels, "leaf", "3.0", tag="cp311-cp311-plan9_mips")
    played = toy_with_pip.make("match")
    assert played.returncode != 0
    assert "no ready-made wheel of leaf==3.0" in played.stdout
    assert "Nothing is compiled here: choose another Python" in played.stdout
    assert not ran.exists()
    assert not toy_with_pip.stamp.exists()


def test_says_so_where_there_is_no_network(toy_with_pip: Toy) -> None:
    toy_with_pip.unplug()
    unreachable = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1"}
    played = toy_with_pip.make("match", **unreachable)
    assert played.returncode != 0
    assert "Is there a network?" in played.stdout
    assert "ready-made" not in played.stdout


@pytest.mark.parametrize(
    ("missing", "pip", "why"),
    [
        (("ensurepip", "pip"), None, "has no ensurepip, and no pip 22.3 or newer"),
        (("ensurepip", "pip"), "echo pip 22.2.2 from here", "has no ensurepip, and no pip 22.3 or newer"),
        (("venv",), None, "has no venv module"),
    ],
)
def test_says_what_to_install_where_parts_are_missing(
    toy: Toy, crippled_python: Callable[..., Path], missing: tuple[str, ...], pip: str | None, why: str
) -> None:
    crippled_python(*missing)
    (toy.path / "pip3").unlink()
    if pip:
        write_program(toy.path / "pip3", pip)
    played = toy.make("match")
    assert played.returncode != 0
    assert why in played.stdout
    assert f"\n    sudo apt install python3.{sys.version_info[1]}-venv\n" in played.stdout
    assert not toy.venv.exists()


def test_uses_the_pip_of_this_python_if_it_has_one(toy: Toy, crippled_python: Callable[..., Path]) -> None:
    lacking = crippled_python("ensurepip")
    (toy.path / "pip3").unlink()
    pip = lacking.parent.parent / "without ensurepip" / "pip"
    pip.mkdir()
    start = f"import runpy\nrunpy.run_path({str(TOY_PIP)!r}, run_name='__main__')\n"
    (pip / "__main__.py").write_text(start, encoding="utf-8")
    played = toy.make("match")
    assert (played.returncode, played.stdout.endswith(PLAYED)) == (0, True)
    assert not (toy.venv / "bin" / "pip").exists()


def test_a_whole_python_needs_nothing_else_even_while_the_environment_is_activated(toy: Toy) -> None:
    probe = [BASE_PYTHON, "-m", "ensurepip", "--version"]
    if subprocess.run(probe, capture_output=True, timeout=COMMAND_LIMIT_S, check=False).returncode != 0:
        pytest.skip(f"{BASE_PYTHON} has no ensurepip")
    assert toy.make("match").returncode == 0
    toy.stamp.unlink()
    (toy.path / "pip3").unlink()
    python = str(toy.venv / "bin" / "python")
    refused = toy.command(python, "tools/project/make_venv.py")
    assert (refused.returncode, "`deactivate`" in refused.stdout) == (1, True)
    activated = {"PATH": f"{toy.venv / 'bin'}:{toy.path}", "VIRTUAL_ENV": str(toy.venv)}
    again = toy.make("match", **activated)
    assert (again.returncode, again.stdout.endswith(PLAYED)) == (0, True)
    assert (toy.venv / "bin" / "pip").exists(), "its own pip is what installed"


def test_two_at_once_do_not_meet(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_venv, "LOCK", toy.root / ".venv.lock")
    monkeypatch.setattr(make_venv, "LOCK_LIMIT_S", 0)
    with (
        make_venv.locked(),
        pytest.raises(make_venv.SetupError, match="another set-up has held"),
        make_venv.locked(),
    ):
        pytest.fail("both hold the lock")
    with make_venv.locked():
        assert (toy.root / ".venv.lock").exists()


def test_sends_an_old_python_away(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(make_venv, "PYTHON_OLDEST", (99, 0))
    assert make_venv.main([]) == 1
    assert "needs Python 3.11 or newer" in capsys.readouterr().err


def test_says_what_it_misses_in_a_checkout_that_is_not_whole(toy: Toy) -> None:
    (toy.root / "constraints.txt").unlink()
    played = toy.make("match")
    assert (played.returncode != 0, "pyproject.toml and constraints.txt are needed" in played.stdout) == (
        True,
        True,
    )


def test_says_what_it_found_where_there_is_no_python(toy: Toy) -> None:
    (toy.path / "python3").unlink()
    played = toy.make("match")
    assert (played.returncode != 0, "needs Python 3.11 or newer" in played.stdout) == (True, True)
    assert not toy.venv.exists()
