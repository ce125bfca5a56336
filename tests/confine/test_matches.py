"""Whole matches with confined bots, by the command: the match continues whatever a bot does, and reports it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.confine import FULL
from tests.confine.confined_bots import LIMIT_S, Bots

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="confining needs Linux")
full = pytest.mark.skipif(not FULL, reason="CI's step confine has it")

MATCH_LIMIT_S = 5 * LIMIT_S
PLAYS = "from mergemaker_client import Bot, run\n"
DEFAULTS = "class Plays(Bot):\n    def answer(self, turn):\n{}        return turn.default\nrun(Plays)\n"
GOOD = PLAYS + DEFAULTS.format("")
LOOKS_FOR_TOKENS = (
    "import os, socket, sys\n"
    "found = []\n"
    "for folder, _, files in os.walk(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))):\n"
    "    found += files\n"
    "for process in filter(str.isdigit, os.listdir('/proc')):\n"
    "    try:\n"
    "        with open(f'/proc/{process}/environ') as file:\n"
    "            found += [each for each in file.read().split(chr(0)) if 'TOKEN' in each]\n"
    "    except PermissionError:\n"
    "        found.append('not for us')\n"
    "own = 'MERGEMAKER_TOKEN=' + os.environ['MERGEMAKER_TOKEN']\n"
    "print([each for each in found if each != own], file=sys.stderr)\n"
) + GOOD
HOG = PLAYS + DEFAULTS.format("        if turn.number > 4: held = bytearray(b'x' * 400_000_000)\n")
BOMB = PLAYS + DEFAULTS.format(
    "        if turn.number == 5:\n"
    "            import os, time\n"
    "            for _ in range(100):\n"
    "                if os.fork() == 0: time.sleep(300); os._exit(0)\n"
)


def _match(folder: Path, *arguments: str, before: Sequence[str] = (), **variables: str) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-P", "-m", "mergemaker_tools", "match", *arguments]
    environment = {**os.environ, "TMPDIR": str(folder), **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=MATCH_LIMIT_S, check=False
    )


@pytest.mark.larger
@full
def test_a_match_with_three_attackers_is_played_to_its_end_and_tells_of_them(tmp_path: Path) -> None:
    bots = Bots(tmp_path)
    bots.confining((sys.executable, "-c", ""))  # or skips the test
    seats = [bots.script(name, text)[1] for name, text in (("a", LOOKS_FOR_TOKENS), ("b", HOG), ("c", BOMB), ("d", GOOD))]
    limits = ("--confine", "--confine-memory", "200", "--confine-processes", "40")
    clock = ("--clock", "mine:allowance=500,bank=5000,startup=120000")
    proxies = {"http_proxy": "http://127.0.0.1:9", "grpc_proxy": "http://127.0.0.1:9"}
    played = _match(tmp_path, *seats, *limits, *clock, "--json", "--logs", "logs", **proxies)
    assert played.returncode == 0, played.stderr
    told = json.loads(played.stdout)
    assert told["confined"]["form"] == "full"
    looked, hog, bomb, good = _troubles(told)
    places = {trouble["where"] for trouble in looked if trouble["kind"] == "looked"}
    assert {"the folder of seat 1", "the folder of seat 2", "the folder of seat 3", "the folder of the records"} <= places
    assert "the first process's environment, in /proc" in places
    assert [(each["kind"], each["limit"], each["ended"]) for each in hog] == [("memory", 200 * 2**20, True)]
    assert [(each["kind"], each["limit"]) for each in bomb] == [("processes", 40)]
    assert good == []
    (log,) = (tmp_path / "logs").glob("*-seat0-*.err")
    assert log.read_text().splitlines()[0] == "['bot.py']", "another bot's file or token was found"
    standings = told["games"][0]["standings"]
    assert standings[1]["status"] == "autopilot"
    assert standings[3]["status"] == "finished"
    assert standings[3]["faults"] == {}


def _troubles(told: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [standing.get("troubles", []) for standing in told["games"][0]["standings"]]


@pytest.mark.larger
@full
def test_a_bot_that_cannot_start_confined_is_told_what_it_saw(tmp_path: Path) -> None:
    bots = Bots(tmp_path)
    bots.confining((sys.executable, "-c", ""))  # or skips the test
    _, needs = bots.script("a", "import beside")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "beside.py").write_text("")
    played = _match(tmp_path, needs, "random", "--confine", "--quiet", PYTHONPATH=str(tmp_path / "elsewhere"))
    assert played.returncode == 1
    assert f"confined, it saw {tmp_path / 'bot a'}; --confine-see FOLDER shows it more" in played.stderr
    assert "No module named 'beside'" in played.stderr


@pytest.mark.larger
@full
def test_bots_of_two_programs_are_said_to_see_each_other_once_and_not_where_it_is_not_so(tmp_path: Path) -> None:
    bots = Bots(tmp_path)
    (_, one), (_, two) = bots.script("a", GOOD), bots.script("b", GOOD)
    note = "note: local bots can read each other's files"
    played = _match(tmp_path, one, two, "--no-record", "--games", "2", "--jobs", "2")
    assert played.stderr.count(note) == 1
    assert "--confine keeps that from them" in played.stderr
    for arguments in ((one, two, "--quiet"), (one, two, "--json")):
        played = _match(tmp_path, *arguments, "--no-record")
        assert (played.returncode, note in played.stderr) == (0, False), played.stderr


@pytest.mark.larger
@full
@pytest.mark.parametrize("capability", ["setuid", "setgid", "setpcap", "net_admin", "sys_admin"])
def test_a_root_without_a_capability_that_confining_needs_is_told_which(tmp_path: Path, capability: str) -> None:
    bots = Bots(tmp_path)
    bots.confining((sys.executable, "-c", ""))  # or skips the test
    setpriv = shutil.which("setpriv")
    if os.getuid() != 0 or setpriv is None:
        pytest.skip("taking a capability from root takes root, and the program setpriv")
    _, bot = bots.script("a", GOOD)
    less = (setpriv, f"--bounding-set=-{capability}")
    played = _match(tmp_path, bot, "random", "--confine", "--quiet", "--no-record", before=less)
    assert (played.returncode, played.stdout) == (2, "")
    assert "--confine: " in played.stderr
    # Within a container, the message says how to start one that may.
    assert capability.upper() in played.stderr
