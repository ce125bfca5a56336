"""The watcher above a supervisor: what is left of a bot that kills its own supervisor becomes the watcher's, and is killed.

Only on Linux, where orphans go to the nearest ancestor that is a 'subreaper'. As long as the supervisor lives, that is the
supervisor, and the watcher only waits, and has it go on where it was stopped. Who kills the watcher instead has the
supervisor end the bot, since the kernel tells it. Who kills both in one go gets away with what has left its parent.
"""

import os
import signal
import sys
import time

from mergemaker_processes.process_tree import ProcessTree, die_with_parent

assert sys.platform != "win32"  # for mypy, which then knows what else is there

KILL_PAUSE_MS_MIN = 1
KILL_PAUSE_MS_MAX = 1_000
"""How long until the next round of killing, from the first to when nothing seems to help."""
KILL_LIMIT_S = 600.0
"""After so long of killing in vain one gives up: who is left belongs to another user, or waits for a dead disk."""
BROKEN = 1
"""The exit status of a watcher whose supervisor did not come to its end."""


def watched(ignored: tuple[str, ...]) -> int | None:
    """Forks. In the new process, which is to be the supervisor: None. In the watcher, when all is over: its exit status."""
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
    while os.WIFSTOPPED(status):  # by its bot: it would not hear any more that the command has gone
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
    """Whether anybody is left, when all that have ended were asked for."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
