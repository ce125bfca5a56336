"""Folders of records that change hands: from a process that was just killed to the next, and at the start of a server."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import trio

from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.data_folder import DataFolder

LOCK_S_MAX: Final = 10.0
"""How long to wait for the process before to let go of its folders."""
LOCK_AGAIN_S: Final = 0.05


@asynccontextmanager
async def locked(folders: Sequence[Path]) -> AsyncIterator[None]:
    """Holds the folders within the block. A process whose server was killed a moment ago may still hold them."""
    until = trio.current_time() + LOCK_S_MAX
    while True:
        try:
            locks = DataFolder.open(*folders)
            break
        except RefereeError as problem:
            if problem.reason != "folder-in-use" or trio.current_time() > until:
                raise
            await trio.sleep(LOCK_AGAIN_S)
    with locks:
        yield
