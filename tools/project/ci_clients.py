"""Proves the libraries for bots in other languages; arguments are languages, and `together`. Without arguments: all of it.

For each language: a project of `mergemaker new` that is built, tested and plays; the generated code, if it is
committed: it must match the .proto files; its own checks and unit tests; `mergemaker conform` with both example bots.
`together`: the same games as Python's bots (`ci_parity.py`), and a match between all languages. A missing toolchain is a
failure that is named.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import ci_conform
import ci_parity
from make_venv import ROOT

TOOLCHAINS: Final = {
    "python": (),
    "typescript": ("node", "npm"),
    "go": ("go",),
    "rust": ("cargo", "cc"),
    "java": ("java", "javac", "mvn"),
}
"""What must be there for each language."""
GET: Final = {
    "node": "Node.js 20 or newer",
    "npm": "npm, which comes with Node.js",
    "go": "Go, in the version that clients/go/go.mod names",
    "cargo": "Rust with cargo, by rustup",
    "cc": "a C compiler and linker, such as gcc",
    "java": "a JDK, 17 or newer",
    "javac": "a JDK, 17 or newer, not the runtime alone",
    "mvn": "Maven 3.8 or newer",
}
TOGETHER: Final = "together"
SHARED: Final = {
    # Where a new project finds what its library needs ready-built; building it takes more than a minute.
    "CARGO_TARGET_DIR": str(ROOT / "clients" / "rust" / "target"),
    # Maven lives for seconds: the second compiler would take more than half of its time, and never pay.
    "MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""The environment of all programs that are started here, beside the usual one."""
BUILT: Final = {"typescript": "dist/.built", "go": "build/stamp", "rust": "target/.built", "java": "target/built"}
"""The files that exist after a language's example bots are built."""
KEPT_CLASSES: Final = ROOT / "clients" / "java" / "target" / "bots.jsa"
TYPICAL_CASE: Final = "decisions-classic-4"
"""A case in which a bot loads what it loads in all others: it connects, and answers questions of most kinds."""
LIMIT_S: Final = 1_200
"""For any program that is started here, such as a first build with its downloads."""
_UNIT_TESTS: Final = re.compile(r"^\w+: (\d+) passed$", re.MULTILINE)


class Failed(Exception):
    """A check failed; its output has been shown."""


def program(*command: str | Path, cwd: Path = ROOT, errors: int = subprocess.STDOUT) -> str:
    """Runs a program and returns what it wrote; if it fails, shows that. `errors` says where its standard error goes."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **SHARED},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        timeout=LIMIT_S,
        check=False,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        print(done.stdout, done.stderr or "", flush=True)
        raise Failed(f"{' '.join(map(str, command))} ended with status {done.returncode}")
    return done.stdout


def mergemaker(*arguments: str | Path) -> str:
    """Runs the command of this checkout; returns its standard output alone, which may be JSON."""
    return program(sys.executable, "-m", "mergemaker_tools", *arguments, errors=subprocess.PIPE)


def missing_tools(language: str) -> str | None:
    """What this machine lacks to build a language's bots, and what to install; None if nothing is missing."""
    missing = [name for name in TOOLCHAINS[language] if shutil.which(name) is None]
    return "there is no " + " and no ".join(f"{name} (install {GET[name]})" for name in missing) if missing else None


def toolchain(language: str) -> int:
    """Checks that the toolchain of this language is installed."""
    if missing := missing_tools(language):
        raise Failed(missing)
    return 1


def generated(language: str) -> int:
    """Compares the generated code with the .proto files."""
    program(ROOT / "clients" / language / "generate", "--check")
    return 1


def own_checks(language: str) -> int:
    """Runs formatter, linter and unit tests; returns how many unit tests passed."""
    found = _UNIT_TESTS.findall(program(ROOT / "clients" / language / "check"))
    if not found or not int(found[-1]):
        raise Failed(f"clients/{language}/check ran no test")
    return int(found[-1])


def keep_classes() -> None:
    """Lets a Java bot keep the classes that it loaded where `run` finds them: half of a bot's short life goes into loading."""
    run = ci_conform.command_of("java", "greedy")
    program(*run, "--help")  # builds it: the options below are for the bot's own Java alone
    working = KEPT_CLASSES.with_suffix(".part")  # no bot may start with half of it
    options = f"JAVA_TOOL_OPTIONS=-XX:ArchiveClassesAtExit={working}"
    program(sys.executable, "-m", "mergemaker_tools", "conform", "--case", TYPICAL_CASE, "--", "env", options, *run)
    working.replace(KEPT_CLASSES)


def conformance(language: str) -> int:
    """Runs both example bots through `mergemaker conform`; returns how many cases passed."""
    if language == "java":
        keep_classes()
    passed = 0
    for bot in ci_conform.BOTS:
        more, failed = ci_conform.conform(language, bot)
        if failed:
            raise Failed(f"{failed} cases of {bot} failed")
        passed += more
    return passed


def new_project(language: str) -> int:
    """Builds and tests a project of `mergemaker new` outside the checkout, lets it play, and compares its games with Python's."""
    with tempfile.TemporaryDirectory(prefix="mergemaker new ") as temporary:
        folder = Path(temporary) / "my-bot"
        mergemaker("new", language, folder)
        program(folder / "test", cwd=folder)
        seats = [f"'{folder / 'run'}'", "greedy", "random"]
        standings = play(*seats)
        for seat in standings:
            if seat["status"] != "finished" or seat["faults"]:
                raise Failed(f"a new {language} project's match went wrong: {seat}")
        same = ci_parity.compare_first_bot(folder / "run") if language in SAME_FIRST_BOT else 0
    return 2 + same


def play(*seats: str) -> list[dict[str, object]]:
    """Plays a match with a record, verifies that, and returns the standings."""
    with tempfile.TemporaryDirectory() as temporary:
        record = Path(temporary) / "match.jsonl"
        document = json.loads(mergemaker("match", *seats, "--clock", "slow", "--strict", "--json", "--record", record))
        mergemaker("verify", record)
    standings: list[dict[str, object]] = document["games"][0]["standings"]
    return standings


def five_languages() -> int:
    """Lets all languages play one match."""
    seats = [ci_conform.shell_command_of(language, "greedy") for language in TOOLCHAINS]
    standings = play(*seats)
    print("; ".join(f"{seat['bot']}: place {seat['place']}, ${seat['money']}" for seat in standings))
    return 1


def parity() -> int:
    """Plays the same games with all languages and with Python alone; returns how many were the same."""
    return ci_parity.compare(list(ci_parity.LANGUAGES), ci_parity.GAMES_EACH)


OF_A_LANGUAGE: Final = {
    "toolchain": toolchain,
    "new project": new_project,
    "generated code": generated,
    "own checks": own_checks,
    "conformance": conformance,
}
SAME_FIRST_BOT: Final = ("typescript", "go")
"""The languages, beside Python, whose new projects have the bot of clients/python/FIRST.md."""
OF_PYTHON: Final = ("new project",)
"""`make test` and `ci_conform.py` check the rest of Python's client."""
OF_JAVA: Final = tuple(name for name in OF_A_LANGUAGE if name != "generated code")
"""Its build makes the generated code, so there is none to compare."""


def checks(what: str) -> dict[str, Callable[[], int]]:
    """The checks of a language, or of all together."""
    if what != TOGETHER:
        names = {"python": OF_PYTHON, "java": OF_JAVA}.get(what, tuple(OF_A_LANGUAGE))
        return {name: partial(OF_A_LANGUAGE[name], what) for name in names}
    toolchains: dict[str, Callable[[], int]] = {f"toolchain for {name}": partial(toolchain, name) for name in TOOLCHAINS}
    return {**toolchains, "one match in five languages": five_languages, "the same games as Python's": parity}


def main(arguments: Sequence[str]) -> int:
    """Runs the checks that are named, or all."""
    wanted = list(arguments) or [*TOOLCHAINS, TOGETHER]
    if unknown := set(wanted) - {*TOOLCHAINS, TOGETHER}:
        print(f"there is no language {', '.join(sorted(unknown))}; there are {', '.join(TOOLCHAINS)}, and {TOGETHER}")
        return 2
    passed = failed = 0
    for what in wanted:
        for name, check in checks(what).items():
            began = time.monotonic()
            try:
                number = check()
            except (Failed, subprocess.TimeoutExpired) as problem:
                failed += 1
                print(f"{what}: {name}: FAILED: {problem}", flush=True)
                if name == "toolchain":
                    break
            else:
                passed += number
                print(f"{what}: {name}: {number} passed, {time.monotonic() - began:.1f} s", flush=True)
    print(f"clients: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
