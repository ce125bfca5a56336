"""A page whose stream is lost comes back by itself, and asks for what it missed: under timers that the test moves."""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from mergemaker_web.server.stream import _BEAT
from toy_checkout import COMMAND_LIMIT_S


def test_a_lost_stream_comes_back_where_it_was_lost() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node on the PATH, which this machine has not")
    script = Path(__file__).with_name("lost_stream.mjs")
    module = str(files("mergemaker_web") / "server" / "static" / "streams.js")
    done = subprocess.run([node, str(script), module], capture_output=True, text=True, timeout=COMMAND_LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["addresses"] == ["stream?match=m%3A3", "stream?match=m%3A5", "stream?match=m%3A5", "stream?match=m%3A5"]
    assert found["closed"] == [True] * 4
    # Lost twice in a row, open again, lost without a word, and open again.
    assert found["states"] == [False, "events", True, True, False, True, False]
    first, second, third = found["waits"]
    for wait_ms, usual_ms in ((first, 500), (second, 1_000), (third, 500)):
        assert usual_ms * 0.75 <= wait_ms <= usual_ms * 1.25
    assert found["quiet"] == 35_000
    assert (found["timersWhileOpen"], found["left"]) == (1, 0)


def test_a_beat_is_an_event_that_scripts_hear() -> None:
    assert _BEAT.startswith(b"event: beat\ndata: ")
    assert _BEAT.endswith(b"\n\n")
