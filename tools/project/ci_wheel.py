"""Builds the wheel and tests it, in a clean environment and a folder that has no sources beside the tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ci_clean_venv import install, make_clean_venv, run_tests
from make_venv import PIP_LIMIT_S, PROBE_LIMIT_S, ROOT, pip_environment

CONSTRAINTS = ROOT / "constraints.txt"


def main() -> int:
    """Builds, installs and tests; returns pytest's status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder / "dist")
        python = make_clean_venv(folder / "venv")
        install(python, [f"mergemaker[test] @ {wheel.as_uri()}"], CONSTRAINTS, folder)
        away = folder / "away"
        shutil.copytree(ROOT / "tests", away / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", away)  # pytest's settings are in it
        see_command(python, away)
        return run_tests(python, away, "not slow and not checkout")


def build(folder: Path) -> Path:
    """Builds the source archive and from it the wheel, so that both are known to be whole."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    environment = pip_environment(CONSTRAINTS)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=PIP_LIMIT_S, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def see_command(python: Path, folder: Path) -> None:
    """Sees that the installed command runs, and that it comes from the wheel."""
    command = [str(python.with_name("mergemaker")), "--version"]
    subprocess.run(command, cwd=folder, timeout=PROBE_LIMIT_S, check=True)
    where = "import mergemaker_engine as e, mergemaker_tools as t; print(e.__file__, t.__file__, sep=chr(10))"
    answer = subprocess.run(
        [str(python), "-c", where],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PROBE_LIMIT_S,
        check=True,
    )
    for place in answer.stdout.splitlines():
        if "site-packages" not in place:
            raise SystemExit(f"the tests would not test the wheel: a package comes from {place}")


if __name__ == "__main__":
    sys.exit(main())
