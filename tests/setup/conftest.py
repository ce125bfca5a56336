"""Fixtures for the tests of the set-up: PATHs without a Python, crippled Pythons, toy checkouts."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from toy_checkout import BASE_PYTHON, POSIX_TOOLS, TOY_PIP, Toy, lay_toy, working_pip, write_program

# A crippled Python runs this at its start: it blocks some modules, and gives its own path if
# asked which Python it is, so the processes that it starts are crippled, too.
BLOCKS = """
import os
import sys
del os.environ["PYTHONPATH"]
for name in {missing!r}:
    sys.modules[name] = None
sys.executable = {program!r}
if sys.orig_argv[1] == "-c":
    sys._base_executable = {program!r}
"""


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A folder for PATH with POSIX's tools and no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in POSIX_TOOLS:
        place = shutil.which(tool)
        if place is None:
            pytest.skip(f"needs {tool}, which is not on the PATH")
        (folder / tool).symlink_to(place)
    return folder


@pytest.fixture
def crippled_python(bare_path: Path) -> Callable[..., Path]:
    """Puts a `python3` on the PATH that lacks some modules, as Debian's does."""

    def make(*missing: str, name: str = "python3") -> Path:
        blocks = bare_path.parent / f"without {' '.join(missing)}"
        blocks.mkdir(exist_ok=True)
        program = bare_path / name
        text = BLOCKS.format(missing=missing, program=str(program))
        (blocks / "sitecustomize.py").write_text(text, encoding="utf-8")
        return write_program(program, f"PYTHONPATH='{blocks}' exec '{BASE_PYTHON}' \"$@\"")

    return make


@pytest.fixture
def toy(tmp_path: Path, bare_path: Path, crippled_python: Callable[..., Path]) -> Toy:
    """A toy checkout. Its Python has neither ensurepip nor pip, which saves seconds; its PATH has a toy pip."""
    crippled_python("ensurepip", "pip")
    write_program(bare_path / "pip3", f"exec '{BASE_PYTHON}' '{TOY_PIP}' \"$@\"")
    return lay_toy(tmp_path, bare_path)


@pytest.fixture
def toy_with_pip(toy: Toy) -> Toy:
    """A toy checkout whose PATH has a real pip."""
    write_program(toy.path / "pip3", f'exec {working_pip()} "$@"')
    return toy
