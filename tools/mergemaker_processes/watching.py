"""The watcher above a supervisor: if a bot kills its own supervisor, the rest of the bot becomes the watcher's, and is killed.

Only on Linux, where orphans go to the nearest ancestor that is a 'subreaper'. While the supervisor lives, that is the
supervisor; the watcher only waits, and continues the supervisor if it is stopped. If a bot kills the watcher instead, the kernel
tells the supervisor, which ends the bot. If it kills both at once, its orphans escape.
"""

import os
import signal
import sys
import time

from mergemaker_processes.process_tree import ProcessTree, die_with_parent

assert sys.platform != "win32"  # for mypy, which then knows what else is there

KILL_PAUSE_MS_MIN = 1
KILL_PAUSE_MS_MAX = 1_000
"""The pauses between rounds of killing, from the first to when nothing seems to help."""
KILL_LIMIT_S = 600.0
"""When to give up killing: what is left belongs to another user, or waits for a dead disk."""
BROKEN = 1
"""The exit status of a watcher whose supervisor was killed."""


def watched(ignored: tuple[str, ...]) -> int | None:
    """Forks. Returns None in the new process, the supervisor; in the watcher, at the very end, its exit status."""
    for name in ignored:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    watcher = os.getpid()
    supervisor = os.fork()
    if not supervisor:
        die_with_parent(signal.SIGTERM)
        if os.getppid() != watcher:  # it ended before this process was tied to it
            os._exit(BROKEN)
        return None
    signal.signal(signal.SIGTERM, lambda *_: os.kill(supervisor, signal.SIGTERM))
    nothing = os.open(os.devnull, os.O_RDWR)
    for end in (0, 1):  # the command sees by these pipes whether the supervisor lives
        os.dup2(nothing, end)
    _, status = os.waitpid(supervisor, os.WUNTRACED)
    while os.WIFSTOPPED(status):  # by its bot: it would not notice the command's end
        os.kill(supervisor, signal.SIGCONT)
        _, status = os.waitpid(supervisor, os.WUNTRACED)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.WIFEXITED(status) and not os.WEXITSTATUS(status):
        return 0
    _end_all()
    return BROKEN


def _end_all() -> None:
    """Kills what is left, for as long as a supervisor would."""
    tree = ProcessTree(gathers_orphans=True)
    until, pause_ms = time.monotonic() + KILL_LIMIT_S, KILL_PAUSE_MS_MIN
    while _has_children() and time.monotonic() < until:
        tree.kill()
        time.sleep(pause_ms / 1_000)
        pause_ms = min(2 * pause_ms, KILL_PAUSE_MS_MAX)


def _has_children() -> bool:
    """Whether any process is left, after all ended ones were waited for."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
