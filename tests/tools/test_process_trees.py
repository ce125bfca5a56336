"""The processes below a supervisor: ended even without subreapers, stopped before they are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_processes import launching, process_tree
from mergemaker_processes.endings import Exited, Signalled
from mergemaker_processes.launching import BotProcess
from mergemaker_testkit.launched_bots import FORKS_TWICE, LIMIT_S, LINUX, POSIX, PS, Launcher, await_output, changed_supervisor

pytestmark = pytest.mark.skipif(not POSIX, reason="the supervisor of Windows cannot be tested where this was written")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the supervisor work as on a Unix with neither subreapers nor /proc."""
    if not Path(PS).exists():
        pytest.skip(f"needs {PS}")
    changes = (
        "process_tree.processes_of_proc = process_tree.processes_of_ps\n"
        "process_tree._prctl = lambda *_: False\n"
        "posix_supervisor.KILL_PAUSE_MS_MAX = 10\n"
    )
    monkeypatch.setattr(launching, "_SUPERVISOR", changed_supervisor(tmp_path, changes))


@pytest.mark.usefixtures("elsewhere")
def test_elsewhere_the_group_of_the_first_process_is_ended(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{FORKS_TWICE.replace('os.setsid()', 'pass')}"))
    await_output(process, "far away")
    assert process.wait(LIMIT_S) == Exited(0)
    assert not process.is_gone
    assert process.stop(grace_s=0.01)
    wait_until_free()


@pytest.mark.usefixtures("elsewhere")
def test_elsewhere_who_has_left_the_group_is_ended_by_its_parent(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    program = FORKS_TWICE.replace("os._exit(0)", "signal.pause()")
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{program}\nsignal.pause()"))
    await_output(process, "far away")
    assert process.stop(grace_s=0.01)
    wait_until_free()
    assert process.poll() == Signalled(signal.SIGKILL)


@pytest.mark.usefixtures("elsewhere")
def test_elsewhere_the_end_of_the_last_process_is_noticed(launch: Launcher) -> None:
    program = """
import os
first = os.getpid()
if os.fork() == 0:
    while os.getppid() == first:
        pass
    print("last")
"""
    process = BotProcess(launch(program))
    assert process.wait_gone(LIMIT_S)
    assert process.poll() == Exited(0)
    assert process.launch.logs.out.read_text() == "last\n"


def test_all_are_stopped_before_any_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    # One forks before it is stopped, and the first takes a while to stop.
    rounds = [{7: "R"}, {7: "R", 8: "S"}, {7: "T", 8: "T"}, {7: "T", 8: "T"}]
    seen = iter([[process_tree.Process(pid, 1, pid, state) for pid, state in each.items()] for each in rounds])
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(process_tree.ProcessTree, "members", lambda _: next(seen))
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    process_tree.ProcessTree(gathers_orphans=True).kill()
    stop, kill = signal.SIGSTOP, signal.SIGKILL
    assert [sent[0], *sorted(sent[1:3]), *sorted(sent[3:])] == [(-7, stop), (-8, stop), (-7, stop), (-8, kill), (-7, kill)]


def test_who_does_not_stop_is_killed_nevertheless(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    own = os.getpgrp()
    monkeypatch.setattr(process_tree.ProcessTree, "members", lambda _: [process_tree.Process(7, 1, own, "D")])
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    process_tree.ProcessTree(gathers_orphans=True).kill()
    # A process in the supervisor's own group gets the signal alone.
    assert sent == [(7, signal.SIGSTOP)] * process_tree.STOP_ROUNDS_MAX + [(7, signal.SIGKILL)]


@pytest.mark.skipif(not LINUX, reason="needs /proc")
def test_both_lists_of_processes_agree() -> None:
    mine = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    try:
        listed = [
            next((each.pid, each.parent, each.group) for each in processes if each.pid == mine.pid)
            for processes in (process_tree.processes_of_proc(), process_tree.processes_of_ps())
        ]
    finally:
        mine.communicate(b"\n", LIMIT_S)
    assert listed == [(mine.pid, os.getpid(), mine.pid)] * 2
