"""The supervisor of a bot: what it imports, what happens to its own errors, and the logs that it keeps."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker_processes import launching
from mergemaker_processes.endings import Exited, Lost
from mergemaker_processes.launching import BotProcess
from mergemaker_processes.logs import LogFiles
from mergemaker_testkit.launched_bots import (
    DEAF,
    FORKS_TWICE,
    LIMIT_S,
    LINUX,
    PAUSE,
    POSIX,
    Launcher,
    await_output,
    changed_supervisor,
    ended,
)

pytestmark = pytest.mark.skipif(not POSIX, reason="the supervisor of Windows cannot be tested where this was written")


# --- what it cannot do, and its faults ----------------------------------------------------------------------------


@pytest.mark.skipif(not LINUX, reason="elsewhere it would be left behind")
def test_who_cannot_be_ended_is_named(launch: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patched = "process_tree.ProcessTree.kill = lambda _: None\nposix_supervisor.KILL_LIMIT_S = 0.01\n"
    monkeypatch.setattr(launching, "_SUPERVISOR", changed_supervisor(tmp_path, patched))
    process = BotProcess(launch(DEAF))
    await_output(process, "ready")
    process.ask_to_stop(0)
    # The supervisor has ended, and the kernel has killed the first process with it: nobody saw its end.
    assert process.wait(LIMIT_S) == Lost()
    assert process.left == (process.pid,)
    assert not process.is_gone


def test_a_fault_of_the_supervisor_does_not_leave_the_bot_alone(
    launch: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: tuple[str, Callable[[], None]]
) -> None:
    path, wait_until_free = held
    patched = "posix_supervisor.Supervisor._obey = lambda _: 1 / 0\n"
    monkeypatch.setattr(launching, "_SUPERVISOR", changed_supervisor(tmp_path, patched))
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{FORKS_TWICE}"))
    await_output(process, "far away")
    process.ask_to_stop()
    assert process.wait_gone(LIMIT_S)
    wait_until_free()
    assert "ZeroDivisionError" in process.launch.logs.err.read_text()


# --- the supervisor itself ----------------------------------------------------------------------------------------


def test_the_supervisor_imports_nothing_slow(launch: Launcher) -> None:
    made = launch("")
    slow = ("typing", "dataclasses", "subprocess", "json", "re", "pathlib", "threading", "mergemaker_engine")
    script = (
        "import runpy, sys\n"
        f"sys.argv[:] = ['-', {str(made.logs.out)!r}, {str(made.logs.err)!r}, '1000', '', '/bin/sh', '-c', 'exit 4']\n"
        f"vars = runpy.run_path({str(launching._SUPERVISOR)!r})\n"
        "before = set(sys.modules)\n"
        "vars['main']()\n"
        f"print([name for name in {slow} if name in set(sys.modules) - before])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script],
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    # Without a command, there is nobody to obey: its standard input has ended, so it tells the bot to end, too.
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stdout.splitlines()[-2] == "gone"


def test_what_is_wrong_in_the_supervisor_is_in_the_log(launch: Launcher) -> None:
    made = launch(PAUSE)
    broken = BotProcess(replace(made, logs=LogFiles(made.logs.out.parent / "no" / "folder", made.logs.err)))
    assert broken.wait(LIMIT_S) == Lost()
    assert "FileNotFoundError" in str(broken.failure())


# --- logs ---------------------------------------------------------------------------------------------------------


def test_of_a_lot_of_output_the_beginning_and_the_end_are_kept(launch: Launcher) -> None:
    program = "import sys\nfor n in range(200_000): print(n)\nprint('short', file=sys.stderr)"
    bot = ended(launch(program, log_bytes_max=16_000))
    text = bot.launch.logs.out.read_bytes()
    whole = b"".join(b"%d\n" % number for number in range(200_000))
    head, _, rest = text.partition(b"\n[mergemaker: this log is full; its end follows when the bot has ended]\n")
    note, _, tail = rest.partition(b"\n")
    assert head == whole[:15_000]
    assert tail == whole[-1_000:]
    assert note == b"[mergemaker: %d bytes are left out here]" % (len(whole) - 16_000)
    assert bot.launch.logs.err.read_text() == "short\n"


@pytest.mark.skipif(not LINUX, reason="only there a pipe can be made larger")
@pytest.mark.parametrize("outlives", [False, True])
def test_what_was_written_last_is_in_the_log_when_the_end_is_told(
    launch: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outlives: bool
) -> None:
    # So slow a reader lags behind when the bot ends.
    monkeypatch.setattr(launching, "_SUPERVISOR", changed_supervisor(tmp_path, "posix_supervisor.READ_BYTES = 1_000\n"))
    program = f"""
import fcntl, os, sys
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1_000_000)
first = os.getpid()
if {outlives} and os.fork():
    os._exit(0)
while {outlives} and os.getppid() == first:
    pass
os.write(1, bytes(1_000_000))
"""
    process = BotProcess(launch(program))
    assert (process.wait_gone if outlives else process.wait)(LIMIT_S)
    assert process.launch.logs.out.stat().st_size == 1_000_000


def test_a_log_that_takes_no_more_does_not_stop_the_bot(launch: Launcher, tmp_path: Path) -> None:
    if not os.path.exists("/dev/full") or not stat.S_ISCHR(os.stat("/dev/full").st_mode):  # noqa: PTH110, PTH116 - one line
        pytest.skip("needs /dev/full")
    made = launch("for n in range(100_000): print(n)\nraise SystemExit(5)")
    made.logs.out.unlink()
    made.logs.out.symlink_to("/dev/full")
    bot = ended(made)
    assert bot.poll() == Exited(5)
    assert bot.log_problems == (f"{tmp_path / 'logs'}/match-seat0-bot.out takes no more: No space left on device",)
