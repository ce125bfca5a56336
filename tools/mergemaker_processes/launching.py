"""Starts bots as processes, each under a supervisor of its own, and sees to it that all of them end.

    with launched(launches) as bots:
        …                      # while the match goes on, `bot.failure()` says whether one of them cannot play any more

Nothing in here blocks longer than a limit that has a name or is an argument. In trio, what waits is for `trio.to_thread`.
"""

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mergemaker_processes.confinement.confining import ConfinedLaunch
from mergemaker_processes.confinement.refusals import ThisSystem, refusal
from mergemaker_processes.confinement.troubles import Trouble
from mergemaker_processes.endings import Ending, Exited, Lost, Refused, Signalled
from mergemaker_processes.logs import LAST_LINES, LOG_BYTES_MAX, LogFiles, last_lines
from mergemaker_processes.posix_names import LAUNCHER_REPORTS
from mergemaker_processes.problems import CommandFailed
from mergemaker_processes.texts import command_text, shown_path

START_LIMIT_S: Final = 30.0
"""How long the processes may take to start; what they do then has other limits."""
LEAVE_LIMIT_S: Final = 5.0
"""How long bots have after a match to end by themselves."""
STOP_GRACE_S: Final = 2.0
"""How long a bot has between SIGTERM and SIGKILL."""
KILL_LIMIT_S: Final = 10.0
"""How long to wait after SIGKILL; only a process that waits for a dead disk takes this long."""
_SUPERVISOR: Final = Path(__file__).with_name("supervisor.py")


class LaunchProblem(CommandFailed):
    """A bot cannot be started, or has ended too early."""

    def __init__(self, reason: str, message: str, bot: str = "") -> None:
        super().__init__(message)
        self.reason: Final = reason
        self.bot: Final = bot
        """The name of the bot; empty if it is about several."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start: for which bot, with which arguments (the program's path first), environment and logs."""

    bot: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    logs: LogFiles
    log_bytes_max: int = LOG_BYTES_MAX
    confinement: ConfinedLaunch | None = None


class BotProcess:
    """A bot that was started. A thread reads what its supervisor reports."""

    def __init__(self, launch: Launch) -> None:
        """Starts the supervisor, without waiting for anything."""
        self.launch: Final = launch
        self._changed = threading.Condition()
        self._pid: int | None = None
        self._ending: Ending | None = None
        self._gone = False
        self._left: tuple[int, ...] = ()
        self._log_problems: list[str] = []
        self._troubles: list[Trouble] = []
        self._unconfined: str | None = None
        self._supervisor = _start_supervisor(launch)
        self._reader = threading.Thread(target=self._read, name=f"reports on {launch.bot}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int | None:
        """The number of the bot's first process, as soon as there is one."""
        return self._pid

    @property
    def is_gone(self) -> bool:
        """Whether no process of the bot is left, as far as the supervisor could know before it ended."""
        return self._gone

    @property
    def left(self) -> tuple[int, ...]:
        """The numbers of processes that the supervisor could not end within its time; usually none."""
        return self._left

    @property
    def log_problems(self) -> tuple[str, ...]:
        """Why the logs are not complete; known when the bot is gone."""
        return tuple(self._log_problems)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """For a confined bot: the limits that it has reached, and what it looked for, as reported so far."""
        return tuple(self._troubles)

    def poll(self) -> Ending | None:
        """How the bot's first process ended, or None while it runs. Others that it started may run longer."""
        return self._ending

    def wait_started(self, timeout_s: float = START_LIMIT_S) -> bool:
        """Waits until the first process runs or has failed to start; False if the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: self._pid is not None or self._ending is not None, timeout_s)

    def wait(self, timeout_s: float) -> Ending | None:
        """Waits for the end of the bot's first process; None if the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._ending is not None, timeout_s)
            return self._ending

    def wait_gone(self, timeout_s: float) -> bool:
        """Waits until no process of the bot is left and its logs are complete; False if the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: self._gone, timeout_s)

    def ask_to_stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """Sends SIGTERM to all of the bot's processes, and SIGKILL after the grace to those that are left; does not wait."""
        order = f"stop {round(grace_s * 1_000)}\n".encode()
        orders = self._supervisor.stdin
        assert orders is not None
        # Closed or broken: the supervisor has ended, so nothing is left to stop.
        with contextlib.suppress(BrokenPipeError, ValueError):
            orders.write(order)
            orders.flush()
        if sys.platform != "win32" and not self._gone:
            # A bot may have stopped it, or the watcher above it: both are in one group.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._supervisor.pid, signal.SIGCONT)

    def stop(self, grace_s: float = STOP_GRACE_S) -> bool:
        """Ends all of the bot; False if something is left after `KILL_LIMIT_S`; the supervisor then keeps trying."""
        self.ask_to_stop(grace_s)
        return self.wait_gone(grace_s + KILL_LIMIT_S)

    def failure(self) -> LaunchProblem | None:
        """Why the bot cannot play any more, or None; for use while it still has to play.

        A first process that ended well may have left others that play: then it is not over until they are gone, too.
        If it is over, this waits as `stop` does.
        """
        ending = self._ending
        if ending is None or (ending == Exited(0) and not self._gone):
            return None
        self.stop()  # so that the logs are complete
        bot = self.launch.bot
        said = last_lines(self.launch.logs.err)
        if self._unconfined is not None:
            return LaunchProblem("bot-not-confined", f"the bot {bot} was not started: {self._unconfined}", bot)
        message = [f"the bot {bot} ended too early: {ending}", f"  command: {shown_command(self.launch.arguments)}"]
        message += [f"  {trouble}" for trouble in self._troubles]
        if self.launch.confinement is not None and self.launch.confinement.saw:
            saw = ", ".join(map(shown_path, self.launch.confinement.saw))
            message.append(f"  confined, it saw {saw}; --confine-see FOLDER shows it more")
        if said:
            message.append(
                f"  the last lines of its standard error, at most {LAST_LINES}, of {shown_path(self.launch.logs.err)}:"
            )
            message += [f"    {line}" for line in said]
        else:
            message.append("  it wrote nothing to its standard error")
        return LaunchProblem("bot-not-started" if isinstance(ending, Refused) else "bot-ended", "\n".join(message), bot)

    def _read(self) -> None:
        """Reads what the supervisor reports, until it ends."""
        assert self._supervisor.stdin is not None
        assert self._supervisor.stdout is not None
        with self._supervisor.stdout as reports:
            for line in reports:
                with self._changed:
                    self._take(line.decode())
                    self._changed.notify_all()
        self._supervisor.wait()
        with self._changed:
            self._ending = self._ending or Lost()
            self._gone = not self._left
            with contextlib.suppress(BrokenPipeError):  # an order that the supervisor did not read
                self._supervisor.stdin.close()
            self._changed.notify_all()

    def _take(self, line: str) -> None:
        match line.split(maxsplit=1):
            case ["started", pid]:
                self._pid = int(pid)
            case ["refused", number]:
                self._ending = Refused(_why_refused(int(number), self.launch.arguments[0]))
            case ["unconfined", told]:
                self._unconfined = str(refusal(json.loads(told), ThisSystem()))
            case ["trouble", told]:
                self._troubles.append(Trouble.from_report(told))
            case ["exit", status]:
                self._ending = self._ending or Exited(int(status))  # the launcher of a refused bot has ended, too
            case ["signal", number]:
                self._ending = Signalled(int(number))
            case ["log", rest]:
                name, number = rest.split()
                self._log_problems.append(f"{getattr(self.launch.logs, name)} takes no more: {os.strerror(int(number))}")
            case ["left", pids]:
                self._left = tuple(map(int, pids.split()))
            case _:  # the supervisor sends `gone` just before its end, which says more
                return


def _start_supervisor(launch: Launch) -> subprocess.Popen[bytes]:
    logs, confinement = launch.logs, launch.confinement
    arguments: Sequence[str] = launch.arguments
    environment = dict(launch.environment)
    if confinement is not None:
        arguments = confinement.command(LAUNCHER_REPORTS)
        environment = confinement.environment(launch.arguments, environment)
    own_group = 0
    if sys.platform == "win32":
        own_group = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    try:
        # Errors of the supervisor itself go to the log of errors, too.
        with logs.err.open("ab") as faults:
            return subprocess.Popen(  # noqa: S603 - a bot is a program of the user's choosing
                [
                    *(sys.executable, "-I", "-S", str(_SUPERVISOR)),
                    *(str(logs.out), str(logs.err), str(launch.log_bytes_max)),
                    confinement.leftovers if confinement else "",
                    *arguments,
                ],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=faults,
                start_new_session=True,  # Ctrl-C at the terminal is for the command, which decides
                creationflags=own_group,
            )
    except (OSError, ValueError) as error:
        command = shown_command(launch.arguments)
        text = f"the bot {launch.bot} cannot be started ({error}): {command}"
        raise LaunchProblem("bot-not-started", text, launch.bot) from error


def _why_refused(number: int, program: str) -> str:
    reason = os.strerror(number)
    if number == errno.ENOEXEC:
        return f"{reason}: a script's first line says what runs it, as in `#!/bin/sh`"
    if number == errno.ENOENT and Path(program).exists():
        return f"{reason}: the program is there, but not what its first line or its format needs"
    return reason


def shown_command(arguments: Sequence[str]) -> str:
    """A command line as shown to people, who may copy it."""
    return shown_path(command_text(arguments))


@contextmanager
def launched(launches: Sequence[Launch], leave_limit_s: float = LEAVE_LIMIT_S) -> Iterator[tuple[BotProcess, ...]]:
    """Starts bots and yields them when their first processes run; afterwards none of their processes is left.

    After the body they have `leave_limit_s` to end by themselves, or no time if it raised an error. If this process is killed
    in between, the supervisors end them.
    """
    bots: list[BotProcess] = []
    try:
        for launch in launches:
            bots.append(BotProcess(launch))  # noqa: PERF401 - one by one, so that the started ones are known if the next one fails
        _await_start(bots)
        yield tuple(bots)
        _await_all(bots, leave_limit_s)
    except BaseException as error:
        for name in _stop_all(bots):
            error.add_note(_left_message(name))
        raise
    if left := _stop_all(bots):
        raise LaunchProblem("bot-not-stopped", "\n".join(map(_left_message, left)))


def _await_start(bots: Sequence[BotProcess]) -> None:
    until = time.monotonic() + START_LIMIT_S
    for bot in bots:
        if not bot.wait_started(max(0, until - time.monotonic())):
            raise LaunchProblem(
                "bot-not-started",
                f"the bot {bot.launch.bot} did not start within {START_LIMIT_S:.0f} s: try again",
                bot.launch.bot,
            )
        if isinstance(bot.poll(), Refused | Lost) and (failure := bot.failure()):
            raise failure


def _await_all(bots: Sequence[BotProcess], timeout_s: float) -> None:
    until = time.monotonic() + timeout_s
    for bot in bots:
        bot.wait_gone(max(0, until - time.monotonic()))


def _stop_all(bots: Sequence[BotProcess]) -> list[str]:
    """Ends all bots together; returns the names of those that still have processes."""
    for bot in bots:
        bot.ask_to_stop()
    _await_all(bots, STOP_GRACE_S + KILL_LIMIT_S)
    return [bot.launch.bot for bot in bots if not bot.is_gone]


def _left_message(bot: str) -> str:
    return f"processes of the bot {bot} did not end within {KILL_LIMIT_S:.0f} s after SIGKILL: its supervisor goes on to try"
