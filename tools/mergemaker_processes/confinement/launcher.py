"""The process between a bot's supervisor and a confined bot: `python -I -S launcher.py REPORTS`.

REPORTS is the number of a descriptor, a pipe to the command: see `outside`. The order is a JSON document in the environment,
made by `confining`; the other variables are the bot's. The process ends as the bot ends.
"""

import json
import os
import signal
import sys
from os import path

ORDER = "MERGEMAKER_LAUNCH_ORDER"
"""The variable with the order. It is no argument because a bot can read the arguments of its namespace's first process."""
_IGNORED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGTSTP", "SIGTTIN", "SIGTTOU")
"""Stopping a bot signals this process, too; it ignores that, and runs until the bot has ended."""


def main() -> None:
    """Runs the bot that the order describes, confined, until nothing of it is left."""
    sys.path.append(path.dirname(path.dirname(path.dirname(path.abspath(__file__)))))  # noqa: PTH100, PTH120 - pathlib is slow to import
    from mergemaker_processes.confinement.running import run  # noqa: PLC0415 - found only now

    for name in _IGNORED:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    reports = int(sys.argv[1])
    os.set_inheritable(reports, False)
    status = run(json.loads(os.environ.pop(ORDER)), reports)
    for name in _IGNORED:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
