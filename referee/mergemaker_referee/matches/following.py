"""A match as its watchers get it: each event is encoded once, kept once, and grouped into responses by time alone."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from mergemaker.v1 import match_pb2, spectate_pb2
from mergemaker_table.outputs import Ended, Output, Publish
from mergemaker_wire.enums import ENDINGS
from mergemaker_wire.matches import receipt_to_message
from mergemaker_wire.views import view_to_message

from mergemaker_referee.matches import telling
from mergemaker_referee.matches.encoding import EventEncoder, watch_part
from mergemaker_referee.matches.hosting import HostedMatch

EVENTS_BYTES_MAX: Final = 8_192
"""Bytes of events in one response, unless one event alone has more: half of the least that `unread_bytes_max` may be."""
RESPONSES_KEPT: Final = 16
"""Watchers at the same place get the same response next: this many merged responses are kept for later ones."""


class Kind(Enum):
    """The kinds of things that watchers get."""

    EVENT = "event"
    """Merged with neighbouring events."""
    VIEW = "view"
    END = "end"
    """Nothing follows."""


@dataclass(frozen=True, slots=True)
class Said:
    """Something that everybody may know, as part of a `WatchResponse`."""

    at_ns: int
    """When it was written, and could be sent."""
    kind: Kind
    part: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """What one watcher gets at once."""

    data: bytes
    following: int
    """The place of what comes next."""
    is_last: bool


class Followed:
    """One match that somebody watches, from when the first watcher came."""

    def __init__(self, match: HostedMatch, now_ns: Callable[[], int], on_more: Callable[[int], None]) -> None:
        self.match: Final = match
        self.watchers = 0
        self.least_delay_ns = 0
        """No watcher gets an event sooner after it happened."""
        self._now_ns: Final = now_ns
        self._on_more: Final = on_more
        self._log: Final[list[Said]] = []
        self._merged: Final[dict[tuple[int, int], Response]] = {}
        self._view: Said | None = None
        """How the game stands, if somebody has asked since the last batch."""
        if match.ending is None:
            match.listeners.append(self.happened)
        else:
            self._say_end(match, match.table.ended)

    def let_go(self) -> None:
        """Nobody watches any more."""
        if self.happened in self.match.listeners:
            self.match.listeners.remove(self.happened)

    def happened(self, match: HostedMatch, outputs: Sequence[Output]) -> None:
        """A batch of the table, after its lines were written."""
        self._view = None
        count = len(self._log)
        for output in outputs:
            if isinstance(output, Publish):
                for part in EventEncoder().watch_parts(output.first_number, output.events):
                    self._say(Kind.EVENT, part)
            elif isinstance(output, Ended):
                if (view := self.view()) is not None:
                    self._log.append(view)
                self._say_end(match, output)
        if match.fault is not None:
            self._say_end(match, None)
        if len(self._log) > count:
            self._on_more(self._now_ns() + self.least_delay_ns)

    def view(self) -> Said | None:
        """How the game stands; None before the deal. The table of a match that broke may be ahead of what could be written."""
        snapshot = self.match.table.public_snapshot() if self._view is None and self.match.fault is None else None
        if snapshot is not None:
            message = view_to_message(snapshot.view, snapshot.events_seen)
            self._view = Said(self._now_ns(), Kind.VIEW, watch_part("view", message))
        return self._view

    @property
    def place(self) -> int:
        """The first place for a watcher that comes now and has seen how the game stands: the next event, or the end."""
        count = len(self._log)
        return count - 1 if count and self._log[-1].kind is Kind.END else count

    def at(self, place: int) -> Said | None:
        """What was said there; None if nothing was said yet."""
        return self._log[place] if place < len(self._log) else None

    def response(self, place: int, before_ns: int) -> Response:
        """What was said from a place on, and before a time: events together, anything else by itself.

        Which events come together depends on their times and lengths, never on batches: the events of one batch depend on
        what had to be asked in between (VIS-4). For the same reason there are views only at first and at the end.
        """
        said = self._log[place]
        if said.kind is not Kind.EVENT:
            return Response(said.part, place + 1, said.kind is Kind.END)
        end = bisect_left(self._log, before_ns, lo=place, key=lambda each: each.at_ns)
        found = self._merged.get((place, end))
        if found is None:
            if len(self._merged) >= RESPONSES_KEPT:
                self._merged.clear()
            found = self._merged[place, end] = self._merge(place, end)
        return found

    def _merge(self, place: int, end: int) -> Response:
        """Events as one response: the parts of a message, joined, are that message."""
        parts = [self._log[place].part]
        size = len(parts[0])
        for said in self._log[place + 1 : end]:
            size += len(said.part)
            if said.kind is not Kind.EVENT or size > EVENTS_BYTES_MAX:
                break
            parts.append(said.part)
        return Response(b"".join(parts), place + len(parts), is_last=False)

    def _say(self, kind: Kind, part: bytes) -> None:
        self._log.append(Said(self._now_ns(), kind, part))

    def _say_end(self, match: HostedMatch, ended: Ended | None) -> None:
        """The end, with the receipt of the record. A match that broke is void, however far its table is."""
        if match.fault is not None:
            ended = None
        message = spectate_pb2.WatchEnded(
            ending=match_pb2.ENDING_VOIDED if ended is None else ENDINGS.numbers[ended.why],
            standings=[] if ended is None else telling.standings(ended),
            receipt=receipt_to_message(match.keeper.receipt),
        )
        self._say(Kind.END, watch_part("ended", message))
