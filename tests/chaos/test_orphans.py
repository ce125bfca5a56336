"""Crashing bots leave nothing behind. CI plays a few matches, `python -m tests.chaos.orphans` any number."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.crashing_bot import HOW
from tests.chaos.orphans import PROC, end, look_for_orphans, marked
from tests.chaos.server_process import until
from tests.chaos.shares import full_only

pytestmark = [
    full_only,
    pytest.mark.larger,
    pytest.mark.slow,
    pytest.mark.checkout,
    pytest.mark.skipif(not PROC.is_dir(), reason="processes are found in /proc, which is Linux's"),
]


def test_nothing_is_left_of_bots_that_crash(tmp_path: Path) -> None:
    assert not look_for_orphans(tmp_path, len(HOW), print, per_command=1)


def test_what_is_left_is_found() -> None:
    mark = "mark-of-a-test"
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", mark]) as process:
        until(lambda: bool(marked(mark)), "it is found")
        end(marked(mark))
        assert process.wait(60) == -9
    assert not marked(mark)
