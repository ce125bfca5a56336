"""The course of a tournament: which blocks are played, in which order, for every format.

Everybody makes the same course of a manifest and results. In round-robin, gauntlet and duel it does not depend on results. In
Swiss and knockout a round follows from the results of the rounds before, and `Leavings` says what results do not tell: which bots
dropped out, and which blocks could not be played.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mergemaker_contest import schedules
from mergemaker_contest.designs import Design
from mergemaker_contest.errors import ContestError
from mergemaker_contest.knockout import BLOCKS_EACH, Knockout, KnockoutTerms, knockout
from mergemaker_contest.results import BlockResult, Forfeits, MatchResult, Player, SeatResult, SeatStatus, whole_blocks
from mergemaker_contest.rounds import Round
from mergemaker_contest.schedules import Block, Format, Schedule
from mergemaker_contest.scores import Score
from mergemaker_contest.swiss import SwissTerms, swiss

from mergemaker_tools.problems import WrongUse
from mergemaker_tools.tournaments.budget import Budget, Unit

ROUNDS_MAX: Final = 1_000
PASSED_MAX: Final = 10_000
"""How many blocks are passed over, at most, because a bot in them is out."""
IN_ROUNDS: Final = frozenset({Format.SWISS, Format.KNOCKOUT})
"""Formats in which a round follows from results."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A bot that came after a Swiss tournament had begun."""

    round: int
    """The first in which it plays, from 0."""
    bot: str
    """As a manifest has it; likewise the hash."""
    sha256: str


@dataclass(slots=True)
class Leavings:
    """What went otherwise than it was meant to."""

    out: dict[str, int] = field(default_factory=dict)
    """Bots that dropped out, each with the round in which it did."""
    skipped: set[int] = field(default_factory=set)
    """Blocks that could not be played."""
    joined: dict[str, Joined] = field(default_factory=dict)
    """Bots that came later."""

    def concern(self, block: Block, round_number: int) -> bool:
        """Whether a block of this round is not played."""
        return block.number in self.skipped or any(self.out.get(name, ROUNDS_MAX) <= round_number for name in block.tables[0])

    def document(self) -> dict[str, Any]:
        """As it is published."""
        joined = {
            name: {"round": each.round, "bot": each.bot, "sha256": each.sha256} for name, each in sorted(self.joined.items())
        }
        return {"out": dict(sorted(self.out.items())), "skipped": sorted(self.skipped), "joined": joined}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Leavings":
        """What was published."""
        joined = {
            str(name): Joined(int(each["round"]), str(each["bot"]), str(each["sha256"]))
            for name, each in document.get("joined", {}).items()
        }
        out = {str(name): int(number) for name, number in document["out"].items()}
        return cls(out, set(map(int, document["skipped"])), joined)


class Course:
    """The blocks of one tournament."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        self.format: Final = Format(manifest["format"])
        self._manifest: Final = manifest
        self._seats: Final[int] = manifest["seats"]
        self._names: Final = [bot["name"] for bot in manifest["bots"]]
        # Not a secret: who meets whom says nothing of the deals.
        self._seed: Final = int(manifest["seed_sha256"][:8], 16)
        try:
            self.schedule: Final = None if self.format in IN_ROUNDS else self._schedule()
            if self.schedule is None:
                self._rounds((), Leavings(), 1)
        except ContestError as error:
            raise WrongUse(error.text) from error

    def played(self, matches: Iterable[MatchResult]) -> dict[int, BlockResult]:
        """The whole blocks among these results."""
        known = list(matches)
        in_block = self.schedule.tables_in_block if self.schedule is not None else None
        # In rounds, each bot of a table has each seat once in a block, so it has as many matches as seats.
        tables = {match.block: in_block or len(match.seats) for match in known}
        return {block.block: block for block in whole_blocks(known, tables)}

    @property
    def usual_budget(self) -> Budget:
        """How much is played if nobody says."""
        if self.format is Format.SWISS:
            return Budget(max(3, math.ceil(math.log2(len(self._names)))), Unit.ROUNDS)
        return Budget(1, Unit.CYCLES)

    def blocks_in(self, budget: Budget) -> int | None:
        """How many blocks a budget buys; None if that is not known before."""
        if self.schedule is None:
            return None
        match budget.unit:
            case Unit.MATCHES:
                return max(1, budget.number // self.schedule.tables_in_block)
            case Unit.CYCLES:
                return budget.number * self.schedule.cycle
            case _:
                return None

    def check_budget(self, budget: Budget) -> None:
        """Refuses a budget that this format does not know."""
        if self.format is Format.KNOCKOUT:
            raise WrongUse("a knockout ends by itself: leave out the budget; table_blocks says how much each table plays")
        if self.format is Format.SWISS and budget.unit is not Unit.ROUNDS:
            raise WrongUse(f'a Swiss tournament is played in rounds, as in budget = "5 rounds", not {budget}')
        if self.format is not Format.SWISS and budget.unit is Unit.ROUNDS:
            raise WrongUse(f"a {self.format} has no rounds: give its budget in matches, minutes or cycles")

    def blocks(
        self, budget: Budget, results: Mapping[int, BlockResult], leavings: Leavings, out: Collection[str] = ()
    ) -> Iterator[Block]:
        """The blocks that are known by now, in order. Those of a later round are not.

        A budget of matches is spent on blocks without the bots that are out, as far as the schedule has such blocks.
        """
        if self.schedule is None:
            rounds = budget.number if budget.unit is Unit.ROUNDS else ROUNDS_MAX
            yield from (block for each in self._rounds(results.values(), leavings, rounds) for block in each.blocks)
            return
        count = self.blocks_in(budget)
        spent = 0
        for block in self.schedule.blocks():
            if spent == count or (count is not None and block.number >= count + PASSED_MAX):
                return
            yield block
            spent += budget.unit is not Unit.MATCHES or not any(bot in out for table in block.tables for bot in table)

    def begun(self, numbers: Iterable[int], results: Mapping[int, BlockResult], leavings: Leavings) -> dict[int, Block]:
        """The blocks with these numbers; those that the tournament does not have are left out."""
        if self.schedule is not None:
            return {number: self.schedule.block(number) for number in numbers}
        found = {block.number: block for each in self._rounds(results.values(), leavings, ROUNDS_MAX) for block in each.blocks}
        return {number: found[number] for number in numbers if number in found}

    def round_of(self, number: int, results: Mapping[int, BlockResult], leavings: Leavings) -> int:
        """The round of a block; 0 where there are none."""
        if self.schedule is not None:
            return 0
        rounds = self._rounds(results.values(), leavings, ROUNDS_MAX)
        return next((each.number for each in rounds if any(block.number == number for block in each.blocks)), 0)

    def next_changes(self, results: Mapping[int, BlockResult], leavings: Leavings, rounds: int) -> tuple[int, int]:
        """The first rounds that a bot can drop out of, and come into: a round that was made keeps its tables."""
        known = self._rounds(results.values(), leavings, rounds)
        made = len(known)
        return made if known[-1].is_played(results) else made - 1, made

    def document(self, results: Mapping[int, BlockResult], leavings: Leavings) -> dict[str, Any] | None:
        """What the table says of rounds, and of who was knocked out; None where there are none."""
        if self.schedule is not None:
            return None
        known = self._rounds(results.values(), leavings, ROUNDS_MAX)
        found: dict[str, Any] = {
            "rounds": [
                {"tables": [list(table) for table in each.tables], "resting": list(each.resting)}
                for each in known
                if any(block.number in results for block in each.blocks)
            ]
        }
        if self.format is Format.KNOCKOUT:
            state = self._knockout(results.values(), leavings)
            found |= {"champion": state.champion, "places": [list(names) for names in state.places]}
        return found

    def _rounds(self, results: Iterable[BlockResult], leavings: Leavings, rounds: int) -> tuple[Round, ...]:
        if self.format is Format.KNOCKOUT:
            return self._knockout(results, leavings).rounds
        since = {**dict.fromkeys(self._names, 0), **{name: joined.round for name, joined in leavings.joined.items()}}
        present = [
            [name for name, first in since.items() if first <= each <= leavings.out.get(name, ROUNDS_MAX)]
            for each in range(rounds)
        ]
        manifest = self._manifest
        terms = SwissTerms(
            seats=self._seats,
            blocks_each=manifest["table_blocks"] or 1,
            score=Score(manifest["score"]),
            forfeits=Forfeits(manifest["forfeits"]),
            seed=self._seed,
        )
        known = dict(_by_number(results))
        while True:
            found = swiss(present, terms, known.values())
            if not self._add_walkovers(found, known, leavings):
                return found

    def _knockout(self, results: Iterable[BlockResult], leavings: Leavings) -> Knockout:
        manifest = self._manifest
        terms = KnockoutTerms(
            seats=self._seats,
            advance=manifest["advance"],
            blocks_each=manifest["table_blocks"] or BLOCKS_EACH,
            score=Score(manifest["score"]),
            forfeits=Forfeits(manifest["forfeits"]),
            seed=self._seed,
        )
        first = [*manifest["order"], *(name for name in self._names if name not in manifest["order"])]
        known = dict(_by_number(results))
        while True:
            state = knockout(first, terms, known.values())
            if not self._add_walkovers(state.rounds, known, leavings):
                return state

    @staticmethod
    def _add_walkovers(rounds: tuple[Round, ...], known: dict[int, BlockResult], leavings: Leavings) -> bool:
        """Adds results of blocks that are never played. Says whether there were any."""
        missing = [
            block
            for each in rounds
            for block in each.blocks
            if block.number not in known
            and (
                block.number in leavings.skipped
                or any(leavings.out.get(name, ROUNDS_MAX) <= each.number for name in block.tables[0])
            )
        ]
        for block in missing:
            known[block.number] = walkover(block, leavings.out)
        return bool(missing)

    def _schedule(self) -> Schedule:
        manifest, names, seats, seed = self._manifest, self._names, self._seats, self._seed
        match self.format:
            case Format.ROUND_ROBIN:
                return schedules.round_robin(names, seats, seed=seed, tables_max=manifest["tables_max"])
            case Format.GAUNTLET:
                challengers = manifest["challengers"]
                others = [name for name in names if name not in challengers]
                return schedules.gauntlet(challengers, others, seats, seed=seed, tables_max=manifest["tables_max"])
            case _:
                first = [*manifest["order"], *(name for name in names if name not in manifest["order"])]
                if len(first) < 2:
                    raise WrongUse(f"a duel has two bots, and there is only {first[0]}: name another with --bot BOT")
                return schedules.duel(first[0], first[1], seats, design=Design(manifest["design"]), others=first[2:], seed=seed)


def _by_number(results: Iterable[BlockResult]) -> Iterator[tuple[int, BlockResult]]:
    return ((result.block, result) for result in results)


def walkover(block: Block, out: Mapping[str, int]) -> BlockResult:
    """A block that is not played: who has dropped out gets nothing, and the others get equal parts."""
    matches = tuple(
        MatchResult(
            match=f"walkover-{block.number}-{number}",
            block=block.number,
            table=number,
            deal=block.deal,
            seats=tuple(
                SeatResult(Player(name), 0, SeatStatus.NEVER_JOINED) if name in out else SeatResult(Player(name), 1)
                for name in table
            ),
        )
        for number, table in enumerate(block.tables)
    )
    return BlockResult(block.number, block.deal, matches)
