"""Builds the wheel and tests it with the lowest versions, in a clean environment and a folder without its packages.

The newest versions are tested in the checkout (`make test`). A wheel that lacks a file fails with any versions, and code that
needs a newer version than is declared fails from a wheel as from a checkout: so one run of the tests shows both.
Arguments are pytest's, such as: ci_wheel.py tests/client
"""

import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

from ci_clean_venv import install, make_clean_venv, run_tests
from ci_versions import declared_lowest, lowest, see_versions
from make_venv import PIP_LIMIT_S, PROBE_LIMIT_S, ROOT, pip_environment

CONSTRAINTS = ROOT / "constraints.txt"

# Searches by chance in code that needs nothing but Python find in the wheel what they find in the checkout.
# The other tests of that code show that all of it is in the wheel.
MARKS = "not slow and not checkout and not (plain and hypothesis)"
# Files in which a builder describes itself and the packed files.
OF_THE_BUILDER = ("/WHEEL", "/METADATA", "/RECORD")
PROJECTS = """
import hashlib, json
from mergemaker_tools.new_project import LANGUAGES, files_of
print(json.dumps({f"{language}/{file.path}": f"{hashlib.sha256(file.content).hexdigest()} {file.is_program}"
                  for language in LANGUAGES for file in files_of(language, "sea-lion")}))
"""


def main() -> int:
    """Builds, installs and tests; returns pytest's status."""
    installed, building = declared_lowest()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        constraints = folder / "lowest.txt"
        pinned = CONSTRAINTS.read_text(encoding="utf-8")
        constraints.write_text(lowest(pinned, installed | building), encoding="utf-8")
        # The wheel is built from the source archive, which tests that both are complete.
        wheel = build(folder / "lowest", constraints)
        see_same_files(wheel, build(folder / "newest", CONSTRAINTS, "--wheel"))
        python = make_clean_venv(folder / "venv")
        install(python, [f"mergemaker[test] @ {wheel.as_uri()}"], constraints, folder)
        see_versions(python, installed)
        (archive,) = wheel.parent.glob("*.tar.gz")
        away = unpack_without_packages(archive, folder / "away")
        see_command(python, away)
        see_projects(python, away)
        return run_tests(python, away, MARKS, sys.argv[1:])


def build(folder: Path, constraints: Path, *what: str) -> Path:
    """Builds with these versions, and returns the wheel."""
    command = [sys.executable, "-m", "build", *what, "--outdir", str(folder), str(ROOT)]
    environment = pip_environment(constraints)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=PIP_LIMIT_S, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def see_same_files(one: Path, other: Path) -> None:
    """Checks that two builders packed the same files: only one of the wheels is tested."""
    first, second = files_of(one), files_of(other)
    differing = sorted(name for name in first | second if first.get(name) != second.get(name))
    if differing:
        raise SystemExit(f"the wheels of the lowest and of the newest builder differ in {', '.join(differing)}")


def files_of(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by name, without those about its builder."""
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist() if not name.endswith(OF_THE_BUILDER)}


def unpack_without_packages(archive: Path, folder: Path) -> Path:
    """Unpacks the source archive, removes the packages that are in the wheel, and returns the folder with the rest."""
    shutil.unpack_archive(archive, folder)
    (root,) = folder.iterdir()
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    for package in settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        shutil.rmtree(root / package)
    return root


def see_command(python: Path, folder: Path) -> None:
    """Checks that the installed command runs, and that it comes from the wheel."""
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


def see_projects(python: Path, folder: Path) -> None:
    """Checks that `mergemaker new` of the wheel writes, in every language, the same files as the checkout's."""
    wanted, found = projects_of(Path(sys.executable), ROOT), projects_of(python, folder)
    differing = sorted(name for name in wanted | found if wanted.get(name) != found.get(name))
    if differing or not wanted:
        raise SystemExit(
            f"`mergemaker new` of the wheel and of the checkout differ in {', '.join(differing) or 'nothing at all'}"
        )
    print(f"`mergemaker new` of the wheel writes the {len(wanted)} files that the checkout's writes", flush=True)


def projects_of(python: Path, folder: Path) -> dict[str, str]:
    """What `mergemaker new` of this Python writes in all languages: by path a file's hash, and whether it is a program."""
    answer = subprocess.run(
        [str(python), "-P", "-c", PROJECTS], cwd=folder, capture_output=True, text=True, timeout=PROBE_LIMIT_S, check=True
    )
    files: dict[str, str] = json.loads(answer.stdout)
    return files


if __name__ == "__main__":
    sys.exit(main())
