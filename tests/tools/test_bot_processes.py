"""Bots as real processes: how they end, what they are given, what is kept of their output, and that nothing is left of them."""

from __future__ import annotations

import os
import select
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mergemaker_tools.bot_processes import launching, process_tree
from mergemaker_tools.bot_processes.endings import Exited, Lost, Refused, Signalled
from mergemaker_tools.bot_processes.environment import Address, bot_environment
from mergemaker_tools.bot_processes.launching import BotProcess, Launch, LaunchProblem, launched
from mergemaker_tools.bot_processes.logs import LOG_BYTES_MAX, LogFiles, new_log_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# How long anything here may take on a slow machine.
LIMIT_S = 60.0
PS = "/bin/ps"
POSIX = os.name == "posix"
LINUX = sys.platform.startswith("linux")

pytestmark = pytest.mark.skipif(not POSIX, reason="the supervisor of Windows cannot be tested where this was written")

PAUSE = "import signal; signal.pause()"
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('ready')\nwhile True: signal.pause()"
FORKS_TWICE = """
import os, signal, sys
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        print("far away", flush=True)
        signal.pause()
    os._exit(0)
"""
"""A program whose grandchild has left parent, group and session, and does not hear SIGTERM."""


class Launcher:
    """Makes launches with logs in a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, program: str, *arguments: str, seat: int = 0, log_bytes_max: int = LOG_BYTES_MAX) -> Launch:
        """Of a Python program, given as its text, with the arguments behind it."""
        script = self._folder / f"bot {seat}.py"
        script.write_text(program, encoding="utf-8")
        return self.of(sys.executable, str(script), *arguments, seat=seat, log_bytes_max=log_bytes_max)

    def of(self, *arguments: str, seat: int = 0, log_bytes_max: int = LOG_BYTES_MAX) -> Launch:
        """Of any program."""
        logs = new_log_files(self._folder / "logs", "match", seat, "bot")
        environment = bot_environment(os.environ, Address("grpc://127.0.0.1:1", "secret", "bot"))
        return Launch("bot", arguments, environment, logs, log_bytes_max)


@pytest.fixture
def launch(tmp_path: Path) -> Launcher:
    return Launcher(tmp_path)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The path of a pipe that processes can hold, and a wait until nobody does."""
    path = tmp_path / "held"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    # A pipe that nobody has held yet does not count as free.
    ours = [os.open(path, os.O_WRONLY)]

    def wait_until_free() -> None:
        os.close(ours.pop())
        while True:
            ready, _, _ = select.select([reader], [], [], LIMIT_S)
            assert ready, f"after {LIMIT_S} s somebody still holds the pipe"
            if not os.read(reader, 1):
                return

    yield str(path), wait_until_free
    os.close(reader)


def ended(launch: Launch) -> BotProcess:
    with launched([launch], LIMIT_S) as (bot,):
        pass
    return bot


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("status", [0, 3, 255])
def test_an_exit_status_is_told(launch: Launcher, status: int) -> None:
    bot = ended(launch(f"raise SystemExit({status})"))
    assert bot.poll() == Exited(status)
    assert bot.is_gone
    assert bot.pid is not None


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGTERM"])
def test_an_end_by_a_signal_is_told_by_name(launch: Launcher, name: str) -> None:
    number = getattr(signal, name)
    bot = ended(launch(f"import os; os.kill(os.getpid(), {number})"))
    assert bot.poll() == Signalled(number)
    assert str(bot.poll()) == f"ended by {name}"


def test_a_signal_without_a_name_is_told_by_number() -> None:
    assert str(Signalled(1_000)) == "ended by signal 1000"


def test_output_goes_to_two_files_and_input_is_empty(launch: Launcher) -> None:
    bot = ended(launch("import sys; print('said', repr(sys.stdin.read())); print('complained', file=sys.stderr)"))
    assert bot.launch.logs.out.read_text() == "said ''\n"
    assert bot.launch.logs.err.read_text() == "complained\n"


def test_a_bot_is_told_where_to_go_and_no_more(launch: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MERGEMAKER_TRACE", "of the command")
    monkeypatch.setenv("KEPT", "as it was")
    bot = ended(launch("import os; print(*sorted(n for n in os.environ if 'MERGE' in n)); print(os.environ['KEPT'])"))
    assert bot.launch.logs.out.read_text() == "MERGEMAKER_BOT MERGEMAKER_SERVER MERGEMAKER_TOKEN\nas it was\n"


def test_arguments_arrive_as_they_are(launch: Launcher) -> None:
    strange = ("with blanks", "'quoted' \"twice\"", "", "-x", "$HOME *", "ä\udcff\n")
    bot = ended(launch("import sys; print(ascii(sys.argv[1:]))", *strange))
    assert bot.launch.logs.out.read_text() == f"{list(strange)!a}\n"


def test_a_bot_has_a_session_of_its_own_and_usual_signals(launch: Launcher) -> None:
    program = """
import os, signal
print(os.getsid(0) == os.getpid() == os.getpgrp())
print([n.name for n in signal.Signals if signal.getsignal(n) == signal.SIG_IGN], signal.pthread_sigmask(signal.SIG_BLOCK, ()))
print(os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd") else ["0", "1", "2", "3"])
"""
    bot = ended(launch(program))
    # Python itself ignores two; the last descriptor is the one that lists them.
    assert bot.launch.logs.out.read_text() == "True\n['SIGPIPE', 'SIGXFSZ'] set()\n['0', '1', '2', '3']\n"


def test_a_program_that_is_not_there_is_a_problem_with_its_name(launch: Launcher, tmp_path: Path) -> None:
    missing = str(tmp_path / "no bot")
    with pytest.raises(LaunchProblem) as problem, launched([launch.of(missing, "--fast")]):
        pytest.fail("it cannot have started")
    assert problem.value.reason == "bot-not-started"
    assert f"'{missing}' --fast" in str(problem.value)
    assert "No such file or directory" in str(problem.value)


@pytest.mark.parametrize(
    ("text", "mode", "expected"),
    [
        ("#!/bin/sh\n", 0o600, "Permission denied"),
        ("no program\n", 0o700, "a script's first line says what runs it"),
        ("#!/no/such/interpreter\n", 0o700, "the program is there, but not what its first line"),
    ],
)
def test_a_program_that_cannot_run_is_a_problem_that_says_why(
    launch: Launcher, tmp_path: Path, text: str, mode: int, expected: str
) -> None:
    program = tmp_path / "bot"
    program.write_text(text)
    program.chmod(mode)
    process = BotProcess(launch.of(str(program)))
    assert process.wait_started(LIMIT_S)
    assert isinstance(process.poll(), Refused)
    assert expected in str(process.failure())
    assert process.wait_gone(LIMIT_S)


def test_a_launch_that_the_system_refuses_is_a_problem(launch: Launcher) -> None:
    with pytest.raises(LaunchProblem, match="cannot be started"):
        BotProcess(launch.of("nul\0byte"))


def test_an_early_end_is_told_with_command_status_and_last_lines(launch: Launcher) -> None:
    program = "import sys\nfor n in range(30): print('line', n, file=sys.stderr)\nsys.exit(3)"
    with launched([launch(program, "--fast")]) as (bot,):
        bot.wait(LIMIT_S)
        failure = bot.failure()
    assert failure is not None
    assert failure.reason == "bot-ended"
    lines = str(failure).splitlines()
    assert lines[0] == "the bot bot ended too early: exit status 3"
    assert lines[1].startswith("  command: ")
    assert lines[1].endswith(" --fast")
    assert str(bot.launch.logs.err) in lines[2]
    assert lines[3:] == [f"    line {number}" for number in range(10, 30)]


def test_an_early_end_without_a_word_is_told(launch: Launcher) -> None:
    with launched([launch("")]) as (bot,):
        assert bot.wait_gone(LIMIT_S)
        failure = bot.failure()
    assert "it wrote nothing to its standard error" in str(failure)


def test_a_bot_that_plays_on_in_another_process_has_not_failed(launch: Launcher) -> None:
    with launched([launch(FORKS_TWICE)], leave_limit_s=0) as (bot,):
        assert bot.wait(LIMIT_S) == Exited(0)
        assert not bot.is_gone
        assert bot.failure() is None
    assert bot.is_gone


def test_waiting_has_a_limit(launch: Launcher) -> None:
    with launched([launch(PAUSE)], leave_limit_s=0) as (bot,):
        assert bot.wait(0) is None
        assert not bot.wait_gone(0)
        assert bot.failure() is None
        assert bot.poll() is None


def test_a_bot_that_hears_sigterm_ends_by_itself(launch: Launcher) -> None:
    program = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nprint('ready')\nsignal.pause()"
    with launched([launch(program)], leave_limit_s=0) as (bot,):
        _await_output(bot, "ready")
    assert bot.poll() == Exited(7)


def test_a_stopped_bot_hears_sigterm_too(launch: Launcher) -> None:
    program = (
        "import os, signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nos.kill(os.getpid(), signal.SIGSTOP)"
    )
    with launched([launch(program + "\nsignal.pause()")], leave_limit_s=0) as (bot,):
        assert bot.pid is not None
        _await_state(bot.pid, "T")
    assert bot.poll() == Exited(7)


def test_a_bot_that_ignores_sigterm_is_killed(launch: Launcher) -> None:
    process = BotProcess(launch(DEAF))
    _await_output(process, "ready")
    assert process.stop(grace_s=0.01)
    assert process.poll() == Signalled(signal.SIGKILL)
    assert process.stop(), "a second time does no harm"


def test_a_later_order_to_stop_shortens_the_grace(launch: Launcher) -> None:
    process = BotProcess(launch(DEAF))
    _await_output(process, "ready")
    process.ask_to_stop(1_000_000)
    process.ask_to_stop(0)
    process.ask_to_stop(1_000_000)
    assert process.wait(LIMIT_S) == Signalled(signal.SIGKILL)
    assert process.wait_gone(LIMIT_S)


def test_an_exception_ends_the_bots_at_once(launch: Launcher) -> None:
    started: list[BotProcess] = []

    launches = [launch(PAUSE, seat=seat) for seat in range(2)]
    with pytest.raises(ZeroDivisionError), launched(launches, leave_limit_s=1_000_000) as bots:
        _fail_with(bots, started)
    assert [bot.is_gone for bot in started] == [True, True]


def test_if_one_cannot_start_the_others_are_stopped(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    good = launch(f"held = open({path!r}, 'w')\nimport signal; signal.pause()")
    with pytest.raises(LaunchProblem, match="No such file"), launched([good, launch.of("/no/such/bot", seat=1)]):
        pytest.fail("it cannot have started")
    wait_until_free()


def test_who_is_still_there_after_all_is_named(launch: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "KILL_LIMIT_S", -launching.STOP_GRACE_S)
    monkeypatch.setattr(BotProcess, "ask_to_stop", lambda *_: None)
    started: list[BotProcess] = []
    with pytest.raises(LaunchProblem, match="goes on to try") as problem, launched([launch(PAUSE)], 0) as bots:
        started.extend(bots)
    with pytest.raises(ZeroDivisionError) as noted, launched([launch(PAUSE)], 0) as bots:
        _fail_with(bots, started)
    monkeypatch.undo()
    assert problem.value.reason == "bot-not-stopped"
    assert [note for note in noted.value.__notes__ if "goes on to try" in note]
    assert [bot.stop() for bot in started] == [True, True]


# --- nothing is left --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not LINUX, reason="elsewhere such a process cannot be found")
def test_what_forks_twice_and_leaves_its_session_is_ended(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{FORKS_TWICE}"))
    _await_output(process, "far away")
    assert process.stop(grace_s=0.01)
    wait_until_free()


@pytest.mark.skipif(not LINUX, reason="elsewhere such processes cannot be found")
def test_what_forks_and_forks_is_ended(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    # Each lives only until the next one is there, which has a session of its own.
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
    _await_output(process, "running")
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
        "from mergemaker_tools.bot_processes.launching import Launch, launched\n"
        "from mergemaker_tools.bot_processes.logs import LogFiles\n"
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
        # To the command's whole group, as a terminal or a shell does it.
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
    _await_output(process, "ready")
    assert process.stop()
    assert process.poll() == Signalled(signal.SIGTERM)


def test_sigterm_for_the_supervisor_stops_its_bot(launch: Launcher) -> None:
    process = BotProcess(launch("import os, signal; os.kill(os.getppid(), signal.SIGTERM); signal.pause()"))
    assert process.wait(LIMIT_S) == Signalled(signal.SIGTERM)
    assert process.wait_gone(LIMIT_S)


def test_a_supervisor_that_its_bot_has_stopped_still_stops_it(launch: Launcher) -> None:
    program = "import os, signal; print('ready', flush=True); os.kill(os.getppid(), signal.SIGSTOP); signal.pause()"
    process = BotProcess(launch(program))
    _await_state(_supervisor(process), "T")
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


# --- systems without subreapers -----------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the supervisor work as on a Unix that has neither subreapers nor /proc."""
    if not Path(PS).exists():
        pytest.skip(f"needs {PS}")
    changes = (
        "process_tree.processes_of_proc = process_tree.processes_of_ps\n"
        "process_tree._prctl = lambda *_: False\n"
        "posix_supervisor.KILL_PAUSE_MS_MAX = 10\n"
    )
    monkeypatch.setattr(launching, "_SUPERVISOR", _changed_supervisor(tmp_path, changes))


def _changed_supervisor(folder: Path, changes: str) -> Path:
    supervisor = folder / "supervisor.py"
    supervisor.write_text(
        "import sys\n"
        f"sys.path.append({str(Path(launching.__file__).parents[2])!r})\n"
        "from mergemaker_tools.bot_processes import posix_supervisor, process_tree\n"
        f"{changes}"
        "out, err, bytes_max, *arguments = sys.argv[1:]\n"
        "posix_supervisor.supervise(arguments, out, err, int(bytes_max))\n"
    )
    return supervisor


@pytest.mark.usefixtures("elsewhere")
def test_elsewhere_the_group_of_the_first_process_is_ended(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{FORKS_TWICE.replace('os.setsid()', 'pass')}"))
    _await_output(process, "far away")
    assert process.wait(LIMIT_S) == Exited(0)
    assert not process.is_gone
    assert process.stop(grace_s=0.01)
    wait_until_free()


@pytest.mark.usefixtures("elsewhere")
def test_elsewhere_who_has_left_the_group_is_ended_by_its_parent(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    program = FORKS_TWICE.replace("os._exit(0)", "signal.pause()")
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{program}\nsignal.pause()"))
    _await_output(process, "far away")
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
    # One in the supervisor's own group gets it alone.
    assert sent == [(7, signal.SIGSTOP)] * process_tree.STOP_ROUNDS_MAX + [(7, signal.SIGKILL)]


@pytest.mark.skipif(not LINUX, reason="elsewhere it would be left behind")
def test_who_cannot_be_ended_is_named(launch: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patched = "process_tree.ProcessTree.kill = lambda _: None\nposix_supervisor.KILL_LIMIT_S = 0.01\n"
    monkeypatch.setattr(launching, "_SUPERVISOR", _changed_supervisor(tmp_path, patched))
    process = BotProcess(launch(DEAF))
    _await_output(process, "ready")
    process.ask_to_stop(0)
    # The supervisor has ended, and the kernel has killed the first process with it: nobody saw that.
    assert process.wait(LIMIT_S) == Lost()
    assert process.left == (process.pid,)
    assert not process.is_gone


def test_a_fault_of_the_supervisor_does_not_leave_the_bot_alone(
    launch: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: tuple[str, Callable[[], None]]
) -> None:
    path, wait_until_free = held
    patched = "posix_supervisor.Supervisor._obey = lambda _: 1 / 0\n"
    monkeypatch.setattr(launching, "_SUPERVISOR", _changed_supervisor(tmp_path, patched))
    process = BotProcess(launch(f"held = open({path!r}, 'w')\n{FORKS_TWICE}"))
    _await_output(process, "far away")
    process.ask_to_stop()
    assert process.wait_gone(LIMIT_S)
    wait_until_free()
    assert "ZeroDivisionError" in process.launch.logs.err.read_text()


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


# --- the supervisor itself ----------------------------------------------------------------------------------------


def test_the_supervisor_imports_nothing_slow(launch: Launcher) -> None:
    made = launch("")
    slow = ("typing", "dataclasses", "subprocess", "json", "re", "pathlib", "threading", "mergemaker_engine")
    script = (
        "import runpy, sys\n"
        f"sys.argv[:] = ['-', {str(made.logs.out)!r}, {str(made.logs.err)!r}, '1000', '/bin/sh', '-c', 'exit 4']\n"
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
    # Without a command there is nobody to obey: its standard input has ended, and so the bot is told to end, too.
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stdout.splitlines()[-2] == "gone"


def test_what_is_wrong_in_the_supervisor_is_in_the_log(launch: Launcher) -> None:
    made = launch(PAUSE)
    broken = BotProcess(replace(made, logs=LogFiles(made.logs.out.parent / "no" / "folder", made.logs.err)))
    assert broken.wait(LIMIT_S) == Lost()
    assert "FileNotFoundError" in str(broken.failure())


# --- logs -------------------------------------------------------------------------------------------------------


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
    # So slow a reader is behind when the bot ends.
    monkeypatch.setattr(launching, "_SUPERVISOR", _changed_supervisor(tmp_path, "posix_supervisor.READ_BYTES = 1_000\n"))
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


def _fail_with(bots: tuple[BotProcess, ...], started: list[BotProcess]) -> None:
    started.extend(bots)
    raise ZeroDivisionError


def _await_output(process: BotProcess, text: str) -> None:
    """Waits until the bot has written this; the supervisor keeps it as it comes."""
    for _ in range(int(LIMIT_S / 0.005)):
        if text in process.launch.logs.out.read_text():
            return
        process.wait_gone(0.005)
    pytest.fail(f"the bot did not write {text!r} within {LIMIT_S} s")


def _await_state(pid: int, state: str) -> None:
    for _ in range(int(LIMIT_S / 0.005)):
        told = subprocess.run([PS, "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=True)
        if told.stdout.startswith(state):
            return
    pytest.fail(f"process {pid} was not in state {state} within a time")


def _supervisor(process: BotProcess) -> int:
    return process._supervisor.pid
