"""The weaker form, `limits`: the bot is an ordinary process of the same user, and only its use of resources is limited."""

import contextlib
import errno
import os
import resource
import select
import signal

from mergemaker_processes.confinement.guarding import Guard, Reports
from mergemaker_processes.confinement.terms import (
    DATA_FACTOR,
    FILE_MIB_MAX,
    MIB,
    NOT_STARTED,
    OPEN_FILES_MAX,
    SETUP_LIMIT_S,
    Limits,
)
from mergemaker_processes.process_tree import ProcessTree, become_subreaper, die_with_parent

_GO, _GO_WITHOUT_GROUP = b"g", b"w"


class Limited:
    """One bot in the weaker form."""

    def __init__(self, arguments: list[str], scratch: str, limits: Limits, guard: Guard, reports: Reports) -> None:
        self._arguments = arguments
        self._scratch = scratch
        self._limits = limits
        self._guard = guard
        self._reports = reports
        self._status: int | None = None
        gathers = become_subreaper()
        self._gathers_orphans = gathers
        self._tree = ProcessTree(gathers_orphans=gathers)

    def run(self) -> int:
        """Runs the bot until nothing of it is left; returns how it ended, as `os.wait` has it."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._scratch, 0o700)  # noqa: PTH102 - pathlib is slow to import
        waits, go = os.pipe()
        told, telling = os.pipe()
        woken, wake = os.pipe()
        for file in (woken, wake):
            os.set_blocking(file, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        launcher = os.getpid()
        bot = os.fork()
        if not bot:
            os.close(go)
            self._become_bot(waits, telling, launcher)
        for file in (waits, telling):
            os.close(file)
        self._tree.start_with(bot)
        self._guard.take_in(bot)
        os.write(go, _GO if self._guard.kept_by == "cgroup" else _GO_WITHOUT_GROUP)
        refused = os.read(told, 16).decode()
        if refused:
            os.waitpid(bot, 0)
            self._reports.tell("refused", refused)
            return NOT_STARTED << 8
        self._reports.tell("started", bot)
        self._attend(bot, woken)
        assert self._status is not None, "somebody's end was waited for"
        return self._status

    def _attend(self, bot: int, woken: int) -> None:
        """Watches the bot until nothing of it is left."""
        poll = select.poll()
        poll.register(woken, select.POLLIN)
        while self._reap(bot):
            troubles, is_over = self._guard.look(os.getpid())
            for trouble in troubles:
                self._reports.tell("trouble", trouble)
            if is_over or self._status:  # a bot that has failed cannot play, even if others of its processes run
                self._tree.kill()
            poll.poll(self._guard.interval_s * 1_000)
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 65_536)
        for trouble in self._guard.look(os.getpid())[0]:
            self._reports.tell("trouble", trouble)

    def _reap(self, bot: int) -> bool:
        """Collects all ended processes; False if none is left."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == bot:
                    self._status = ended[1]
        except ChildProcessError:
            return False
        return True

    def _become_bot(self, waits: int, telling: int, launcher: int) -> None:
        """Runs the bot's program in this process; reports why if that fails."""
        try:
            os.setsid()
            die_with_parent()
            if os.getppid() != launcher:  # it ended before this process was tied to it
                os._exit(0)
            ready, _, _ = select.select([waits], [], [], SETUP_LIMIT_S)
            go = os.read(waits, 1) if ready else b""
            if go not in (_GO, _GO_WITHOUT_GROUP):
                os._exit(0)
            self._limit(has_group=go == _GO)
            signal.set_wakeup_fd(-1)
            free_signals()
            os.execv(self._arguments[0], self._arguments)  # noqa: S606 - no shell is wanted
        except OSError as error:
            os.write(telling, str(error.errno or errno.EINVAL).encode())
        finally:
            os._exit(NOT_STARTED)

    def _limit(self, *, has_group: bool) -> None:
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_NOFILE, OPEN_FILES_MAX)
        limit(resource.RLIMIT_FSIZE, FILE_MIB_MAX * MIB)
        if not has_group:
            limit(resource.RLIMIT_DATA, DATA_FACTOR * self._limits.memory_bytes_max)


def limit(which: int, most: int) -> None:
    """Limits the resources of this process and its descendants, for good."""
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(which, (most, most))


def free_signals() -> None:
    """Resets all signals to their defaults before another program takes over."""
    for number in range(1, signal.NSIG):
        with contextlib.suppress(OSError, ValueError):  # signals that cannot be changed
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
