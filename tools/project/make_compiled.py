"""Builds the wheel whose engine, table and wire are compiled, and installs it in an environment of its own.

`make compiled` builds it into `dist` and installs it in `.venv-compiled`, beside `.venv`, which stays as it is. `make release`
(`--release`) builds all that is published: the source archive, the pure wheel and the compiled one. Both need a C compiler.
"""

import argparse
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from ci_clean_venv import install, make_clean_venv
from make_venv import PIP_LIMIT_S, PROBE_LIMIT_S, ROOT, SetupError, pip_environment, run, say

CONSTRAINTS = ROOT / "constraints.txt"
DIST = ROOT / "dist"
VENV_COMPILED = ROOT / ".venv-compiled"
EXTRA = "test"
"""What is installed beside the wheel: its tests and all that it can use."""


def main(argv: Sequence[str] | None = None) -> int:
    """Does what the arguments request and returns the exit status."""
    parser = argparse.ArgumentParser(description="Builds the compiled wheel.")
    parser.add_argument("--release", action="store_true", help="build all that is published, and install nothing")
    arguments = parser.parse_args(argv)
    try:
        see_compiler()
        if arguments.release:
            build(DIST)
            build_compiled(DIST)
            say(f"{DIST} has {', '.join(sorted(path.name for path in DIST.iterdir()))}")
        else:
            say("compiling takes some two minutes")
            shutil.rmtree(VENV_COMPILED, ignore_errors=True)
            python = environment_of(build_compiled(DIST), VENV_COMPILED)
            # The benchmarks are in no wheel: they find the two builds beside each other in a checkout.
            (folder,) = (VENV_COMPILED / "lib").glob("python*/site-packages")
            (folder / "mergemaker-bench.pth").write_text(f"{ROOT / 'tools'}\n", encoding="utf-8")
            subprocess.run([str(python.with_name("mergemaker")), "--version"], timeout=PROBE_LIMIT_S, check=True)
    except SetupError as error:
        say(str(error))
        return 1
    return 0


def see_compiler() -> None:
    """Refuses to begin where there is no C compiler, or nothing for it to compile against."""
    compiler = (sysconfig.get_config_var("CC") or "cl").split()[0]
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if shutil.which(compiler) is not None and header.exists():
        return
    lacking = f"there is no {header}" if shutil.which(compiler) else f"there is no C compiler {compiler!r}"
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-dev"
    raise SetupError(
        f"{lacking}, and the compiled build needs one. On Debian and Ubuntu:\n\n    sudo apt install gcc {package}\n\n"
        f"Without it, all works with the pure build on Python {platform.python_version()}: `make match`."
    )


def build(folder: Path, *what: str, compiled: bool = False) -> None:
    """Builds the archive and the wheel, or what is named, into a folder."""
    environment = pip_environment(CONSTRAINTS)
    if compiled:
        environment["HATCH_BUILD_HOOK_ENABLE_CUSTOM"] = "true"
    command = [sys.executable, "-m", "build", *what, "--outdir", str(folder), str(ROOT)]
    run(command, limit_s=PIP_LIMIT_S, environment=environment)


def build_compiled(folder: Path) -> Path:
    """Builds the compiled wheel into a folder and returns it."""
    build(folder, "--wheel", compiled=True)
    (wheel,) = folder.glob(f"*-cp{sys.version_info[0]}{sys.version_info[1]}-*.whl")
    return wheel


def environment_of(wheel: Path, folder: Path) -> Path:
    """Makes an environment with the wheel in it, and returns its Python."""
    python = make_clean_venv(folder)
    install(python, [f"mergemaker[{EXTRA}] @ {wheel.as_uri()}"], CONSTRAINTS, ROOT)
    return python


if __name__ == "__main__":
    sys.exit(main())
