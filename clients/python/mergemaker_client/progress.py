"""A conversation's knowledge of its matches."""

from dataclasses import dataclass, field

from mergemaker.v1 import referee_pb2
from mergemaker.v1.referee_pb2 import PlayRequest

from mergemaker_client.deal_check import Promise
from mergemaker_client.problems import RefusedByReferee


@dataclass(slots=True)
class MatchTalk:
    """The knowledge of one match."""

    id: str
    promise: Promise
    """The promises for its deal."""
    begun: bool = False
    last_event: int = 0
    decision: referee_pb2.Decision | None = None
    """The last question; it stays after its answer, which may have to be sent again."""
    answer: PlayRequest | None = None
    """The answer to it."""
    is_open: bool = False
    """Whether an answer of the bot still counts."""
    fell_back: bool = False
    """Whether the default was sent because the bot's own answer was refused."""
    told_defaults: set[int] = field(default_factory=set)
    """Decisions with a default that the bot's author already knows of."""


@dataclass(slots=True)
class Progress:
    """What there is to play."""

    played: int = 0
    waiting: int = 0
    """Seats that were requested and neither given nor refused."""
    refusal: RefusedByReferee | None = None
    """Why the referee gives no other seat."""
    matches: dict[str, MatchTalk] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    """Matches that were played to their end."""
    declined: set[str] = field(default_factory=set)
    """Matches that require something unknown to this library."""
    unknown: RefusedByReferee | None = None
    """What the last of them requires."""
