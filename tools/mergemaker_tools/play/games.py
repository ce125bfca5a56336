"""Plays the games of a plan: one referee on this machine, and a table for each game that is played at once.

An early end (Ctrl-C, a bot that cannot start, the first fault with --strict) voids the running games,
so that their records have an end, and stops the bots. A second Ctrl-C gives the bots no time to end by
themselves; a third leaves everything as it is, and names the records without an end.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import trio
from mergemaker_client.reporting import FAILURE_WORDS
from mergemaker_engine.record.commitments import DealMode
from mergemaker_processes.logs import holds_words
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_referee.matches.forking import ForkWish
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.making import MatchWish, SeatWish
from mergemaker_referee.rpc.server import ServerProblem
from mergemaker_referee.serving import Running, refereeing
from mergemaker_referee.tokens import token_hash
from mergemaker_table.evidence import AtFault
from mergemaker_table.inputs import Void
from mergemaker_table.join_terms import JoinTerms, MissingSeats
from mergemaker_table.terms import Terms
from mergemaker_table.verdicts import CANCELLED

from mergemaker_tools.play.audience import Audience
from mergemaker_tools.play.debugger import DebuggerDoor, has_terminal
from mergemaker_tools.play.failure_watch import failures_written, first_failure
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.play.seating import SeatedBots, Seating, known_name, tokens_of
from mergemaker_tools.play.supervision import FAILED_UNASKED, StrictStop, Supervision, strict_stop
from mergemaker_tools.problems import INTERRUPTED, CommandFailed, Interrupted, only_problem
from mergemaker_tools.screen import complain

VOID_LIMIT_S: Final = 5.0
"""How long writing the end of an interrupted game may take."""
STOP_GRACE_MS: Final = 1_000
"""The grace for clients that are still connected after the last game; usually there are none."""
SESSION_KEEP_MS: Final = 5_000
"""How long a bot may come back for the result of a game: short, so that a restarted process does not get many old results."""
STOP_SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
ENOUGH: Final = Closing(CloseCode.OK, "no-more-matches", "all games have been played")
_ALL_JOIN: Final = JoinTerms(missing=MissingSeats.VOID)
"""The time to join runs at once. The user wants to see these bots play: without one of them it is an error."""
_ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - a server on all addresses is reachable here


class Games:
    """The games of one plan."""

    def __init__(self, plan: MatchPlan, audience: Audience, stop_signals: Sequence[int] = STOP_SIGNALS) -> None:
        self._plan: Final = plan
        self._audience: Final = audience
        self._stop_signals: Final = stop_signals
        self._problem: Exception | None = None
        self._scope: Final = trio.CancelScope()
        self._logs = Path()
        self._records = Path()
        self._running: Final[dict[str, HostedMatch]] = {}
        self._tables: Final[list[Seating]] = []
        self._door: DebuggerDoor | None = None
        """Where debuggers of bots ask for the terminal, if there is one."""
        self._is_over = False
        """Whether all games have been played."""
        self.keeps_logs = False
        """Whether the logs may contain something that people should read."""
        self.reports: Final[dict[int, GameReport]] = {}
        """By number: the games that were played to their end."""

    def play(self) -> None:
        """Plays all games; raises what ended them early."""
        if not self._plan.listen.is_loopback:
            self._audience.note(
                f"note: {self._plan.listen} can be reached from other machines, and anybody on the network can read tokens"
            )
        with self._folders():
            try:
                with rare_collections():
                    trio.run(self._run)
            except (RefereeError, ServerProblem, BaseExceptionGroup) as problem:
                only = only_problem(problem)
                if isinstance(only, RefereeError | ServerProblem):
                    raise CommandFailed(str(only)) from problem
                raise only from problem
            if self._problem is None:
                for seat, log in self._untold_failures():
                    self._tell_untold_failure(seat, log)
        if self._problem is not None:
            raise self._problem.with_report() if isinstance(self._problem, StrictStop) else self._problem

    async def play_at(self, running: Running, seating: SeatedBots) -> GameReport:
        """Plays the only game of the plan at a referee that runs already, with bots that may be there already."""
        with self._scope:
            match = await self._made(running, 0, 0, ())
            await self._play_game(match, 0, seating)
            seating.game_over()
            self._tell_late_troubles(seating)
        if self._problem is None:
            for seat, log in self._untold_failures():
                self._tell_untold_failure(seat, log)
        if self._problem is not None:
            raise self._problem
        return self.reports[0]

    def break_off(self, problem: Exception) -> None:
        """Ends everything because of this problem; a second problem changes nothing."""
        if self._problem is None:
            self._problem = problem
            self._scope.cancel()

    @contextmanager
    def _folders(self) -> Iterator[None]:
        """Where logs and records go. Unless requested, they are deleted afterwards, except logs with a fault."""
        plan = self._plan
        self._logs = plan.logs or Path(tempfile.mkdtemp(prefix="mergemaker-logs-"))
        self._records = plan.records or Path(tempfile.mkdtemp(prefix="mergemaker-records-"))
        try:
            yield
        finally:
            self._tidy_up()

    @property
    def _debugger_greeting(self) -> str:
        """What a person at a debugger's prompt is told."""
        runs_on = "" if self._plan.clock.allowance_ms is None else "; its clock runs on, unless you play with --clock none"
        return f"\na bot stopped at breakpoint(): c goes on, n steps, h is help{runs_on}\n"

    def _untold_failures(self) -> list[tuple[int, Path]]:
        """The bots that failed outside a question, as when they received events: only their logs show it."""
        logs: dict[Path, tuple[int, bool]] = {}
        for report in self.reports.values():
            for seat, log in enumerate(report.logs):
                if log is not None:
                    was_told = logs.get(log, (seat, False))[1]
                    logs[log] = seat, was_told or report.failures[seat] > 0
        return [(seat, log) for log, (seat, was_told) in logs.items() if not was_told and holds_words(log, FAILURE_WORDS)]

    def _tell_untold_failure(self, seat: int, log: Path) -> None:
        self.keeps_logs = True
        if self._plan.strict:
            # Too late to stop anything, but this match must not seem faultless.
            self.break_off(strict_stop(self._plan, seat, FAILED_UNASKED, log))
            return
        what = f"seat {seat} ({self._plan.names[seat]}) failed where nothing was asked; its log: {shown_path(log)}"
        self._audience.note("\n".join([what, *first_failure(log)]))

    def _tidy_up(self) -> None:
        if self._plan.logs is None and not self.keeps_logs:
            shutil.rmtree(self._logs, ignore_errors=True)
        if self._plan.records is None:
            shutil.rmtree(self._records, ignore_errors=True)

    def _settings(self, tokens: list[tuple[str, ...]]) -> Settings:
        known = {
            known_name(table, seat): token_hash(token)
            for table, seats in enumerate(tokens)
            for seat, token in enumerate(seats)
            if self._plan.games > 1
        }
        return Settings(
            listen=(self._plan.listen,),
            plain_text_allowed=True,  # without this permission, there is no plan
            bots=known,
            durability=self._plan.durability,
            limits=Limits(stop_grace_ms=STOP_GRACE_MS, session_keep_ms=SESSION_KEEP_MS),
        )

    async def _run(self) -> None:
        plan = self._plan
        tokens = [tokens_of(plan, table) for table in range(plan.jobs)]
        async with trio.open_nursery() as outside:
            # Outermost: signals are handled until everything has ended.
            await outside.start(self._watch_signals)
            settings = self._settings(tokens)
            async with (
                refereeing(settings, self._records) as running,
                self._audience.beside(settings)(running.referee),
            ):
                # Within the referee, which continues while interrupted games are voided.
                with self._scope:
                    async with trio.open_nursery() as beside:
                        beside.start_soon(self._audience.look_on)
                        if plan.games == 1 and plan.in_block is None and has_terminal():
                            self._door = DebuggerDoor(self._audience.lent, self._debugger_greeting)
                            await beside.start(self._door.run)
                        async with trio.open_nursery() as tables:
                            for table in range(plan.jobs):
                                tables.start_soon(self._play_table, running, table, tokens[table])
                        beside.cancel_scope.cancel()
                    self._is_over = True
                    await self._audience.linger()
            outside.cancel_scope.cancel()

    async def _watch_signals(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Ends everything at the first signal, quickly at the second, and at once at the third."""
        with trio.open_signal_receiver(*self._stop_signals) as signals:
            task_status.started()
            await anext(signals)
            if self._is_over:  # nothing is interrupted
                self._scope.cancel()
                await anext(signals)
            of = f" after {len(self.reports):,} of {self._plan.games:,} games" if self._plan.games > 1 else ""
            self.break_off(Interrupted(f"interrupted{of}"))
            await anext(signals)
            complain("interrupted again: the bots are killed now; once more leaves everything as it is")
            for table in self._tables:
                table.hurry()
            await anext(signals)
            self._leave_at_once()

    def _leave_at_once(self) -> None:
        """Ends this process at once. The supervisors then end the bots."""
        left = [shown_path(match.record) for match in self._running.values()]
        is_recorded = self._plan.records is not None or self._plan.record is not None
        whole = "every record has its end" if is_recorded else "nothing is left"
        records = f"without an end: {', '.join(left)}" if left and is_recorded else whole
        complain(f"left at once; {records}")
        self._tidy_up()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(INTERRUPTED)

    async def _play_table(self, running: Running, table: int, tokens: tuple[str, ...]) -> None:
        """Plays every game of one table with the same bots, one after the other."""
        plan = self._plan
        server = running.addresses[0]
        for host, here in _ANYWHERE.items():
            server = server.replace(f"//{host}:", f"//{here}:")
        variables = self._door.variables if self._door else None
        seating = Seating(plan, server, tokens, self._logs, self._audience.note, variables)
        self._tables.append(seating)
        try:
            async with seating:
                for number in range(table, plan.games, plan.jobs):
                    match = await self._made(running, table, number, tokens)
                    await self._play_game(match, number, seating)
                    seating.game_over()
                    if plan.games > 1 and number + plan.jobs >= plan.games:
                        let_go(match)
        except CommandFailed as problem:
            self.break_off(problem)
        finally:
            self._tell_late_troubles(seating)

    def _tell_late_troubles(self, seating: SeatedBots) -> None:
        """Shows what was reported of confined bots after the last game."""
        for seat, troubles in enumerate(seating.new_troubles()):
            for trouble in troubles:
                self.keeps_logs = True
                self._audience.note(f"seat {seat} ({self._plan.names[seat]}): {trouble}")

    async def _made(self, running: Running, table: int, number: int, tokens: tuple[str, ...]) -> HostedMatch:
        plan = self._plan
        wish = self._wish(table, number, tokens)
        try:
            match, _ = await running.referee.create(wish)
        except OSError as error:
            where = shown_path(plan.record or self._records)
            raise CommandFailed(
                f"cannot write the record {where}: {reason_of(error)}; "
                "choose another folder with --records, or play without with --no-record"
            ) from error
        return match

    def _wish(self, table: int, number: int, tokens: tuple[str, ...]) -> MatchWish | ForkWish:
        """The request to the referee for one game."""
        plan = self._plan
        if plan.fork is not None:
            return replace(plan.fork, bots=plan.names, tokens=tokens)
        if plan.in_block is not None and plan.in_block.known:
            known: Sequence[str | None] = plan.in_block.known
        else:
            known = [known_name(table, seat) if plan.games > 1 else None for seat in range(plan.seats)]
        return MatchWish(
            rules=plan.rules,
            seats=tuple(map(SeatWish, plan.names, known)),
            terms=Terms(plan.clock),
            joining=_ALL_JOIN,
            mode=DealMode.SERVER if plan.promised else DealMode.PLAIN,
            seed=plan.game_seed(number),
            tokens=tokens,
            record=plan.record,
            match=None if plan.in_block is None else plan.in_block.match,
            block="" if plan.in_block is None else plan.in_block.block,
            host=None if plan.in_block is None else plan.in_block.host,
        )

    async def _play_game(self, match: HostedMatch, number: int, seating: SeatedBots) -> None:
        plan, audience = self._plan, self._audience
        supervision = Supervision(plan, match, audience, seating, self.break_off)
        self._running[match.id] = match
        match.listeners.append(supervision.hear)
        audience.begin(match)
        try:
            await seating.fill(match)
            async with trio.open_nursery() as nursery:
                for seat in range(plan.seats):
                    nursery.start_soon(supervision.watch_seat, seat)
                await match.end_told.wait()
                nursery.cancel_scope.cancel()
        finally:
            self.keeps_logs = self.keeps_logs or supervision.saw_fault
            if not match.end_told.is_set():
                await self._void(match)
            if match.end_told.is_set():
                del self._running[match.id]
        if match.fault is not None or match.table.ended is None:
            raise CommandFailed(f"the referee failed, and the game was voided: {match.fault}")
        record = match.record if plan.records or plan.record else None
        troubles = seating.new_troubles()
        self.keeps_logs = self.keeps_logs or any(troubles)
        told = supervision.report(number, plan.game_seed(number), record)
        report = replace(told, troubles=troubles)
        if not report.has_result:
            raise CommandFailed(f"the game was voided: {report.ended.voided_because}")
        self.reports[number] = report
        await seating.person_told()
        await failures_written(log for log, count in zip(report.logs, report.failures, strict=True) if log and count)
        audience.end(report)

    async def _void(self, match: HostedMatch) -> None:
        """Voids an interrupted game, so that its record has an end."""
        why = "interrupted" if isinstance(self._problem, Interrupted) else "broken off"
        match.pace = None
        match.post(Void(why, AtFault.NOBODY, CANCELLED))
        with trio.move_on_after(VOID_LIMIT_S, shield=True):
            await match.end_told.wait()


def let_go(match: HostedMatch) -> None:
    """Tells a table's bots that there are no more games."""
    for link in match.links:
        if link is not None:
            link.session.close(ENOUGH)
