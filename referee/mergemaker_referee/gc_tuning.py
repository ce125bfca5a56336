"""How often Python looks for objects that only refer to each other, in a process that is a referee and little else.

A match makes thousands of small objects that last as long as it does, and that hardly ever form circles of references. By
default, Python examines the young ones whenever there are 700 more of them, and all objects again and again:
with a hundred matches of quick bots, that took a tenth of the processor, and held up the loop for more than 100 ms at a time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

YOUNG_MAX: Final = 20_000
"""How many new objects Python waits for before it examines them. That is some megabytes if all were in circles."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Within the block, this process looks for circles rarely, and never among the objects that exist already.

    It affects the whole process, so it is for the process's owner.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(YOUNG_MAX, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
