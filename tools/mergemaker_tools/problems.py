"""The problems that stop a command: each becomes one message on standard error and an exit status.

Any other exception is a bug in the command, and shows its traceback.
"""

from typing import Final

from mergemaker_processes.problems import CommandFailed, WrongUse

__all__ = (
    "DONE",
    "FAILED",
    "INTERRUPTED",
    "PIPE_CLOSED",
    "WRONG_USE",
    "CommandFailed",
    "Interrupted",
    "NoAnswer",
    "WrongUse",
    "only_problem",
)

DONE: Final = 0
FAILED: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""
PIPE_CLOSED: Final = 141
"""The exit status when the reader of a pipe has gone, likewise."""


class NoAnswer(WrongUse):
    """A comparison gave no answer, for whatever reason. Its status is not that of an answer."""


class Interrupted(Exception):
    """Ctrl-C interrupted long work: the message says how far it got."""


def only_problem(problem: BaseException) -> BaseException:
    """The one problem in a group of one, however deep it lies; otherwise the problem as it is."""
    while isinstance(problem, BaseExceptionGroup) and len(problem.exceptions) == 1:
        problem = problem.exceptions[0]
    return problem
