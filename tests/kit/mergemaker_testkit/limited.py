"""Programs that run under a resource limit of the system."""

import sys
from collections.abc import Sequence

_PROGRAM = """
import os, resource, sys
limit, most = sys.argv[1], int(sys.argv[2])
resource.setrlimit(getattr(resource, limit), (most, most))
os.execv(sys.argv[3], sys.argv[3:])
"""


def limited(limit: str, most: int, command: Sequence[str]) -> list[str]:
    """A command line that sets a limit for a program, such as RLIMIT_AS.

    A separate program sets the limit: in a forked copy of the tests' process, setting it would run gRPC's fork handlers,
    if other tests have used gRPC.
    """
    return [sys.executable, "-I", "-c", _PROGRAM, limit, str(most), *command]
