"""What a confined bot sees and reaches: its own folder, itself, and the referee at its usual address."""

import json
import os
import sys
from pathlib import Path

import pytest
from mergemaker_processes.endings import Exited
from mergemaker_processes.launching import BotProcess

from tests.confine import FULL
from tests.confine.confined_bots import LIMIT_S, TOKEN, Bots, Echo, await_output, over, said

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="confining needs Linux")
full = pytest.mark.skipif(not FULL, reason="CI's step confine has it")

LOOKS = """
import json, os, socket, sys

def tried(call):
    try:
        return call()
    except OSError as error:
        return type(error).__name__

def read(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")

def written(path):
    with open(path, "w") as file:
        return file.write("x")

def reached(*address):
    with socket.create_connection(address, 5):
        return "reached"

with open(os.path.join(os.path.dirname(__file__), "others.json")) as file:
    others = json.load(file)
print(json.dumps({
    "ids": [os.getresuid(), os.getresgid(), os.getgroups()],
    "processes": sorted(name for name in os.listdir("/proc") if name.isdigit()),
    "environment of the first": tried(lambda: read("/proc/1/environ")),
    "it by its thread": tried(lambda: read("/proc/1/task/1/environ")),
    "memory of the first": tried(lambda: read("/proc/1/mem")),
    "arguments of the first": read("/proc/1/cmdline"),
    "others": {path: tried(lambda: os.listdir(path)) for path in others},
    "own": os.listdir(os.path.dirname(__file__)),
    "to own": tried(lambda: written(__file__ + "x")),
    "to the system": tried(lambda: written("/usr/x")),
    "to the root": tried(lambda: written("/x")),
    "to scratch": tried(lambda: written(os.environ["TMPDIR"] + "/x")),
    "home": os.environ["HOME"],
    "network": tried(lambda: reached("192.0.2.1", 80)),
    "other network": tried(lambda: reached("2001:db8::1", 80)),
    "other port": tried(lambda: reached("127.0.0.1", 9)),
    "machine": tried(lambda: socket.socket(40, socket.SOCK_STREAM).close()),
    "to be root": tried(lambda: os.setuid(0)),
    "token": os.environ["MERGEMAKER_TOKEN"],
    "variables": sorted(os.environ),
    "rights": [line.split()[1] for line in open("/proc/self/status") if line.startswith(("Cap", "NoNewPrivs", "Seccomp:"))],
    "groups": read("/proc/self/cgroup"),
    "files": sorted(os.listdir("/proc/self/fd")),
}))
"""


@pytest.mark.larger
@full
def test_a_bot_finds_nothing_that_is_not_its_own_and_its_looking_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMEBODYS_SECRET", "hidden")
    monkeypatch.setenv("PYTHON_API_KEY", "hidden")
    monkeypatch.setenv("https_proxy", "http://name:password@192.0.2.1")
    monkeypatch.setenv("LC_TIME", "C")
    records = tmp_path / "bot 0" / "records"
    bots = Bots(tmp_path, hidden=[("the records", records)])
    other = bots.script("1", "raise SystemExit('never started')")
    command = bots.script("0", LOOKS)
    records.mkdir()
    (records / "secret").write_text("seed")
    hidden = {"the records": records, "the folder of seat 1": Path(other[1]).parent, "the logs": tmp_path / "logs"}
    (records.parent / "others.json").write_text(json.dumps([*map(str, hidden.values())]))
    looking, _ = bots.launches(command, other)
    bot = over(BotProcess(looking))
    assert bot.poll() == Exited(0), bot.failure()
    told = said(bot)

    user = told["ids"][0][0]
    assert told["ids"] == [[user] * 3, [user] * 3, []]
    assert user not in (0, os.getuid())
    assert told["processes"] == ["1", "2"]
    assert (told["environment of the first"], told["it by its thread"]) == ("", "PermissionError")
    assert told["memory of the first"] == "PermissionError"
    assert str(tmp_path) not in told["arguments of the first"]
    assert told["others"] == {str(path): [] for path in hidden.values()}
    assert sorted(told["own"]) == ["bot.py", "others.json", "records"]
    assert [told[f"to {place}"] for place in ("own", "the system", "the root", "scratch")] == ["OSError"] * 3 + [1]
    assert told["home"] == "/tmp"  # noqa: S108 - its own
    assert [told[name] for name in ("network", "other network", "other port")] == ["OSError", "OSError", "ConnectionRefusedError"]
    assert (told["machine"], told["to be root"]) == ("OSError", "PermissionError")
    assert told["token"] == TOKEN
    assert {"SOMEBODYS_SECRET", "PYTHON_API_KEY", "https_proxy"}.isdisjoint(told["variables"])
    assert {"LC_TIME", "no_proxy", "PATH"} <= set(told["variables"])
    assert told["rights"] == ["0" * 16] * 5 + ["1", "2"]
    assert all(line.endswith(":/") for line in told["groups"].splitlines())
    assert told["files"] == ["0", "1", "2", "3"]  # the last one is for listing them

    texts = [str(trouble) for trouble in bot.troubles]
    for label in (*hidden, "the first process's environment, in /proc"):
        assert any(text.endswith(f"found nothing there: {label}") for text in texts), (label, texts)
    assert [trouble.measured for trouble in bot.troubles if trouble.kind == "network"] == [2]
    assert not any(trouble.ended for trouble in bot.troubles)


TALKS = """
import os, socket, sys, threading
host, _, port = os.environ["MERGEMAKER_SERVER"].removeprefix("grpc://").rpartition(":")
blocks = int(sys.argv[1])
wrong = []

def talk(number):
    with socket.create_connection((host.strip("[]"), int(port)), 30) as line:
        sent = bytes([number]) * 65_536 * blocks
        writer = threading.Thread(target=lambda: (line.sendall(sent), line.shutdown(socket.SHUT_WR)))
        writer.start()
        came = b"".join(iter(lambda: line.recv(65_536), b""))
        writer.join()
        if came != sent:
            wrong.append(number)

talks = [threading.Thread(target=talk, args=(number,)) for number in range(4)]
for each in talks:
    each.start()
for each in talks:
    each.join()
print("all came back" if not wrong else wrong)
"""


@pytest.mark.parametrize(("host", "blocks"), [("127.0.0.1", 1), pytest.param("::1", 100, marks=[full, pytest.mark.larger])])
def test_the_referee_is_at_its_usual_address_for_several_connections_at_once(tmp_path: Path, host: str, blocks: int) -> None:
    with Echo(host) as echo:
        bots = Bots(tmp_path, server=echo.address)
        (launch,) = bots.launches([*bots.script("0", TALKS), str(blocks)])
        bot = over(BotProcess(launch))
    assert bot.poll() == Exited(0), bot.failure()
    assert bot.launch.logs.out.read_text() == "all came back\n"
    assert bot.troubles == ()


@pytest.mark.larger
@full
def test_an_address_that_others_reach_is_the_loopback_inside(tmp_path: Path) -> None:
    with Echo() as echo:
        bots = Bots(tmp_path, server=f"grpc://localhost:{echo.port}")
        text = "import os; print(os.environ['MERGEMAKER_SERVER'])\n" + TALKS
        first, *_ = bots.launches([*bots.script("0", text), "1"])
        bot = over(BotProcess(first))
        assert bot.launch.logs.out.read_text() == f"grpc://localhost:{echo.port}\nall came back\n"


@pytest.mark.larger
@full
def test_a_referee_that_takes_no_connections_is_seen_as_such(tmp_path: Path) -> None:
    with Echo() as echo:
        nobody = echo.address
    text = """
import os, socket
host, _, port = os.environ["MERGEMAKER_SERVER"].removeprefix("grpc://").rpartition(":")
with socket.create_connection((host, int(port)), 30) as line:
    try:
        print(line.recv(1))
    except ConnectionResetError:
        print(b"")
"""
    bot = over(Bots(tmp_path, server=nobody).start(text))
    assert bot.launch.logs.out.read_text() == "b''\n"


@pytest.mark.larger
@full
def test_a_link_to_a_bot_leads_to_it_if_allowed_and_a_script_runs_by_its_first_line(tmp_path: Path) -> None:
    bots = Bots(tmp_path, options=["--confine", "--confine-see", f"0={tmp_path / 'bot 0'}"])
    _, path = bots.script("0", f"#!{sys.executable}\nimport beside, sys; print(beside.here, sys.argv[1:])")
    Path(path).chmod(0o755)
    Path(path).with_name("beside.py").write_text("here = True")
    link = tmp_path / "links" / "link"
    link.parent.mkdir()
    link.symlink_to(path)
    (launch,) = bots.launches([str(link), "ä b"])
    bot = over(BotProcess(launch))
    assert bot.poll() == Exited(0), bot.failure()
    assert bot.launch.logs.out.read_text() == "True ['ä b']\n"


@pytest.mark.larger
@full
def test_two_bots_are_two_users_who_see_nothing_of_each_other(tmp_path: Path) -> None:
    text = """
import json, os, signal
print(json.dumps([os.getuid(), sorted(name for name in os.listdir("/proc") if name.isdigit()), os.listdir("/tmp")]), flush=True)
open("/tmp/mine", "w").close()
signal.pause()
"""
    bots = Bots(tmp_path)
    processes = [BotProcess(launch) for launch in bots.launches(bots.script("0", text), bots.script("1", text))]
    try:
        for bot in processes:
            await_output(bot, "]]")
        told = [said(bot) for bot in processes]
    finally:
        for bot in processes:
            assert bot.stop(0)
    assert told[0][0] != told[1][0]
    assert [told[0][1], told[1][1]] == [["1", "2"]] * 2
    assert str(tmp_path).startswith("/tmp/") or told[0][2] == told[1][2] == []  # noqa: S108 - where tests usually are
    assert "mine" not in told[1][2]


@pytest.mark.larger
@full
def test_a_folder_that_is_asked_for_is_seen_too(tmp_path: Path) -> None:
    more = tmp_path / "more of it"
    more.mkdir()
    (more / "book").write_text("opening")
    bots = Bots(tmp_path, options=["--confine", "--confine-see", f"0={more}"])
    bot = over(bots.start(f"print(open({str(more / 'book')!r}).read())"))
    assert bot.launch.logs.out.read_text() == "opening\n"
    assert bot.wait(LIMIT_S) == Exited(0)
