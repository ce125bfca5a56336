"""Finds failures in the logs of bots: nothing else has their tracebacks, or reports a failure outside a question."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import trio
from mergemaker_client.reporting import FAILURE_WORDS
from mergemaker_processes.logs import holds_words, lines_from

WRITTEN_LIMIT_S: Final = 2.0
"""How long a report of a failure may take from the bot to its log."""
POLL_S: Final = 0.02
REPORT_LINES_MAX: Final = 60
"""How much of a report is shown on the screen."""
_WORDS: Final = FAILURE_WORDS.encode()


class FailureWatch:
    """Reads the new part of each log once."""

    def __init__(self) -> None:
        self._read: Final[dict[Path, int]] = {}

    def has_failed(self, log: Path) -> bool:
        """Whether the log's new part reports a failure; an unreadable log reports none."""
        before = self._read.get(log, 0)
        try:
            with log.open("rb") as file:
                # At the last look, the words may have been incomplete.
                file.seek(max(0, before - len(_WORDS) + 1))
                grown = file.read()
                self._read[log] = file.tell()
        except OSError:
            return False
        return _WORDS in grown


def first_failure(log: Path) -> list[str]:
    """The first report of a failure in a log, with its traceback and position; empty if there is none."""
    lines = lines_from(log, FAILURE_WORDS)
    if not lines:
        return []
    speaker = lines[0].partition(" ")[0]  # as in `mergemaker:`, which begins the next report, too
    end = next((number for number in range(1, len(lines)) if _is_after(lines[number - 1], lines[number], speaker)), len(lines))
    left_out = end - REPORT_LINES_MAX
    more = [f"({left_out} more lines are in the log)"] if left_out > 0 else []
    return lines[: min(end, REPORT_LINES_MAX)] + more


def _is_after(last: str, line: str, speaker: str) -> bool:
    """Whether a line is no part of the report that goes up to the last one: a position ends with its agenda."""
    return line.startswith(f"{speaker} ") or last.startswith("agenda ")


async def failures_written(logs: Iterable[Path]) -> None:
    """Waits until the reports of failures that have happened are in these logs."""
    with trio.move_on_after(WRITTEN_LIMIT_S):
        for log in logs:
            while not holds_words(log, FAILURE_WORDS):  # noqa: ASYNC110 - another process writes it
                await trio.sleep(POLL_S)
