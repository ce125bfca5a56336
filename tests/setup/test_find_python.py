"""Which Python the set-up takes, with fake ones on a private PATH."""

import subprocess
from pathlib import Path

import pytest
from toy_checkout import BASE_PYTHON, CHECKOUT, COMMAND_LIMIT_S, write_program

SCRIPT = CHECKOUT / "tools" / "project" / "find-python.sh"


def fake_python(folder: Path, name: str, version: tuple[int, int, int], before: str = "") -> str:
    """A real Python that claims another version and returns its claimed path."""
    claims = f"/fake/{name}"
    info = (*version, "final", 0)
    disguise = f"import sys; sys.version_info = {info}; sys._base_executable = '{claims}'; exec(sys.argv[1])"
    write_program(folder / name, f'{before}\nexec \'{BASE_PYTHON}\' -c "{disguise}" "$2"')
    return claims


def find(path: Path, script: Path = SCRIPT, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(script)],
        env={"PATH": str(path), **settings},
        capture_output=True,
        text=True,
        timeout=COMMAND_LIMIT_S,
        check=False,
    )


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The script in a checkout that has no .venv yet."""
    copy = tmp_path / "a checkout" / "tools" / "project" / "find-python.sh"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(SCRIPT.read_bytes())
    return copy


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (["python3", "python3.11", "python3.12", "python3.13", "python3.14"], "python3.14"),
        (["python3", "python3.11", "python3.12"], "python3.12"),
        (["python3", "python3.11"], "python3.11"),
        (["python3"], "python3"),
    ],
)
def test_takes_the_newest(bare_path: Path, script: Path, names: list[str], taken: str) -> None:
    for name in names:
        fake_python(bare_path, name, (3, 11, 0))
    found = find(bare_path, script)
    assert (found.returncode, found.stdout, found.stderr) == (0, f"/fake/{taken}\n", "")


def test_passes_over_one_that_does_not_run(bare_path: Path, script: Path) -> None:
    write_program(bare_path / "python3.13", "echo 'pyenv: python3.13: command not found' >&2; exit 127")
    claims = fake_python(bare_path, "python3.11", (3, 11, 2))
    assert find(bare_path, script).stdout == f"{claims}\n"


def test_passes_over_one_that_is_too_old(bare_path: Path, script: Path) -> None:
    fake_python(bare_path, "python3", (3, 10, 13))
    assert find(bare_path, script).returncode == 1
    claims = fake_python(bare_path, "python3.12", (3, 12, 1))
    assert find(bare_path, script).stdout == f"{claims}\n"


def test_says_what_it_found_if_none_will_do(bare_path: Path, script: Path) -> None:
    write_program(bare_path / "python3.13", "echo; echo 'pyenv: no such version' >&2; exit 127")
    fake_python(bare_path, "python3", (3, 9, 18))
    found = find(bare_path, script)
    assert (found.returncode, found.stdout) == (1, "")
    assert "needs Python 3.11 or newer" in found.stderr
    assert f"python3.13 ({bare_path}/python3.13) does not run: pyenv: no such version" in found.stderr
    assert f"python3 ({bare_path}/python3) is Python 3.9.18, too old" in found.stderr
    assert "make PYTHON=" in found.stderr


def test_says_so_if_there_is_none_at_all(bare_path: Path, script: Path) -> None:
    found = find(bare_path, script)
    assert (found.returncode, found.stdout) == (1, "")
    assert "nothing by the names" in found.stderr


def test_takes_the_one_that_was_asked_for(bare_path: Path, script: Path, tmp_path: Path) -> None:
    fake_python(bare_path, "python3.14", (3, 14, 0))
    claims = fake_python(tmp_path, "my python", (3, 11, 0))
    found = find(bare_path, script, PYTHON=str(tmp_path / "my python"))
    assert (found.returncode, found.stdout) == (0, f"{claims}\n")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("python3.10", "is Python 3.10.1, too old"),
        ("python9", "no such command"),
        ("python3.12", "does not run"),
    ],
)
def test_takes_no_other_than_was_asked_for(bare_path: Path, script: Path, asked: str, why: str) -> None:
    fake_python(bare_path, "python3.14", (3, 14, 0))
    fake_python(bare_path, "python3.10", (3, 10, 1))
    write_program(bare_path / "python3.12", "exit 127")
    found = find(bare_path, script, PYTHON=asked)
    assert (found.returncode, found.stdout) == (1, "")
    assert f"PYTHON={asked} will not do" in found.stderr
    assert why in found.stderr


def test_is_not_misled_by_what_a_wrapper_prints(bare_path: Path, script: Path) -> None:
    claims = fake_python(bare_path, "python3", (3, 11, 0), before="echo note; echo warning >&2")
    assert find(bare_path, script).stdout == f"{claims}\n"


def test_keeps_the_python_that_the_environment_was_made_with(bare_path: Path, script: Path) -> None:
    fake_python(bare_path, "python3.14", (3, 14, 0))
    venv_bin = script.parent.parent.parent / ".venv" / "bin"
    venv_bin.mkdir(parents=True)
    claims = fake_python(venv_bin, "python", (3, 12, 0))
    assert find(bare_path, script).stdout == f"{claims}\n"
    assert find(bare_path, script, PYTHON="python3.14").stdout == "/fake/python3.14\n"
    write_program(venv_bin / "python", "exit 1")
    assert find(bare_path, script).stdout == "/fake/python3.14\n"
