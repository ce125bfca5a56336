"""Spectators: they get what everybody may know, as late as they or the referee want, and slow nobody down."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import trio
from google.protobuf.message import DecodeError
from mergemaker.v1 import spectate_pb2
from mergemaker_engine.shown import shown
from mergemaker_wire.matches import bot_to_message
from mergemaker_wire.rules import rules_to_message

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import CloseCode, Closing, Connection, Listener
from mergemaker_referee.identities import Identity, Onlooker
from mergemaker_referee.matches import telling
from mergemaker_referee.matches.alarm_clock import NEVER_S
from mergemaker_referee.matches.encoding import watch_part
from mergemaker_referee.matches.following import Followed, Said
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.rounds import Rounds

DELAY_MS_MAX: Final = 86_400_000
"""A day."""
_NS_PER_MS: Final = 1_000_000
_UNREADABLE: Final = Closing(CloseCode.INVALID_ARGUMENT, "unreadable", "what came is no WatchRequest")
_DONE: Final = Closing(CloseCode.OK, "over", "the match is over")


class Places:
    """How many watch, in all and by identity."""

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        self._streams: Final[Counter[Identity]] = Counter()

    def refusal(self, identity: Identity) -> Closing | None:
        """Why somebody may not watch, if too many do."""
        limits, most = self._limits, self._limits.spectators_per_identity_max
        if self._streams.total() >= limits.spectators_max:
            text = f"{limits.spectators_max} spectators watch, which is the limit (limits.spectators_max); try again later"
        elif isinstance(identity, Onlooker) or self._streams[identity] < most:
            return None  # spectators without a token have no identity of their own: their address limits them
        else:
            text = (
                f"this token watches {most} streams, which is the limit (limits.spectators_per_identity_max); "
                "end one of them before you open another"
            )
        return Closing(CloseCode.RESOURCE_EXHAUSTED, "too-many-spectators", text)

    def take(self, identity: Identity) -> None:
        """Somebody begins to watch."""
        self._streams[identity] += 1

    def leave(self, identity: Identity) -> None:
        """Somebody has stopped."""
        self._streams[identity] -= 1
        if not self._streams[identity]:
            del self._streams[identity]


class Gallery:
    """All spectators."""

    def __init__(
        self,
        matches: Mapping[str, HostedMatch],
        settings: Settings,
        now_ns: Callable[[], int],
        barrier: Callable[[Callable[[], None]], None],
    ) -> None:
        self._matches: Final = matches
        self._settings: Final = settings
        self._now_ns: Final = now_ns
        self._watchers: Final[dict[Watcher, None]] = {}
        """In the order in which they came, which is also the order of sending."""
        self._places: Final = Places(settings.limits)
        self._followed: Final[dict[str, Followed]] = {}
        self._rounds: Final = Rounds(self._watchers.keys(), now_ns, barrier)

    @property
    def spectators(self) -> int:
        """How many spectators there are."""
        return len(self._watchers)

    def watch(self, connection: Connection, identity: Identity, request: bytes, nursery: trio.Nursery) -> Listener:
        """Somebody wants to watch."""
        watcher = Watcher(connection, identity, self._left)
        try:
            wish = spectate_pb2.WatchRequest.FromString(request)
        except DecodeError:
            connection.close(_UNREADABLE)
            return watcher
        match = self._matches.get(wish.match)
        if match is None:
            connection.close(Closing(CloseCode.NOT_FOUND, "unknown-match", f"there is no match {shown(wish.match)} here"))
        elif (full := self._places.refusal(identity)) is not None:
            connection.close(full)
        else:
            self._watchers[watcher] = None
            self._places.take(identity)
            delay_ms = min(max(wish.delay_ms, self._settings.spectating_delay_ms), DELAY_MS_MAX)
            match.look_on(lambda: self._begin(watcher, match, delay_ms))
            self._rounds.start(nursery)
        return watcher

    def _begin(self, watcher: "Watcher", match: HostedMatch, delay_ms: int) -> None:
        """Between two batches, or after the end: shows how a match stands, and follows it from there."""
        if watcher.is_gone:
            return
        followed = self._followed.get(match.id)
        if followed is None:
            followed = self._followed[match.id] = Followed(match, self._now_ns, self._rounds.look_at)
            followed.least_delay_ns = delay_ms * _NS_PER_MS
        followed.watchers += 1
        followed.least_delay_ns = min(followed.least_delay_ns, delay_ms * _NS_PER_MS)
        watcher.begin(followed, delay_ms)
        self._rounds.look_at(watcher.due_ns)

    def _left(self, watcher: "Watcher") -> None:
        if watcher not in self._watchers:
            return
        del self._watchers[watcher]
        self._places.leave(watcher.identity)
        followed = watcher.followed
        if followed is not None:
            followed.watchers -= 1
            if not followed.watchers:
                followed.let_go()
                del self._followed[followed.match.id]
        if not self._watchers:
            self._rounds.look_at(self._now_ns())


class Watcher:
    """One spectator: a place in what is said about a match."""

    def __init__(self, connection: Connection, identity: Identity, on_end: "Callable[[Watcher], None]") -> None:
        self.identity: Final = identity
        self.followed: Followed | None = None
        self.is_gone = False
        self._connection: Final = connection
        self._on_end: Final = on_end
        self._delay_ns = 0
        self._view: Said | None = None
        """How the game stood when it came, until that is sent."""
        self._place = 0

    def begin(self, followed: Followed, delay_ms: int) -> None:
        """Sends what is watched. With a delay, how it stands now is also sent later."""
        setup = followed.match.table.setup
        started = spectate_pb2.WatchStarted(
            rules=rules_to_message(setup.rules),
            bots=map(bot_to_message, followed.match.bots),
            clock=telling.clock_message(setup.terms.clock),
            delay_ms=delay_ms,
        )
        self._connection.send(watch_part("started", started))
        self.followed = followed
        self._delay_ns = delay_ms * _NS_PER_MS
        self._view, self._place = followed.view(), followed.place

    @property
    def due_ns(self) -> float:
        """When the next thing is due; infinite while there is none."""
        said = None if self.followed is None else self._view or self.followed.at(self._place)
        return NEVER_S if said is None else said.at_ns + self._delay_ns

    @property
    def is_ready(self) -> bool:
        """Whether the transport has taken what was sent before.

        So no client is cut off because we have much to send, but a client that takes nothing for `write_ms_max` is.
        """
        return self._connection.unread_bytes == 0

    def send_due(self, before_ns: int) -> None:
        """Sends the next response, with what is due before a time."""
        if self._view is not None:
            self._connection.send(self._view.part)
            self._view = None
            return
        assert self.followed is not None, "nothing is due before it begins"
        response = self.followed.response(self._place, before_ns - self._delay_ns)
        self._place = response.following
        self._connection.send(response.data)
        if response.is_last:
            self._connection.close(_DONE)

    def received(self, request: bytes, at_ns: int) -> None:
        """Only the first request comes."""

    def gone(self, why: str) -> None:  # noqa: ARG002 - why somebody stopped watching does not matter
        """The stream is over."""
        self.is_gone = True
        self._on_end(self)
