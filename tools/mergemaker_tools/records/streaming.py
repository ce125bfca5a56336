"""Progress on the terminal while lines go to standard output, which may be that terminal, a file or a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mergemaker_tools.tables import progress


@contextmanager
def progress_beside_lines(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """As `progress`, and what is written meanwhile appears above it, or goes to the file or pipe it was meant for.

    rich takes over standard output to keep lines and bar apart, wherever standard output leads.
    """
    output = sys.stdout
    with progress(total, what) as done:
        if output is not None and not output.isatty():
            sys.stdout = output
        yield done
