"""Those who look on: they get what everybody may know, as late as they or the referee want, and slow nobody down."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import trio
from google.protobuf.message import DecodeError
from mergemaker.v1 import match_pb2, spectate_pb2
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
_VOIDED: Final = spectate_pb2.WatchEnded(ending=match_pb2.ENDING_VOIDED)
"""How a match ends that broke by a fault of the referee."""
_DONE: Final = Closing(CloseCode.OK, "over", "the match is over")


class Gallery:
    """All who look on."""

    def __init__(self, matches: Mapping[str, HostedMatch], most: int, delay_ms: int, now_ns: Callable[[], int]) -> None:
        self._matches: Final = matches
        self._most: Final = most
        self._delay_ms: Final = delay_ms
        self._now_ns: Final = now_ns
        self._watchers: Final[set[Watcher]] = set()

    @property
    def spectators(self) -> int:
        """How many look on."""
        return len(self._watchers)

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
            delay_ms = min(max(wish.delay_ms, self._delay_ms), DELAY_MS_MAX)
            match.look_on(lambda: watcher.begin(match, delay_ms, nursery))
        return watcher


def _ended(ended: Ended) -> spectate_pb2.WatchEnded:
    return spectate_pb2.WatchEnded(ending=ENDINGS.numbers[ended.why], standings=telling.standings(ended))


class Watcher:
    """One who looks on: a queue of responses, each with the time at which it is due."""

    def __init__(self, connection: Connection, now_ns: Callable[[], int], on_end: Callable[[Watcher], None]) -> None:
        self._connection: Final = connection
        self._now_ns: Final = now_ns
        self._on_end: Final = on_end
        self._match: HostedMatch | None = None
        self._delay_ns = 0
        self._waiting: Final[deque[tuple[int, bytes, bool]]] = deque()
        self._is_gone = False
        self._scope: Final = trio.CancelScope()
        self._has_more = trio.Event()

    def begin(self, match: HostedMatch, delay_ms: int, nursery: trio.Nursery) -> None:
        """Shows how the match stands, and follows it from there."""
        if self._is_gone:
            return
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
        self._queue_view(match)  # where there is a delay, how it stands now is for later, too
        if match.ending is not None:
            ended = match.table.ended if match.fault is None else None
            self._queue(watch_part("ended", _VOIDED if ended is None else _ended(ended)), last=True)
        else:
            match.listeners.append(self.happened)
        nursery.start_soon(self._send_when_due)

    def happened(self, match: HostedMatch, outputs: Sequence[Output]) -> None:
        """A batch of the table, behind its lines.

        Each event is a response of its own, and views come at first and at the end alone: what comes in one batch, and how the
        game stands behind it, depends on what had to be asked in between (VIS-4).
        """
        for output in outputs:
            if isinstance(output, Publish):
                for part in EventEncoder().watch_parts(output.first_number, output.events):
                    self._queue(part)
            elif isinstance(output, Ended):
                self._queue_view(match)
                self._queue(watch_part("ended", _ended(output)), last=True)
        if match.fault is not None:
            self._queue(watch_part("ended", _VOIDED), last=True)

    def _queue_view(self, match: HostedMatch) -> None:
        # The table of a match that broke may be ahead of what could be written.
        snapshot = match.table.public_snapshot() if match.fault is None else None
        if snapshot is not None:
            self._queue(watch_part("view", view_to_message(snapshot.view, snapshot.events_seen)))

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
        self._is_gone = True
        self._scope.cancel()
        if self._match is not None and self.happened in self._match.listeners:
            self._match.listeners.remove(self.happened)
        self._on_end(self)
