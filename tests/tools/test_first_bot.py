"""The README's first bot, in every form in which `mergemaker match` takes a bot of one's own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mergemaker_processes.texts import command_text

README = Path(__file__).parents[2] / "README.md"
LIMIT_S = 120
"""A guard against a hang, far above what a match takes."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="reads what a process says line by line, from pipes as POSIX has them")


@pytest.mark.slow
@pytest.mark.checkout
def test_the_first_bot_plays_in_every_form_that_the_readme_lists(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "my_bot.py").write_text(code)
    by_itself = command_text([sys.executable, "my_bot.py"])
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "mergemaker_tools",
            "match",
            "my_bot.py",
            by_itself,
            "my_bot:MyBot",
            "remote",
            "--json",
            "--no-record",
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as match:
        assert match.stderr is not None
        told = [match.stderr.readline().strip() for _ in range(3)]
        where = dict(line.split("=", 1) for line in told[1:])
        by_hand = subprocess.run(
            [sys.executable, "my_bot.py"], cwd=tmp_path, env={**os.environ, **where}, timeout=LIMIT_S, check=False
        )
        said, problems = match.communicate(timeout=LIMIT_S)
    assert (by_hand.returncode, match.returncode) == (0, 0), problems
    (game,) = json.loads(said)["games"]
    assert [standing["status"] for standing in game["standings"]] == ["finished"] * 4
    assert "default" not in problems
