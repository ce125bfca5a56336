"""Programs that run under a limit of the system."""

import sys
from collections.abc import Sequence

_PROGRAM = """
import os, resource, sys
limit, most = sys.argv[1], int(sys.argv[2])
resource.setrlimit(getattr(resource, limit), (most, most))
os.execv(sys.argv[3], sys.argv[3:])
"""


def limited(limit: str, most: int, command: Sequence[str]) -> list[str]:
    """A command line that holds a program to a limit, such as RLIMIT_AS.

    The limit is set by a program of its own: setting it in a forked copy of the tests' process would run gRPC's handlers for
    forks there, where other tests have used gRPC.
    """
    return [sys.executable, "-I", "-c", _PROGRAM, limit, str(most), *command]
