"""What the processes that play say, and what the process that serves does about it."""

import json
from collections.abc import Callable
from functools import partial
from typing import Final

import trio
from mergemaker.v1 import matches_pb2

from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import NotesOnly
from mergemaker_referee.processes.announcing import AnnouncedMatch
from mergemaker_referee.processes.frames import Entry, Frame, Kind, closing_of, unpair
from mergemaker_referee.processes.gathered_metrics import Gathered
from mergemaker_referee.processes.house import House
from mergemaker_referee.processes.match_book import MatchBook

_NS_PER_MS: Final = 1_000_000


class Hearing:
    """Takes the frames of all processes."""

    def __init__(self, book: MatchBook, clocks: Clocks, limits: Limits, nursery: trio.Nursery) -> None:
        self.metrics: Gathered | None = None
        self.barrier: Callable[[Callable[[], None]], None] = lambda passed: passed()
        """Calls back after everything that has come: the transport's barrier."""
        self._book: Final = book
        self._clocks: Final = clocks
        self._ping_interval_ns: Final = limits.ping_interval_ms * _NS_PER_MS
        self._nursery: Final = nursery
        self._take: Final[dict[int, Callable[[House, Frame], None]]] = {
            Kind.SEND: self._send,
            Kind.BARRIER: self._pass_barrier,
            Kind.CHARGE: self._charge,
            Kind.UNASKED: self._note_unasked,
            Kind.TOLD_END: self._note_told_end,
            Kind.CLOSE: self._close,
            Kind.REPLY: lambda house, came: house.replied(came.number, came.more, came.data),
            Kind.MATCH: lambda house, came: book.is_there(house, AnnouncedMatch.read(came.data)),
            Kind.OVER: self._match_is_over,
            Kind.LOG: self._publish,
            Kind.METRICS: self._take_metrics,
        }

    def take(self, house: House, came: Frame) -> None:
        """Does what a frame of a process says."""
        self._take[came.kind](house, came)

    def _send(self, house: House, came: Frame) -> None:
        held = house.links.get(came.number)
        if held is None:
            watcher = house.watchers.get(came.number)
            if watcher is not None:
                watcher.send(came.data, partial(self._watcher_handed, house, came.value))
            return
        link, connection = held.link, held.connection
        if connection is None or link.session.connection is not connection:
            return  # it has another stream by now
        link.is_shown = True
        if not came.value:
            connection.send(came.data)
            return
        link.note_asked(came.more)
        # Pings that are under way measure nothing from here on; later ones are sent only while nothing is asked.
        link.session.question_handed()
        channel = house.channel
        if channel is not None:
            connection.send(came.data, NotesOnly(partial(channel.send_from_anywhere, Kind.HANDED, came.value)))

    def _watcher_handed(self, house: House, number: int, at_ns: int) -> None:
        house.send(Kind.HANDED, number, at_ns)

    def _pass_barrier(self, house: House, came: Frame) -> None:
        held = house.links.get(came.value)
        connection = None if held is None else held.link.session.connection
        barrier = self.barrier if connection is None else connection.barrier
        barrier(partial(house.send, Kind.PASSED, came.number))

    def _charge(self, house: House, came: Frame) -> None:
        held = house.links.get(came.number)
        connection = house.watchers.get(came.number) if held is None else held.connection
        if connection is not None:
            connection.charge(came.value)

    def _note_unasked(self, house: House, came: Frame) -> None:
        held = house.links.get(came.number)
        if held is not None:
            held.link.is_asked = False
            held.link.session.ping_if_due(self._clocks.awake_ns(), self._ping_interval_ns)

    def _note_told_end(self, house: House, came: Frame) -> None:
        held = house.links.get(came.number)
        if held is not None:
            match = self._book.seating.matches.get(held.link.match.id)
            held.link.is_asked = False
            held.link.session.told_ends.add(held.link.match.id)
            if match is not None:
                match.is_over = True

    def _close(self, house: House, came: Frame) -> None:
        closing = closing_of(came.data)
        held = house.links.get(came.number)
        if held is not None:
            if held.connection is not None and held.link.session.connection is held.connection:
                held.link.session.close(closing)
        elif (watcher := house.watchers.pop(came.number, None)) is not None:
            watcher.close(closing)

    def _match_is_over(self, house: House, came: Frame) -> None:  # noqa: ARG002 - the match knows its house
        id_, summary = unpair(came.data)
        self._book.note_end(id_, matches_pb2.MatchSummary.FromString(summary))

    def _publish(self, house: House, came: Frame) -> None:
        match, content = unpair(came.data)
        if came.more == Entry.BEGIN:
            written = self._book.log.begin(match, content)
        elif came.more == Entry.BEGIN_UNPROMISED:
            written = self._book.log.begin(match, None)
        else:
            written = self._book.log_end(match, content if came.more == Entry.END else None)
        self._nursery.start_soon(self._tell_logged, house, house.channel, came.number, written)

    async def _tell_logged(self, house: House, channel: object, number: int, written: trio.Event) -> None:
        await written.wait()
        if house.channel is not None and house.channel is channel:
            house.channel.send(Kind.LOGGED, number)  # also to a process that is still taking its matches up

    def _take_metrics(self, house: House, came: Frame) -> None:
        if self.metrics is not None:
            self.metrics.took(house.number, json.loads(came.data))
