"""Commands that people can paste: they work in the folder where the shown command was started."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mergemaker_processes.texts import command_text
from mergemaker_tools.pasting import own_command

LIMIT_S = 60
posix = pytest.mark.skipif(os.name != "posix", reason="these are POSIX shells' ways")
STRANGE = ("plain", "a b", "it's", 'say "x"', "$HOME", "`x`", "a\nb", "\x1b[31m1", "ä 漢", "back\\slash\n", "", "\u202e", "-n")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The command as the set-up makes it, in a folder with a blank."""
    place = tmp_path / "a folder" / "bin" / "mergemaker"
    place.parent.mkdir(parents=True)
    place.write_text(f"#!{sys.executable}\nimport sys\nfrom mergemaker_tools.cli import main\nsys.exit(main())\n")
    place.chmod(0o755)
    return place


def shown(line: str, folder: Path, *more: Path) -> str:
    """The name that the command shows for itself if it is started in this way in a shell."""
    environment = {**os.environ, "PATH": os.pathsep.join([*map(str, more), os.environ["PATH"]])}
    done = subprocess.run(  # noqa: S602 - this tests a shell
        line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    found = re.search("`(.+) COMMAND --help` shows more", done.stdout)
    assert found, done.stdout + done.stderr
    return found[1]


def without_ours() -> str:
    """The PATH without this checkout's command."""
    places = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(place for place in places if not shutil.which("mergemaker", path=place))


@posix
@pytest.mark.parametrize(
    ("called", "proposed"),
    [
        ("mergemaker", "mergemaker"),
        ("'{folder}/bin/mergemaker'", "mergemaker"),
    ],
)
def test_on_the_path_its_name_is_enough(program: Path, called: str, proposed: str) -> None:
    folder = program.parent.parent
    assert shown(called.format(folder=folder), folder, program.parent) == proposed


@posix
@pytest.mark.parametrize(
    ("called", "proposed"),
    [
        ("bin/mergemaker", "bin/mergemaker"),
        ("cd bin; ./mergemaker", "./mergemaker"),
        ("'{folder}/bin/mergemaker'", "'{folder}/bin/mergemaker'"),
        ("'{python}' -m mergemaker_tools", "{python} -m mergemaker_tools"),
        ("cd bin; '{python}' mergemaker", "{python} -m mergemaker_tools"),
    ],
)
def test_elsewhere_it_is_called_as_it_was(monkeypatch: pytest.MonkeyPatch, program: Path, called: str, proposed: str) -> None:
    monkeypatch.setenv("PATH", without_ours())
    folder, python = program.parent.parent, sys.executable
    found = shown(called.format(folder=folder, python=python), folder)
    assert found == proposed.format(folder=folder, python=python)
    again = f"cd bin; {found}" if called.startswith("cd") else found
    assert shown(again, folder) == found, "what is proposed can be pasted"


def test_another_command_of_the_same_name_on_the_path_is_not_meant(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    other = program.parent.parent / "other" / program.name
    other.parent.mkdir()
    shutil.copy(program, other)
    monkeypatch.setenv("PATH", str(other.parent))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert own_command("verify") == command_text([str(program), "verify"])
    monkeypatch.setattr(sys, "argv", [str(other)])
    assert own_command("verify") == "mergemaker verify"


def test_called_by_another_program_it_has_its_plain_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/pytest"])
    assert own_command("replay", "a b.jsonl") == command_text(["mergemaker", "replay", "a b.jsonl"])


@posix
def test_a_shell_takes_each_word_as_it_was_meant() -> None:
    line = command_text([*STRANGE])
    assert line.isprintable()
    plain = [word for word in STRANGE if word.isprintable()]
    assert shlex.split(command_text(plain)) == plain
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash, as not every sh has $'…'")
    done = subprocess.run([bash, "-c", f"printf '%s\\0' {line}"], capture_output=True, timeout=LIMIT_S, check=True)
    assert done.stdout.decode().split("\0")[:-1] == list(STRANGE)
