"""What stands between a bot's supervisor and a bot that is confined: `python -I -S launcher.py REPORTS`.

REPORTS is the number of a descriptor, a pipe to the command: see `outside`. The order is a JSON document in the environment,
which is that of the bot otherwise: `confining` makes it. The process ends as the bot ends.
"""

import json
import os
import signal
import sys
from os import path

ORDER = "MERGEMAKER_LAUNCH_ORDER"
"""The variable with the order. Not an argument: a bot can read those of the first process of its namespace."""
_IGNORED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGTSTP", "SIGTTIN", "SIGTTOU")
"""Who stops the bot sends its signals to all; this process goes on until the bot has ended, or is killed."""


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
