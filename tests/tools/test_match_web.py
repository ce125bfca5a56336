"""`mergemaker match --web`: the match's page while it is played and afterwards, until Ctrl-C."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Final

import pytest

LIMIT_S: Final = 120
"""A guard against a hang."""
HIDDEN: Final = ("DISPLAY", "WAYLAND_DISPLAY")


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C reaches a process of its own differently on Windows")
def test_the_page_of_a_match_stays_until_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mergemaker_tools", "match", "greedy", "random", "--web", "--pace", "0", "--quiet"]
    kept = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    with subprocess.Popen(command, cwd=tmp_path, env=kept, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        while "until Ctrl-C" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        found = re.search(r"http://127\.0\.0\.1:[0-9]+/match/[0-9a-f]+", said)
        assert found is not None, said
        with urllib.request.urlopen(found[0], timeout=LIMIT_S) as page:  # noqa: S310 - of the loopback
            assert b"Download the record" in page.read()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, errors) == (0, "")
    assert "greedy" in out


@pytest.mark.parametrize("more", [["--games", "2"], ["--json"]])
def test_what_does_not_go_together_is_said(run: Any, more: list[str]) -> None:
    assert "--web shows one match of bots in the browser" in run("match", "greedy", "random", "--web", *more).err
