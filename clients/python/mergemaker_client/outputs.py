"""What a conversation wants done, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mergemaker.v1 import events_pb2, referee_pb2

from mergemaker_client.deal_check import Promise
from mergemaker_client.problems import ClientError


@dataclass(frozen=True, slots=True)
class Send:
    """A request for the stream."""

    request: referee_pb2.PlayRequest


@dataclass(frozen=True, slots=True)
class Begin:
    """A match starts: the bot is made, and told of it."""

    match: str
    offered: referee_pb2.MatchOffered
    started: referee_pb2.MatchStarted


@dataclass(frozen=True, slots=True)
class Tell:
    """What happened, none of which was told before."""

    match: str
    events: Sequence[events_pb2.Event]


@dataclass(frozen=True, slots=True)
class Ask:
    """The bot is asked."""

    match: str
    decision: referee_pb2.Decision


@dataclass(frozen=True, slots=True)
class Decline:
    """The bot's answer was refused. The default is answered instead, as long as an answer counts."""

    match: str
    decision: referee_pb2.Decision
    problem: referee_pb2.Problem
    text: str


@dataclass(frozen=True, slots=True)
class End:
    """A match is over."""

    match: str
    ended: referee_pb2.MatchEnded
    promise: Promise
    """What the deal is held against."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the bot's author should read."""

    text: str
    match: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """All is done; the stream is closed."""

    problem: ClientError | None


Told: TypeAlias = Begin | Tell | Decline | End | Notice
"""What a bot, or its author, is told."""
Delivered: TypeAlias = Told | Ask | Close
"""What is done by whoever drives the bot."""
Output: TypeAlias = Delivered | Send


@dataclass(frozen=True, slots=True)
class Again:
    """The stream broke, and another one is to be opened."""

    least_ms: int
    """How long to wait at least, as the referee says."""


@dataclass(frozen=True, slots=True)
class Over:
    """There will be no other stream."""

    problem: ClientError | None
    """None where all is done."""
