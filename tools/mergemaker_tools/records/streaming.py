"""Progress on the terminal while lines go to standard output, which may be that terminal, a file or a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mergemaker_tools.tables import progress


@contextmanager
def progress_beside_lines(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """As `progress`, but lines written meanwhile appear above it, or go to the file or pipe of standard output.

    rich replaces standard output to keep lines and bar apart, even where it is a file or a pipe.
    """
    output = sys.stdout
    with progress(total, what) as done:
        if output is not None and not output.isatty():
            sys.stdout = output
        yield done
