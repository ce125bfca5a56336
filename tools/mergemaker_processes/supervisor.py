"""The process between the command and one bot: starts the bot, keeps its logs, and ends its whole process tree.

python -I -S supervisor.py OUT ERR BYTES_MAX LEFTOVERS PROGRAM ARGUMENT …

OUT and ERR are the bot's logs, of at most BYTES_MAX bytes each. LEFTOVERS is empty, unless PROGRAM is the launcher of a
confined bot: then it says what to remove when nothing of the bot is left (`confinement.leftovers`).

Standard input is a pipe from the command: an order is a line, `stop MILLISECONDS`; its end means that the command has ended,
for whatever reason. Standard output is a pipe to the command, to which the launcher of a confined bot writes, too:

    started PID            the bot's first process runs
    refused ERRNO          it cannot be started
    exit STATUS            it has ended, while others that it started may go on
    signal NUMBER          likewise, by a signal
    log out|err ERRNO      this log takes no more
    gone                   no process of the bot is left, and the logs are complete
    left PID …             instead: these could not be ended, and the supervisor has given up

Each bot has its own supervisor, so that an orphan's bot is always known, and one bot can be
stopped alone. It starts with every bot, so it imports little: no `typing`, no `subprocess`, no `json`.
"""

import sys
from os import path


def main() -> None:
    """Supervises the bot that the process's arguments describe, until no process of it is left."""
    # It runs as a file and isolated, for speed. This lets it find its own package, after the standard modules.
    sys.path.append(path.dirname(path.dirname(path.abspath(__file__))))  # noqa: PTH100, PTH120 - pathlib is slow to import
    out, err, bytes_max, leftovers, *arguments = sys.argv[1:]
    if sys.platform == "win32":
        from mergemaker_processes.windows_supervisor import supervise  # noqa: PLC0415 - only there
    else:
        from mergemaker_processes.posix_supervisor import supervise  # noqa: PLC0415 - only there
    supervise(arguments, out, err, int(bytes_max), leftovers)


if __name__ == "__main__":
    main()
