"""A monotonic clock measures a match's time: if the time of day jumps by an hour, nothing changes."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import record_chunks

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("engine", "protos/mergemaker_wire", "referee", "clients/python")
TIME_OF_DAY = frozenset({"time", "time_ns", "now", "utcnow", "today", "localtime", "gmtime", "ctime"})
MODULES = frozenset({"time", "datetime", "date"})
OUTSIDE_MATCHES = {
    "referee/mergemaker_referee/serving.py: datetime.now": "names of files, and when a match was made",
    "referee/mergemaker_web/server/guests.py: time.time": "until which day a browser need not give the password again",
    "clients/python/mergemaker_client/trace.py: datetime.now": "when a line of a trace was written",
}
WAIT_S = 300
"""A guard against a hang."""

JUMPING = """
import datetime, sys, time

HOUR_S = 3_600
calls = 0
real, real_ns = time.time, time.time_ns


def jump():
    global calls
    calls += 1
    return HOUR_S if calls % 3 else -HOUR_S


time.time = lambda: real() + jump()
time.time_ns = lambda: real_ns() + jump() * 10**9


class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(real() + jump(), tz)


class Module:
    def __getattr__(self, name):
        return Jumping if name == "datetime" else getattr(datetime, name)


sys.modules["datetime"] = Module()
from mergemaker_tools.cli import main

status = main(sys.argv[1:])
assert calls > 0, "nobody looked at the time of day"
sys.exit(status)
"""


def _looks(path: Path) -> Iterator[str]:
    """Where a module looks at the time of day."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in TIME_OF_DAY:
            module = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
            if module in MODULES:
                yield f"{path.relative_to(ROOT)}: {module}.{node.attr}"
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            for name in node.names:
                if name.name in TIME_OF_DAY:
                    yield f"{path.relative_to(ROOT)}: {name.name}"


@pytest.mark.checkout
def test_the_time_of_day_is_looked_at_outside_matches_alone() -> None:
    found = {look for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) for look in _looks(path)}
    assert found == set(OUTSIDE_MATCHES)


@pytest.mark.slow
def test_a_time_of_day_that_jumps_by_an_hour_during_a_match_changes_nothing(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    words = ("match", "random", "random", "--clock", "fast", "--seed", "01", "--record", str(record), "--json")
    done = subprocess.run(
        [sys.executable, "-c", JUMPING, *words], cwd=tmp_path, capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    (game,) = json.loads(done.stdout)["games"]
    assert [(each["faults"], each["refused"], each["status"]) for each in game["standings"]] == [({}, 0, "finished")] * 2
    lines = verify(record_chunks(record)).record.decisions
    times = [line.run["at_ms"] for line in lines]
    assert times == sorted(times)  # type: ignore[type-var]  # numbers
    assert all(int(str(line.run.get("used_ms", 0))) < 60_000 for line in lines)
