"""Bots as child processes of a test: programs for them to run, and waits until they reach a state."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mergemaker_processes import launching
from mergemaker_processes.environment import Address, bot_environment
from mergemaker_processes.launching import BotProcess, Launch, launched
from mergemaker_processes.logs import LOG_BYTES_MAX, new_log_files

# How long each step here may take on a slow machine.
LIMIT_S = 60.0
PS = "/bin/ps"
POSIX = os.name == "posix"
LINUX = sys.platform.startswith("linux")

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
"""A program whose grandchild has left parent, group and session, and ignores SIGTERM."""


class Launcher:
    """Makes launches with logs in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, program: str, *arguments: str, seat: int = 0, log_bytes_max: int = LOG_BYTES_MAX) -> Launch:
        """Launches a Python program, given as its text, with the arguments after it."""
        script = self._folder / f"bot {seat}.py"
        script.write_text(program, encoding="utf-8")
        return self.of(sys.executable, str(script), *arguments, seat=seat, log_bytes_max=log_bytes_max)

    def of(self, *arguments: str, seat: int = 0, log_bytes_max: int = LOG_BYTES_MAX) -> Launch:
        """Launches any program."""
        logs = new_log_files(self._folder / "logs", "match", seat, "bot")
        environment = bot_environment(os.environ, Address("grpc://127.0.0.1:1", "secret", "bot"))
        return Launch("bot", arguments, environment, logs, log_bytes_max)


def ended(launch: Launch) -> BotProcess:
    """A bot that was started and has exited by itself."""
    with launched([launch], LIMIT_S) as (bot,):
        pass
    return bot


def changed_supervisor(folder: Path, changes: str) -> Path:
    """The usual supervisor with changes to its modules, given as a program."""
    supervisor = folder / "supervisor.py"
    supervisor.write_text(
        "import sys\n"
        f"sys.path.append({str(Path(launching.__file__).parents[1])!r})\n"
        "from mergemaker_processes import posix_supervisor, process_tree\n"
        f"{changes}"
        "out, err, bytes_max, _, *arguments = sys.argv[1:]\n"
        "posix_supervisor.supervise(arguments, out, err, int(bytes_max))\n"
    )
    return supervisor


def await_output(process: BotProcess, text: str) -> None:
    """Waits until the bot has written this; the supervisor logs it at once."""
    for _ in range(int(LIMIT_S / 0.005)):
        if text in process.launch.logs.out.read_text():
            return
        process.wait_gone(0.005)
    pytest.fail(f"the bot did not write {text!r} within {LIMIT_S} s")


def await_state(pid: int, state: str) -> None:
    """Waits until a process is in a state, given by its letter in the process list."""
    for _ in range(int(LIMIT_S / 0.005)):
        told = subprocess.run([PS, "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=True)
        if told.stdout.startswith(state):
            return
    pytest.fail(f"process {pid} was not in state {state} within a time")


def supervisor_of(process: BotProcess) -> int:
    """The supervisor itself; on Linux the command's child is the watcher above it."""
    watcher = process._supervisor.pid
    children = Path(f"/proc/{watcher}/task/{watcher}/children")
    return int(children.read_text().split()[0]) if LINUX else watcher
