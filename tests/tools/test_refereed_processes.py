"""`mergemaker match` as a process with bot processes: how they start and end, signals, proxies, the live board, a person."""

import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_client.environment import Environment, Target
from mergemaker_client.running import play
from mergemaker_engine.record.lines import AnsweredBy, Ending
from mergemaker_engine.record.verifying import verify
from mergemaker_processes.texts import command_text
from mergemaker_referee.records.files import open_record, record_chunks
from mergemaker_referee.records.secrets_file import secrets_path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pipes, signals and terminals as POSIX has them")

# How long each step may take on a slow machine.
LIMIT_S = 60
RANDOM = "mergemaker_client.bots.random_bot:RandomBot"
"""In a thread of the command, because another process does not matter here."""
STARTED = command_text([sys.executable, "-m", "mergemaker_tools"])
"""The command's name if it is started like this."""

CANNOT_START = """
import sys
print("on the way")
for number in range(30):
    print("line", number, file=sys.stderr)
sys.exit(3)
"""
LEAVES_EARLY = """
import os
from mergemaker_client import Bot, run
class Leaving(Bot):
    def answer(self, turn):
        if turn.number == 3:
            print("that is all", file=__import__("sys").stderr)
            os._exit(7)
        return turn.default
run(Leaving)
"""
HOLDS = """
import os, signal, sys
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        with open(sys.argv[1], "w") as pipe:
            pipe.write("far away")
            pipe.flush()
            signal.pause()
    os._exit(0)
signal.pause()
"""
"""A program whose grandchild has left parent, group and session, ignores SIGTERM, and holds a pipe."""


@pytest.fixture
def environment(plain_environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """Without a size, so that a terminal's own counts; files kept after a fault go to the test's folder."""
    unsized = {name: value for name, value in plain_environment.items() if name not in ("COLUMNS", "LINES")}
    return unsized | {"TMPDIR": str(tmp_path)}


@pytest.fixture
def match(command_line: list[str], environment: dict[str, str], tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Starts a match in a folder of the test, with its streams as pipes."""
    # As an installed command starts: without the current folder in the module path.
    python, *module = command_line

    def start(*arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [python, "-P", *module, "match", *arguments],
            cwd=tmp_path,
            env=environment | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start


@contextmanager
def until_its_end(child: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Leaves no command behind, however the test ends."""
    try:
        yield child
    finally:
        child.kill()
        child.communicate(timeout=LIMIT_S)


def _outcome(child: subprocess.Popen[bytes], typed: bytes = b"") -> tuple[int, str, str]:
    with until_its_end(child):
        out, err = child.communicate(typed, timeout=LIMIT_S)
    return child.returncode, out.decode(), err.decode()


def _script(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return name


def _only_record(folder: Path) -> Path:
    (path,) = (folder / "records").glob("*.jsonl")
    return path


# --- bots as processes --------------------------------------------------------------------------------------


def test_built_in_bots_play_in_processes_past_a_proxy_and_repeat(
    match: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    nowhere = "http://127.0.0.1:9"
    variables = dict.fromkeys(("http_proxy", "HTTP_PROXY", "grpc_proxy", "all_proxy", "https_proxy"), nowhere)
    _script(tmp_path, "random.py", "raise SystemExit('this is no module of Python')")
    arguments = ("greedy", "planner:playouts=1", "--seed", "0c", "--quiet", "--logs", "logs")
    for folder in ("a", "b"):
        status, out, err = _outcome(match(*arguments, "--records", folder, **variables))
        assert (status, err) == (0, "")
        assert f"repeat with: {STARTED} match greedy planner:playouts=1 --seed " in out
    first, second = (open_record(path) for folder in "ab" for path in (tmp_path / folder).iterdir())
    assert first.chains.game == second.chains.game
    assert first.header.bots == ("greedy", "planner:playouts=1")
    assert {line.by for line in first.decisions} == {AnsweredBy.BOT, AnsweredBy.AUTOMATIC}
    logs = sorted(path.read_text("utf-8") for path in (tmp_path / "logs").glob("*.err"))
    assert len(logs) == 4
    assert all("is over" in text for text in logs)


def test_one_process_plays_many_games_and_one_that_has_ended_is_started_again(
    match: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    lasting = _script(tmp_path, "lasting.py", "from mergemaker_client import Bot, run\nrun(Bot)\n")
    once = _script(tmp_path, "once.py", "from mergemaker_client import Bot, run\nrun(Bot, matches=1)\n")
    status, out, err = _outcome(match(lasting, once, "--games", "3", "--json", "--logs", "logs"))
    assert (status, err) == (0, "")
    games = json.loads(out)["games"]
    assert [standing["faults"] for game in games for standing in game["standings"]] == [{}] * 6
    logs = [path.name.partition("-")[2] for path in (tmp_path / "logs").glob("*.err")]
    assert sorted(logs) == ["seat0-lasting.err", *["seat1-once.err"] * 3]


@pytest.mark.parametrize("page", ["README.md", "clients/python/README.md"])
def test_the_first_bot_of_the_readme_plays(match: Callable[..., subprocess.Popen[bytes]], tmp_path: Path, page: str) -> None:
    readme = (Path(__file__).parents[2] / page).read_text("utf-8")
    bot, *_ = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert "mergemaker match my_bot.py " in readme or page != "README.md"
    status, out, err = _outcome(match(_script(tmp_path, "my_bot.py", bot), RANDOM, "--strict", "--json"))
    assert (status, err) == (0, "")
    (game,) = json.loads(out)["games"]
    assert game["standings"][0]["bot"] == "my_bot"
    assert game["standings"][0]["refused"] == 0


def test_a_bot_that_cannot_start_is_shown_with_its_last_lines(
    match: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    status, out, err = _outcome(match(_script(tmp_path, "early.py", CANNOT_START), RANDOM))
    assert (status, out) == (1, "")
    assert "the bot early ended too early: exit status 3" in err
    assert re.search(r"command: .*python.* early\.py", err)
    assert re.findall(r"line (\d+)$", err, re.MULTILINE) == [str(number) for number in range(10, 30)]
    (log,) = re.findall(r"at most 20, of (\S+\.err):", err)
    assert Path(log).read_text("utf-8").startswith("line 0\n")
    record = verify(record_chunks(_only_record(tmp_path))).record
    assert record.end is not None
    assert record.end.why is Ending.VOIDED
    assert not secrets_path(_only_record(tmp_path)).exists()


def test_who_leaves_in_the_middle_is_shown_and_the_others_finish(
    match: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    clock = ("--clock", "mine:allowance=50,bank=100,startup=60000")
    status, out, err = _outcome(match(_script(tmp_path, "leaves.py", LEAVES_EARLY), RANDOM, *clock))
    assert status == 0
    assert "seat 0: the bot leaves ended too early: exit status 7" in err
    assert "that is all" in err
    assert re.search(r"seat 0: autopilot from decision \d+ on, 5 default: disconnected", out)
    assert re.search(r"its log: \S+-seat0-leaves\.err", out)
    assert verify(record_chunks(_only_record(tmp_path))).record.end is not None


def test_without_a_clock_somebody_who_left_is_not_waited_for(
    match: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    status, out, _ = _outcome(match(_script(tmp_path, "leaves.py", LEAVES_EARLY), RANDOM, "--clock", "none"))
    assert status == 0
    assert re.search(r"seat 0: resigned from decision \d+ on", out)


def test_a_bot_that_is_started_by_hand_is_told_where_to_go(match: Callable[..., subprocess.Popen[bytes]]) -> None:
    tokens = []
    for _ in range(2):
        with until_its_end(match("remote", RANDOM, "--token", "debugging", "--no-record", "--json")) as child:
            assert child.stderr is not None
            told = [child.stderr.readline().decode() for _ in range(3)]
            assert told[0] == "seat 0 waits for a bot that you start, with these in its environment:\n"
            values = dict(line.strip().split("=", 1) for line in told[1:])
            (result,) = play(
                RandomBot,
                Environment(Target.parse(values["MERGEMAKER_SERVER"]), values["MERGEMAKER_TOKEN"]),
                report=lambda _: None,
            )
            out, _ = child.communicate(timeout=LIMIT_S)
            assert child.returncode == 0
            assert json.loads(out)["games"][0]["ended"] == result.why
            tokens.append(values["MERGEMAKER_TOKEN"])
    assert tokens[0] == tokens[1]


# --- how it ends early ----------------------------------------------------------------------------


@pytest.fixture
def holding_bot(tmp_path: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """A command line whose processes hold a pipe, and a wait until none of them holds it."""
    path = tmp_path / "held"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    (tmp_path / "holds.py").write_text(HOLDS, "utf-8")

    def wait_until_free() -> None:
        while True:
            ready, _, _ = select.select([reader], [], [], LIMIT_S)
            assert ready, f"after {LIMIT_S} s somebody still holds the pipe"
            if not os.read(reader, 1_024):
                return

    # Quoted as on a command line: the folder of a checkout may have a space in its name.
    yield shlex.join((sys.executable, str(tmp_path / "holds.py"), str(path))), wait_until_free
    os.close(reader)


def _await_hold(pipe: Path, child: subprocess.Popen[bytes]) -> None:
    """Waits until the detached process exists."""
    awaited, said = b"far away", b""
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while len(said) < len(awaited):
            ready, _, _ = select.select([descriptor], [], [], LIMIT_S)
            assert ready, f"after {LIMIT_S} s nobody holds the pipe"
            assert child.poll() is None, child.communicate()
            with suppress(BlockingIOError):
                said += os.read(descriptor, len(awaited) - len(said))
    finally:
        os.close(descriptor)
    assert said == awaited


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything_and_voids_the_record(
    match: Callable[..., subprocess.Popen[bytes]],
    holding_bot: tuple[str, Callable[[], None]],
    tmp_path: Path,
    number: signal.Signals,
) -> None:
    command, wait_until_free = holding_bot
    with until_its_end(match(command, RANDOM, "--seed", "1")) as child:
        _await_hold(tmp_path / "held", child)
        child.send_signal(number)
        wait_until_free()
        out, err = child.communicate(timeout=LIMIT_S)
    assert (child.returncode, out) == (130, b"")
    again = rf"mergemaker match: interrupted; again with: {re.escape(STARTED)} match .* --seed 0{{63}}1\n"
    assert re.fullmatch(again, err.decode())
    record = verify(record_chunks(_only_record(tmp_path))).record
    assert record.end is not None
    assert record.end.why is Ending.VOIDED


def _signal_all_at_once(child: subprocess.Popen[bytes], *numbers: signal.Signals) -> None:
    """Sends signals so that the command finds all of them at once, without doing anything in between."""
    for number in (signal.SIGSTOP, *numbers, signal.SIGCONT):
        child.send_signal(number)


def test_a_second_signal_hurries_and_the_record_has_its_end_all_the_same(
    match: Callable[..., subprocess.Popen[bytes]], holding_bot: tuple[str, Callable[[], None]], tmp_path: Path
) -> None:
    command, wait_until_free = holding_bot
    with until_its_end(match(command, RANDOM, "--seed", "1")) as child:
        _await_hold(tmp_path / "held", child)
        _signal_all_at_once(child, signal.SIGINT, signal.SIGTERM)
        wait_until_free()
        out, err = child.communicate(timeout=LIMIT_S)
    assert (child.returncode, out) == (130, b"")
    again, interrupted = err.decode().splitlines()
    assert again.startswith("interrupted again: the bots are killed now")
    assert interrupted.startswith("mergemaker match: interrupted; again with: ")
    end = verify(record_chunks(_only_record(tmp_path))).record.end
    assert end is not None
    assert end.why is Ending.VOIDED


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="elsewhere than on Linux a process can get away")
def test_a_third_signal_leaves_at_once_and_says_what_is_left(
    match: Callable[..., subprocess.Popen[bytes]], holding_bot: tuple[str, Callable[[], None]], tmp_path: Path
) -> None:
    command, wait_until_free = holding_bot
    with until_its_end(match(command, RANDOM, "--seed", "1")) as child:
        _await_hold(tmp_path / "held", child)
        _signal_all_at_once(child, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        out, err = child.communicate(timeout=LIMIT_S)
        wait_until_free()
    assert (child.returncode, out) == (130, b"")
    record = _only_record(tmp_path)
    # Its end line may have been on its way to the disk.
    without, whole = f"left at once; without an end: records/{record.name}", "left at once; every record has its end"
    last = err.decode().splitlines()[-1]
    assert last in (without, whole)
    if last == whole:
        verify(record_chunks(record))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="elsewhere than on Linux a process can get away")
def test_nothing_outlives_a_command_that_is_killed(
    match: Callable[..., subprocess.Popen[bytes]], holding_bot: tuple[str, Callable[[], None]], tmp_path: Path
) -> None:
    command, wait_until_free = holding_bot
    with until_its_end(match(command, RANDOM)) as child:
        _await_hold(tmp_path / "held", child)
        child.kill()
        wait_until_free()


def test_who_stops_reading_ends_the_match_and_nobody_is_at_fault(match: Callable[..., subprocess.Popen[bytes]]) -> None:
    # More games than fit into a pipe's buffer, so they cannot all be over when the reader leaves.
    with until_its_end(match(RANDOM, RANDOM, "--verbose", "--games", "60", "--no-record")) as child:
        assert child.stdout is not None
        ready, _, _ = select.select([child.stdout], [], [], LIMIT_S)
        assert ready
        child.stdout.close()
        _, err = child.communicate(timeout=LIMIT_S)
    assert (child.returncode, err) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_full_disk_under_what_is_told_is_said_as_that(
    command_line: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    command = [*command_line, "match", RANDOM, RANDOM, "--verbose", "--no-record"]
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, stdout=full, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False
        )
    assert done.returncode == 1
    assert re.fullmatch(rb"mergemaker match: standard output takes no more .*\n", done.stderr)


# --- on a terminal ------------------------------------------------------------------------------------------


def test_a_person_plays_and_resigns(match: Callable[..., subprocess.Popen[bytes]]) -> None:
    typed = b"nonsense\n13a\nhelp\nboard\n1A\n\nquit\n"
    status, out, err = _outcome(match("human", RANDOM, "--seed", "3"), typed)
    assert (status, err) == (0, "")
    assert "'nonsense' is no answer to this" in out
    assert "quit resigns" in out
    assert re.search(r"^A  \[\.\]", out, re.MULTILINE)
    assert re.search(r"seat 0: resigned from decision \d+ on", out)
    assert "its log" not in out


def test_a_person_who_has_gone_resigns(match: Callable[..., subprocess.Popen[bytes]]) -> None:
    status, out, _ = _outcome(match("human", RANDOM, "--seed", "3", "--no-record"))
    assert status == 0
    assert "resigned" in out
