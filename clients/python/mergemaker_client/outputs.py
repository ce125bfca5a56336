"""The outputs of a conversation: what it wants done, in order."""

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
    """A match starts: its bot must be made and informed."""

    match: str
    offered: referee_pb2.MatchOffered
    started: referee_pb2.MatchStarted


@dataclass(frozen=True, slots=True)
class Tell:
    """New events for a bot."""

    match: str
    events: Sequence[events_pb2.Event]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the bot."""

    match: str
    decision: referee_pb2.Decision


@dataclass(frozen=True, slots=True)
class Decline:
    """The bot's answer was refused. The default is sent instead, as long as an answer counts."""

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
    """The promise that the deal is checked against."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the bot's author should read."""

    text: str
    match: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """Everything is done; the stream is closed."""

    problem: ClientError | None


Told: TypeAlias = Begin | Tell | Decline | End | Notice
"""Outputs for a bot or its author."""
Delivered: TypeAlias = Told | Ask | Close
"""Outputs for the bot's driver."""
Output: TypeAlias = Delivered | Send


@dataclass(frozen=True, slots=True)
class Again:
    """The stream broke; open another one."""

    least_ms: int
    """The shortest wait, as the referee asks."""


@dataclass(frozen=True, slots=True)
class Over:
    """No other stream will follow."""

    problem: ClientError | None
    """None if everything is done."""
