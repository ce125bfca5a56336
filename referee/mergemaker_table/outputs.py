"""What a table wants done, in order; and the values in it.

Everything but `WriteLine`, `Publish` and `Ended` is for one seat. For a seat without a connection it is dropped: who
comes back asks for a snapshot and for the events it missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mergemaker_engine.actions import Action
from mergemaker_engine.bounds import AnswerBounds
from mergemaker_engine.decisions import Decision
from mergemaker_engine.effects import TileEffect
from mergemaker_engine.errors import Refusal
from mergemaker_engine.events import Event
from mergemaker_engine.record.lines import AnsweredBy, Ending, Status
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.record.standings import Standing
from mergemaker_engine.views import View

from mergemaker_table.evidence import Evidence


class RefusalReason(StrEnum):
    """Why the table refused something. An illegal action has the engine's reason, an unreadable one that of its reader."""

    NOT_ASKED = "not-asked"
    """No decision of this id has been put to the seat."""
    STALE = "stale-decision"
    """The decision was answered without the bot."""
    TOO_LATE = "too-late"
    """The answer came when its time was up."""
    BAD_INDEX = "bad-index"
    """There is no such place among the legal answers."""
    NOTE_TOO_LONG = "note-too-long"
    BAD_NOTE = "bad-note"
    """The note is no text that can be written as UTF-8."""
    MATCH_OVER = "match-over"
    NOT_JOINT = "not-joint"
    """Nobody has a part in the seed of this match."""
    BAD_LENGTH = "bad-length"
    """Commitments and parts have 32 bytes."""
    COMMITTED_ALREADY = "committed-already"
    NOT_COMMITTED = "not-committed"
    """Who did not commit has nothing to reveal."""
    NOT_NOW = "not-now"
    """Commitments come before all have committed, parts after that and before the deal."""
    WRONG_PART = "wrong-part"
    """This is not the part that the seat committed itself to."""


@dataclass(frozen=True, slots=True)
class WriteLine:
    """The next line of the record, with its LF. It is durable before anything else of its batch, or later, is delivered."""

    line: bytes


@dataclass(frozen=True, slots=True)
class SeatsCommitted:
    """Joint mode: what all seats committed themselves to. The seat now reveals its part."""

    seat: int
    commitments: tuple[bytes | None, ...]
    """By seat; None for one that did not commit."""


@dataclass(frozen=True, slots=True)
class PartRefused:
    """Joint mode: a commitment or a part that does not count. Another one may be sent while there is time."""

    seat: int
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Started:
    """The deal is made."""

    seat: int
    nonce: bytes
    """For this seat, so that a bot's chances can repeat."""
    view: View
    events_seen: int
    """The number of the last event that the view holds."""


@dataclass(frozen=True, slots=True)
class Tell:
    """What happened, as far as a seat may know. A seat's events are numbered from 1."""

    seat: int
    first_number: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Publish:
    """What happened and everybody may know. Public events are numbered from 1."""

    first_number: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A decision as it is put to a seat."""

    decision_id: int
    """Counted from 1 over the decisions that were put to this seat."""
    decision: Decision
    view: View
    answers: Sequence[Action]
    """Every legal answer, in the documented order; of offers a sequence that is never written out."""
    bounds: AnswerBounds
    """The same in short, from which they can be listed."""
    effects: tuple[TileEffect, ...]
    """For `ChooseTile`: what each tile that can be placed would do. Empty for other decisions."""
    default_index: int
    """Which of them is taken if no answer comes."""
    events_seen: int
    """The number of the last event that the view holds."""
    time_left_ms: int | None
    """Allowance and bank, as far as they are left; None without a limit."""
    allowance_ms: int | None
    bank_ms: int | None
    """What the bank had when the decision was put."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Put a decision to a seat; the same one again when its bot has come back."""

    seat: int
    request: Request


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer counts. An answer that is sent again is acknowledged again, and applied once."""

    seat: int
    decision_id: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer does not count. If its decision is still open, its clock goes on."""

    seat: int
    decision_id: int
    refusal: Refusal
    """Its reason is one of `RefusalReason`, or what the engine or the reader of answers says; its trace names the decision."""
    refusals_left: int | None = None
    """How many more answers can be refused before the default is taken; None if this refusal does not count."""
    overrun_ms: int | None = None
    """By how much it was late."""
    evidence: Evidence | None = None
    """What was measured; None where no decision was open, or has been overdue since before a restart."""


@dataclass(frozen=True, slots=True)
class DefaultTaken:
    """A default was taken in a seat's name."""

    seat: int
    decision_id: int | None
    """None if the decision was not put to the seat, because it is no longer asked."""
    cause: AnsweredBy
    text: str
    defaults_left: int
    """How many more defaults before the seat is no longer asked."""
    evidence: Evidence | None = None
    """What was measured. Where the decision was not put: with the first such one, why it is no longer asked."""


@dataclass(frozen=True, slots=True)
class Barrier:
    """Time is up: send a barrier through what stamps answers, and feed `BarrierPassed` when it comes out.

    So it is where a seat has no connection: its bot may have come back in time, and not have been heard yet.
    """

    seat: int
    decision_id: int
    nth: int = 1
    """Which barrier of this decision it is."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A request is put again: send a barrier behind it, and feed `FollowedUp` when it comes out. So is seen if that took long."""

    seat: int
    decision_id: int


@dataclass(frozen=True, slots=True)
class Autopilot:
    """From now on the defaults are taken for this seat, to the end."""

    seat: int
    cause: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The match is over: the last output but for answers that come too late."""

    standings: tuple[Standing, ...]
    why: Ending
    voided_because: str | None
    """Why a match was voided; None if it has a result."""
    secrets: Secrets
    """What the deal was made of. Whether it is told now, or with its block, is for the driver to decide."""
    contributions: tuple[bytes | None, ...] = ()
    """Joint mode: the seats' parts of the seed, by seat; None for one that was not revealed."""
    defaults: tuple[tuple[DefaultTaken, ...], ...] = ()
    """By seat: the defaults of decisions that were put to it, as they were told then."""
    evidence: Evidence | None = None
    """Of a voided match: whose fault that was, without what is of one seat alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that a seat needs to go on with, having been away."""

    nonce: bytes
    view: View
    events_seen: int
    request: Request | None
    """The decision that is open for this seat."""
    status: Status


@dataclass(frozen=True, slots=True)
class PublicSnapshot:
    """All that somebody who looks on needs to begin with."""

    view: View
    events_seen: int
    """The number of the last public event that the view holds."""


Output: TypeAlias = (
    WriteLine
    | SeatsCommitted
    | PartRefused
    | Started
    | Tell
    | Publish
    | Ask
    | Accepted
    | Refused
    | DefaultTaken
    | Barrier
    | FollowUp
    | Autopilot
    | Ended
)
