"""A toy checkout with the real Makefile and set-up, which gets packages from a folder, not from a network."""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent
BASE_PYTHON: str = getattr(sys, "_base_executable", None) or sys.executable
COMMAND_LIMIT_S = 120
TOY_PIP = Path(__file__).with_name("toy_pip.py")

# What make and find-python.sh call, besides a Python.
POSIX_TOOLS = ("sh", "sed", "grep", "head", "dirname", "cat", "rm", "make")

PYPROJECT = """
[build-system]
requires = ["kiln"]
build-backend = "toy_backend"
backend-path = ["."]

[project]
name = "mergemaker"
version = "0.1.0"
"""
CLI = """
import sys
import leaf

def main():
    print("leaf", leaf.VERSION, *sys.argv[1:], sep="|")
"""
PYTEST_STAND_IN = """
import sys
import twig

print("twig", twig.VERSION, "compiles each time" if sys.dont_write_bytecode else "compiles once", *sys.argv[1:], sep="|")
"""


@dataclass(frozen=True)
class Toy:
    """A checkout in which commands run with their own PATH and packages."""

    root: Path
    path: Path
    wheels: Path

    def command(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end; `stdout` has the output of both streams."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
        own = {
            "PATH": str(self.path),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PYTHON": "python3",
        }
        return subprocess.run(
            words,
            cwd=self.root,
            env=kept | own | settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_LIMIT_S,
            check=False,
        )

    def make(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return self.command("make", "--no-print-directory", *words, **settings)

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def stamp(self) -> Path:
        return self.venv / "mergemaker-setup.json"

    def unplug(self) -> None:
        """Takes the packages away: from now on, every installation fails."""
        shutil.rmtree(self.wheels)


def write_program(path: Path, text: str) -> Path:
    """Writes an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def write_wheel(folder: Path, name: str, version: str, tag: str = "py3-none-any") -> None:
    """Writes a wheel of one module that knows its version."""
    info = f"{name}-{version}.dist-info"
    members = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: toy\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    members[f"{info}/RECORD"] = "".join(f"{member},,\n" for member in [*members, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-{tag}.whl", "w") as wheel:
        for member, text in members.items():
            wheel.writestr(member, text)


def working_pip() -> str:
    """A shell command for a pip that can install into other environments."""
    for python in (BASE_PYTHON, sys.executable):
        probe = [
            python,
            "-c",
            "import pip; assert tuple(map(int, pip.__version__.split('.')[:2])) >= (22, 3)",
        ]
        if subprocess.run(probe, capture_output=True, timeout=COMMAND_LIMIT_S, check=False).returncode == 0:
            return f"'{python}' -m pip"
    pytest.skip("neither this Python nor the one it comes from has a pip 22.3 or newer")


def lay_toy(folder: Path, path: Path) -> Toy:
    """Makes a toy checkout in a folder with a space in its name."""
    root = folder / "my games"
    shutil.copytree(CHECKOUT / "tools" / "project", root / "tools" / "project")
    shutil.copy(CHECKOUT / "Makefile", root)
    shutil.copy(Path(__file__).with_name("toy_backend.py"), root)
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (root / "constraints.txt").write_text("kiln==1.0\nleaf==1.0\ntwig==1.0\n", encoding="utf-8")
    package = root / "tools" / "mergemaker_tools"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "cli.py").write_text(CLI, encoding="utf-8")
    (root / "pytest.py").write_text(PYTEST_STAND_IN, encoding="utf-8")
    wheels = folder / "wheels"
    wheels.mkdir()
    for name in ("kiln", "leaf", "twig"):
        for version in ("1.0", "2.0"):
            write_wheel(wheels, name, version)
    return Toy(root, path, wheels)
