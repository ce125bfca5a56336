"""Finds failures in the logs of bots while these are written: nothing else reports a failure outside a question."""

from pathlib import Path
from typing import Final

from mergemaker_client.reporting import FAILURE_WORDS

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
