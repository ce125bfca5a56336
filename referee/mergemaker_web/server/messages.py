"""What the JSON API says: all its types. `openapi` describes them, and nothing else makes JSON for browsers."""

from dataclasses import fields
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final

import msgspec
from mergemaker_engine.events import Event, TilesReceived
from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN
from mergemaker_engine.views import View

Count = Annotated[int, msgspec.Meta(ge=0)]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, lt=SEATS_MAX)]
BOARD_FORM: Final = "^[0-8]{108}$"


class Message(msgspec.Struct, frozen=True):
    """What all of them are: values that do not change."""


class Problem(Message, frozen=True, kw_only=True):
    """Why a request cannot be answered, in the form of RFC 9457."""

    type: str = "about:blank"
    title: str
    """A few words."""
    status: int
    reason: str
    """The same for the same problem, for programs."""
    detail: str
    """What was expected, and what came."""
    todo: str
    """What can be done."""


class SeatResult(Message, frozen=True, kw_only=True):
    """A seat of a match: who plays, and how it came out."""

    seat: SeatNumber
    bot: str
    bot_id: str
    """The name of a bot that the server knows; empty: anybody may call itself so."""
    version: str
    place: int | None
    """None before the end, and of a match without a result."""
    cash: int | None
    faults: dict[str, int]
    """How many defaults were taken, by cause."""


class Match(Message, frozen=True, kw_only=True):
    """A match as lists show it."""

    match: str
    phase: str
    """`waiting`, `joining`, `playing`, `suspended` or `over`."""
    created: str
    """When it was made, as `2026-11-18T15:38:32Z`; empty if that is not known."""
    rules: str
    """The fingerprint of its rules."""
    clock: str
    turn: Count | None
    """None where it is not told, as when matches are shown with a delay."""
    ending: str | None
    """How it ended; None while it goes on."""
    seats: list[SeatResult]
    released: bool
    """Whether its record can be fetched."""


class Matches(Message, frozen=True, kw_only=True):
    """A page of matches, the newest first."""

    matches: list[Match]
    next: str | None
    """What `after` of the next page is; None on the last page."""


class PublicView(Message, frozen=True, kw_only=True):
    """A position as everybody may know it."""

    turn: Count
    turn_seat: SeatNumber
    board: Annotated[str, msgspec.Meta(pattern=BOARD_FORM)]
    """A digit for each square, 1A, 2A … 12I: 0 empty, 1 a single tile, 2 to 8 the chains."""
    sizes: list[Count]
    market: list[Count]
    pile: Count
    set_aside: list[Count]
    hand_sizes: list[Count]
    cash: list[int | None]
    """By seat; null where it is hidden."""
    shares: list[list[int] | None]
    powers_used: list[list[str]]
    declared: bool
    end_allowed: bool
    over: str | None
    last_tile: int | None
    survivor: int | None
    """While chains merge: the one that survives."""


class Standing(Message, frozen=True, kw_only=True):
    """How a seat did."""

    seat: SeatNumber
    place: int
    cash: int


class LiveEnd(Message, frozen=True, kw_only=True):
    """How a live match ended."""

    ending: str
    standings: list[Standing]
    """Empty for a match without a result."""


def _event_type(kind: type) -> type[msgspec.Struct]:
    """The type of one kind of event: its fields, and its name as `kind`."""
    parts = [(part.name, part.type) for part in fields(kind)]
    return msgspec.defstruct(kind.__name__, parts, frozen=True, tag_field="kind", tag=kind.__name__)


EVENT_TYPES: Final[dict[type, type[msgspec.Struct]]] = {
    kind: _event_type(kind) for kind in Event.__args__ if kind is not TilesReceived
}
"""By kind of event that everybody may see: its type here. What only one seat may see has none, so it cannot be said."""
PublicEvent: Final[Any] = Annotated[
    reduce(or_, EVENT_TYPES.values()), msgspec.Meta(description="What happened, as everybody may know it.")
]


class LiveMatch(Message, frozen=True, kw_only=True):
    """A live match from where it is followed on."""

    match: str
    seats: Annotated[int, msgspec.Meta(ge=SEATS_MIN, le=SEATS_MAX)]
    bots: list[str]
    rules: dict[str, Any]
    """All knobs, as in a record's header."""
    rules_version: int
    delay_ms: Count
    """How much later everything is shown."""
    view: PublicView | None
    """The position before the first event that is told; None: the set-up is told by events."""
    first_event: Annotated[int, msgspec.Meta(ge=1)]
    """The number of the first event below. Public events are numbered from 1."""
    events: list[PublicEvent]
    ended: LiveEnd | None


class LivePart(Message, frozen=True, kw_only=True):
    """What an event `events` of the stream holds: more public events of a match."""

    match: str
    first_event: int
    events: list[PublicEvent]


class LiveOver(Message, frozen=True, kw_only=True):
    """What an event `over` of the stream holds: nothing more comes of this match."""

    match: str
    ended: LiveEnd


class LiveProblem(Message, frozen=True, kw_only=True):
    """What an event `problem` of the stream holds: this match is not followed."""

    match: str
    problem: Problem


class CarriedMatch(Message, frozen=True, kw_only=True):
    """A released match for the viewer."""

    lines: list[dict[str, Any]]
    """The lines of its record without their hashes."""
    known: None
    at: int | None
    left_out: list[str]


class Fault(Message, frozen=True, kw_only=True):
    """Something that went wrong at a seat."""

    match: str
    seat: SeatNumber
    decision: int | None
    what: str
    """The cause, as in the record."""
    why: str
    at_fault: str
    """`bot`, `network`, `referee` or `nobody`; empty if the record does not say."""
    timeline: list["Moment"]


class Moment(Message, frozen=True, kw_only=True):
    """One point of a fault's timeline."""

    kind: str
    at_us: int
    """Microseconds since the question was asked."""


class HeadToHead(Message, frozen=True, kw_only=True):
    """How a bot did against another one at the same tables."""

    bot: str
    matches: int
    better: int
    """In how many it had the better place."""
    worse: int


class Bot(Message, frozen=True, kw_only=True):
    """A bot, by its name, in the matches that this server lists."""

    bot: str
    matches: int
    wins: int
    mean_cash: int | None
    recent: list[Match]
    against: list[HeadToHead]
    faults: list[Fault]
    """The newest first."""


class TournamentName(Message, frozen=True, kw_only=True):
    """A tournament, as lists show it."""

    tournament: str
    """Its id."""
    name: str
    made: str
    """When, as `2026-11-18T15:38:32Z`."""


class RatingRow(Message, frozen=True, kw_only=True):
    """A bot's place in the standings. Ratings and scores are parts of one."""

    bot: str
    version: str
    rating: float | None
    """None while there are too few blocks."""
    low: float | None
    high: float | None
    matches: Count
    score: float
    wins: float
    money: int


class CrossRow(Message, frozen=True, kw_only=True):
    """How a bot did against another one at the same tables."""

    bot: str
    other: str
    difference: float | None
    ahead: float
    equal: float
    behind: float
    matches: Count


class TournamentTable(Message, frozen=True, kw_only=True):
    """A tournament's standings, the best first."""

    tournament: str
    name: str
    made: str
    format: str
    seats: Count
    clock: str
    matches: Count
    """Matches that count."""
    blocks: Count
    unfinished: Count
    """Matches of blocks that are not whole yet."""
    void: Count
    ratings: list[RatingRow]
    cross: list[CrossRow]


class Site(Message, frozen=True, kw_only=True):
    """What this server is."""

    software: str
    delay_ms: Count
    spectators: int
    spectators_max: int


def event_message(event: Event) -> msgspec.Struct:
    """A public event as it is said."""
    kind = EVENT_TYPES[type(event)]
    return kind(*[getattr(event, name) for name in kind.__struct_fields__])


def view_message(view: View, last_tile: int | None, survivor: int | None) -> PublicView:
    """A public view as it is said."""
    assert view.seat is None, "only what everybody may know is said"
    return PublicView(
        turn=view.turn,
        turn_seat=view.turn_seat,
        board="".join(map(str, view.board)),
        sizes=list(view.sizes),
        market=list(view.market),
        pile=view.pile,
        set_aside=list(view.set_aside),
        hand_sizes=list(view.hand_sizes),
        cash=list(view.cash),
        shares=[None if held is None else list(held) for held in view.shares],
        powers_used=[list(map(str, used)) for used in view.powers_used] or [[] for _ in range(view.seats)],
        declared=view.declared,
        end_allowed=view.end_allowed,
        over=None if view.over is None else str(view.over),
        last_tile=last_tile,
        survivor=survivor,
    )


ENCODER: Final = msgspec.json.Encoder()
