"""The supervisor of one bot on Linux and other Unix systems: one thread, which waits for the command, the bot and its output."""

import os
import select
import signal
import sys
import time

from mergemaker_processes.kept_log import KeptLog
from mergemaker_processes.posix_names import LAUNCHER_REPORTS
from mergemaker_processes.process_tree import ProcessTree, become_subreaper, die_with_parent
from mergemaker_processes.watching import KILL_LIMIT_S, KILL_PAUSE_MS_MAX, KILL_PAUSE_MS_MIN, watched

assert sys.platform != "win32"  # for mypy, which then knows what else is there

GONE_GRACE_MS = 1_000
"""How long the bot's processes have between SIGTERM and SIGKILL when the command has gone."""
READ_BYTES = 65_536
PIPE_BYTES_MAX = 1_048_576
"""The most that a pipe can hold for a bot that is not root."""
_ORDERS, _REPORTS = 0, 1
_IGNORED = ("SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGTSTP", "SIGTTIN", "SIGTTOU")
"""The command handles Ctrl-C, and a bot must not escape by signals to its parent.

SIGTERM is an order to stop. SIGKILL and SIGSTOP cannot be ignored. On Linux, killing the supervisor also kills the bot's first
process, and all others become children of the watcher, which kills them (`watching`).
"""


def supervise(arguments: list[str], out: str, err: str, bytes_max: int, leftovers: str = "") -> None:
    """Runs the bot, and returns when no process of it is left."""
    if become_subreaper() and (status := watched(_IGNORED)) is not None:
        remove_leftovers(leftovers)
        raise SystemExit(status)
    woken = _hear_signals()
    tree = ProcessTree(gathers_orphans=become_subreaper())
    logs = {"out": KeptLog(out, bytes_max), "err": KeptLog(err, bytes_max)}
    Supervisor(tree, logs, woken, leftovers).run(arguments)


class Supervisor:
    """What is known of the bot, and what is to be done next."""

    def __init__(self, tree: ProcessTree, logs: dict[str, KeptLog], woken: int, leftovers: str) -> None:
        self._tree = tree
        self._leftovers = leftovers
        self._logs = logs
        self._woken = woken
        self._outputs: dict[int, str] = {}
        self._poll = select.poll()
        self._first = 0
        self._has_children = False
        self._kill_at: float | None = None
        self._kill_pause_ms = KILL_PAUSE_MS_MIN
        self._orders = b""

    def run(self, arguments: list[str]) -> None:
        """Runs the bot, and returns when no process of it is left."""
        refused = self._start(arguments)
        if refused:
            os.waitpid(self._first, 0)  # it has said why, and ends at once
            self._has_children = False
            report(f"refused {refused}")
        else:
            if not self._leftovers:  # otherwise the launcher reports when the bot itself runs
                report(f"started {self._first}")
            try:
                self._attend()
            except BaseException:  # a fault in here must not leave the bot alone
                self._stop(0)
                self._end_all()
                raise
        remove_leftovers(self._leftovers)
        for name, log in self._logs.items():
            log.finish()
            if log.problem:
                report(f"log {name} {log.problem}")
        left = [] if self._is_over() else self._tree.members()
        report(" ".join(["left", *(str(process.pid) for process in left)]) if left else "gone")

    def _start(self, arguments: list[str]) -> int:
        """Starts the first process; returns the system's error number if it cannot be, 0 otherwise."""
        theirs = []
        for name in self._logs:
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            self._outputs[reader] = name
            theirs.append(writer)
        told, tell = os.pipe()
        supervisor = os.getpid()
        self._first = os.fork()
        if not self._first:
            _become_bot(arguments, theirs, tell, supervisor, is_launcher=bool(self._leftovers))
        self._has_children = True
        for end in (*theirs, tell):
            os.close(end)
        # The pipe closes when the bot's program takes over. Before that, the child would still be in this process's group.
        refused = os.read(told, READ_BYTES)
        os.close(told)
        self._tree.start_with(self._first)
        for end in (_ORDERS, self._woken, *self._outputs):
            self._poll.register(end, select.POLLIN)
        return int(refused or 0)

    def _attend(self) -> None:
        """Handles events until nothing of the bot is left."""
        while not self._is_over() and not self._is_in_vain():
            for end, _ in self._poll.poll(self._pause_ms()):
                if end == _ORDERS:
                    self._obey()
                elif end == self._woken:
                    if signal.SIGTERM in os.read(self._woken, READ_BYTES):
                        self._stop(GONE_GRACE_MS)
                else:
                    self._keep_output(end)
            self._reap()
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self._tree.kill()
                self._reap()
        self._drain()

    def _pause_ms(self) -> int | None:
        """How long to wait for the next event."""
        if self._kill_at is None:
            # Without a subreaper, only the end of the first process is reported.
            return None if self._has_children else KILL_PAUSE_MS_MAX
        until_kill_ms = int((self._kill_at - time.monotonic()) * 1_000) + 1
        if until_kill_ms > 0:
            return until_kill_ms if self._has_children else min(until_kill_ms, KILL_PAUSE_MS_MAX)
        pause_ms = self._kill_pause_ms
        self._kill_pause_ms = min(2 * pause_ms, KILL_PAUSE_MS_MAX)
        return pause_ms

    def _obey(self) -> None:
        """Reads orders from the command; their end is an order to stop, too."""
        read = os.read(_ORDERS, READ_BYTES)
        if not read:
            self._poll.unregister(_ORDERS)
            self._stop(GONE_GRACE_MS)
            return
        *lines, self._orders = (self._orders + read).split(b"\n")
        for line in lines:
            self._stop(int(line.removeprefix(b"stop ")))

    def _stop(self, grace_ms: int) -> None:
        """Asks all processes to end, once, and sets the time at which they are killed; a later order can only shorten it."""
        kill_at = time.monotonic() + grace_ms / 1_000
        if self._kill_at is None:
            self._kill_at = kill_at
            self._tree.signal(signal.SIGTERM)
            self._tree.signal(signal.SIGCONT)  # a stopped process would not get it
        self._kill_at = min(self._kill_at, kill_at)

    def _reap(self) -> None:
        """Takes note of all that have ended."""
        while self._has_children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._has_children = False
                return
            if not pid:
                return
            self._kill_pause_ms = KILL_PAUSE_MS_MIN
            if pid == self._first:
                self._drain()  # the command may want to show the log's last lines
                by_signal = os.WIFSIGNALED(status)
                report(f"signal {os.WTERMSIG(status)}" if by_signal else f"exit {os.WEXITSTATUS(status)}")

    def _keep_output(self, end: int) -> bool:
        """Keeps what the bot wrote; False if there is nothing more for now."""
        try:
            data = os.read(end, READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self._poll.unregister(end)
            os.close(end)
            del self._outputs[end]
            return False
        self._logs[self._outputs[end]].take(data)
        return True

    def _drain(self) -> None:
        """Keeps what the bot has written so far; more than a pipe holds comes only from processes that still write."""
        for end in tuple(self._outputs):
            for _ in range(PIPE_BYTES_MAX // READ_BYTES + 1):
                if not self._keep_output(end):
                    break

    def _end_all(self) -> None:
        """Kills all, and does nothing else."""
        while not self._is_over() and not self._is_in_vain():
            self._tree.kill()
            self._reap()
            time.sleep((self._pause_ms() or 0) / 1_000)

    def _is_over(self) -> bool:
        """Whether nothing of the bot is left."""
        return not self._has_children and self._tree.is_empty()

    def _is_in_vain(self) -> bool:
        return self._kill_at is not None and time.monotonic() > self._kill_at + KILL_LIMIT_S


def remove_leftovers(leftovers: str) -> None:
    """Removes what a killed launcher of a confined bot has left."""
    if leftovers:
        from mergemaker_processes.confinement.leftovers import remove  # noqa: PLC0415 - most bots are not confined

        remove(leftovers)


def report(line: str) -> None:
    """Reports to the command, if it still runs."""
    try:
        os.write(_REPORTS, f"{line}\n".encode())
    except BrokenPipeError:
        return  # the end of the orders means the same


def _hear_signals() -> int:
    """Ignores signals that are not for the supervisor; returns a pipe that reports the others."""
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    for name in _IGNORED:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return woken


def _become_bot(arguments: list[str], outputs: list[int], tell: int, supervisor: int, *, is_launcher: bool) -> None:
    """Runs the bot's program in this process, which has just been forked; tells why if that cannot be."""
    try:
        os.setsid()
        die_with_parent()
        if os.getppid() != supervisor:  # it ended before this process was tied to it
            os._exit(0)
        if is_launcher:
            os.dup2(_REPORTS, LAUNCHER_REPORTS)
        for end, use in zip((os.open(os.devnull, os.O_RDONLY), *outputs), (0, 1, 2), strict=True):
            os.dup2(end, use)
        for name in (*_IGNORED, "SIGCHLD", "SIGTERM", "SIGXFSZ"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execv(arguments[0], arguments)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(tell, str(error.errno).encode())
    finally:
        os._exit(127)
