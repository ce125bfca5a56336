"""The same play makes the same record, to the byte, on every Python, whatever order its sets and hashes have."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import mergemaker_engine
import mergemaker_table
import mergemaker_testkit
import pytest

LIMIT_S: Final = 300
"""A guard against a hang."""
MINORS: Final = (11, 12, 13, 14)
HASH_SEEDS: Final = ("1", "2")
PLACES: Final = os.pathsep.join(
    str(Path(package.__file__ or "").parents[1]) for package in (mergemaker_engine, mergemaker_table, mergemaker_testkit)
)
PLAY: Final = """
import hashlib
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_table import Table
from mergemaker_table.inputs import AnswerIndex
from mergemaker_testkit.table_driver import Said, TableDriver, random_player, request_chance, table_setup


def unsteady(request, nonce, refused):
    chance = request_chance(request, nonce).below(20)
    if chance == 0:
        return None
    if chance == 1:
        return Said(AnswerIndex(10**6), 3)
    return Said(random_player(request, nonce, refused).answer, chance * 10, "\\u00e9 \\U0001f600")


for number, name in enumerate(sorted(PRESETS)[:5]):
    setup = table_setup(preset(name), 2 + number % 5, mode=tuple(DealMode)[number % 3], seed=bytes([number]) * 32)
    driver = TableDriver(Table(setup), [unsteady] * setup.seats)
    driver.play()
    print(name, len(driver.lines), hashlib.sha256(b"".join(driver.lines)).hexdigest())
"""


def _others() -> dict[int, str]:
    """Available Pythons, by their minor version."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = {}
    for minor in MINORS:
        name = f"python3.{minor}"
        for python in (shutil.which(name), *map(str, sorted(root.glob(f"3.{minor}.*/bin/{name}")))):
            if python and _played(python, "0", "import sys; print(sys.version_info[1])") == f"{minor}\n":
                found[minor] = python
    return found


def _played(python: str, hash_seed: str, program: str = PLAY) -> str:
    variables = {**os.environ, "PYTHONPATH": PLACES, "PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [python, "-X", "utf8", "-c", program], env=variables, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    return done.stdout if not done.returncode else f"status {done.returncode}: {done.stderr}"


@pytest.mark.checkout
def test_the_same_play_is_the_same_record_on_every_python_there_is() -> None:
    told = _played(sys.executable, "0")
    assert told.count("\n") == 5, told
    others = _others()
    others.pop(sys.version_info[1], None)
    for hash_seed in HASH_SEEDS:
        assert _played(sys.executable, hash_seed) == told
    for python in others.values():
        assert _played(python, "3") == told, python
    print("compared with", *others.values())
    if not others:
        pytest.skip("this Python alone was compared, under several orders of hashes: there is no other here")
