"""A bot's file as a process: it plays its match, takes signals, and ends as it should."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mergemaker_testkit.toy_referee import TOKEN, ToyReferee, toy_referee

LIMIT_S = 30


@pytest.fixture
def toy() -> Iterator[ToyReferee]:
    with toy_referee() as toy:
        yield toy


EXAMPLES = sorted((Path(__file__).parents[2] / "clients" / "python" / "examples").glob("*.py"))
BOT_FILE = """
    from mergemaker_client import Bot, run

    class Mine(Bot):
        def answer(self, turn):
            if turn.number == 2:
                print("thinking", flush=True)
                {wait}
            return turn.default

    if __name__ == "__main__":
        run(Mine)
"""


@contextmanager
def start(tmp_path: Path, toy: ToyReferee, wait: str) -> Iterator["subprocess.Popen[str]"]:
    path = tmp_path / "bot.py"
    path.write_text(textwrap.dedent(BOT_FILE).format(wait=wait), encoding="utf-8")
    variables = {**os.environ, "MERGEMAKER_SERVER": toy.target, "MERGEMAKER_TOKEN": TOKEN}
    command = [sys.executable, str(path)]
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()  # otherwise, the test would wait forever for a bot that does not end


def test_a_bots_file_plays_its_match_and_ends_with_0(tmp_path: Path, toy: ToyReferee) -> None:
    with start(tmp_path, toy, "pass") as process:
        _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0
    assert "match toy-0 is over: declared; place " in errors
    assert toy.matches[0].ended


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_plays_a_match(example: Path, toy: ToyReferee) -> None:
    variables = {**os.environ, "MERGEMAKER_SERVER": toy.target, "MERGEMAKER_TOKEN": TOKEN}
    done = subprocess.run(
        [sys.executable, str(example)], env=variables, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("mergemaker: match toy-0 is over: declared; place ")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals for a single process")
@pytest.mark.parametrize(
    ("number", "status", "said"), [(signal.SIGTERM, 0, ""), (signal.SIGINT, 130, "mergemaker: interrupted\n")]
)
def test_a_signal_ends_a_thinking_bot_cleanly(tmp_path: Path, toy: ToyReferee, number: int, status: int, said: str) -> None:
    with start(tmp_path, toy, "import threading; threading.Event().wait()") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "thinking\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, errors) == (status, said)
