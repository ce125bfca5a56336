"""What can stop a command: each problem becomes one message on standard error and an exit status.

Any other exception is a fault of the command itself, and shows where it is.
"""

from typing import Final

from mergemaker_processes.problems import CommandFailed, WrongUse

__all__ = ("DONE", "FAILED", "INTERRUPTED", "PIPE_CLOSED", "WRONG_USE", "CommandFailed", "Interrupted", "WrongUse")

DONE: Final = 0
FAILED: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""
PIPE_CLOSED: Final = 141
"""The exit status when the reader of a pipe has gone, likewise."""


class Interrupted(Exception):
    """Ctrl-C came in the middle of long work: the message says how far it got."""
