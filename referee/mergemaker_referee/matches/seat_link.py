"""A seat of a match as its bot's session holds it, and the responses on their way to it.

Sessions know matches, and never the other way round: the protocols here say what each needs from the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from mergemaker.v1 import referee_pb2
from mergemaker_table.inputs import Input
from mergemaker_table.join_terms import JoinTerms

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import Closing, Connection, OnHanded
from mergemaker_referee.identities import Player
from mergemaker_referee.matches.encoding import EVENTS_ORDER, Part, match_part


class BotSession(Protocol):
    """What a match needs from the session that plays one of its seats."""

    connection: Connection | None
    """Its stream; None while it has none."""
    trace: str
    """The name of its stream in the log."""
    wants_events_at_once: bool
    bot_version: str
    """What its bot says about its version."""

    @property
    def identity(self) -> Player:
        """Whose session it is."""

    @property
    def links(self) -> "dict[str, SeatLink]":
        """Its seats, by match."""

    @property
    def told_ends(self) -> set[str]:
        """Matches whose end it was sent."""

    @property
    def round_trip_ns(self) -> int:
        """The measured round trip to its bot."""

    def ping_if_due(self, now_ns: int, interval_ns: int) -> None:
        """Sends a ping if it is time for one."""

    def question_handed(self) -> None:
        """Notes that a question is on its way to the bot."""

    def close(self, closing: Closing) -> None:
        """Ends the stream, and says why."""


class PlayedMatch(Protocol):
    """What a session needs from a match that it plays."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def links(self) -> "list[SeatLink | None]":
        """By seat: who holds it."""

    @property
    def is_over(self) -> bool:
        """Whether its end is written."""

    @property
    def is_without_clock(self) -> bool:
        """Whether no clock runs for its bots."""

    def post(self, given: "Inbound") -> None:
        """Gives the match something to take, after everything that came before."""

    @property
    def forward(self) -> "Callable[[SeatLink, referee_pb2.PlayRequest, int], None] | None":
        """Of a match in another process: sends a request there, where it is read. The number is when it came."""

    def show_result(self, link: "SeatLink", seen: int) -> None:
        """Sends the end of the match to a bot that comes back after it."""


class SeatedMatch(PlayedMatch, Protocol):
    """What it takes to seat bots in a match, in this process or in another."""

    awaited: Callable[[], Mapping[str, str]]
    """While its time to join has not begun: the known bots that it waits for, each with what it lacks."""

    @property
    def created(self) -> str:
        """When it was made, as its record has it."""

    @property
    def joining(self) -> JoinTerms:
        """When its time to join begins."""

    @property
    def recovery_grace_ms(self) -> int:
        """How long it waits for bots to come back after its server was gone."""

    @property
    def waits_to_join(self) -> bool:
        """Whether its time to join has not begun."""

    @property
    def is_shown_again(self) -> bool:
        """Whether it ended under an earlier server, and is kept for bots that did not get its end."""


class SeatLink:
    """A seat of a match, as a session holds it, and the responses on their way to it.

    A bot's events wait until there is something else to send, and go out with that, unless it wants each at once.
    """

    __slots__ = (
        "_bytes",
        "_handed",
        "_last_order",
        "_parts",
        "_prefix",
        "_unanswered",
        "is_asked",
        "is_due",
        "is_shown",
        "match",
        "seat",
        "session",
    )

    def __init__(self, session: BotSession, match: PlayedMatch, seat: int) -> None:
        self.session: Final = session
        self.match: Final = match
        self.seat: Final = seat
        self.is_asked = False
        """Whether a decision is open for this seat."""
        self.is_shown = False
        """Whether its stream was shown how the match stands. Before that it gets nothing else from the match."""
        self._prefix: Final = match_part(match.id)
        self._unanswered: int | None = None
        """The decision that it was asked, until it answers."""
        self.forget()

    def forget(self) -> None:
        """Drops what has not been sent: a bot that comes back gets it again."""
        self._parts: list[bytes] = []
        self._bytes = 0
        self._last_order = 0
        self.is_due = False
        """Whether something of what is there cannot wait."""
        self._handed: OnHanded | None = None

    def answers(self, decision_id: int) -> bool:
        """Notes an answer; returns whether it is the first one to the decision that this seat was asked."""
        is_first = decision_id == self._unanswered
        if is_first:
            self._unanswered = None
        return is_first

    @property
    def unanswered(self) -> int | None:
        """The decision that it was asked, until it answers."""
        return self._unanswered

    def note_asked(self, decision_id: int) -> None:
        """Notes a question of the process in which the match is."""
        self.is_asked, self._unanswered = True, decision_id

    def lose(self) -> None:
        """Its stream is another one now, or none."""
        self.is_shown = False
        self.forget()

    def add(self, said: Part, handed: OnHanded | None = None) -> None:
        """Adds something to send; `handed` learns when it was handed to the transport."""
        if said.order <= self._last_order:
            self.send()  # a client handles each field of a response once, in their order
        self._last_order = said.order
        self._parts.append(said.data)
        self.is_due = self.is_due or said.is_due
        self._handed = handed or self._handed
        if said.asks is not None:
            self._unanswered = said.asks

    def add_events(self, events: Sequence[bytes], limits: Limits) -> None:
        """Adds events to send.

        A response must not depend on what others were asked in between (VIS-4), so the batch does not decide its contents:
        a bot that wants events at once gets each in its own response, and held events go out when there are too many.
        """
        at_once = self.session.wants_events_at_once
        if self._last_order > EVENTS_ORDER or (at_once and self._parts):
            self.send()
        for event in events:
            self._last_order = EVENTS_ORDER
            self._parts.append(event)
            self._bytes += len(event)
            if at_once or len(self._parts) >= limits.held_events_max or self._bytes >= limits.held_bytes_max:
                self.send()

    def add_missed(self, events: Sequence[bytes]) -> None:
        """Adds what happened while nobody was there: all in one response, even if something was asked in between."""
        if events:
            self._last_order = EVENTS_ORDER
            self._parts += events

    def end_batch(self) -> None:
        """Sends what is there, unless all of it can wait."""
        if self._parts and (self.is_due or self.session.wants_events_at_once):
            self.send()

    def send(self) -> None:
        """Sends all that is there in one response."""
        connection = self.session.connection
        response, handed, has_parts = b"".join((self._prefix, *self._parts)), self._handed, bool(self._parts)
        self.forget()
        if connection is not None and has_parts:
            connection.send(response, handed)


@dataclass(frozen=True, slots=True)
class Claim:
    """A session takes a seat, for the first time or again."""

    link: SeatLink
    seen: int
    """The number of the last event that the bot has."""
    connection: Connection | None
    """The stream that shows the seat. If the session has another stream by then, it has claimed the seat again."""
    at_ns: int
    """When the transport received the claim; if our own delay held it up, when it would have arrived without that delay."""


@dataclass(frozen=True, slots=True)
class Release:
    """A session lost its stream."""

    link: SeatLink
    why: str


@dataclass(frozen=True, slots=True)
class GiveBack:
    """A bot declines the seat that it was offered. Its session has already dropped the link."""

    link: SeatLink
    why: str
    """The bot's reason: a stable name, and its text."""
    at_ns: int
    """When the transport got that."""


@dataclass(frozen=True, slots=True)
class LookOn:
    """A spectator wants to begin. What it sees must be written first, so it begins between two batches."""

    begin: Callable[[], None]


Inbound: TypeAlias = Input | Claim | Release | GiveBack | LookOn


def is_still_there(claim: Claim) -> bool:
    """Whether the stream on which a seat was claimed is still its session's."""
    return claim.connection is not None and claim.link.session.connection is claim.connection
