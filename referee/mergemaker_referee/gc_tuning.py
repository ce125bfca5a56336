"""How often Python looks for objects that only refer to each other: for a process that is a referee and little else.

A match makes thousands of small objects that last as long as it does, and hardly any that refer to each other in a circle. By
default Python looks through the young ones whenever there are 700 more of them, and through all that there are again and again:
with a hundred matches of quick bots that took a tenth of the processor, and held up the loop for more than 100 ms at a time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

YOUNG_MAX: Final = 20_000
"""So many more objects than before are looked through. Some megabytes, if all were in circles."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Has this process look for circles rarely while the block runs, and never among what is there already.

    For whoever owns the process: it is all of it that this holds for.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(YOUNG_MAX, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
