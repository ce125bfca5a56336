"""A bot's session: it lasts while streams come and go, and carries the seats that the bot plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergemaker.v1 import referee_pb2

from mergemaker_referee.encoding import EVENTS_ORDER, Part, match_part, part
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergemaker_referee.connections import Closing, Connection, Handed
    from mergemaker_referee.hosting import HostedMatch
    from mergemaker_referee.identities import Player
    from mergemaker_referee.limits import Limits

ROUND_TRIPS_KEPT: Final = 5
"""The least of so many round trips is taken as the way's own length."""
RECONNECT_AFTER_MS: Final = 500
"""What a bot waits at least before it comes back."""


class SeatLink:
    """A seat of a match, as a session holds it, and the responses on their way there.

    What one batch of the table says to a seat goes out in as few responses as its order allows; a bot's events are held until
    there is something else to say, unless it wants them at once.
    """

    __slots__ = ("_bytes", "_handed", "_is_due", "_last_order", "_parts", "_prefix", "match", "seat", "session")

    def __init__(self, session: Session, match: HostedMatch, seat: int) -> None:
        self.session: Final = session
        self.match: Final = match
        self.seat: Final = seat
        self._prefix: Final = match_part(match.id)
        self.forget()

    def forget(self) -> None:
        """Lets go of what has not been sent: whoever comes back is told of it anew."""
        self._parts: list[bytes] = []
        self._bytes = 0
        self._last_order = 0
        self._is_due = False
        self._handed: Handed | None = None

    def add(self, said: Part, handed: Handed | None = None, *, is_due: bool = True) -> None:
        """Says something; `handed` is told when it was handed to the transport. What is not due can wait as events do."""
        if said.order <= self._last_order:
            self.send()  # a client handles the fields of a response in their order, and each of them once
        self._last_order = said.order
        self._parts.append(said.data)
        self._is_due = self._is_due or is_due
        self._handed = handed or self._handed

    def add_events(self, events: Sequence[bytes]) -> None:
        """Says what happened."""
        if self._last_order > EVENTS_ORDER:
            self.send()
        self._last_order = EVENTS_ORDER
        self._parts += events
        self._bytes += sum(map(len, events))

    def end_batch(self, limits: Limits) -> None:
        """Sends what is there, unless it is nothing but events that can wait."""
        if not self._parts:
            return
        is_much = len(self._parts) >= limits.held_events_max or self._bytes >= limits.held_bytes_max
        if self._is_due or is_much or self.session.wants_events_at_once:
            self.send()

    def send(self) -> None:
        """Sends all that is there in one response."""
        connection = self.session.connection
        response, handed, has_parts = b"".join((self._prefix, *self._parts)), self._handed, bool(self._parts)
        self.forget()
        if connection is not None and has_parts:
            connection.send(response, handed)


class Session:
    """One bot, from its Hello until it has been away for too long."""

    def __init__(self, number: int, identity: Player, name: str) -> None:
        self.id: Final = f"s{number}"
        self.identity: Final = identity
        self.bot_name: Final = name
        self.bot_version = ""
        self.library = ""
        self.wants_events_at_once = False
        self.matches_max = 1
        self.connection: Connection | None = None
        self.resume_hash = ""
        """The hash of the token that takes the session up again; it changes with each use."""
        self.links: Final[dict[str, SeatLink]] = {}
        """By match."""
        self.told_ends: Final[set[str]] = set()
        """Matches of whose end it has been told: it comes back for none of them."""
        self.away_since_ns: int | None = None
        self.pinged_ns: int | None = None
        """When the last ping was handed to the transport, while its pong is awaited."""
        self.ping_sent_ns: int | None = None
        """When the last ping was sent, while its pong is awaited."""
        self._ping_id = 0
        self._next_ping_ns = 0
        self._round_trips: list[int] = []

    @property
    def may_be_silent(self) -> bool:
        """Whether a match without a clock is among its own: then nobody minds how long the bot says nothing."""
        return any(link.match.is_without_clock for link in self.links.values())

    def new_resume_token(self) -> str:
        """The token with which the session can be taken up next time."""
        token = fresh_token(TokenKind.RESUME)
        self.resume_hash = token_hash(token)
        return token

    def ping_if_due(self, now_ns: int, interval_ns: int) -> None:
        """Asks for a sign of life every now and then, and measures the way."""
        if self.connection is None or self.ping_sent_ns is not None or now_ns < self._next_ping_ns:
            return
        self._next_ping_ns = now_ns + interval_ns
        self._ping_id += 1
        self.ping_sent_ns = now_ns
        self.pinged_ns = None
        self.connection.send(part("ping", referee_pb2.Ping(id=self._ping_id)).data, self._ping_handed)

    def _ping_handed(self, at_ns: int) -> None:
        self.pinged_ns = at_ns

    def pong(self, ping_id: int, at_ns: int) -> int | None:
        """Takes the answer to a ping; returns the way's length in nanoseconds: the least of the last few."""
        if ping_id != self._ping_id or self.ping_sent_ns is None:
            return None
        self.ping_sent_ns = None
        if self.pinged_ns is None:
            return None  # it was faster than the news that the ping had gone out
        self._round_trips = [*self._round_trips[1 - ROUND_TRIPS_KEPT :], max(0, at_ns - self.pinged_ns)]
        return min(self._round_trips)

    def attach(self, connection: Connection) -> None:
        """The bot has a stream, perhaps in the place of another."""
        self.connection = connection
        self.away_since_ns = None
        self.ping_sent_ns = None
        for link in self.links.values():
            link.forget()

    def detach(self, now_ns: int) -> None:
        """The stream is gone."""
        self.connection = None
        self.away_since_ns = now_ns
        for link in self.links.values():
            link.forget()

    def close(self, closing: Closing) -> None:
        """Ends the stream, saying why."""
        if self.connection is not None:
            self.connection.close(closing, goodbye(closing))


def goodbye(closing: Closing) -> bytes:
    """The last response of a stream."""
    return part(
        "goodbye",
        referee_pb2.Goodbye(
            reason=closing.reason,
            text=closing.text,
            reconnect=closing.reconnect,
            reconnect_after_ms=RECONNECT_AFTER_MS if closing.reconnect else 0,
        ),
    ).data
