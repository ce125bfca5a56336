"""A block of matches to play, and what came of it. Plain values, which can be sent to other processes.

`Block(contest="cup", number=7, seed=seed, seatings=((0, 1, 0, 1), (1, 0, 1, 0)))` is two matches of bots 0 and 1 on one deal.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from mergemaker_engine.record.commitments import DealMode, check_match_id
from mergemaker_engine.record.lines import Ending, Status
from mergemaker_engine.record.standings import Thinking
from mergemaker_engine.rules import Rules
from mergemaker_processes.bot_names import BotSpec
from mergemaker_processes.confinement.confining import Confining
from mergemaker_referee.records.journal import Durability
from mergemaker_table.evidence import AtFault
from mergemaker_table.run_members import Host
from mergemaker_table.terms import ClockTerms

from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.play.local_bots import is_fast
from mergemaker_tools.play.ways import Way

Seating: TypeAlias = tuple[int, ...]
"""By seat: the number of its bot in `PlayTerms.bots`. A bot may have several seats."""

REPLAYS_MAX: Final = 3
"""How often a match that is void is played again."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot of a contest."""

    name: str
    """As it is shown and recorded; no two bots of a contest have the same one."""
    spec: BotSpec
    """How it is started or made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayTerms:
    """What is the same in all blocks of a contest."""

    bots: tuple[Entrant, ...]
    rules: Rules
    clock: ClockTerms
    mode: DealMode = DealMode.SERVER
    """`SERVER` if nobody knows the seeds, so that each deal is promised; `PLAIN` if they come from a given seed."""
    records: Path | None = None
    """The folder of the records; None: none are kept."""
    durability: Durability = Durability.PROCESS
    logs: Path | None = None
    """The folder for what bots that are processes write; None: it is thrown away, except for its last lines after a fault."""
    confining: Confining | None = None
    """How bots that are processes are confined, by their numbers instead of seats; None: they are not."""
    trust: Trust = Trust.OTHERS
    host: Host | None = None
    """The machine, for the records."""
    keeps: bool = False
    """Whether the matches of a block that was broken off are kept, unreleased, until the block is played to its end."""

    def is_fast(self, way: Way) -> bool:
        """Whether the bots are called in this program's own processes."""
        return is_fast(way, [each.spec for each in self.bots]) and self.confining is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Matches that are played one after the other, on one deal and with the same chances for each seat."""

    contest: str
    """The contest's id: small letters, digits and hyphens."""
    number: int
    seed: bytes = field(repr=False)
    """Of the deal and of the seats' nonces: a secret until the last match is over."""
    seatings: tuple[Seating, ...]
    """By match."""

    def __post_init__(self) -> None:
        """Refuses an id of which no match could have its own."""
        check_match_id(self.match_id(len(self.seatings), REPLAYS_MAX))

    @property
    def name(self) -> str:
        """What the records of all its matches call it."""
        return f"{self.contest}-{self.number}"

    def match_id(self, match: int, replay: int = 0) -> str:
        """The id of one of its matches, the same each time; one that is played again because it was void has another."""
        return f"{self.name}-{match}" + (f"-again{replay}" if replay else "")

    def __str__(self) -> str:
        return f"block {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Appointment:
    """One match of a block, to be played now."""

    match: str
    block: str
    seed: bytes = field(repr=False)
    seating: Seating
    record: Path | None
    """Where to write its record; None: nowhere."""
    released: Path | None
    """Where its record is after the release."""
    then: "Appointment | None" = None
    """The match after this one, unless this one is void; None for the last one of its block."""


@dataclass(frozen=True, slots=True, order=True)
class SeatFault:
    """Something that went wrong at a seat."""

    of: AtFault
    """Whose fault it was."""
    kind: str
    """`failed`, `refused`, `never joined`, or the cause of a default."""
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlayed:
    """How a seat of a match came out."""

    bot: int
    """Its number in `PlayTerms.bots`."""
    cash: int
    place: int
    """1 is best; equal money shares a place."""
    status: Status
    """`finished`, or why it was not asked to the end."""
    faults: tuple[SeatFault, ...]
    """Defaults taken for it, refused answers, and failures of the bot."""
    thinking: Thinking
    complaint: str = ""
    """After a fault: the first one in words, or the last lines of its log."""

    @property
    def own_faults(self) -> int:
        """How many faults were the bot's own."""
        return sum(fault.times for fault in self.faults if fault.of is AtFault.BOT)

    @property
    def was_given_up(self) -> bool:
        """Whether it was not asked to the end."""
        return self.status is not Status.FINISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlayed:
    """A match that has a result."""

    match: str
    """Its id."""
    why: Ending
    """`declared` or `stuck`."""
    turns: int
    seats: tuple[SeatPlayed, ...]
    game: str
    """The hash `game` at the end of its record: equal for equal games."""
    record: Path | None
    """Where its record is; None if none is kept."""
    startup_ms: int = 0
    """How long it waited for its bots to start, which is no thinking time. Bots may be started ahead."""

    @property
    def cash(self) -> tuple[int, ...]:
        """The money, by seat."""
        return tuple(seat.cash for seat in self.seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidMatch:
    """A match that was voided, so that nobody loses. It was played again."""

    match: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlayed:
    """A block that was played to its end; its records are released."""

    block: Block
    matches: tuple[MatchPlayed, ...]
    """One for each seating, in the same order."""
    voided: tuple[VoidMatch, ...] = ()


class Trouble(StrEnum):
    """Why a block could not be played to its end."""

    BOT = "bot"
    """A bot cannot be made or started."""
    VOID = "void"
    """A match was void each time."""
    DISK = "disk"
    """Records cannot be written."""
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockProblem:
    """A block that could not be played to its end. Nothing of it counts, nothing is released, and it may be played again."""

    block: Block
    trouble: Trouble
    text: str
    """What happened, and what to do."""
    bot: int | None = None
    """Whose bot it was, if it was one's."""


class BlockPlayer(Protocol):
    """Plays blocks of one contest, one at a time. It can be pickled before its first block."""

    @property
    def terms(self) -> PlayTerms:
        """What all blocks have in common."""

    def play(self, block: Block) -> BlockPlayed | BlockProblem:
        """Plays all matches of a block, one after the other, and then releases their records.

        Until then nobody gets anything of the block: bots are not told its seed, and its records are in a private place.
        """

    def close(self) -> None:
        """Ends what was kept alive for later blocks."""
