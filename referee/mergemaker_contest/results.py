"""Results of matches as plain values, and which of them count.

A match belongs to a block: matches on one deal. The player of the matches makes a `MatchResult` from each record. Everything in
this package starts from them, and no order of matches or seats changes what it says.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mergemaker_contest.designs import SEATS_MAX, SEATS_MIN
from mergemaker_contest.errors import ContestError
from mergemaker_contest.scores import Score, seat_scores


class Ended(StrEnum):
    """How a match ended, in the words of its record."""

    DECLARED = "declared"
    STUCK = "stuck"
    VOIDED = "voided"
    """By a fault of the referee or by its operator. It does not count, and is played again."""


class SeatStatus(StrEnum):
    """How a seat came to the end, in the words of its record."""

    FINISHED = "finished"
    AUTOPILOT = "autopilot"
    NEVER_JOINED = "never joined"
    RESIGNED = "resigned"


class FaultOf(StrEnum):
    """Whose fault something was, in the words of its record."""

    BOT = "bot"
    NETWORK = "network"
    REFEREE = "referee"
    NOBODY = "nobody"


class Forfeits(StrEnum):
    """What a seat gets whose bot did not play to the end."""

    LAST = "last"
    """Nothing, and the last place, whatever money its defaults made."""
    AS_PLAYED = "as-played"
    """What its money is worth."""


@dataclass(frozen=True, slots=True, order=True)
class Player:
    """A version of a bot. Each version is rated by itself."""

    bot: str
    version: str = ""

    def __str__(self) -> str:
        return f"{self.bot}@{self.version}" if self.version else self.bot


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """Something that went wrong at a seat."""

    of: FaultOf
    kind: str
    """A stable word, for example the cause of a default."""
    times: int = 1


@dataclass(frozen=True, slots=True)
class SeatResult:
    """What a seat has at the end of a match."""

    player: Player
    money: int
    status: SeatStatus = SeatStatus.FINISHED
    faults: tuple[Fault, ...] = ()

    @property
    def has_forfeited(self) -> bool:
        """Whether its bot did not play to the end."""
        return self.status is not SeatStatus.FINISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """A match that has ended."""

    match: str
    """Its id. A match that is played again has another one."""
    block: int
    table: int = 0
    """Which of the block's tables was played, counted from 0 in the schedule's order."""
    deal: int
    seats: tuple[SeatResult, ...]
    """By seat."""
    ended: Ended = Ended.DECLARED
    host: str = ""
    """The machine that played it."""

    def __post_init__(self) -> None:
        if not SEATS_MIN <= len(self.seats) <= SEATS_MAX:
            text = f"a match has {SEATS_MIN} to {SEATS_MAX} seats; match {self.match!r} has {len(self.seats)}"
            raise ContestError("bad-seats", text)

    @property
    def places(self) -> tuple[int, ...]:
        """By seat: 1 for the most money. Seats with equal money share the better place."""
        return tuple(1 + sum(other.money > seat.money for other in self.seats) for seat in self.seats)

    @property
    def is_void(self) -> bool:
        """Whether it does not count."""
        return self.ended is Ended.VOIDED

    def has_faults(self, of: frozenset[FaultOf]) -> bool:
        """Whether one of these made a fault in it."""
        return any(fault.of in of for seat in self.seats for fault in seat.faults)

    def scores(self, score: Score, forfeits: Forfeits = Forfeits.AS_PLAYED) -> tuple[float, ...]:
        """By seat: what it is worth. If all seats have forfeited, each gets what its money is worth."""
        money = [seat.money for seat in self.seats]
        playing = [index for index, seat in enumerate(self.seats) if not seat.has_forfeited]
        if forfeits is Forfeits.AS_PLAYED or not playing:
            return seat_scores(score, money)
        if score is Score.PLACE:
            return seat_scores(score, [-1 if seat.has_forfeited else seat.money for seat in self.seats])
        # Shares and wins are those of the others; a seat alone has all of it.
        of_playing = seat_scores(score, [money[index] for index in playing]) if len(playing) > 1 else (1.0,)
        worth = dict(zip(playing, of_playing, strict=True))
        return tuple(worth.get(index, 0.0) for index in range(len(money)))


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The matches of a block that count, by table."""

    block: int
    deal: int
    matches: tuple[MatchResult, ...]

    @property
    def host(self) -> str:
        """The machine that played it; several are joined by ' + '."""
        return " + ".join(sorted({match.host for match in self.matches}))

    def has_faults(self, of: frozenset[FaultOf]) -> bool:
        """Whether one of these made a fault in one of its matches."""
        return any(match.has_faults(of) for match in self.matches)


FAULTS: Final = frozenset({FaultOf.BOT, FaultOf.NETWORK, FaultOf.REFEREE})
"""What makes a block faulty, unless asked otherwise."""


def whole_blocks(matches: Iterable[MatchResult], tables: Mapping[int, int]) -> tuple[BlockResult, ...]:
    """The blocks whose tables have all been played, in order. `tables` says how many tables each block has.

    Void matches do not count. A table that was played twice, or a match that belongs to no block, is an error.
    """
    played: dict[int, dict[int, MatchResult]] = defaultdict(dict)
    for match in matches:
        if match.is_void:
            continue
        if not 0 <= match.table < tables.get(match.block, 0):
            text = f"match {match.match!r} is table {match.table} of block {match.block}, which the schedule does not have"
            raise ContestError("not-scheduled", text)
        other = played[match.block].setdefault(match.table, match)
        if other != match:
            text = f"table {match.table} of block {match.block} was played twice: as match {other.match!r} and as {match.match!r}"
            raise ContestError("played-twice", text)
    return tuple(
        _block(number, [by_table[table] for table in sorted(by_table)])
        for number, by_table in sorted(played.items())
        if len(by_table) == tables[number]
    )


def _block(number: int, matches: list[MatchResult]) -> BlockResult:
    deals = sorted({match.deal for match in matches})
    if len(deals) > 1:
        raise ContestError("several-deals", f"the matches of block {number} have one deal, not the deals {deals}")
    return BlockResult(number, deals[0], tuple(matches))


def without_faulty(blocks: Iterable[BlockResult], of: frozenset[FaultOf] = FAULTS) -> tuple[BlockResult, ...]:
    """The blocks in which nothing went wrong by the fault of one of these."""
    return tuple(block for block in blocks if not block.has_faults(of))


def by_host(blocks: Iterable[BlockResult]) -> dict[str, tuple[BlockResult, ...]]:
    """The blocks of each host, by name. Blocks that several hosts played are by themselves."""
    found: dict[str, list[BlockResult]] = defaultdict(list)
    for block in blocks:
        found[block.host].append(block)
    return {host: tuple(found[host]) for host in sorted(found)}


def fault_counts(matches: Iterable[MatchResult]) -> dict[tuple[Player, FaultOf, str], int]:
    """How often each kind of fault happened at the seats of each player, and whose it was. Matches that are void count, too."""
    counts: dict[tuple[Player, FaultOf, str], int] = defaultdict(int)
    for match in matches:
        for seat in match.seats:
            for fault in seat.faults:
                counts[seat.player, fault.of, fault.kind] += fault.times
    return dict(sorted(counts.items()))
