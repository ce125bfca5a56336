"""Makes `.venv` in the checkout and installs Mergemaker in it, unless this has been done already.

Standard library only, and the same on Linux, macOS and Windows. `make` runs it with a Python that
find-python.sh found; without make it is run as `python3 tools/project/make_venv.py` (Windows: `py -3 ...`).

A stamp inside `.venv` is written last. If it is missing, or differs from what is wanted now,
the environment is made anew or brought up to date; otherwise nothing is installed and no network is used.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"
VENV_BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
VENV_PYTHON = VENV_BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "mergemaker-setup.json"
PIP_LOG = VENV / "mergemaker-pip.log"
LOCK = ROOT / ".venv.lock"

PYTHON_OLDEST = (3, 11)
PIP_OLDEST_FOR_OTHER_PYTHONS = (22, 3)
"""The first pip with the option --python."""

PROBE_LIMIT_S = 60
VENV_LIMIT_S = 300
PIP_LIMIT_S = 1800
LOCK_LIMIT_S = 900
LOCK_POLL_S = 0.2

# A user's settings that would install packages elsewhere than in .venv.
DIVERTING = ("PYTHONHOME", "PYTHONPATH", "PIP_PREFIX", "PIP_ROOT", "PIP_TARGET", "PIP_USER")

OTHER_PYTHON = "choose another Python: make PYTHON=/path/to/python3.12 ..."

PROBE = """
import importlib.util, json, sys
from importlib import metadata
print(json.dumps({
    "prefix": sys.prefix,
    "importable": importlib.util.find_spec("mergemaker_tools") is not None,
    # pip itself may be upgraded at will.
    "installed": sorted({f"{d.name}=={d.version}" for d in metadata.distributions() if d.name != "pip"}),
}))
"""


class SetupError(Exception):
    """Set-up cannot go on; the text says what to do."""


@dataclass(frozen=True)  # without slots, so that a Python before 3.10 gets as far as being refused
class Stamp:
    """What an environment was made from, and its contents."""

    checkout: str
    python: str
    project: str
    extras: list[str]
    installed: list[str]


def main(argv: Sequence[str] | None = None) -> int:
    """Sets up what the arguments request and returns the exit status."""
    parser = argparse.ArgumentParser(description="Makes .venv and installs Mergemaker in it.")
    parser.add_argument("--extra", action="append", default=[], help="install this, too (dev: what tests need)")
    arguments = parser.parse_args(argv)
    if sys.version_info < PYTHON_OLDEST:
        say(f"Mergemaker needs Python 3.11 or newer; {sys.executable} is {platform.python_version()}.")
        return 1
    try:
        with locked():
            set_up(sorted(set(arguments.extra)))
    except SetupError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next run starts over")
        return 130
    return 0


def set_up(extras: list[str]) -> None:
    """Leaves `.venv` with Mergemaker and at least `extras` in it."""
    project = project_digest()
    stamp = sound_stamp()
    if stamp is not None:
        if stamp.project == project and set(extras) <= set(stamp.extras):
            return
        extras = sorted(set(extras) | set(stamp.extras))
        say(f"bringing .venv up to date{with_extras(extras)}")
        STAMP.unlink()
        pip = pip_within() or pip_outside(VENV_PYTHON)
    else:
        say(f"making .venv with Python {platform.python_version()} ({sys.executable}){with_extras(extras)}")
        pip = make_venv()
    install(pip, extras)
    found = probe()
    if found is None or not found["importable"]:
        raise SetupError(f"pip ended well, but {VENV_PYTHON} cannot import mergemaker_tools; see {PIP_LOG}")
    write_stamp(Stamp(str(ROOT), this_python(), project, extras, found["installed"]))


def sound_stamp() -> Stamp | None:
    """The stamp of a complete `.venv` that was made here, for any version of the project, or None."""
    try:
        stamp = Stamp(**json.loads(STAMP.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # none, cut short, or written by another version of this script
        return None
    if stamp.checkout != str(ROOT) or stamp.python != this_python():
        return None
    found = probe()
    if found is None or not found["importable"] or not set(stamp.installed) <= set(found["installed"]):
        return None
    return stamp


def probe() -> dict[str, Any] | None:
    """The environment as its own Python reports it; None if it does not run or is not in this `.venv`."""
    answer = answer_of([str(VENV_PYTHON), "-I", "-c", PROBE])
    if answer is None:
        return None
    found: dict[str, Any] = json.loads(answer)
    return found if Path(found["prefix"]).resolve() == VENV.resolve() else None


def write_stamp(stamp: Stamp) -> None:
    """Marks the environment as complete, atomically."""
    half = STAMP.with_suffix(".half")
    half.write_text(json.dumps(asdict(stamp), indent=1) + "\n", encoding="utf-8")
    half.replace(STAMP)


def this_python() -> str:
    """The interpreter that `.venv` is made from, followed through links and environments."""
    base: str = getattr(sys, "_base_executable", None) or sys.executable
    return f"{sys.implementation.cache_tag} {os.path.realpath(base)}"


def project_digest() -> str:
    """A digest of all that determines what is installed; settings of linters and tests do not."""
    import tomllib  # noqa: PLC0415 - older Pythons, which main() refuses, have no such module

    try:
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"pyproject.toml and constraints.txt are needed in {ROOT}: {error}") from error
    installed = [settings.get("build-system"), settings.get("project"), settings.get("tool", {}).get("hatch")]
    return hashlib.sha256(json.dumps([installed, constraints], sort_keys=True).encode()).hexdigest()


def make_venv() -> list[str]:
    """Makes an empty environment and returns the pip command that installs into it."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        raise SetupError("this Python is part of the .venv that has to be made anew: `deactivate`, then try again")
    remove_venv()
    if answer_of([sys.executable, "-m", "venv", "--help"]) is None:
        raise SetupError(f"this Python has no venv module. {apt_line()}")
    if answer_of([sys.executable, "-m", "ensurepip", "--version"]) is not None:
        run([sys.executable, "-m", "venv", str(VENV)], limit_s=VENV_LIMIT_S)
        return [str(VENV_PYTHON), "-m", "pip"]
    pip = pip_outside(VENV_PYTHON)  # first, so that nothing incomplete is left without a pip
    run([sys.executable, "-m", "venv", "--without-pip", str(VENV)], limit_s=VENV_LIMIT_S)
    return pip


def remove_venv() -> None:
    """Removes whatever stands where the environment goes."""
    try:
        if VENV.is_symlink() or VENV.is_file():
            VENV.unlink()
        elif VENV.exists():
            shutil.rmtree(VENV)
    except OSError as error:
        text = f"the old .venv cannot be removed ({error}). End what uses it, then try again."
        raise SetupError(text) from error


def pip_within() -> list[str] | None:
    """The pip of the environment, if it has one."""
    pip = [str(VENV_PYTHON), "-m", "pip"]
    return pip if answer_of([*pip, "--version"]) is not None else None


def pip_outside(python: Path) -> list[str]:
    """A pip that installs into the environment of another Python; a helpful error if there is none."""
    for pip in ([sys.executable, "-m", "pip"], ["pip3"], ["pip"]):
        version = re.match(r"pip (\d+)\.(\d+)", answer_of([*pip, "--version"]) or "")
        if version and (int(version[1]), int(version[2])) >= PIP_OLDEST_FOR_OTHER_PYTHONS:
            return [*pip, "--python", str(python)]
    raise SetupError(f"this Python has no ensurepip, and no pip 22.3 or newer to stand in for it. {apt_line()}")


def apt_line() -> str:
    """How to install the parts of Python that Debian and its derivatives package separately."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    return f"On Debian and Ubuntu:\n\n    sudo apt install {package}\n\nElsewhere {OTHER_PYTHON}"


def install(pip: list[str], extras: list[str]) -> None:
    """Installs the checkout, editable, with its dependencies in the versions that constraints.txt names."""
    constraints = ROOT / "constraints.txt"
    target = f".[{','.join(extras)}]" if extras else "."
    command = [*pip, "--log", str(PIP_LOG), "install", "--editable", target, "--constraint", str(constraints)]
    command += ["--only-binary=:all:", "--no-compile"]  # compiled at first use; most of it is never used
    command += ["--quiet", "--progress-bar", "off", "--no-input", "--disable-pip-version-check"]
    try:
        run(command, limit_s=PIP_LIMIT_S, environment=pip_environment(constraints))
    except SetupError as error:
        raise SetupError(f"{error}\n{why_pip_failed()}") from error


def pip_environment(constraints: Path) -> dict[str, str]:
    """The environment for pip: it installs where requested, and also builds with constrained versions."""
    environment = straight_environment()
    # The first is for pip 25.3 and newer, the second before that. pip splits them at spaces: hence a URI.
    environment["PIP_BUILD_CONSTRAINT"] = environment["PIP_CONSTRAINT"] = constraints.as_uri()
    return environment


def straight_environment() -> dict[str, str]:
    """The environment without what would divert Python and pip."""
    return {name: value for name, value in os.environ.items() if name not in DIVERTING}


def why_pip_failed() -> str:
    """What to do about a failed installation, as far as pip's log tells."""
    log = PIP_LOG.read_text(encoding="utf-8", errors="replace") if PIP_LOG.exists() else ""
    missing = re.search(r"No matching distribution found for (\S+)|The user requested \(constraint\) (\S+)", log)
    if missing and "Could not fetch URL" not in log and "Retrying" not in log:
        here = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
        wanted = missing[1] or missing[2]
        return (
            f"There is no ready-made wheel of {wanted} that fits pyproject.toml and {here}. "
            f"Nothing is compiled here: {OTHER_PYTHON}"
        )
    return f"The packages could not be fetched or installed. Is there a network? pip's own account: {PIP_LOG}"


def run(command: list[str], *, limit_s: float, environment: dict[str, str] | None = None) -> None:
    """Runs a command in the checkout, its output shown; an error if it fails or takes too long."""
    try:
        subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, timeout=limit_s, check=True)
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"`{' '.join(command)}` did not end within {limit_s:.0f} seconds") from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(f"`{' '.join(command)}` failed: {error}") from error


def answer_of(command: list[str]) -> str | None:
    """The output of a command; None if it does not run, fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            env=straight_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


@contextmanager
def locked() -> Iterator[None]:
    """Holds the checkout's lock, so that two set-ups at once do not make one broken `.venv`."""
    deadline = time.monotonic() + LOCK_LIMIT_S
    told = False
    with LOCK.open("a") as lock:
        while not take(lock.fileno()):
            if time.monotonic() > deadline:
                raise SetupError(f"another set-up has held {LOCK} for {LOCK_LIMIT_S} s: end it, then try again")
            if not told:
                say("waiting for another set-up to end")
                told = True
            time.sleep(LOCK_POLL_S)
        yield  # closing the file, or the end of the process, releases the lock


def take(descriptor: int) -> bool:
    """Takes the lock on an open file if it is free."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - exists elsewhere only

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def with_extras(extras: list[str]) -> str:
    """How messages name what else is installed."""
    return f", with {', '.join(extras)}" if extras else ""


def say(text: str) -> None:
    """Tells the user what is being done; results are never printed here."""
    print(f"set-up: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
