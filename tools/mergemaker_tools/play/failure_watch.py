"""Finds reports of failures in the logs of bots while they are written: what fails where nothing is asked, nothing else tells."""

from pathlib import Path
from typing import Final

from mergemaker_client.reporting import FAILURE_WORDS

_WORDS: Final = FAILURE_WORDS.encode()


class FailureWatch:
    """Reads every log that it is asked about once, as far as it has grown."""

    def __init__(self) -> None:
        self._read: Final[dict[Path, int]] = {}

    def has_failed(self, log: Path) -> bool:
        """Whether what was written since the last look reports a failure; a log that cannot be read reports none."""
        before = self._read.get(log, 0)
        try:
            with log.open("rb") as file:
                # The words may have been half written at the last look.
                file.seek(max(0, before - len(_WORDS) + 1))
                grown = file.read()
                self._read[log] = file.tell()
        except OSError:
            return False
        return _WORDS in grown
