"""Bots leave nothing behind, whatever they fork, whichever process is killed, and whatever they do to their parents."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_processes.endings import Exited, Lost, Signalled
from mergemaker_processes.launching import BotProcess
from mergemaker_testkit.launched_bots import (
    FORKS_TWICE,
    LIMIT_S,
    LINUX,
    POSIX,
    Launcher,
    await_output,
    await_state,
    supervisor_of,
)

pytestmark = pytest.mark.skipif(not POSIX, reason="the supervisor of Windows cannot be tested where this was written")


@pytest.mark.skipif(not LINUX, reason="elsewhere such a process cannot be found")
def test_what_forks_twice_and_leaves_its_session_is_ended(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{FORKS_TWICE}"))
    await_output(process, "far away")
    assert process.stop(grace_s=0.01)
    wait_until_free()


@pytest.mark.skipif(not LINUX, reason="elsewhere such processes cannot be found")
def test_what_forks_and_forks_is_ended(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    # Each lives only until the next one exists, which has its own session.
    runner = f"""
import os, signal
held = open({path!r}, 'w')
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('running')
while os.fork() == 0:
    os.setsid()
os._exit(0)
"""
    process = BotProcess(launch(runner))
    await_output(process, "running")
    assert process.wait(LIMIT_S) == Exited(0)
    assert process.stop(grace_s=0)
    wait_until_free()


@pytest.mark.skipif(not LINUX, reason="elsewhere such a process cannot be found")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_command_is_killed(
    launch: Launcher, tmp_path: Path, held: tuple[str, Callable[[], None]], number: int
) -> None:
    path, wait_until_free = held
    bot = launch(f"held = open({path!r}, 'w')\n{FORKS_TWICE}\nsignal.pause()")
    command = tmp_path / "command.py"
    command.write_text(
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from mergemaker_processes.launching import Launch, launched\n"
        "from mergemaker_processes.logs import LogFiles\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "out, err, *arguments = sys.argv[1:]\n"
        "with launched([Launch('bot', tuple(arguments), {}, LogFiles(Path(out), Path(err)))]) as (bot,):\n"
        "    while 'far away' not in Path(out).read_text(): bot.wait(0.01)\n"
        "    print(bot.pid, bot._supervisor.pid, flush=True)\n"
        "    bot.wait(1000)\n"
    )
    child = subprocess.Popen(
        [sys.executable, str(command), str(bot.logs.out), str(bot.logs.err), *bot.arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert child.stdout is not None
        pids = child.stdout.readline().split()
        assert len(pids) == 2
        # Signals the command's whole group, like a terminal or a shell.
        os.killpg(child.pid, number)
        child.wait(LIMIT_S)
    finally:
        child.kill()
        child.communicate(timeout=LIMIT_S)
    wait_until_free()


def test_a_bot_cannot_get_rid_of_its_supervisor_by_accident(launch: Launcher) -> None:
    names = ("SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGTSTP", "SIGTTIN", "SIGTTOU")
    program = (
        f"import os, signal\nfor name in {names}: os.kill(os.getppid(), getattr(signal, name))\nprint('ready')\nsignal.pause()"
    )
    process = BotProcess(launch(program))
    await_output(process, "ready")
    assert process.stop()
    assert process.poll() == Signalled(signal.SIGTERM)


def test_sigterm_for_the_supervisor_stops_its_bot(launch: Launcher) -> None:
    process = BotProcess(launch("import os, signal; os.kill(os.getppid(), signal.SIGTERM); signal.pause()"))
    assert process.wait(LIMIT_S) == Signalled(signal.SIGTERM)
    assert process.wait_gone(LIMIT_S)


def test_a_supervisor_that_its_bot_has_stopped_still_stops_it(launch: Launcher) -> None:
    program = "import os, signal; print('ready', flush=True); os.kill(os.getppid(), signal.SIGSTOP); signal.pause()"
    process = BotProcess(launch(program))
    assert process.wait_started(LIMIT_S)
    if not LINUX:
        await_state(supervisor_of(process), "T")
    assert process.stop()


@pytest.mark.skipif(not LINUX, reason="elsewhere nobody watches the supervisor")
def test_a_supervisor_that_its_bot_has_stopped_goes_on(launch: Launcher) -> None:
    program = "import os, signal; os.kill(os.getppid(), signal.SIGSTOP); print('stopped it', flush=True); signal.pause()"
    process = BotProcess(launch(program))
    await_output(process, "stopped it")
    assert process.stop()


@pytest.mark.skipif(not LINUX, reason="elsewhere the bot goes on")
def test_who_kills_its_supervisor_dies_with_it(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    program = f"held = open({path!r}, 'w')\nimport os, signal; os.kill(os.getppid(), signal.SIGKILL); signal.pause()"
    process = BotProcess(launch(program))
    assert process.wait(LIMIT_S) == Lost()
    wait_until_free()
    assert process.stop(), "there is nothing to stop any more, and asking is no error"
    assert "its supervisor was killed" in str(process.failure())


@pytest.mark.skipif(not LINUX, reason="elsewhere such a process cannot be found")
@pytest.mark.parametrize("killed", ["supervisor", "watcher"])
def test_nothing_is_left_of_a_bot_that_kills_who_stands_above_it(
    launch: Launcher, held: tuple[str, Callable[[], None]], killed: str
) -> None:
    """The killer has left parent, group and session, and ignores everything but SIGKILL."""
    path, wait_until_free = held
    program = f"""
import os, signal
held = open({path!r}, "w")
supervisor = os.getppid()
with open(f"/proc/{{supervisor}}/stat") as file:
    watcher = int(file.read().rpartition(")")[2].split()[1])
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.kill({killed}, signal.SIGKILL)
        signal.pause()
    os._exit(0)
signal.pause()
"""
    process = BotProcess(launch(program))
    assert process.wait_gone(LIMIT_S)
    wait_until_free()
