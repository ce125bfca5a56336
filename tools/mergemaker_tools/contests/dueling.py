"""A duel of two bots: which blocks are played, what is known after each, and when that is enough. No I/O, no clock."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from mergemaker_contest.designs import A, B, Design, block_difference, block_seatings
from mergemaker_contest.scores import Score, seat_scores
from mergemaker_contest.sequential import Comparison, Interval, Question, Verdict, side_of
from mergemaker_contest.stopping import StopAt, Stopped, matches_expected
from mergemaker_engine.deal import derived_seed

from mergemaker_tools.contests.playing.blocks import Block, BlockPlayed, PlayTerms, SeatPlayed

BROKEN_BLOCKS: Final = 3
"""A bot that is given up in every match of the first blocks is broken: that is no duel."""
_SEED_LABEL: Final = "block"
_SHARE_STEP: Final = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelPlan:
    """What is played, and when it is enough."""

    contest: str
    """The duel's id, in the ids of its matches."""
    terms: PlayTerms
    """Its bots are A, B and then the field."""
    design: Design
    seats: int
    score: Score
    question: Question
    precision: float | None = None
    """The duel ends when the interval is this narrow to each side; None: when there is a verdict."""
    matches_max: int | None = None
    seconds_max: float | None = None
    seed: bytes = field(repr=False)
    """All deals come from it."""

    @property
    def field_size(self) -> int:
        """How many bots play beside A and B."""
        return len(self.terms.bots) - 2

    @property
    def matches_per_block(self) -> int:
        """How many matches a block has."""
        return len(block_seatings(self.design, self.seats, 0, self.field_size))

    @property
    def stop_at(self) -> StopAt:
        """When the duel ends: with a verdict, unless a precision is asked for; or when its budget is used."""
        minutes = None if self.seconds_max is None else self.seconds_max / 60
        return StopAt(verdict=self.precision is None, half_width=self.precision, matches=self.matches_max, minutes=minutes)

    def blocks(self) -> Iterator[Block]:
        """All blocks that there could be, in order."""
        return map(self.block, count())

    def block(self, number: int) -> Block:
        """One block. Blocks of equal plans are equal."""
        return Block(
            contest=self.contest,
            number=number,
            seed=derived_seed(self.seed, _SEED_LABEL, number),
            seatings=block_seatings(self.design, self.seats, number, self.field_size),
        )


def smallest_step(score: Score, seats: int) -> float:
    """The resolution of a block's score: blocks that are all equal do not prove more than it."""
    match score:
        case Score.SHARE:
            return _SHARE_STEP
        case Score.PLACE:
            return 0.5 / (seats - 1)
        case Score.WIN:
            return 1 / seats


class Duel:
    """What is known of a duel so far."""

    def __init__(self, plan: DuelPlan) -> None:
        self.plan: Final = plan
        self.comparison: Final = Comparison(plan.question)
        self.played: Final[list[BlockPlayed]] = []
        self.differences: Final[list[float]] = []
        """By block: by how much a seat of A did better than a seat of B."""
        self.stop: Stopped | None = None

    def add(self, played: BlockPlayed, seconds: float) -> Stopped | None:
        """Takes the next block, and how long the duel has taken. Says whether this is enough, and why."""
        plan = self.plan
        scores = [seat_scores(plan.score, match.cash) for match in played.matches]
        difference = block_difference(played.block.seatings, scores)
        self.played.append(played)
        self.differences.append(difference)
        self.comparison.add(difference)
        self.stop = plan.stop_at.reached(self.comparison, matches_in_block=plan.matches_per_block, minutes=seconds / 60)
        return self.stop

    @property
    def blocks(self) -> int:
        """How many blocks were played."""
        return len(self.played)

    @property
    def matches(self) -> int:
        """How many matches count."""
        return self.blocks * self.plan.matches_per_block

    @property
    def mean(self) -> float:
        """By how much a seat of A did better, so far. Nothing says how far that is from the truth but the interval."""
        return self.comparison.tally.mean

    @property
    def interval(self) -> Interval | None:
        """Where the true difference lies, at every look; None before the end of the pilot."""
        return self.comparison.interval()

    @property
    def answer(self) -> Verdict:
        """What is known of A: by the test, or if the duel asks for a precision by the interval."""
        if self.plan.precision is None:
            return self.comparison.verdict
        interval = self.interval
        side = side_of(interval)
        if side is not Verdict.OPEN or interval is None:
            return side
        least = self.plan.question.difference
        return Verdict.NO_DIFFERENCE if max(-interval.low, interval.high) < least else Verdict.OPEN

    @property
    def deviation(self) -> float:
        """The standard deviation of block scores so far."""
        return float(self.comparison.tally.variance**0.5)

    def matches_expected(self) -> int:
        """About how many matches the test needs in all if the difference is as large as was asked about."""
        return matches_expected(self.plan.question, self.comparison.tally, self.plan.matches_per_block)

    def seats_of(self, bot: int) -> list[SeatPlayed]:
        """All seats that a bot has played."""
        matches = (match for block in self.played for match in block.matches)
        return [seat for match in matches for seat in match.seats if seat.bot == bot]

    def score_of(self, bot: int) -> float:
        """The mean score of a bot's seats."""
        scored = [
            worth
            for block in self.played
            for match in block.matches
            for worth, seat in zip(seat_scores(self.plan.score, match.cash), match.seats, strict=True)
            if seat.bot == bot
        ]
        return sum(scored) / len(scored) if scored else 0.0

    def faults_of(self, bot: int) -> dict[tuple[str, str], int]:
        """A bot's faults: by whose they were and what, how many."""
        found: Counter[tuple[str, str]] = Counter()
        for seat in self.seats_of(bot):
            for fault in seat.faults:
                found[str(fault.of), fault.kind] += fault.times
        return dict(sorted(found.items()))

    def broken_bot(self) -> tuple[int, str] | None:
        """A bot that was given up at every seat of the first blocks, and its complaint; None if there is none."""
        if self.blocks != BROKEN_BLOCKS:
            return None
        for bot in (A, B, *range(2, len(self.plan.terms.bots))):
            seats = self.seats_of(bot)
            if seats and all(seat.was_given_up for seat in seats):
                return bot, next((seat.complaint for seat in seats if seat.complaint), "")
        return None
