"""Plays a tournament: what is missing of its schedule, until the budget is used up. All results come from finished records.

The ids of matches show which blocks are finished: these have all their records. A block that was broken off has the records of
its finished matches in a private place, and goes on with the match that was being played. So no match is ever played twice.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from mergemaker_contest import schedules
from mergemaker_contest.results import BlockResult
from mergemaker_contest.schedules import Format
from mergemaker_processes.confinement.confining import Confining
from mergemaker_referee.records.files import SUFFIX
from mergemaker_store.errors import StoreError
from mergemaker_store.gateway import Store
from mergemaker_store.values import MatchResult
from mergemaker_table.run_members import Host

from mergemaker_tools.contests.playing.blocks import Block, BlockPlayed, BlockProblem, PlayTerms, Trouble
from mergemaker_tools.contests.playing.many_blocks import play_blocks
from mergemaker_tools.contests.playing.unreleased import discard, finish_releases
from mergemaker_tools.problems import CommandFailed, Interrupted
from mergemaker_tools.tournaments.budget import Unit
from mergemaker_tools.tournaments.course import Joined, Leavings
from mergemaker_tools.tournaments.executors import LOCAL, scheduler_of
from mergemaker_tools.tournaments.folder import TournamentFolder
from mergemaker_tools.tournaments.outbox import Outbox
from mergemaker_tools.tournaments.plan import TournamentPlan
from mergemaker_tools.tournaments.publishing import program_text
from mergemaker_tools.tournaments.sharding import Shard
from mergemaker_tools.tournaments.table import contest_results

STARTS_MAX: Final = 3
"""How often a block is tried in which a bot does not start. After that, the bot takes no more part."""


class Watcher(Protocol):
    """Sees how a tournament goes."""

    def played(self, run: "TournamentRun") -> None:
        """A block was played."""

    def note(self, text: str) -> None:
        """Something that people should know."""


@dataclass(slots=True)
class Results:
    """All results so far, by match."""

    by_match: dict[str, MatchResult] = field(default_factory=dict)
    tables: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """By block: which of its matches have a result."""

    def add(self, result: MatchResult) -> None:
        """Takes a result; the same one may come again."""
        self.by_match[result.match] = result
        if result.place is not None and not result.is_void:
            self.tables[result.place.block].add(result.place.number)

    def is_whole(self, block: schedules.Block) -> bool:
        """Whether all matches of a block have a result."""
        return len(self.tables.get(block.number, ())) >= len(block.tables)

    @property
    def counted(self) -> int:
        """How many matches have a result."""
        return sum(map(len, self.tables.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """What is special about this run: it decides no match."""

    host: Host | None = None
    """The machine, for the records."""
    shard: Shard | None = None
    """The part of the schedule that is played here; None: all of it."""
    confining: Confining | None = None
    """How bots are confined; None: they are not."""


class TournamentRun:
    """One run of a tournament, which may be its first or go on with an earlier one."""

    def __init__(
        self,
        plan: TournamentPlan,
        folder: TournamentFolder,
        store: Store,
        watcher: Watcher,
        here: Here,
        *,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan: Final = plan
        self._store: Final = store
        self._watcher: Final = watcher
        self._shard: Final = here.shard
        self._now_s: Final = now_s
        self._course: Final = plan.course
        self._folder: Final = folder
        self._records: Final = folder.records
        self.terms: Final[PlayTerms] = replace(
            plan.terms(), records=folder.records, confining=here.confining, host=here.host, keeps=True
        )
        """What all blocks have in common."""
        self._pending: Final[list[Future[bool]]] = []
        self._starts: Final[Counter[str]] = Counter()
        self._began_s: Final = now_s()
        self.results: Final = Results()
        self.played_now = 0
        """How many matches this run has played."""
        self.leavings: Final = folder.read_leavings() if plan.course.schedule is None else Leavings()
        """What went otherwise than it was meant to, if rounds follow from it: those that were made stay as they are."""
        self._outbox = Outbox(plan.manifest, folder.records, self.leavings)
        self.out: Final[dict[str, str]] = dict.fromkeys(self.leavings.out, "it did not start, or its files were gone, earlier")
        """Bots that take no more part, and why."""
        self.skipped: Final[dict[int, str]] = dict.fromkeys(self.leavings.skipped, "it could not be played earlier")
        """Blocks that could not be played, and why."""

    def catch_up(self) -> None:
        """Takes all results that there are, and enters those that the database does not have."""
        finish_releases(self._records, self._plan.id)
        for result in self._store.results(self._plan.id):
            self.results.add(result)
        records = self._outbox.matches()
        missing = [match for match in records if match not in self.results.by_match]
        for match in missing:
            self._take(self._outbox.result(records[match]))
        self._meet_changes()
        for path in self._outbox.strangers():
            self._watcher.note(f"{path.name} is of another tournament: it is left alone, and does not count")

    def _meet_changes(self) -> None:
        """Lets bots that came later into a Swiss tournament, and those that are gone out of it."""
        if self._course.format is not Format.SWISS:
            return
        here = {bot.name: bot for bot in self._plan.bots}
        begun = {bot["name"] for bot in self._plan.manifest["bots"]}
        known = begun | self.leavings.joined.keys()
        new, gone = here.keys() - known, known - here.keys() - self.leavings.out.keys()
        if not new and not gone:
            return
        rounds = self._plan.budget.number
        last, following = self._course.next_changes(self._whole(), self.leavings, rounds)
        for name in sorted(new):
            self.leavings.joined[name] = Joined(following, here[name].shown, here[name].sha256)
            self._watcher.note(f"{name} plays from round {following + 1} on")
        for name in sorted(gone):
            self.leavings.out[name] = last
            self.out[name] = "its files are gone"
            self._watcher.note(f"{name} is gone, and plays no more from round {last + 1} on")
        self._folder.write_leavings(self.leavings)
        self._outbox = Outbox(self._plan.manifest, self._records, self.leavings)

    def play(self, jobs: int, *, fast: bool) -> None:
        """Plays what is missing. Raises `KeyboardInterrupt` after Ctrl-C, and `CommandFailed` if nothing more can be played.

        After a round, or when a block is to be tried again, more blocks are due.
        """
        while next(self._due(), None) is not None:
            for played in self._blocks(jobs, fast=fast):
                if isinstance(played, BlockPlayed):
                    self._add(played)
                else:
                    self._meet(played)
        # What is left is of blocks that are never played to their end.
        discard(self._records, self._plan.id)

    def _blocks(self, jobs: int, *, fast: bool) -> Iterator[BlockPlayed | BlockProblem]:
        """What comes of the blocks that are due, wherever they are played."""
        plan = self._plan
        if plan.settings.executor == LOCAL:
            return play_blocks(self.terms, plan.id, self._due(), jobs, fast=fast)
        from mergemaker_tools.tournaments.cluster import ClusterTerms, play_on_cluster  # noqa: PLC0415 - most need no cluster

        afar = ClusterTerms(
            contest=plan.id,
            terms=replace(self.terms, records=None, logs=None),
            hashes=tuple(bot.sha256 for bot in plan.bots),
            program=program_text(),
            fast=fast,
        )
        return play_on_cluster(scheduler_of(plan.settings.executor), afar, self.terms, self._due(), self._watcher.note)

    def _add(self, played: BlockPlayed) -> None:
        for match in played.matches:
            assert match.record is not None, "records are kept"
            self._take(self._outbox.result(match.record))
            self.played_now += 1
        for void in played.voided:
            if (record := self._records / f"{void.match}{SUFFIX}").exists():
                self._take(self._outbox.result(record))
            self._watcher.note(f"{void.match} was void and is played again: {void.why}")
        self._watcher.played(self)

    def _take(self, result: MatchResult) -> None:
        self.results.add(result)
        self._pending.append(self._store.enter_soon(result))

    def _due(self) -> Iterator[Block]:
        """The blocks that are missing, in the order of the schedule."""
        for scheduled in self._scheduled():
            if self._is_due(scheduled) and self._is_mine(scheduled):
                yield self._plan.block(scheduled)

    def _scheduled(self) -> Iterator[schedules.Block]:
        budget = self._plan.budget
        for scheduled in self._course.blocks(budget, self._whole(), self.leavings, self.out):
            if budget.unit is Unit.MINUTES and self.seconds >= budget.number * 60:
                return
            yield scheduled

    def _whole(self) -> dict[int, BlockResult]:
        """The whole blocks, if the course depends on them."""
        if self._course.schedule is not None:
            return {}
        return self._course.played(contest_results(self.results.by_match.values()))

    def _is_due(self, scheduled: schedules.Block) -> bool:
        return (
            not self.results.is_whole(scheduled)
            and scheduled.number not in self.skipped
            and all(self.out.keys().isdisjoint(table) for table in scheduled.tables)
        )

    def left(self) -> int | None:
        """How many matches are missing; None if nobody knows."""
        if self._course.blocks_in(self._plan.budget) is None:
            return None
        return sum(len(each.tables) for each in self._scheduled() if self._is_due(each) and self._is_mine(each))

    def _is_mine(self, scheduled: schedules.Block) -> bool:
        return self._shard is None or self._shard.has(scheduled.number)

    @property
    def is_over(self) -> bool:
        """Whether nothing is missing, of any part."""
        return not any(map(self._is_due, self._scheduled()))

    @property
    def seconds(self) -> float:
        """How long this run has played."""
        return self._now_s() - self._began_s

    def _meet(self, problem: BlockProblem) -> None:
        """Deals with a block that could not be played."""
        match problem.trouble:
            case Trouble.INTERRUPTED:
                raise KeyboardInterrupt
            case Trouble.DISK:
                raise CommandFailed(problem.text)
            case Trouble.BOT if problem.bot is not None:
                self._did_not_start(self._plan.bots[problem.bot].name, problem)
            case _:
                self.skipped[problem.block.number] = problem.text
                if self._course.schedule is None:
                    self.leavings.skipped.add(problem.block.number)
                    self._folder.write_leavings(self.leavings)
                self._watcher.note(f"block {problem.block.number} is left out: {problem.text}")

    def _did_not_start(self, name: str, problem: BlockProblem) -> None:
        self._starts[name] += 1
        if name in self.out:
            return
        if self._starts[name] < STARTS_MAX:
            self._watcher.note(f"{name} did not start, and is tried again: {problem.text}")
            return
        self.out[name] = problem.text
        if self._course.schedule is None:
            self.leavings.out[name] = self._course.round_of(problem.block.number, self._whole(), self.leavings)
            self._folder.write_leavings(self.leavings)
        self._watcher.note(f"{name} takes no more part: {problem.text}")
        if len(self._plan.bots) - len(self.out) < self._plan.settings.seats:
            raise CommandFailed(f"too few bots are left for {self._plan.settings.seats} seats: {self._outs()}")

    def _outs(self) -> str:
        return "; ".join(f"{name}: {why}" for name, why in sorted(self.out.items()))

    def finish(self, limit_s: float) -> int:
        """Waits until the database has all results, and returns how many it has not. Raises what contradicts it."""
        deadline = time.monotonic() + limit_s
        left = 0
        for pending in self._pending:
            try:
                pending.result(max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                left += 1
            except StoreError as error:
                raise CommandFailed(str(error)) from error
        return left


def interrupted(run: TournamentRun, resume: str) -> Interrupted:
    """What is said after Ctrl-C."""
    left = run.left()
    of = "" if left is None else f" of {run.results.counted + left:,}"
    return Interrupted(f"interrupted after {run.results.counted:,}{of} matches; nothing is lost. Go on with:\n{resume}")
