"""What is kept: plain values, the same for every database."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A bot as it played. Another version of it is another bot with the same name."""

    name: str
    version: str = ""
    """What tells its versions apart, such as a hash of its files; empty if nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament and what it was made from."""

    id: str
    name: str
    manifest: str
    """All that is needed to play it again, as JSON."""
    made: str
    """When, as `2026-11-18T15:38:32Z`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which match of a tournament a match is."""

    tournament: str
    block: int
    number: int
    """Within its block, from 0."""
    attempt: int = 0
    """0 for the first; a void match is played again with the next."""


@dataclass(frozen=True, slots=True)
class SeatFault:
    """Something that went wrong at a seat."""

    of: str
    """Whose fault it was, as in the record: `bot`, `network`, `referee` or `nobody`."""
    kind: str
    """What it was, as in the record: the cause of a default, `rejected`, or what became of the seat."""
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """How one seat came out."""

    bot: BotVersion
    cash: int | None
    """None if the match was voided."""
    place: int | None
    status: str
    faults: tuple[SeatFault, ...] = ()
    decisions: int = 0
    total_ms: int = 0
    """How long it took over all its decisions."""
    longest_ms: int = 0
    joined_ms: int = 0
    """How long the match waited until its bot had come. That is no thinking time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """One match after its end, as its record says."""

    match: str
    rules: str
    """The fingerprint of its rules."""
    ended: str
    """Why, as in the record: `declared`, `stuck` or `voided`."""
    game: str
    """The record's hash `game`: the same for every run of the same play."""
    line: str
    """The record's hash `line`: it covers every byte."""
    started: str
    """When, as `2026-11-18T15:38:32Z`; empty if the record does not say."""
    host: str = ""
    """Where it was played; empty if the record does not say."""
    host_speed: int = 0
    """How many games of random players the engine plays there in a second of one processor; 0 if the record does not say."""
    place: Place | None = None
    """None for a match that is of no tournament."""
    seats: tuple[SeatResult, ...]

    @property
    def is_void(self) -> bool:
        """Whether it counts for nobody."""
        return any(seat.cash is None for seat in self.seats)
