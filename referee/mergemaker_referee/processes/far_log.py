"""The public log, as a process sees it that plays matches: the serving process keeps it, one for all."""

from typing import Final

import trio

from mergemaker_referee.processes.channel import Channel
from mergemaker_referee.processes.far_sessions import Numbers
from mergemaker_referee.processes.frames import Entry, Kind, pair


class FarLog:
    """A `MatchLog` through the channel."""

    def __init__(self, channel: Channel) -> None:
        self._channel: Final = channel
        self.written: Final = Numbers()
        """What to call when an entry is on the disk."""
        self.left: Final[dict[str, bytes | None]] = {}
        """The end lines of matches that had just ended when this process started."""

    def begin(self, match: str, commitment: bytes | None) -> trio.Event:
        """Publishes that a match was made."""
        if commitment is None:
            return self._add(Entry.BEGIN_UNPROMISED, match)
        return self._add(Entry.BEGIN, match, commitment)

    def end(self, match: str, line: bytes | None) -> trio.Event:
        """Publishes that a match is over."""
        return self._add(Entry.END_WITHOUT_LINE, match) if line is None else self._add(Entry.END, match, line)

    def ended_before(self, match: str) -> trio.Event | None:
        """For a match that had ended before: the process before may have died between the record's line and the log's."""
        return self.end(match, self.left[match]) if match in self.left else None

    def _add(self, entry: Entry, match: str, content: bytes = b"") -> trio.Event:
        written = trio.Event()
        number = self.written.add(lambda _: written.set())
        self._channel.send(Kind.LOG, number, more=entry, data=pair(match, content))
        return written
