"""A bot's session: it lasts while streams come and go, and has the seats that the bot plays."""

from collections.abc import Callable
from secrets import token_bytes
from typing import Final

import structlog
from mergemaker.v1 import referee_pb2

from mergemaker_referee.connections import Closing, Connection
from mergemaker_referee.identities import Player
from mergemaker_referee.matches.encoding import part
from mergemaker_referee.matches.seat_link import SeatLink
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash

ROUND_TRIPS_KEPT: Final = 8
"""The least of this many round trips counts as the length of the way."""
PROBE_INTERVAL_MS: Final = 1_000
"""From a ping that measured nothing to the next, until this many round trips have been measured."""
_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)
RECONNECT_AFTER_MS: Final = 500
"""The least time that a bot waits before it comes back."""


class Session:
    """One bot, from its Hello until it has been away too long."""

    def __init__(self, session_id: str, identity: Player, name: str) -> None:
        self.id: Final = session_id
        self.identity: Final = identity
        self.bot_name: Final = name
        self.bot_version = ""
        self.library = ""
        self.capabilities: frozenset[str] = frozenset()
        """What its client says it can do beyond what every client does."""
        self.protocol = 1
        """The version of the protocol that its bot speaks."""
        self.wants_events_at_once = False
        self.matches_max = 1
        self.is_resumed = False
        """Whether its stream is not its first: then its bot does not claim its seats."""
        self.connection: Connection | None = None
        self.trace = ""
        """The name of its stream, or of the last one if it has none, for anyone who asks about it."""
        self.resume_hash = ""
        """The hash of the token that resumes the session; it changes with each use."""
        self.links: Final[dict[str, SeatLink]] = {}
        """By match."""
        self.seats_untold = 0
        """How many seats it was given that its bot did not hear about before its last stream broke."""
        self._hello_at_ns = 0
        self._heard_late_ns = 0
        """How long the Hello of its stream lay here until it was heard."""
        self.declined: Final[set[str]] = set()
        """Matches in which it gave back a seat: it gets one again only if it names the match."""
        self.told_ends: Final[set[str]] = set()
        """Matches whose end it was sent: it comes back for none of them."""
        self.away_since_ns: int | None = None
        self.pinged_ns: int | None = None
        """When the last ping was handed to the transport, until its pong comes."""
        self.ping_sent_ns: int | None = None
        """When the last ping was sent, until its pong comes."""
        self._lag_before_ns = 0
        """How long the transport had been held up when the ping was sent."""
        self._ping_id = 0
        self._next_ping_ns = 0
        self._next_probe_ns = 0
        self._measures = False
        """Whether the current ping measures the way: whether nothing was asked since it was sent."""
        self._is_first_ping = True
        """Whether the next ping, or the current one, is the first of its stream."""
        self._round_trips: list[int] = []

    @property
    def may_be_silent(self) -> bool:
        """Whether one of its matches has no clock: then the bot may be silent as long as it likes."""
        return any(link.match.is_without_clock for link in self.links.values())

    def heard_hello(self, at_ns: int, now_ns: int) -> None:
        """The Hello of its stream is heard now, and came at `at_ns`."""
        self._hello_at_ns, self._heard_late_ns = at_ns, now_ns - at_ns

    def would_have_come_ns(self, at_ns: int) -> int:
        """When a stream's first seat would have been asked for, if its Hello had been heard at once.

        A bot may ask once it has been welcomed. Later requests for more seats did not wait for that.
        """
        late, self._heard_late_ns = self._heard_late_ns, 0
        return max(at_ns - late, self._hello_at_ns)

    def new_resume_token(self, random_bytes: Callable[[int], bytes] = token_bytes) -> str:
        """The token that resumes the session next time."""
        token = fresh_token(TokenKind.RESUME, random_bytes)
        self.resume_hash = token_hash(token)
        return token

    @property
    def playing(self) -> int:
        """How many matches it plays. One whose end it was sent no longer counts, though its link is still there."""
        return sum(not link.match.is_over for link in self.links.values())

    @property
    def has_room(self) -> bool:
        """Whether it may play one more match."""
        return self.playing < self.matches_max

    @property
    def is_asked(self) -> bool:
        """Whether a decision is open for one of its seats."""
        return any(link.is_asked for link in self.links.values())

    @property
    def round_trip_ns(self) -> int:
        """The round trip: the least of the last few measurements; 0 while there is none."""
        return min(self._round_trips, default=0)

    def ping_if_due(self, now_ns: int, interval_ns: int) -> None:
        """Asks for a sign of life now and then; while no question is open, this measures the way, too.

        A bot that thinks may be slow to answer a ping. Its thinking time is not part of the way, so a ping that is under way
        together with a question measures nothing. The first ping of a stream does measure: it goes out before the bot can be
        asked anything, and arrives a whole way before a question from a seat that was taken since then.
        """
        if self.connection is None or self.ping_sent_ns is not None or now_ns < min(self._next_probe_ns, self._next_ping_ns):
            return
        measures = self._is_first_ping or not self.is_asked
        if not measures and now_ns < self._next_ping_ns:
            return
        self._next_ping_ns = now_ns + interval_ns
        self._next_probe_ns = now_ns + min(interval_ns, PROBE_INTERVAL_MS * _NS_PER_MS)
        self._measures = measures
        self._lag_before_ns = self.connection.held_up_ns
        self._ping_id += 1
        self.ping_sent_ns = now_ns
        self.pinged_ns = None
        self.connection.send(part("ping", referee_pb2.Ping(id=self._ping_id)).data, self._ping_handed)

    def _ping_handed(self, at_ns: int) -> None:
        self.pinged_ns = at_ns

    def question_handed(self) -> None:
        """A question is on its way to the bot: the current ping no longer measures anything."""
        self._measures = self._measures and self._is_first_ping

    def awaits_pong(self, ping_id: int) -> bool:
        """Whether this is the expected pong."""
        return ping_id == self._ping_id and self.ping_sent_ns is not None

    def pong(self, ping_id: int, at_ns: int) -> int | None:
        """Takes the answer to a ping; returns the way's length in nanoseconds if it was measured: the least of the last few."""
        if not self.awaits_pong(ping_id):
            return None
        self.ping_sent_ns = None
        self._is_first_ping = False
        if self.pinged_ns is None or not self._measures:
            return None  # it was faster than the news that the ping had gone out, or measures more than the way
        if self.connection is None or self.connection.held_up_ns != self._lag_before_ns:
            return None  # stamps of a transport that was held up are too early rather than too late
        self._round_trips = [*self._round_trips[1 - ROUND_TRIPS_KEPT :], max(0, at_ns - self.pinged_ns)]
        self._next_probe_ns = self._next_ping_ns if len(self._round_trips) == ROUND_TRIPS_KEPT else 0
        return self.round_trip_ns

    def attach(self, connection: Connection, trace: str = "") -> None:
        """The bot has a stream, perhaps in place of another."""
        self.connection = connection
        self.trace = trace
        self.away_since_ns = None
        self.ping_sent_ns = None
        self._is_first_ping = True
        self._next_probe_ns = 0
        for link in self.links.values():
            link.lose()

    def detach(self, now_ns: int) -> None:
        """The stream is gone."""
        self.connection = None
        self.away_since_ns = now_ns
        for link in self.links.values():
            link.lose()

    def close(self, closing: Closing) -> None:
        """Ends the stream, and says why."""
        if self.connection is not None:
            end_stream(self.connection, closing, self.trace)


def end_stream(connection: Connection, closing: Closing, trace: str) -> None:
    """Ends a stream, and says why, and the name by which the operator finds it in the log."""
    _LOG.info("a stream is ended", trace=trace, reason=closing.reason)
    connection.close(closing, goodbye(closing, trace))


def goodbye(closing: Closing, trace: str = "") -> bytes:
    """The last response of a stream."""
    return part(
        "goodbye",
        referee_pb2.Goodbye(
            reason=closing.reason,
            text=closing.text,
            reconnect=closing.reconnect,
            reconnect_after_ms=RECONNECT_AFTER_MS if closing.reconnect else 0,
            trace=trace,
        ),
    ).data
