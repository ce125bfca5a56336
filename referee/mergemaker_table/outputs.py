"""What a table wants done, in order; and the values of its outputs.

Everything but `WriteLine`, `Publish` and `Ended` is for one seat. For a seat without a connection it is dropped: a bot
that comes back asks for a snapshot and for the events that it missed.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from mergemaker_engine.actions import Action
from mergemaker_engine.bounds import AnswerBounds
from mergemaker_engine.decisions import Decision
from mergemaker_engine.effects import TileEffect
from mergemaker_engine.errors import Refusal
from mergemaker_engine.events import Event
from mergemaker_engine.record.lines import AnsweredBy, Ending, Status
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.record.standings import Standing
from mergemaker_engine.values import dataclass
from mergemaker_engine.views import View

from mergemaker_table.evidence import Evidence
from mergemaker_table.sight import Sight


class RefusalReason(StrEnum):
    """Why the table refused something. An illegal action has the engine's reason, an unreadable one its reader's."""

    NOT_ASKED = "not-asked"
    """The seat has not been asked a decision of this id."""
    STALE = "stale-decision"
    """The decision was answered without the bot."""
    TOO_LATE = "too-late"
    """The answer came after its time was up."""
    BAD_INDEX = "bad-index"
    """The legal answers have no such index."""
    NOTE_TOO_LONG = "note-too-long"
    BAD_NOTE = "bad-note"
    """The note cannot be written as UTF-8."""
    MATCH_OVER = "match-over"
    NOT_JOINT = "not-joint"
    """Nobody has a part in the seed of this match."""
    BAD_LENGTH = "bad-length"
    """Commitments and parts have 32 bytes."""
    COMMITTED_ALREADY = "committed-already"
    NOT_COMMITTED = "not-committed"
    """A seat that did not commit has nothing to reveal."""
    NOT_NOW = "not-now"
    """Commitments are due until all have committed, parts after that and before the deal."""
    WRONG_PART = "wrong-part"
    """This is not the part that the seat committed to."""


@dataclass(frozen=True, slots=True)
class WriteLine:
    """The next line of the record, with its LF. It is durable before anything else of its batch, or a later one, is delivered."""

    line: bytes


@dataclass(frozen=True, slots=True)
class SeatsCommitted:
    """Joint mode: all seats' commitments. The seat now reveals its part."""

    seat: int
    commitments: tuple[bytes | None, ...]
    """By seat; None for one that did not commit."""


@dataclass(frozen=True, slots=True)
class PartRefused:
    """Joint mode: a commitment or a part does not count. The bot may send another one while there is time."""

    seat: int
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Started:
    """The deal is made."""

    seat: int
    nonce: bytes
    """This seat's own, so that a bot's chances can repeat."""
    view: View
    events_seen: int
    """The number of the last event that the view holds."""


@dataclass(frozen=True, slots=True)
class Tell:
    """What happened, as far as a seat may know it. A seat's events are numbered from 1."""

    seat: int
    first_number: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Publish:
    """What happened and is public. Public events are numbered from 1."""

    first_number: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A decision as a seat is asked it."""

    decision_id: int
    """Counts from 1 the decisions that this seat was asked."""
    decision: Decision
    answers: Sequence[Action]
    """Every legal answer, in the documented order; for offers a sequence that is never written out."""
    sight: Sight
    """What the seat may know of the game."""
    default_index: int
    """The one that is taken if no answer comes."""
    events_seen: int
    """The number of the last event that the view holds."""
    time_left_ms: int | None
    """What is left of allowance and bank; None without a limit."""
    allowance_ms: int | None
    bank_ms: int | None
    """What the bank had when the decision was asked."""

    @property
    def view(self) -> View:
        """The seat's view."""
        return self.sight.view

    @property
    def bounds(self) -> AnswerBounds:
        """All answers in short, enough to list them."""
        return self.sight.bounds

    @property
    def effects(self) -> tuple[TileEffect, ...]:
        """For `ChooseTile`: what each placeable tile would do. Empty for other decisions."""
        return self.sight.effects


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask a seat a decision; the same one again when its bot has come back."""

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
    """Its reason is one of `RefusalReason`, or that of the engine or the reader of answers. Its trace names the decision."""
    refusals_left: int | None = None
    """How many more answers can be refused before the default is taken; None if this refusal does not count."""
    overrun_ms: int | None = None
    """How late it was."""
    evidence: Evidence | None = None
    """What was measured; None if no decision was open, or it was overdue before a restart."""


@dataclass(frozen=True, slots=True)
class DefaultTaken:
    """A default was taken for a seat."""

    seat: int
    decision_id: int | None
    """None if the seat was not asked the decision, because it is no longer asked."""
    cause: AnsweredBy
    text: str
    defaults_left: int
    """How many more defaults before the seat is no longer asked."""
    evidence: Evidence | None = None
    """What was measured. If the decision was not asked: why the seat is no longer asked, with the first such one."""


@dataclass(frozen=True, slots=True)
class Barrier:
    """Time is up: send a barrier along the way on which answers are stamped, and feed `BarrierPassed` when it comes out.

    This holds for a seat without a connection, too: its bot may be back in time and not heard yet.
    """

    seat: int
    decision_id: int
    nth: int = 1
    """Which barrier of this decision it is."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A request is repeated: send a barrier after it, and feed `FollowedUp` when it comes out. This shows if that took long."""

    seat: int
    decision_id: int


@dataclass(frozen=True, slots=True)
class Autopilot:
    """From now on this seat gets the defaults, to the end."""

    seat: int
    cause: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The match is over: the last output, except for late answers."""

    standings: tuple[Standing, ...]
    why: Ending
    voided_because: str | None
    """Why a match was voided; None if it has a result."""
    secrets: Secrets
    """What the deal was made of. The driver decides whether to reveal it now or with its block."""
    contributions: tuple[bytes | None, ...] = ()
    """Joint mode: the seats' parts of the seed, by seat; None for one that was not revealed."""
    defaults: tuple[tuple[DefaultTaken, ...], ...] = ()
    """By seat: the defaults of decisions that it was asked, as they were reported then."""
    evidence: Evidence | None = None
    """For a voided match: whose fault that was, without anything private to one seat."""
    receipt: Receipt | None = None
    """The hashes of the record's last line; None if the end was not written here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that a seat needs to go on after it was away."""

    nonce: bytes
    view: View
    events_seen: int
    request: Request | None
    """The decision that is open for this seat."""
    status: Status


@dataclass(frozen=True, slots=True)
class PublicSnapshot:
    """All that a spectator needs to begin."""

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
