"""Those who look on: they get what everybody may know, as late as they or the referee want, and slow nobody down."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import trio
from google.protobuf.message import DecodeError
from mergemaker.v1 import spectate_pb2
from mergemaker_engine.shown import shown
from mergemaker_table.outputs import Ended, Publish
from mergemaker_wire.enums import ENDINGS
from mergemaker_wire.rules import rules_to_message
from mergemaker_wire.views import view_to_message

from mergemaker_referee import telling
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.encoding import EventEncoder, watch_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mergemaker_table.outputs import Output

    from mergemaker_referee.connections import Connection, Listener
    from mergemaker_referee.hosting import HostedMatch

DELAY_MS_MAX: Final = 86_400_000
"""A day."""
_NS_PER_MS: Final = 1_000_000
_DONE: Final = Closing(CloseCode.OK, "over", "the match is over")


class Gallery:
    """All who look on."""

    def __init__(self, matches: Mapping[str, HostedMatch], most: int, delay_ms: int, now_ns: Callable[[], int]) -> None:
        self._matches: Final = matches
        self._most: Final = most
        self._delay_ms: Final = delay_ms
        self._now_ns: Final = now_ns
        self._watchers: Final[set[Watcher]] = set()

    def watch(self, connection: Connection, request: bytes, nursery: trio.Nursery) -> Listener:
        """Somebody wants to look on."""
        watcher = Watcher(connection, self._now_ns, self._watchers.discard)
        try:
            wish = spectate_pb2.WatchRequest.FromString(request)
        except DecodeError:
            connection.close(Closing(CloseCode.INVALID_ARGUMENT, "unreadable", "what came is no WatchRequest"))
            return watcher
        match = self._matches.get(wish.match)
        if match is None:
            connection.close(Closing(CloseCode.NOT_FOUND, "unknown-match", f"there is no match {shown(wish.match)} here"))
        elif len(self._watchers) >= self._most:
            connection.close(Closing(CloseCode.RESOURCE_EXHAUSTED, "too-many-spectators", "as many look on as may"))
        else:
            self._watchers.add(watcher)
            watcher.begin(match, min(max(wish.delay_ms, self._delay_ms), DELAY_MS_MAX), nursery)
        return watcher


class Watcher:
    """One who looks on: a queue of responses, each with the time at which it is due."""

    def __init__(self, connection: Connection, now_ns: Callable[[], int], on_end: Callable[[Watcher], None]) -> None:
        self._connection: Final = connection
        self._now_ns: Final = now_ns
        self._on_end: Final = on_end
        self._match: HostedMatch | None = None
        self._delay_ns = 0
        self._waiting: Final[deque[tuple[int, bytes, bool]]] = deque()
        self._scope: Final = trio.CancelScope()
        self._has_more = trio.Event()

    def begin(self, match: HostedMatch, delay_ms: int, nursery: trio.Nursery) -> None:
        """Shows how the match stands, and follows it from there."""
        self._match = match
        self._delay_ns = delay_ms * _NS_PER_MS
        setup = match.table.setup
        started = spectate_pb2.WatchStarted(
            rules=rules_to_message(setup.rules),
            bots=setup.bots,
            clock=telling.clock_message(setup.terms.clock),
            delay_ms=delay_ms,
        )
        self._connection.send(watch_part("started", started))
        snapshot = match.table.public_snapshot()
        if snapshot is not None:
            # Where there is a delay, how it stands now is for later, too.
            self._queue(watch_part("view", view_to_message(snapshot.view, snapshot.events_seen)))
        if match.table.ended is not None:
            self._queue(watch_part("ended", self._ended(match.table.ended)), last=True)
        else:
            match.listeners.append(self.happened)
        nursery.start_soon(self._send_when_due)

    def happened(self, match: HostedMatch, outputs: Sequence[Output]) -> None:
        """A batch of the table, behind its lines."""
        for output in outputs:
            if isinstance(output, Publish):
                encoder = EventEncoder()
                parts = encoder.watch_parts(output.first_number, output.events)
                snapshot = match.table.public_snapshot()
                if snapshot is not None:
                    parts.append(watch_part("view", view_to_message(snapshot.view, snapshot.events_seen)))
                self._queue(b"".join(parts))
            elif isinstance(output, Ended):
                self._queue(watch_part("ended", self._ended(output)), last=True)

    def _ended(self, ended: Ended) -> spectate_pb2.WatchEnded:
        return spectate_pb2.WatchEnded(ending=ENDINGS.numbers[ended.why], standings=telling.standings(ended))

    def _queue(self, response: bytes, *, last: bool = False) -> None:
        self._waiting.append((self._now_ns() + self._delay_ns, response, last))
        self._has_more.set()

    async def _send_when_due(self) -> None:
        with self._scope:
            while True:
                while not self._waiting:
                    self._has_more = trio.Event()
                    await self._has_more.wait()
                due, response, last = self._waiting[0]
                await trio.sleep(max(0.0, (due - self._now_ns()) / 1e9))
                self._waiting.popleft()
                self._connection.send(response)
                if last:
                    self._connection.close(_DONE)
                    return

    def received(self, request: bytes, at_ns: int) -> None:
        """Nothing comes but the first request."""

    def gone(self, why: str) -> None:  # noqa: ARG002 - why somebody stopped looking on does not matter
        """The stream is over."""
        self._scope.cancel()
        if self._match is not None and self.happened in self._match.listeners:
            self._match.listeners.remove(self.happened)
        self._on_end(self)
