"""Work with the disk that has to succeed before anybody is served."""

from collections.abc import Callable

import structlog
import trio

from mergemaker_referee.records.journal_writer import DiskStalled, LineWriter

_LOG = structlog.get_logger(__name__)


async def run_patiently(writer: LineWriter, job: Callable[[], None], until_s: float, retry_s: float) -> None:
    """Does something with the disk, and tries again while that fails, until a set time."""
    while True:
        try:
            await _run_once(writer, job, until_s)
        except DiskStalled:
            raise
        except OSError as problem:
            if trio.current_time() > until_s:
                raise
            _LOG.warning("the disk keeps a match from being taken up: it is tried again", problem=str(problem))
            await trio.sleep(retry_s)
        else:
            return


async def _run_once(writer: LineWriter, job: Callable[[], None], until_s: float) -> None:
    """Does something with the disk; if it may still happen later, it is not done a second time."""
    try:
        await writer.run(job)
    except DiskStalled as stalled:
        with trio.move_on_at(until_s):
            await stalled.outcome()
            return
        raise
