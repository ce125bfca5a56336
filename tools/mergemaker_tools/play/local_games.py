"""Plays the games of a plan in fast mode: bots of this program, through table, clock and record, without a server.

Each game has its own deal, and seats rotate: in game g, seat s has the bot that was named at place s + g.
"""

import secrets
import sys
from collections.abc import Sequence
from contextlib import closing, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from mergemaker_client.asking import Caller
from mergemaker_client.bot import AnyBot, BotFactory, make_bot
from mergemaker_client.local_match import FAILED, REFUSED, Fault, LocalMatch
from mergemaker_engine.record.commitments import DealMode
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_referee.matches.making import MATCH_ID_BYTES
from mergemaker_referee.records.journal import record_name

from mergemaker_tools.parallel import in_order
from mergemaker_tools.play.audience import Audience
from mergemaker_tools.play.local_bots import factory_for, local_setup
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport, Noticed, report_of
from mergemaker_tools.play.supervision import strict_stop
from mergemaker_tools.problems import CommandFailed, Interrupted


class LocalGames:
    """The games of one plan, whose bots are all called in this program."""

    def __init__(self, plan: MatchPlan, audience: Audience) -> None:
        self._plan: Final = plan
        self._audience: Final = audience
        self.reports: Final[dict[int, GameReport]] = {}
        """By number: the games that were played to their end."""

    def play(self) -> None:
        """Plays all games; raises what ended them early."""
        plan = self._plan
        games = range(plan.games)
        try:
            with closing(in_order(_Work(plan), games, plan.jobs, "try --jobs 1, or --play served")) as played:
                for report in played:
                    if isinstance(report, str):
                        raise CommandFailed(report)
                    self._take(report)
        except KeyboardInterrupt as interrupt:
            done = f" after {len(self.reports):,} of {plan.games:,} games"
            raise Interrupted(f"interrupted{done}") from interrupt

    def _take(self, report: GameReport) -> None:
        self.reports[report.number] = report
        if self._plan.strict:
            for seat, complaint in enumerate(report.complaints):
                if complaint:
                    raise strict_stop(self._plan, seat, complaint, None)
        self._audience.end(report)


class _Work:
    """Plays games in whatever process it is sent to."""

    def __init__(self, plan: MatchPlan) -> None:
        self._plan: Final = plan
        self._factories: list[BotFactory] | None = None

    def __call__(self, number: int) -> GameReport | str:
        """Plays a game; a text says why it could not be played."""
        if self._factories is None:  # here, because they cannot be pickled
            self._factories = [factory_for(spec) for spec in self._plan.specs]
        try:
            with rare_collections(), Caller() as caller, redirect_stdout(sys.stderr):
                return self._played(number, self._factories, caller)
        except OSError as error:
            where = shown_path(error.filename or self._plan.records or ".")
            return f"cannot write the record {where}: {reason_of(error)}; choose another folder, or play with --no-record"
        except CommandFailed as problem:
            return str(problem)

    def _played(self, number: int, factories: Sequence[BotFactory], caller: Caller) -> GameReport:
        plan = self._plan
        order = plan.order(number)
        setup = local_setup(
            rules=plan.rules,
            clock=plan.clock,
            mode=DealMode.SERVER if plan.promised else DealMode.PLAIN,
            match=secrets.token_hex(MATCH_ID_BYTES),
            seed=plan.game_seed(number),
            bots=tuple(plan.names[bot] for bot in order),
        )
        path = None if plan.records is None else plan.records / record_name(datetime.now(UTC), setup.match)
        match = LocalMatch(setup, [_made(plan.names[bot], factories[bot]) for bot in order], caller)
        match.play()
        if path is not None:
            _write(path, match.lines)
        by_seat = [[fault for fault in match.faults if fault.seat == seat] for seat in range(plan.seats)]
        noticed = Noticed(
            refusals=_count(by_seat, REFUSED),
            failures=_count(by_seat, FAILED),
            logs=(None,) * plan.seats,
            complaints=tuple(faults[0].text if faults else "" for faults in by_seat),
        )
        return report_of(match.table, number, plan.game_seed(number), noticed, path)


def _made(name: str, factory: BotFactory) -> AnyBot:
    try:
        return make_bot(factory)
    except Exception as error:
        raise CommandFailed(f"the bot {name} cannot be made: {type(error).__name__}: {error}") from error


def _write(path: Path, lines: Sequence[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(b"".join(lines))


def _count(by_seat: Sequence[Sequence[Fault]], kind: str) -> tuple[int, ...]:
    return tuple(sum(fault.kind == kind for fault in faults) for faults in by_seat)
