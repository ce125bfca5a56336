"""A table's inputs: each is fed with a monotonic time, and some say when they happened."""

from typing import TypeAlias

from mergemaker_engine.actions import Action
from mergemaker_engine.errors import Refusal
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.values import dataclass

from mergemaker_table.evidence import AtFault
from mergemaker_table.verdicts import FAULT


@dataclass(frozen=True, slots=True)
class Joined:
    """A seat's bot is connected: for the first time, or again."""

    seat: int
    trace: str = ""
    """Names its stream in the log."""
    at_ns: int | None = None
    """When the transport got that; None: not measured."""
    version: str = ""
    """What the bot says about its version."""


@dataclass(frozen=True, slots=True)
class JoiningBegins:
    """The waiting match can start, or its named time has come: the time to join runs from here."""


@dataclass(frozen=True, slots=True)
class Left:
    """A seat's connection is gone. All that came through it has been fed before."""

    seat: int
    why: str = ""
    """A stable name, if the referee ended the stream; otherwise a few words."""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """Another session of its bot took a seat from one that was still alive."""

    seat: int
    trace: str = ""
    """Names its stream in the log."""
    at_ns: int | None = None
    """When the transport got that; None: not measured."""
    version: str = ""
    """What the bot says about its version."""


@dataclass(frozen=True, slots=True)
class SeatCommitted:
    """Joint mode: a seat's commitment."""

    seat: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class SeatRevealed:
    """Joint mode: a seat's part of the seed."""

    seat: int
    part: bytes


@dataclass(frozen=True, slots=True)
class Handed:
    """The request of a decision was handed to the transport. Its clock starts then."""

    seat: int
    decision_id: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class AnswerIndex:
    """An answer by its place among all legal ones."""

    index: Unchecked[int]


Answer: TypeAlias = Action | AnswerIndex | Refusal
"""What a bot answered; or why its answer could not be made into an action."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A bot answered; `at_ns` is when the transport got it."""

    seat: int
    decision_id: int
    answer: Answer
    note: str | None
    at_ns: int
    parsed_at_ns: int | None = None
    """When it was read; None: not measured."""

    def is_to(self, asked: Handed) -> bool:
        """Whether it answers the question that was handed over."""
        return (self.seat, self.decision_id) == (asked.seat, asked.decision_id)


@dataclass(frozen=True, slots=True)
class BarrierPassed:
    """The barrier of a decision came through: all that the transport got before it has been fed."""

    seat: int
    decision_id: int
    nth: int = 1
    """As `Barrier` said."""


@dataclass(frozen=True, slots=True)
class FollowedUp:
    """The barrier after a repeated request came out: the transport has the request."""

    seat: int
    decision_id: int


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """The round trip to a seat: the least of the last few measurements."""

    seat: int
    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Resign:
    """A bot gives up its seat. The seat gets the defaults to the end."""

    seat: int
    at_ns: int | None = None
    """When the transport got it; None: that was not looked at."""
    declined: str | None = None
    """Why the bot declined the seat, if it did so after the deal."""


@dataclass(frozen=True, slots=True)
class Declined:
    """A bot gives back its seat. Before the deal the seat is free again; after the deal this does what `Resign` does."""

    seat: int
    why: str
    """The bot's reason: a stable name, and its text."""
    at_ns: int | None = None
    """When the transport got it; None: that was not looked at."""


@dataclass(frozen=True, slots=True)
class Void:
    """The match ends without a result: by a fault of the referee, or by its operator."""

    why: str
    at_fault: AtFault = AtFault.REFEREE
    reason: str = FAULT
    """Stable, for programs."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Only time: due at `Table.wake_at_ns`."""


Input: TypeAlias = (
    Joined
    | JoiningBegins
    | Left
    | TakenOver
    | SeatCommitted
    | SeatRevealed
    | Handed
    | Answered
    | BarrierPassed
    | FollowedUp
    | RoundTrip
    | Resign
    | Declined
    | Void
    | Tick
)
